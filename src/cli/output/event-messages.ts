/** Events as lines for people: in a log, and above the progress bars. */
import type { Clock } from '../../core/clock.js';
import { formatBytes, formatCount, formatDuration, pluralize } from '../../core/human-format.js';
import { nameOf } from '../../events/chapter-fields.js';
import type { FailedEvent, SavedEvent, SummaryEvent } from '../../events/download-events.js';
import { eventLines } from '../../events/printed-event.js';
import { BookLines } from './bind-messages.js';
import { APP_EVENTS, type AppEvent, type ObserverOptions } from './observer.js';
import { plannedRow } from './planned-row.js';
import { isShownWait, WaitLines } from './sentences.js';

interface EventMessagesOptions extends Pick<
  ObserverOptions,
  'verbose' | 'dryRun' | 'booksOnly' | 'results'
> {
  /** Whether a saved chapter has a line beside its path on standard output. */
  readonly savedLines: boolean;
}

/** Remembers what failed, for the summary. */
export class EventMessages {
  readonly #failures: Failures = { failed: [], unfinished: 0, neverStarted: 0 };
  readonly #started = new Set<string>();
  readonly #waits = new WaitLines();
  readonly #books = new BookLines();

  constructor(
    private readonly options: EventMessagesOptions,
    private readonly clock: Pick<Clock, 'wallMs'>,
  ) {}

  /** The lines for one event; none for those that people need not see. */
  linesFor(event: AppEvent): readonly string[] {
    const nowMs = this.clock.wallMs();
    if (event.type === 'chapter-started') this.#started.add(event.chapter);
    if (event.type === 'book-planned') this.#books.plan(event);
    if (event.type === 'chapter-saved') return this.#savedLines(event);
    if (event.type === 'chapter-failed') return this.#addFailure(event);
    if (event.type === 'book-saved') return this.#books.saved(event, this.options.savedLines);
    if (event.type === 'summary') return summaryLines(event, this.#failures);
    if (!this.#isShown(event, nowMs)) return [];
    return event.type === 'waiting'
      ? this.#waits.linesFor(event, nowMs)
      : eventLines(APP_EVENTS, event, nowMs);
  }

  #isShown(event: AppEvent, nowMs: number): boolean {
    const { verbose = false, dryRun = false } = this.options;
    if (event.type === 'waiting') return verbose || isShownWait(event, nowMs);
    if (event.type === 'book-planned') return verbose || dryRun;
    // Others are summarized by describeSkipped.
    if (event.type === 'chapter-skipped') return event.kept !== undefined;
    return verbose || APP_EVENTS[event.type].isVerbose === undefined;
  }

  #savedLines(event: SavedEvent): readonly string[] {
    const [saved = '', ...details] = eventLines(APP_EVENTS, event);
    if (this.options.savedLines) return [saved, ...details];
    return details.length === 0 ? [] : [`${event.file}: pages`, ...details];
  }

  /** What goes to standard output: the path of a saved file, or what a dry run of a sync plans; or as `--print` says. */
  resultOf(event: AppEvent): string | undefined {
    const { results } = this.options;
    results?.observe(event);
    const result = this.#plainResult(event);
    return result === undefined || !results ? result : results.lineFor(event);
  }

  #plainResult(event: AppEvent): string | undefined {
    if (event.type === 'planned') return plannedRow(event, this.options.verbose === true);
    const isSaved = event.type === 'chapter-saved' && !this.options.booksOnly;
    return isSaved || event.type === 'book-saved' ? event.file : undefined;
  }

  #addFailure(event: FailedEvent): readonly string[] {
    // Reported once for the whole run.
    if (event.unfinished) {
      if (this.#started.has(event.chapter)) this.#failures.unfinished += 1;
      else this.#failures.neverStarted += 1;
      return [];
    }
    this.#failures.failed.push(nameOf(event));
    return eventLines(APP_EVENTS, event);
  }
}

/** A sync reports changes of saved chapters only once. */
const PRINTED_IF_QUIET: readonly AppEvent['type'][] = [
  'chapter-failed',
  'target-failed',
  'book-failed',
  'warning',
  'chapter-changed',
  'chapter-restored',
];

/** Whether it is printed with `--quiet` too. */
export function isPrintedIfQuiet(event: AppEvent): boolean {
  if (event.type === 'chapter-left-out') return event.message !== undefined;
  if (event.type === 'page-loaded') return event.warning !== undefined;
  return PRINTED_IF_QUIET.includes(event.type);
}

/** Further failures are only counted: each was reported when it happened. */
const MAX_LISTED_FAILURES = 20;

interface Failures {
  /** The names of the chapters that failed by themselves. */
  readonly failed: string[];
  /** How many were in progress when the run was stopped; the summary counts them as failed. */
  unfinished: number;
  /** How many were about to start then; the summary counts them as failed too. */
  neverStarted: number;
}

function summaryLines(summary: SummaryEvent, failures: Readonly<Failures>): string[] {
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
  const waiting =
    reports.waiting > 0 ? `, ${formatCount(reports.waiting)} left for the next run` : '';
  const sent =
    reports.sent + reports.waiting === 0
      ? []
      : [`health reports: ${formatCount(reports.sent)} sent${waiting}`];
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
