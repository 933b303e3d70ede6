/** The largest volume that is promised: peak memory, and the time against `zip -0` of the same bytes. */
import { randomFillSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCbz } from '../../src/library/cbz-writer.js';
import { comicInfoXml } from '../../src/library/comic-info.js';
import { SAMPLE_IMAGES } from '../support/sample-images.js';
import { record, type Measurement } from './records.js';
import { median, medianRatio, rounded } from './statistics.js';
import { tankobon, timed, type TimedRun } from './timed-process.js';

const RUNS = 3;
const CHAPTERS = 250;
const PAGES_PER_CHAPTER = 24;
const BYTES_PER_PAGE = 680_000;
const FORMATS = ['cbz', 'epub', 'pdf'] as const;

export const bind: Measurement = {
  name: 'bind',
  about: 'a volume of 250 chapters, 6,000 pages and 4 GB: peak memory, and time against zip -0',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-bench-bind-'));
    try {
      await createChapters(folder);
      const runs = new Map<string, TimedRun[]>();
      for (let run = 0; run < RUNS; run += 1) {
        for (const name of ['zip -0', ...FORMATS]) {
          const out = join(folder, 'out');
          mkdirSync(out);
          runs.set(name, [...(runs.get(name) ?? []), await timed(commandFor(name, folder, out))]);
          rmSync(out, { recursive: true });
        }
      }
      report(runs);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** `pages` has the images as files, `in` as chapters. */
async function createChapters(folder: string): Promise<void> {
  const page = Buffer.alloc(BYTES_PER_PAGE);
  SAMPLE_IMAGES.jpg.copy(page);
  mkdirSync(join(folder, 'pages'));
  for (let chapter = 1; chapter <= CHAPTERS; chapter += 1) {
    const pages = [];
    for (let number = 1; number <= PAGES_PER_CHAPTER; number += 1) {
      // Bytes after the end of a JPEG are allowed.
      randomFillSync(page, SAMPLE_IMAGES.jpg.length);
      const file = join(folder, 'pages', `${chapter}-${number}.jpg`);
      writeFileSync(file, page);
      pages.push({ file, bytes: page.length });
    }
    const comicInfo = await comicInfoXml({
      series: 'Large',
      number: String(chapter),
      volume: '1',
      language: 'en',
      pages: [],
    });
    await writeCbz({ file: join(folder, 'in', `${chapter}.cbz`), pages, comicInfo });
  }
}

function commandFor(name: string, folder: string, out: string) {
  if (name === 'zip -0')
    return { words: ['zip', '-0', '-q', '-r', join(out, 'large.zip'), join(folder, 'pages')] };
  return {
    words: tankobon('bind', join(folder, 'in'), '--format', name, '-o', out, '--quiet'),
    env: { TANKOBON_HOME: join(folder, 'home') },
  };
}

function report(runs: ReadonlyMap<string, readonly TimedRun[]>): void {
  const megabytes = (CHAPTERS * PAGES_PER_CHAPTER * BYTES_PER_PAGE) / 1e6;
  const wallOf = (name: string) => (runs.get(name) ?? []).map(({ wallMs }) => wallMs);
  const rows = [...runs].map(([name, each]) => ({
    program: name === 'zip -0' ? name : `tankobon bind --format ${name}`,
    msPerMegabyte: rounded(median(wallOf(name)) / megabytes),
    timesZip: rounded(medianRatio(wallOf(name), wallOf('zip -0'))),
    peakMebibytes: rounded(median(each.map(({ peakMebibytes }) => peakMebibytes)), 4),
    allMs: wallOf(name).map(Math.round),
  }));
  record('bind', {
    what: `${CHAPTERS} chapters with ${CHAPTERS * PAGES_PER_CHAPTER} pages and ${Math.round(megabytes)} MB in one volume, ${RUNS} runs each, in turn; tankobon also syncs the file to disk`,
    rows,
  });
}
