/** What packing adds to the transfers: from the last page to the finished CBZ, against the time of the transfers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TANKOBON } from './competitors.js';
import { Practice } from './practice.js';
import { record, type Measurement } from './records.js';
import { median, rounded } from './statistics.js';
import { timed, type TimedRun } from './timed-process.js';

const RUNS = 5;
const PAUSE_MS = 1_100;
const LINES = [
  { words: '40 ms each way', delayMs: 40 },
  { words: '40 ms each way, 2 MB/s a connection', delayMs: 40, bytesPerSecond: 2_000_000 },
];

export const packing: Measurement = {
  name: 'packing',
  about: 'what packing adds to the transfers of a chapter',
  async run() {
    const rows = [];
    for (const line of LINES) rows.push(await overLine(line));
    record('packing', {
      what: `40 pages of 1 MB, ${RUNS} runs each; transfers: from the first page request to the last page, packing: from there to the finished CBZ`,
      rows,
    });
  },
};

async function overLine(line: (typeof LINES)[number]) {
  const transfersMs: number[] = [];
  const packingMs: number[] = [];
  const practice = await Practice.start(
    { chapters: [{ pages: 40, bytesPerPage: 1_000_000 }] },
    line,
  );
  try {
    const [chapter = ''] = practice.chapters();
    for (let run = 0; run < RUNS; run += 1) {
      const folder = mkdtempSync(join(tmpdir(), 'tankobon-bench-'));
      try {
        const finished = await timed(await TANKOBON.command(practice, chapter, folder));
        const begun = momentOf(finished, 'chapter-started');
        const loaded = momentOf(finished, 'page-loaded');
        transfersMs.push(loaded - begun);
        packingMs.push(momentOf(finished, 'chapter-saved') - loaded);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
      await delay(PAUSE_MS);
    }
  } finally {
    await practice.stop();
  }
  const added = median(packingMs) / median(transfersMs);
  return {
    line: line.words,
    transfersMs: Math.round(median(transfersMs)),
    packingMs: Math.round(median(packingMs)),
    addedPercent: rounded(100 * added),
  };
}

/** When the last event of this type was printed. */
function momentOf({ lines }: TimedRun, type: string): number {
  const last = lines.findLast(({ text }) => (JSON.parse(text) as { type: string }).type === type);
  return last?.atMs ?? NaN;
}
