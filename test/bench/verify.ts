/** What a check of a collection takes, against `sha256sum` of the same files. */
import { createHash, randomFillSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCbz } from '../../src/library/cbz-writer.js';
import { formatIdentityComment } from '../../src/library/mark.js';
import { formatRecord } from '../../src/library/record.js';
import { chapterId } from '../support/chapter-files.js';
import { SAMPLE_IMAGES } from '../support/sample-images.js';
import { record, type Measurement } from './records.js';
import { median, medianRatio, rounded } from './statistics.js';
import { tankobon, timed, type TimedRun } from './timed-process.js';

const RUNS = 7;
const PAGES_PER_CHAPTER = 20;
const BYTES_PER_PAGE = 400_000;
const SIZES = [
  { words: 'a volume', chapters: 10 },
  { words: 'a collection', chapters: 150 },
];
/** A ratio above it is a defect. */
const MAX_RATIO = 1.5;

export const verify: Measurement = {
  name: 'verify',
  about: `verify against sha256sum of the same files: at most ${MAX_RATIO} times`,
  async run() {
    const rows = [];
    for (const size of SIZES) rows.push(...(await ofSize(size)));
    record('verify', {
      what: `chapters of ${PAGES_PER_CHAPTER} pages of ${BYTES_PER_PAGE / 1_000} kB with the SHA-256 of each page, ${RUNS} pairs of runs, the files in the memory of the system; at most ${MAX_RATIO} times is promised for a collection`,
      rows,
    });
  },
};

async function ofSize({ words, chapters }: (typeof SIZES)[number]) {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-bench-verify-'));
  try {
    const comics = join(folder, 'comics');
    mkdirSync(comics);
    for (let number = 1; number <= chapters; number += 1) await addChapter(comics, number);
    const env = { TANKOBON_HOME: join(folder, 'home') };
    const commands = {
      sha256sum: { words: ['sh', '-c', `sha256sum ${comics}/*.cbz`] },
      'tankobon verify': { words: tankobon('verify', comics), env },
      'tankobon verify --since-last': { words: tankobon('verify', comics, '--since-last'), env },
    };
    const runs = new Map<string, TimedRun[]>();
    for (let run = 0; run <= RUNS; run += 1)
      for (const [name, command] of Object.entries(commands)) {
        const finished = await timed(command);
        // The first ones read the files from the disk.
        if (run > 0) runs.set(name, [...(runs.get(name) ?? []), finished]);
      }
    const of = (name: string, figure: 'wallMs' | 'cpuMs') =>
      (runs.get(name) ?? []).map((each) => each[figure]);
    return Object.keys(commands).map((name) => ({
      what: `${words}, ${Math.round((chapters * PAGES_PER_CHAPTER * BYTES_PER_PAGE) / 1e6)} MB`,
      program: name,
      wallMs: Math.round(median(of(name, 'wallMs'))),
      timesSha256sum: rounded(medianRatio(of(name, 'wallMs'), of('sha256sum', 'wallMs'))),
      cpuMs: Math.round(median(of(name, 'cpuMs'))),
      timesItsProcessorTime: rounded(medianRatio(of(name, 'cpuMs'), of('sha256sum', 'cpuMs'))),
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function addChapter(folder: string, number: number): Promise<void> {
  const id = chapterId(number);
  const images = Array.from({ length: PAGES_PER_CHAPTER }, () => {
    const page = Buffer.alloc(BYTES_PER_PAGE);
    SAMPLE_IMAGES.jpg.copy(page);
    // Bytes after the end of a JPEG are allowed.
    return randomFillSync(page, SAMPLE_IMAGES.jpg.length);
  });
  const sources = images.map((image, index) => {
    const file = join(folder, `${index}.tmp`);
    writeFileSync(file, image);
    return { file, bytes: image.length };
  });
  const pages = images.map((image) => createHash('sha256').update(image).digest('hex'));
  await writeCbz({
    file: join(folder, `${number}.cbz`),
    pages: sources,
    comment: formatIdentityComment({ chapterId: id, version: 1 }),
    record: formatRecord({ chapterId: id, version: 1, pages }),
  });
  for (const { file } of sources) rmSync(file);
}
