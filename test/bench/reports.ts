/** What health reports cost: with them against without, and with a report host that is dead all the time, in pairs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TANKOBON } from './competitors.js';
import { Practice } from './practice.js';
import { record, type Measurement } from './records.js';
import { median, medianRatio, rounded } from './statistics.js';
import { timed } from './timed-process.js';

const PAIRS = 7;
const PAUSE_MS = 1_100;
const LINE = { delayMs: 40, bytesPerSecond: 2_000_000 };

const WAYS = [
  { name: 'no reports', flags: ['--no-reports'], host: 'alive' },
  { name: 'reports', flags: [], host: 'alive' },
  { name: 'report host dead', flags: [], host: 'dead' },
] as const;

export const reports: Measurement = {
  name: 'reports',
  about: 'what health reports cost, and a report host that is dead',
  async run() {
    const practice = await Practice.start(
      { chapters: [{ pages: 40, bytesPerPage: 1_000_000 }] },
      LINE,
    );
    const times = WAYS.map((): number[] => []);
    try {
      const [chapter = ''] = practice.chapters();
      for (let pair = 0; pair < PAIRS; pair += 1) {
        for (const [index, { flags, host }] of WAYS.entries()) {
          await practice.reportHost(host);
          const folder = mkdtempSync(join(tmpdir(), 'tankobon-bench-'));
          try {
            const { words, env } = await TANKOBON.command(practice, chapter, folder);
            const run = await timed({ words: [...words, ...flags], ...(env && { env }) });
            times[index]?.push(run.wallMs);
          } finally {
            rmSync(folder, { recursive: true, force: true });
          }
          await delay(PAUSE_MS);
        }
      }
    } finally {
      await practice.stop();
    }
    record('reports', {
      what: `wall time of a chapter of 40 pages of 1 MB, 40 ms each way, 2 MB/s a connection; ${PAIRS} runs each, in turn`,
      rows: WAYS.map(({ name }, index) => ({
        way: name,
        medianMs: Math.round(median(times[index] ?? [])),
        timesNoReports: rounded(medianRatio(times[index] ?? [], times[0] ?? [])),
        allMs: times[index]?.map(Math.round),
      })),
    });
  },
};
