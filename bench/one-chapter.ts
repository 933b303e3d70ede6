/** One chapter over a long line: this program against what a user would pick instead, in turn. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { barChart } from './bar-chart.js';
import { COMPETITORS, PAGES_IN_FLIGHT, TANKOBON } from './competitors.js';
import { Practice } from './practice.js';
import { record, type Measurement } from './records.js';
import type { Line } from './slow-line.js';
import { median, medianRatio, rounded } from './statistics.js';
import { timed } from './timed-process.js';

const PAGES = 40;
const BYTES_A_PAGE = 1_000_000;
const RUNS = 5;
/** The service's general limit is of a second; no program shall pay for the one before it. */
const PAUSE_MS = 1_100;

const LINES: readonly (Line & { readonly name: string; readonly words: string })[] = [
  { name: 'one-chapter', words: '40 ms each way', delayMs: 40 },
  {
    name: 'one-chapter-capped',
    words: '40 ms each way, 2 MB/s a connection',
    delayMs: 40,
    bytesPerSecond: 2_000_000,
  },
];

export const oneChapter: Measurement = {
  name: 'one-chapter',
  about: 'one chapter of 40 pages of 1 MB, whole process, against other programs',
  async run() {
    for (const line of LINES) await overLine(line);
  },
};

async function overLine(line: (typeof LINES)[number]): Promise<void> {
  const competitors = [TANKOBON, ...COMPETITORS];
  const times = new Map(competitors.map(({ name }) => [name, [] as number[]]));
  const wish = { chapters: [{ pages: PAGES, bytesPerPage: BYTES_A_PAGE }] };
  const practice = await Practice.start(wish, line);
  try {
    const [chapter = ''] = practice.chapters();
    for (let run = 0; run < RUNS; run += 1) {
      for (const competitor of competitors) {
        const folder = mkdtempSync(join(tmpdir(), 'tankobon-bench-'));
        try {
          const command = await competitor.command(practice, chapter, folder);
          const { wallMs } = await timed(command);
          times.get(competitor.name)?.push(wallMs);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
        await delay(PAUSE_MS);
      }
    }
    const { violations } = await practice.arrivals(0);
    if (violations > 0) throw new Error(`${violations} requests broke a rule of the service.`);
  } finally {
    await practice.stop();
  }
  const own = times.get(TANKOBON.name) ?? [];
  const rows = competitors.map(({ name, does }) => {
    const all = times.get(name) ?? [];
    return {
      program: name,
      does,
      medianMs: Math.round(median(all)),
      timesOurs: rounded(medianRatio(all, own)),
      ourTimeOverIts: rounded(medianRatio(own, all)),
      allMs: all.map(Math.round),
    };
  });
  record(line.name, {
    what: `${PAGES} pages of 1 MB, ${PAGES_IN_FLIGHT} in flight, ${line.words}; whole process, ${RUNS} runs each, in turn`,
    rows,
    chart: barChart({
      title: 'One chapter, 40 pages of 1 MB',
      subtitle: `seconds, whole process; ${line.words}; median of ${RUNS} (dots: each run)`,
      bars: rows.map(({ program, does, allMs }) => ({
        label: program,
        note: does,
        values: allMs.map((ms) => ms / 1_000),
        isOurs: program === TANKOBON.name,
      })),
      unit: 's',
    }),
  });
}
