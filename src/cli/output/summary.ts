/** The end of a download in words: what was saved, in which time, and what failed. */
import type { DownloadEvent } from '../../download/events.js';
import { formatBytes, formatCount, formatDuration, pluralize } from './sizes.js';

type Summary = Extract<DownloadEvent, { readonly type: 'summary' }>;

/** Of more failures, the rest is counted. Each was reported when it happened. */
const MAX_LISTED_FAILURES = 20;

/**
 * @param failed the names of the chapters that failed by themselves
 * @param unfinished how many more were in progress when the run was stopped
 */
export function summaryLines(
  summary: Summary,
  failed: readonly string[],
  unfinished: number,
): string[] {
  return [resultLine(summary, unfinished), ...failureLines(failed)];
}

function resultLine(summary: Summary, unfinished: number): string {
  const { saved, skipped, failed, notStarted, stopped, reports } = summary;
  const counts: readonly (readonly [number, string])[] = [
    [skipped, 'skipped'],
    [Math.max(0, failed - unfinished), 'failed'],
    [unfinished, 'unfinished'],
    [notStarted, 'not started'],
  ];
  const chapters = [
    `${formatCount(saved)} saved`,
    ...counts
      .filter(([count]) => count > 0)
      .map(([count, what]) => `${formatCount(count)} ${what}`),
  ].join(', ');
  const waiting = reports.waiting > 0 ? `, ${reports.waiting} left for the next run` : '';
  const sent = `health reports: ${reports.sent} sent${waiting}`;
  const prefix = stopped === 'interrupted' ? 'Interrupted: ' : '';
  return `${prefix}${[chapters, ...loads(summary), sent].join('; ')}`;
}

/** Pages, bytes, time and average speed. */
function loads({ pages, bytes, elapsedMs }: Summary): string[] {
  if (pages === 0) return [];
  const perSecond = formatBytes(bytes / Math.max(elapsedMs / 1_000, 0.001));
  return [
    `${pluralize(pages, 'page')}, ${formatBytes(bytes)} in ${formatDuration(elapsedMs)}, ${perSecond}/s`,
  ];
}

function failureLines(failed: readonly string[]): string[] {
  if (failed.length === 0) return [];
  const rest = failed.length - MAX_LISTED_FAILURES;
  return [
    `failed: ${pluralize(failed.length, 'chapter')}`,
    ...failed.slice(0, MAX_LISTED_FAILURES).map((name) => `  ${name}`),
    ...(rest > 0 ? [`  and ${formatCount(rest)} more`] : []),
  ];
}
