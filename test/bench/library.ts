/** How the cost of a sync, a whole process, grows with the files of other titles in the output folder. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatIdentityComment } from '../../src/library/mark.js';
import { uuidOf } from '../../src/practice-server/library/library.js';
import { emptyZip } from '../support/empty-zip.js';
import { FILES_PER_TITLE, titleId } from './collection-library.js';
import { startCollectionService, type CollectionService } from './collection-process.js';
import { record, type Measurement } from './records.js';
import { median, medianRatio, rounded } from './statistics.js';

/** Once, four times, sixteen times. */
const SIZES = [1_250, 5_000, 20_000];
const FILES_OF_TITLE = 62;
const TITLES = 20;
/** Each run saves the next chapter of every title. */
const RUNS = 5;
const FIRST_CHAPTERS = FILES_PER_TITLE - RUNS;

export const library: Measurement = {
  name: 'library',
  about: 'a sync of 20 titles with news in folders of 1,250 to 20,000 files',
  async run() {
    const service = await startCollectionService(TITLES);
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-bench-library-'));
    const cpuMs = SIZES.map((): number[] => []);
    try {
      for (const files of SIZES) addOtherTitles(join(folder, String(files), 'comics'), files);
      for (let run = 0; run <= RUNS; run += 1)
        for (const [index, files] of SIZES.entries()) {
          const took = await sync(join(folder, String(files)), FIRST_CHAPTERS + run, service);
          // The first run builds the index.
          if (run > 0) cpuMs[index]?.push(took);
        }
    } finally {
      service.stop();
      rmSync(folder, { recursive: true, force: true });
    }
    const [smallest = []] = cpuMs;
    record('library', {
      what: `processor time of a sync that saves a chapter of each of ${TITLES} titles: whole processes, ${RUNS} runs each, in turn`,
      rows: SIZES.map((files, index) => {
        const all = cpuMs[index] ?? [];
        return {
          files,
          medianCpuMs: Math.round(median(all)),
          timesSmallest: rounded(medianRatio(all, smallest)),
          leastCpuMs: Math.round(Math.min(...all)),
          mostCpuMs: Math.round(Math.max(...all)),
        };
      }),
    });
  },
};

async function sync(folder: string, chapters: number, service: CollectionService): Promise<number> {
  const subscriptions = join(folder, 'subscriptions.yaml');
  const targets = Array.from({ length: TITLES }, (_, index) => `title:${titleId(index)}`);
  const defaults = `{ output: ${join(folder, 'comics')}, language: [en], chapters: 1-${chapters} }`;
  const series = targets.map((target) => `  - target: ${target}\n`).join('');
  writeFileSync(subscriptions, `defaults: ${defaults}\nseries:\n${series}`);
  const words = ['sync', '--file', subscriptions];
  const { cpuMs, lines } = await service.run(words, join(folder, 'home'));
  const expected = chapters === FIRST_CHAPTERS ? TITLES * FIRST_CHAPTERS : TITLES;
  if (lines.length !== expected) throw new Error(`${lines.length} chapters were saved.`);
  return cpuMs;
}

function addOtherTitles(output: string, files: number): void {
  for (let index = 0; index < files; index += 1) {
    const title = `Other ${Math.floor(index / FILES_OF_TITLE)}`;
    const chapterId = uuidOf('bench chapter', String(index));
    const comment = formatIdentityComment({
      chapterId,
      titleId: uuidOf('bench title', title),
      version: 1,
    });
    const file = join(output, title, `${title} Ch.${index}.cbz`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, emptyZip(comment));
  }
}
