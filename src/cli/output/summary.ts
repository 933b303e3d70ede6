/** The end of a download in words: what was saved, in which time, and what failed. */
import { formatBytes, formatCount, formatDuration, pluralize } from '../../core/human-format.js';
import type { SummaryEvent } from '../../events/download-events.js';

/** Further failures are only counted: each was reported when it happened. */
const MAX_LISTED_FAILURES = 20;

export interface Failures {
  /** The names of the chapters that failed by themselves. */
  readonly failed: string[];
  /** How many were in progress when the run was stopped; the summary counts them as failed. */
  unfinished: number;
  /** How many were about to start then; the summary counts them as failed too. */
  neverStarted: number;
}

export function summaryLines(summary: SummaryEvent, failures: Readonly<Failures>): string[] {
  return [resultLine(summary, failures), ...failureLines(failures.failed)];
}

function resultLine(
  summary: SummaryEvent,
  { unfinished, neverStarted }: Readonly<Failures>,
): string {
  const { saved, retagged, skipped, failed, notStarted, stopped, reports } = summary;
  const counts: readonly (readonly [number, string])[] = [
    [retagged, 'with new metadata'],
    [skipped, 'skipped'],
    [Math.max(0, failed - unfinished - neverStarted), 'failed'],
    [unfinished, 'unfinished'],
    [notStarted + neverStarted, 'not started'],
  ];
  const chapters = [
    `${formatCount(saved)} saved`,
    ...counts
      .filter(([count]) => count > 0)
      .map(([count, what]) => `${formatCount(count)} ${what}`),
  ].join(', ');
  const waiting = reports.waiting > 0 ? `, ${reports.waiting} left for the next run` : '';
  const sent =
    reports.sent + reports.waiting === 0 ? [] : [`health reports: ${reports.sent} sent${waiting}`];
  const prefix = stopped === 'interrupted' ? 'Interrupted: ' : '';
  return `${prefix}${[chapters, ...loads(summary), ...sent].join('; ')}`;
}

/** Pages, bytes, time and average speed. */
function loads({ pages, bytes, elapsedMs }: SummaryEvent): string[] {
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
