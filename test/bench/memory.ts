/** The most memory that the process ever holds: a large chapter must not need more than a small one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { barChart } from './bar-chart.js';
import { TANKOBON } from './competitors.js';
import { Practice } from './practice.js';
import { record, type Measurement } from './records.js';
import { median, medianRatio, rounded } from './statistics.js';
import { timed } from './timed-process.js';

const RUNS = 5;
const CHAPTERS = [
  { name: '20 pages of 1 MB', pages: 20, bytesPerPage: 1_000_000 },
  { name: '200 pages of 5 MB', pages: 200, bytesPerPage: 5_000_000 },
];

export const memory: Measurement = {
  name: 'memory',
  about: 'peak memory of a large chapter against that of a small one',
  async run() {
    const peaks = CHAPTERS.map((): number[] => []);
    const chapters = CHAPTERS.map(({ pages, bytesPerPage }) => ({ pages, bytesPerPage }));
    const practice = await Practice.start({ chapters });
    try {
      for (let run = 0; run < RUNS; run += 1) {
        for (const kind of CHAPTERS.keys()) {
          const folder = mkdtempSync(join(tmpdir(), 'tankobon-bench-'));
          try {
            const [chapter = ''] = practice.chapters(kind);
            const command = await TANKOBON.command(practice, chapter, folder);
            peaks[kind]?.push((await timed(command)).peakMebibytes);
          } finally {
            rmSync(folder, { recursive: true, force: true });
          }
        }
      }
    } finally {
      await practice.stop();
    }
    printFigures(peaks);
  },
};

function printFigures(peaks: readonly (readonly number[])[]): void {
  const rows = CHAPTERS.map(({ name }, kind) => ({
    chapter: name,
    medianMebibytes: rounded(median(peaks[kind] ?? []), 4),
    timesSmall: rounded(medianRatio(peaks[kind] ?? [], peaks[0] ?? [])),
    allMebibytes: (peaks[kind] ?? []).map((peak) => rounded(peak, 4)),
  }));
  record('memory', {
    what: `peak resident memory of the whole process, no line in between, ${RUNS} runs each, in turn`,
    rows,
    chart: barChart({
      title: 'Peak memory',
      subtitle: `MiB resident; median of ${RUNS} (dots: each run)`,
      bars: rows.map(({ chapter, allMebibytes }) => ({
        label: chapter,
        values: allMebibytes,
        isOurs: true,
      })),
      unit: 'MiB',
    }),
  });
}
