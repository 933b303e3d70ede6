/** One progress bar, or the spinner, as a line of text that fits the terminal. Pure. */
import stringWidth from 'string-width';
import { formatBytes, formatCountdown } from '../../core/human-format.js';
import { drawBar, type Glyphs } from './glyphs.js';
import type { ExpectedChapter } from './observer.js';
import { describeCurrentWait, type CurrentWait } from './sentences.js';

export interface ProgressLabel {
  /** Such as `Ch. 12`; shown at every width. */
  readonly number: string;
  /** Shortened to what is left of the line. */
  readonly title: string;
}

export interface Progress {
  readonly label: ProgressLabel;
  readonly done: number;
  readonly total: number;
  /** The part of the rest that is there, as a number of pages or chapters. */
  readonly partial?: number;
  readonly bytesPerSecond?: number;
  /** Shown in place of the rate. */
  readonly wait?: CurrentWait;
  readonly leftMs?: number | undefined;
}

export interface LineFormat {
  /** The width of the terminal. */
  readonly columns: number;
  readonly glyphs: Glyphs;
}

/** A narrower terminal shows the number and the percentage. */
const MIN_WIDE_COLUMNS = 60;
const MIN_LABEL_WIDTH = 12;
const MAX_LABEL_WIDTH = 60;
const MIN_BAR_WIDTH = 6;
const MAX_BAR_WIDTH = 30;
const GAP = '  ';

/**
 * What the bars call the chapters of a run: the number, and then what distinguishes it from the others. The series is
 * named where there are several, or where the chapter has no title.
 */
export function chapterLabels(
  chapters: readonly ExpectedChapter[],
): ReadonlyMap<string, ProgressLabel> {
  const isOneSeries = new Set(chapters.map(({ seriesName }) => seriesName)).size <= 1;
  return new Map(
    chapters.map(({ job, chapter, seriesName }) => {
      if (!chapter) return [job.id, { number: '', title: job.id }];
      const number = chapter.number === undefined ? '' : `Ch. ${chapter.number}`;
      const title = chapter.title ?? '';
      const words = isOneSeries && title !== '' ? [title] : [seriesName ?? '', title];
      return [job.id, { number, title: words.filter((word) => word !== '').join(': ') }];
    }),
  );
}

export function progressLine(progress: Progress, format: LineFormat): string {
  return format.columns < MIN_WIDE_COLUMNS
    ? narrowLine(progress, format)
    : wideLine(progress, format);
}

/** What is being done before there is anything to count. */
export function spinnerLine(
  activity: string,
  frame: number,
  wait: CurrentWait | undefined,
  { columns, glyphs }: LineFormat,
): string {
  const spinner = glyphs.spinner[frame % glyphs.spinner.length] ?? '';
  const reason = wait ? `, ${describeCurrentWait(wait)}` : '';
  return cutToWidth(`${spinner} ${activity}${reason}`, usableColumns(columns), glyphs.ellipsis);
}

function wideLine(progress: Progress, { columns, glyphs }: LineFormat): string {
  const width = usableColumns(columns);
  const labelWidth = clamp(Math.floor(width * 0.35), MIN_LABEL_WIDTH, MAX_LABEL_WIDTH);
  const barWidth = clamp(Math.floor(width * 0.2), MIN_BAR_WIDTH, MAX_BAR_WIDTH);
  const tailWidth = width - labelWidth - barWidth - 2 * GAP.length;
  // The bar, and then the label, are shortened for the reason of a wait.
  const spareBar = barWidth - MIN_BAR_WIDTH;
  const spare = progress.wait ? spareBar + labelWidth - MIN_LABEL_WIDTH : 0;
  const tail = longestThatFits(tailVariants(progress), tailWidth + spare);
  const missing = Math.max(0, stringWidth(tail) - tailWidth);
  const lessBar = Math.min(missing, spareBar);
  const { number, title } = progress.label;
  const shownLabel = `${number} ${title}`.trim();
  const label = fitToWidth(shownLabel, labelWidth - missing + lessBar, glyphs.ellipsis);
  const bar = drawBar(shareOf(progress), barWidth - lessBar, glyphs);
  return [label, bar, tail].join(GAP);
}

function narrowLine(progress: Progress, { columns, glyphs }: LineFormat): string {
  const { number, title } = progress.label;
  const width = usableColumns(columns);
  const percent = `${Math.floor(shareOf(progress) * 100)}%`.padStart(4);
  const wait = progress.wait && `waits ${formatCountdown(progress.wait.leftMs)}`;
  const tail = [percent, ...(wait === undefined ? [] : [wait])].join(GAP);
  const labelWidth = Math.floor(width / 3);
  const label = fitToWidth(number === '' ? title : number, labelWidth, glyphs.ellipsis);
  const barWidth = Math.min(width - labelWidth - stringWidth(tail) - 2 * GAP.length, MAX_BAR_WIDTH);
  return barWidth < MIN_BAR_WIDTH
    ? cutToWidth([label, tail].join(GAP), width, glyphs.ellipsis)
    : [label, drawBar(shareOf(progress), barWidth, glyphs), tail].join(GAP);
}

/** The texts after the bar, the longest first. The time left matters more than the rate. */
function tailVariants({ done, total, wait, bytesPerSecond, leftMs }: Progress): string[] {
  const count = `${done}/${total}`;
  const left = leftMs === undefined ? [] : [`${formatCountdown(leftMs)} left`];
  const ends = wait
    ? [
        [...left, describeCurrentWait(wait)].join(', '),
        [...left, `waits ${formatCountdown(wait.leftMs)}`].join(', '),
        `waits ${formatCountdown(wait.leftMs)}`,
      ]
    : bytesPerSecond === undefined
      ? []
      : [[`${formatBytes(bytesPerSecond)}/s`, ...left].join(GAP)];
  return [...ends, ...left, ''].map((end) => (end === '' ? count : [count, end].join(GAP)));
}

function longestThatFits(texts: readonly string[], columns: number): string {
  return texts.find((text) => stringWidth(text) <= columns) ?? '';
}

function shareOf({ done, total, partial = 0 }: Progress): number {
  return total > 0 ? Math.min((done + partial) / total, 1) : 1;
}

/** Some terminals wrap as soon as the last column is written. */
function usableColumns(columns: number): number {
  return Math.max(columns - 1, 10);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

/** The text cut or padded to this many columns, without splitting a grapheme. */
export function fitToWidth(text: string, columns: number, ellipsis = '…'): string {
  const cut = cutToWidth(text, columns, ellipsis);
  return cut + ' '.repeat(Math.max(0, columns - stringWidth(cut)));
}

function cutToWidth(text: string, columns: number, ellipsis: string): string {
  if (stringWidth(text) <= columns) return text;
  const space = columns - stringWidth(ellipsis);
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(cut + segment) > space) break;
    cut += segment;
  }
  return `${cut}${ellipsis}`;
}
