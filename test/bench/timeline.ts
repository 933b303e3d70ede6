/** Calls over time against the most that is allowed, with the pages in flight below. */
import { chart, WIDTH, words } from './svg.js';

export interface Timeline {
  readonly title: string;
  readonly subtitle: string;
  /** Moments in seconds, in order. */
  readonly calls: readonly number[];
  readonly allowed: readonly number[];
  readonly pages: readonly number[];
}

const LEFT = 56;
const RIGHT = 24;
const TOP = 84;
const STEPS_HEIGHT = 210;
const PAGES_TOP = TOP + STEPS_HEIGHT + 48;
const PAGES_HEIGHT = 60;
const COLUMNS = 170;

export function timeline({ title, subtitle, calls, allowed, pages }: Timeline): string {
  const endS = Math.max(calls.at(-1) ?? 0, allowed.at(-1) ?? 0) * 1.02;
  const x = (s: number): number => LEFT + (s / endS) * (WIDTH - LEFT - RIGHT);
  const y = (count: number): number => TOP + STEPS_HEIGHT * (1 - count / calls.length);
  const stairs = (moments: readonly number[]): string =>
    moments
      .map(
        (s, index) =>
          `${index === 0 ? 'M' : 'H'}${x(s).toFixed(1)}${index === 0 ? ` ${y(0).toFixed(1)}` : ''}V${y(index + 1).toFixed(1)}`,
      )
      .join('');
  const columns = Array<number>(COLUMNS).fill(0);
  for (const s of pages) {
    const column = Math.min(COLUMNS - 1, Math.floor((s / endS) * COLUMNS));
    columns[column] = (columns[column] ?? 0) + 1;
  }
  const most = Math.max(...columns);
  const width = (WIDTH - LEFT - RIGHT) / COLUMNS;
  const bars = columns.map((count, column) => {
    const height = (count / most) * PAGES_HEIGHT;
    return `<rect class="area" x="${(LEFT + column * width).toFixed(1)}" y="${(PAGES_TOP + PAGES_HEIGHT - height).toFixed(1)}" width="${(width * 0.85).toFixed(1)}" height="${height.toFixed(1)}"/>`;
  });
  const rule = (at: number): string =>
    `<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/>`;
  const step = [5, 10, 30, 60].find((seconds) => endS / seconds <= 8) ?? 120;
  const ticks = Array.from({ length: Math.floor(endS / step) + 1 }, (_, index) =>
    words(`${index * step} s`, { x: x(index * step), y: PAGES_TOP + PAGES_HEIGHT + 20 }, 'quiet'),
  );
  return chart(PAGES_TOP + PAGES_HEIGHT + 36, title, [
    words(title, { x: 24, y: 34 }, 'title'),
    words(subtitle, { x: 24, y: 55 }, 'quiet'),
    words(String(calls.length), { x: LEFT - 8, y: TOP + 5, end: true }, 'quiet'),
    words('0', { x: LEFT - 8, y: TOP + STEPS_HEIGHT + 4, end: true }, 'quiet'),
    rule(TOP + STEPS_HEIGHT),
    `<path class="limit" d="${stairs(allowed)}"/>`,
    `<path class="line" d="${stairs(calls)}"/>`,
    words(
      'chapters begun (dashed: the most that the quotas allow)',
      { x: LEFT, y: TOP - 8 },
      'quiet',
    ),
    words('pages asked for', { x: LEFT, y: PAGES_TOP - 8 }, 'quiet'),
    ...bars,
    rule(PAGES_TOP + PAGES_HEIGHT),
    ...ticks,
  ]);
}
