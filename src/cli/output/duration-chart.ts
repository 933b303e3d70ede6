/** Durations over time as one inline SVG: the median of each stretch as a line, the slowest as a band above. Pure. */
import type { TimeFigures } from '../../health-reports/statistics.js';
import { formatDuration } from './report-table.js';

const WIDTH = 920;
const HEIGHT = 260;
const LEFT = 58;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 30;
/** Round numbers of milliseconds, between which the grid's lines are chosen. */
const ROUND_STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500].flatMap((ms) => [ms, ms * 1_000]);
const MOST_GRID_LINES = 5;

interface Point {
  readonly x: number;
  readonly medianY: number;
  readonly slowestY: number;
}

export function durationChart(stretches: readonly TimeFigures[]): string {
  const drawn = stretches.flatMap(({ fromMs, toMs, medianMs, slowestMs }) =>
    medianMs === undefined || slowestMs === undefined
      ? []
      : [{ atMs: (fromMs + toMs) / 2, medianMs, slowestMs }],
  );
  const firstMs = stretches[0]?.fromMs ?? 0;
  const lastMs = stretches.at(-1)?.toMs ?? 1;
  if (drawn.length === 0) return '<p>No load has succeeded yet.</p>';
  const stepMs = gridStepMs(Math.max(...drawn.map((stretch) => stretch.slowestMs)));
  const topMs =
    stepMs * Math.max(1, Math.ceil(Math.max(...drawn.map((s) => s.slowestMs)) / stepMs));
  const y = (ms: number) => TOP + (1 - ms / topMs) * (HEIGHT - TOP - BOTTOM);
  const x = (ms: number) => LEFT + ((ms - firstMs) / (lastMs - firstMs)) * (WIDTH - LEFT - RIGHT);
  const points = drawn.map((stretch) => ({
    x: x(stretch.atMs),
    medianY: y(stretch.medianMs),
    slowestY: y(stretch.slowestMs),
  }));
  return `<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Median and slowest duration of the loads over time">
${gridLines(stepMs, topMs, y)}
${timeMarks(firstMs, lastMs)}
${curves(points)}
</svg>`;
}

function gridStepMs(mostMs: number): number {
  const steps = [...ROUND_STEPS_MS].sort((one, other) => one - other);
  return steps.find((step) => mostMs / step <= MOST_GRID_LINES) ?? mostMs;
}

function gridLines(stepMs: number, topMs: number, y: (ms: number) => number): string {
  const lines: string[] = [];
  for (let ms = 0; ms <= topMs; ms += stepMs) {
    const at = y(ms).toFixed(1);
    lines.push(
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/>` +
        `<text x="${LEFT - 8}" y="${at}" dy=".35em" text-anchor="end">${formatDuration(ms)}</text>`,
    );
  }
  return lines.join('\n');
}

function timeMarks(firstMs: number, lastMs: number): string {
  const mark = (x: number, anchor: string, atMs: number) =>
    `<text x="${x}" y="${HEIGHT - 8}" text-anchor="${anchor}">${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')}</text>`;
  const middle = (LEFT + WIDTH - RIGHT) / 2;
  return [
    mark(LEFT, 'start', firstMs),
    mark(middle, 'middle', (firstMs + lastMs) / 2),
    mark(WIDTH - RIGHT, 'end', lastMs),
  ].join('\n');
}

function curves(points: readonly Point[]): string {
  const place = (x: number, y: number) => `${x.toFixed(1)},${y.toFixed(1)}`;
  const medians = points.map(({ x, medianY }) => place(x, medianY));
  const back = [...points].reverse().map(({ x, slowestY }) => place(x, slowestY));
  const dots = points.map(
    ({ x, medianY }) => `<circle cx="${x.toFixed(1)}" cy="${medianY.toFixed(1)}" r="2.5"/>`,
  );
  return [
    `<polygon class="band" points="${[...medians, ...back].join(' ')}"/>`,
    `<polyline class="median" points="${medians.join(' ')}"/>`,
    ...dots,
  ].join('\n');
}
