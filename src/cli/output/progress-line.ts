/** One progress bar as a line of text that fits the terminal, from 40 columns up. */
import stringWidth from 'string-width';
import { formatBytes, formatDuration } from './sizes.js';

export interface Progress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  readonly bytesPerSecond: number | undefined;
  readonly secondsLeft: number | undefined;
  /** Why nothing is being downloaded. */
  readonly wait: string | undefined;
  readonly columns: number;
}

const MAX_BAR_WIDTH = 30;
const MIN_BAR_WIDTH = 6;
const MAX_LABEL_WIDTH = 24;
const FULL = '█';
const EMPTY = '░';

export function progressLine(progress: Progress): string {
  // Some terminals wrap as soon as the last column is written.
  const width = Math.max(progress.columns - 1, 20);
  const count = `${progress.done}/${progress.total}`;
  const figures = progress.wait
    ? [progress.wait]
    : [
        progress.bytesPerSecond === undefined ? '' : `${formatBytes(progress.bytesPerSecond)}/s`,
        progress.secondsLeft === undefined
          ? ''
          : `${formatDuration(Math.ceil(progress.secondsLeft) * 1_000)} left`,
      ].filter((figure) => figure !== '');
  // Without space for all, the time left is dropped first, then the speed.
  for (let shown = figures.length; shown >= 0; shown -= 1) {
    const tail = [count, ...figures.slice(0, shown)].join('  ');
    const labelWidth = Math.min(
      MAX_LABEL_WIDTH,
      stringWidth(progress.label),
      Math.floor(width / 3),
    );
    const barWidth = width - labelWidth - stringWidth(tail) - 4;
    if (barWidth >= MIN_BAR_WIDTH || shown === 0) {
      const bar = drawBar(
        progress.done,
        progress.total,
        Math.max(0, Math.min(barWidth, MAX_BAR_WIDTH)),
      );
      return `${fitToWidth(progress.label, labelWidth)}  ${bar}  ${tail}`;
    }
  }
  return count;
}

function drawBar(done: number, total: number, width: number): string {
  const full = total > 0 ? Math.round((Math.min(done, total) / total) * width) : width;
  return FULL.repeat(full) + EMPTY.repeat(width - full);
}

/** The text cut or padded to this many columns, without splitting a grapheme. */
export function fitToWidth(text: string, columns: number): string {
  const width = stringWidth(text);
  if (width <= columns) return text + ' '.repeat(columns - width);
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(cut + segment) > columns - 1) break;
    cut += segment;
  }
  return `${cut}…${' '.repeat(Math.max(0, columns - 1 - stringWidth(cut)))}`;
}
