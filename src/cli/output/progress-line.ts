/** One progress bar as a line of text that fits its terminal, from 40 columns up. Pure. */
import stringWidth from 'string-width';
import { formatBytes, formatTime } from './sizes.js';

export interface Progress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  readonly bytesPerSecond: number | undefined;
  readonly secondsLeft: number | undefined;
  /** Why nothing moves just now. */
  readonly wait: string | undefined;
  readonly columns: number;
}

const WIDEST_BAR = 30;
const NARROWEST_BAR = 6;
const WIDEST_LABEL = 24;
const FULL = '█';
const EMPTY = '░';

export function progressLine(progress: Progress): string {
  // The last column is left free: some terminals wrap as soon as it is written.
  const room = Math.max(progress.columns - 1, 20);
  const count = `${progress.done}/${progress.total}`;
  const figures = progress.wait
    ? [progress.wait]
    : [
        progress.bytesPerSecond === undefined ? '' : `${formatBytes(progress.bytesPerSecond)}/s`,
        progress.secondsLeft === undefined ? '' : `${formatTime(progress.secondsLeft)} left`,
      ].filter((figure) => figure !== '');
  // What is least wanted goes first where there is no room: the time left, then the speed.
  for (let shown = figures.length; shown >= 0; shown -= 1) {
    const tail = [count, ...figures.slice(0, shown)].join('  ');
    const labelRoom = Math.min(WIDEST_LABEL, stringWidth(progress.label), Math.floor(room / 3));
    const barRoom = room - labelRoom - stringWidth(tail) - 4;
    if (barRoom >= NARROWEST_BAR || shown === 0) {
      const bar = drawBar(
        progress.done,
        progress.total,
        Math.max(0, Math.min(barRoom, WIDEST_BAR)),
      );
      return `${fitToWidth(progress.label, labelRoom)}  ${bar}  ${tail}`;
    }
  }
  return count;
}

function drawBar(done: number, total: number, width: number): string {
  const full = total > 0 ? Math.round((Math.min(done, total) / total) * width) : width;
  return FULL.repeat(full) + EMPTY.repeat(width - full);
}

/** The text cut or padded to so many columns, without tearing a letter apart. */
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
