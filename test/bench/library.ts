/** How the cost of a sync grows with the files of other titles in the output folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatIdentityComment } from '../../src/library/mark.js';
import { uuidOf } from '../../src/practice-server/library/library.js';
import { emptyZip } from '../support/empty-zip.js';
import {
  DAY_MS,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
} from '../support/sync-harness.js';
import { record, type Measurement } from './records.js';
import { median, rounded } from './statistics.js';

/** Once, four times, sixteen times. */
const SIZES = [1_250, 5_000, 20_000];
const FILES_OF_TITLE = 62;
const NAMES = Array.from({ length: 20 }, (_, index) => `Title ${index}`);
const RUNS = 5;

export const library: Measurement = {
  name: 'library',
  about: 'a sync of 20 titles with news in folders of 1,250 to 20,000 files',
  async run() {
    const cpuMs: number[][] = [];
    for (const files of SIZES) cpuMs.push(await cpuOfSyncs(files));
    const [smallest = []] = cpuMs;
    record('library', {
      what: `processor time of a sync that saves a chapter of each of 20 titles, with the practice service in the same process, in virtual time; ${RUNS} runs each`,
      rows: SIZES.map((files, index) => {
        const all = cpuMs[index] ?? [];
        return {
          files,
          medianCpuMs: Math.round(median(all)),
          timesSmallest: rounded(median(all) / median(smallest)),
          leastCpuMs: Math.round(Math.min(...all)),
          mostCpuMs: Math.round(Math.max(...all)),
        };
      }),
    });
  },
};

/** The first run builds the index, and is not counted. */
async function cpuOfSyncs(files: number): Promise<number[]> {
  const harness = await SyncHarness.start((nowMs) => syncLibrary(NAMES, nowMs - 9 * DAY_MS));
  try {
    addOtherTitles(harness.base.output, files);
    const entries = NAMES.map((name) => `  - target: title:${titleId(name)}\n`);
    harness.write(`series:\n${entries.join('')}`);
    await harness.sync();
    const cpuMs: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      for (const name of NAMES)
        harness.service.library.putChapter(
          syncChapter(name, String(run + 3), harness.clock.wallMs()),
        );
      harness.clock.advance(HOUR_MS);
      const before = process.cpuUsage();
      const { lines } = await harness.sync();
      const { user, system } = process.cpuUsage(before);
      if (savedIn(lines).length !== NAMES.length) throw new Error('Not every chapter was saved.');
      cpuMs.push((user + system) / 1_000);
    }
    return cpuMs;
  } finally {
    await harness.stop();
  }
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
