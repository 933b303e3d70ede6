/** Bars that lie, one for each program: the median, with a dot for each run. */
import { median, rounded } from './statistics.js';
import { chart, WIDTH, words } from './svg.js';

interface Bar {
  readonly label: string;
  /** A few words below the label. */
  readonly note?: string;
  readonly values: readonly number[];
  readonly isOurs: boolean;
}

export interface BarChart {
  readonly title: string;
  readonly subtitle: string;
  readonly bars: readonly Bar[];
  readonly unit: string;
}

const LEFT = 250;
const RIGHT = 90;
const TOP = 78;
const STEP = 50;
const THICKNESS = 26;

export function barChart({ title, subtitle, bars, unit }: BarChart): string {
  const most = Math.max(...bars.flatMap(({ values }) => values));
  const x = (value: number): number => LEFT + (value / most) * (WIDTH - LEFT - RIGHT);
  const rows = bars.flatMap(({ label, note, values, isOurs }, index) => {
    const y = TOP + index * STEP;
    const middle = median(values);
    const width = (x(middle) - LEFT).toFixed(1);
    const dots = values.map(
      (value) =>
        `<circle class="dot" cx="${x(value).toFixed(1)}" cy="${y + THICKNESS / 2}" r="2.5"/>`,
    );
    const labelY = note === undefined ? y + 18 : y + 11;
    return [
      words(label, { x: LEFT - 12, y: labelY, end: true }),
      ...(note === undefined ? [] : [words(note, { x: LEFT - 12, y: y + 27, end: true }, 'quiet')]),
      `<rect class="${isOurs ? 'ours' : 'bar'}" x="${LEFT}" y="${y}" width="${width}" height="${THICKNESS}" rx="3"/>`,
      ...dots,
      words(`${rounded(middle)} ${unit}`, { x: x(Math.max(...values)) + 10, y: y + 18 }),
    ];
  });
  return chart(TOP + bars.length * STEP + 6, title, [
    words(title, { x: 24, y: 34 }, 'title'),
    words(subtitle, { x: 24, y: 55 }, 'quiet'),
    ...rows,
  ]);
}
