/** One chapter over a long line: this program against what a user would pick instead, in turn. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { barChart } from './bar-chart.js';
import {
  BASELINE,
  COMPETITORS,
  PAGES_IN_FLIGHT,
  SCRIPT,
  TANKOBON,
  type Competitor,
} from './competitors.js';
import { Practice } from './practice.js';
import { record, type Measurement } from './records.js';
import type { Line } from './slow-line.js';
import { median, medianRatio, rounded } from './statistics.js';
import { timed } from './timed-process.js';

/** The service's general limit is of a second; no program shall pay for the one before it. */
const PAUSE_MS = 1_100;

interface Setup extends Line {
  readonly name: string;
  readonly words: string;
  readonly pages: number;
  readonly megabytesPerPage: number;
  readonly runs: number;
  readonly competitors: readonly Competitor[];
}

const SETUPS: readonly Setup[] = [
  {
    name: 'one-chapter',
    words: '40 ms each way',
    delayMs: 40,
    pages: 40,
    megabytesPerPage: 1,
    runs: 5,
    competitors: COMPETITORS,
  },
  {
    name: 'one-chapter-capped',
    words: '40 ms each way, 2 MB/s a connection',
    delayMs: 40,
    bytesPerSecond: 2_000_000,
    pages: 40,
    megabytesPerPage: 1,
    runs: 5,
    competitors: COMPETITORS,
  },
  {
    name: 'one-large-chapter',
    words: '40 ms each way',
    delayMs: 40,
    pages: 200,
    megabytesPerPage: 5,
    runs: 3,
    competitors: [SCRIPT],
  },
];

export const oneChapter: Measurement = {
  name: 'one-chapter',
  about: 'one chapter, whole process, against other programs',
  async run() {
    for (const setup of SETUPS) await measure(setup);
  },
};

async function measure(setup: Setup): Promise<void> {
  const { pages, megabytesPerPage, runs, words } = setup;
  const competitors = [TANKOBON, ...(BASELINE ? [BASELINE] : []), ...setup.competitors];
  const times = new Map(competitors.map(({ name }) => [name, [] as number[]]));
  const processorTimes = new Map(competitors.map(({ name }) => [name, [] as number[]]));
  const practice = await Practice.start(
    { chapters: [{ pages, bytesPerPage: megabytesPerPage * 1_000_000 }] },
    setup,
  );
  try {
    const [chapter = ''] = practice.chapters();
    // The first run compiles the program, for all that follow.
    for (let run = -1; run < runs; run += 1) {
      for (const competitor of competitors) {
        const folder = mkdtempSync(join(tmpdir(), 'tankobon-bench-'));
        try {
          const command = await competitor.command(practice, chapter, folder);
          const { wallMs, cpuMs } = await timed(command);
          if (run >= 0) {
            times.get(competitor.name)?.push(wallMs);
            processorTimes.get(competitor.name)?.push(cpuMs);
          }
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
  const ownProcessor = processorTimes.get(TANKOBON.name) ?? [];
  const rows = competitors.map(({ name, does }) => {
    const all = times.get(name) ?? [];
    const processor = processorTimes.get(name) ?? [];
    return {
      program: name,
      does,
      medianMs: Math.round(median(all)),
      timesOurs: rounded(medianRatio(all, own)),
      ourTimeOverIts: rounded(medianRatio(own, all)),
      ourProcessorTimeOverIts: rounded(medianRatio(ownProcessor, processor)),
      allTimeRatios: own.map((ms, run) => rounded(ms / (all[run] ?? NaN))),
      allProcessorTimeRatios: ownProcessor.map((ms, run) => rounded(ms / (processor[run] ?? NaN))),
      allMs: all.map(Math.round),
    };
  });
  const size = `${pages} pages of ${megabytesPerPage} MB`;
  record(setup.name, {
    what: `${size}, ${PAGES_IN_FLIGHT} in flight, ${words}; whole process, ${runs} runs each, in turn`,
    rows,
    chart: barChart({
      title: `One chapter, ${size}`,
      subtitle: `seconds, whole process; ${words}; median of ${runs} (dots: each run)`,
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
