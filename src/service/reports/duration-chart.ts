/** Load durations over time as inline SVG: the median of each interval as a line, up to the slowest as a band. */
import { formatDuration, formatLocalTime } from '../../core/human-format.js';
import type { IntervalMetrics } from './report-status.js';
import { maxOf } from '../../core/extremes.js';

const WIDTH = 920;
const HEIGHT = 290;
const LEFT = 84;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 52;
/** Distances of the grid lines to choose from. */
const ROUND_STEPS_MS = [1, 10, 100, 1_000, 10_000, 100_000].flatMap((ms) => [ms, 2 * ms, 5 * ms]);
const MAX_GRID_LINES = 5;

interface Point {
  readonly x: number;
  readonly medianY: number;
  readonly slowestY: number;
}

export function durationChart(intervals: readonly IntervalMetrics[], nowMs: number): string {
  const drawn = intervals.flatMap(({ fromMs, toMs, medianMs, slowestMs }) =>
    medianMs === undefined || slowestMs === undefined
      ? []
      : [{ atMs: (fromMs + toMs) / 2, medianMs, slowestMs }],
  );
  if (drawn.length === 0) return '<p>No load has succeeded yet.</p>';
  const firstMs = intervals[0]?.fromMs ?? 0;
  const lastMs = intervals.at(-1)?.toMs ?? 1;
  const maxMs = maxOf(drawn.map(({ slowestMs }) => slowestMs));
  const stepMs = gridStepMs(maxMs);
  const topMs = stepMs * Math.max(1, Math.ceil(maxMs / stepMs));
  const y = (ms: number) => TOP + (1 - ms / topMs) * (HEIGHT - TOP - BOTTOM);
  const x = (ms: number) => LEFT + ((ms - firstMs) / (lastMs - firstMs)) * (WIDTH - LEFT - RIGHT);
  const points = drawn.map(({ atMs, medianMs, slowestMs }) => ({
    x: x(atMs),
    medianY: y(medianMs),
    slowestY: y(slowestMs),
  }));
  return `<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Median and slowest load duration over time">
${gridLines(stepMs, topMs, y)}
${timeLabels(firstMs, lastMs, nowMs)}
${axisTitles()}
${curves(points)}
</svg>`;
}

function gridStepMs(maxMs: number): number {
  return ROUND_STEPS_MS.find((step) => maxMs / step <= MAX_GRID_LINES) ?? maxMs;
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

/** Names a time once: the loads of a few seconds have one label. */
function timeLabels(firstMs: number, lastMs: number, nowMs: number): string {
  const labels: readonly (readonly [x: number, anchor: string, atMs: number])[] = [
    [LEFT, 'start', firstMs],
    [(LEFT + WIDTH - RIGHT) / 2, 'middle', (firstMs + lastMs) / 2],
    [WIDTH - RIGHT, 'end', lastMs],
  ];
  const texts = labels.map(([, , atMs]) => formatLocalTime(atMs, nowMs));
  return labels
    .map(([x, anchor], index) => ({ x, anchor, text: texts[index] ?? '' }))
    .filter(({ text }, index) => texts.indexOf(text) === index)
    .map(
      ({ x, anchor, text }) =>
        `<text class="time" x="${x}" y="${HEIGHT - BOTTOM + 20}" text-anchor="${anchor}">${text}</text>`,
    )
    .join('\n');
}

function axisTitles(): string {
  const middleY = (TOP + HEIGHT - BOTTOM) / 2;
  return [
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">time</text>`,
    `<text transform="translate(16 ${middleY}) rotate(-90)" text-anchor="middle">duration of a load</text>`,
  ].join('\n');
}

function curves(points: readonly Point[]): string {
  const point = (x: number, y: number) => `${x.toFixed(1)},${y.toFixed(1)}`;
  const medians = points.map(({ x, medianY }) => point(x, medianY));
  const back = [...points].reverse().map(({ x, slowestY }) => point(x, slowestY));
  const dots = points.map(
    ({ x, medianY }) => `<circle cx="${x.toFixed(1)}" cy="${medianY.toFixed(1)}" r="2.5"/>`,
  );
  return [
    `<polygon class="band" points="${[...medians, ...back].join(' ')}"/>`,
    `<polyline class="median" points="${medians.join(' ')}"/>`,
    ...dots,
  ].join('\n');
}
