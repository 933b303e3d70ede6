/** Processor time of a long batch: the second of two batches has more chapters, and the difference is what they cost. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Practice } from './practice.js';
import { record, type Measurement } from './records.js';
import { rounded } from './statistics.js';
import { tankobon, timed } from './timed-process.js';

/** The first 40 chapters start within seconds; then the quota allows one in 1.5 s. */
const SIZES = [40, 140] as const;
const RUNS = 3;
const PAGES = { pages: 2, bytesPerPage: 100_000 };

export const batchCost: Measurement = {
  name: 'batch-cost',
  about: 'processor time for each chapter of a batch, with the real quotas (takes ten minutes)',
  async run() {
    const rows = [];
    for (let run = 0; run < RUNS; run += 1) {
      const few = await cpuMsOf(SIZES[0]);
      const many = await cpuMsOf(SIZES[1]);
      const cpuMsEach = rounded((many - few) / (SIZES[1] - SIZES[0]));
      rows.push({ run: run + 1, [`cpuMs${SIZES[0]}`]: few, [`cpuMs${SIZES[1]}`]: many, cpuMsEach });
    }
    const what = `batches of ${SIZES[0]} and of ${SIZES[1]} chapters of two pages of 100 kB, whole process, user and system time; the difference for each chapter`;
    record('batch-cost', { what, rows });
  },
};

async function cpuMsOf(count: number): Promise<number> {
  const practice = await Practice.start({ chapters: [{ ...PAGES, count }] });
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-bench-'));
  try {
    const list = join(folder, 'chapters.txt');
    writeFileSync(list, `${practice.chapters().join('\n')}\n`);
    const words = tankobon('download', '--from-file', list, '-o', join(folder, 'shelf'), '--json');
    const env = { ...practice.environment, TANKOBON_HOME: practice.homeOf('tankobon') };
    return rounded((await timed({ words, env })).cpuMs, 4);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await practice.stop();
  }
}
