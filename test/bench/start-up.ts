/** How long until the program says something, or asks the service something, against Node with an empty file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { barChart } from './bar-chart.js';
import { Practice } from './practice.js';
import { record, type Measurement } from './records.js';
import { median, medianRatio, rounded } from './statistics.js';
import { baseline, tankobon, timed } from './timed-process.js';

const RUNS = 15;
/** So that the general limit of a second has no word in it. */
const PAUSE_MS = 600;

export const startUp: Measurement = {
  name: 'start-up',
  about: '--version, --help and the first request of download, against an empty Node',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-start-'));
    const practice = await Practice.start({ chapters: [{ pages: 1, bytesPerPage: 2_000 }] });
    try {
      printFigures(await measure(practice, folder));
    } finally {
      await practice.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Subject {
  readonly name: string;
  readonly ms: number[];
  measure(run: number): Promise<number>;
}

async function measure(practice: Practice, folder: string): Promise<readonly Subject[]> {
  const empty = join(folder, 'empty.mjs');
  writeFileSync(empty, '');
  const [chapter = ''] = practice.chapters();
  const wall = async (words: readonly string[], name = 'node'): Promise<number> =>
    (await timed({ words, env: { TANKOBON_HOME: practice.homeOf(name) } })).wallMs;
  const node = [process.execPath, empty];
  const subjects: Subject[] = [{ name: 'node, empty file', ms: [], measure: () => wall(node) }];
  for (const build of [tankobon, baseline]) {
    if (!build) continue;
    const name = build === tankobon ? 'tankobon' : 'baseline';
    const first = (run: number): Promise<number> =>
      firstRequestMs(practice, chapter, { output: join(folder, `${name}-${run}`), name, build });
    subjects.push(
      { name: `${name} --version`, ms: [], measure: () => wall(build('--version'), name) },
      { name: `${name} --help`, ms: [], measure: () => wall(build('--help'), name) },
      { name: `${name} download: first request`, ms: [], measure: first },
    );
  }
  // The first run compiles the program, for all that follow.
  for (let run = -1; run < RUNS; run += 1) {
    for (const subject of subjects) {
      const ms = await subject.measure(run);
      if (run >= 0) subject.ms.push(ms);
    }
    await delay(PAUSE_MS);
  }
  return subjects;
}

export async function firstRequestMs(
  practice: Practice,
  chapter: string,
  { output, name, build }: { output: string; name: string; build: typeof tankobon },
): Promise<number> {
  const { startedMs } = await timed({
    words: build('download', chapter, '--output', output, '--quiet'),
    env: { ...practice.environment, TANKOBON_HOME: practice.homeOf(name) },
  });
  const { arrivals } = await practice.arrivals(startedMs);
  return (arrivals[0]?.atMs ?? NaN) - startedMs;
}

function printFigures(subjects: readonly Subject[]): void {
  const empty = subjects[0]?.ms ?? [];
  record('start-up', {
    what: `from the process's start to its exit, or to the arrival of its first request; ${RUNS} runs each, in turn`,
    rows: subjects.map(({ name, ms }) => ({
      what: name,
      medianMs: Math.round(median(ms)),
      timesNode: rounded(medianRatio(ms, empty)),
      allMs: ms.map(Math.round),
    })),
    chart: barChart({
      title: 'Start-up',
      subtitle: `milliseconds; median of ${RUNS} (dots: each run)`,
      bars: subjects.map(({ name, ms }, index) => ({ label: name, values: ms, isOurs: index > 0 })),
      unit: 'ms',
    }),
  });
}
