/** Events as lines for people: in a log, and above the progress bars. */
import type { Clock } from '../../core/clock.js';
import { formatBytes, formatLocalTime, pluralize } from '../../core/human-format.js';
import type { DownloadEvent } from '../../download/events.js';
import { chapterName, type ChapterFields } from '../../selection/chapter-fields.js';
import { BookLines, describeBindEvent } from './bind-messages.js';
import { warningMessage } from './error-message.js';
import type { AppEvent, ObserverOptions } from './observer.js';
import { plannedRow } from './planned-row.js';
import {
  describeKept,
  describeRetaggedChapter,
  keptLines,
  removedLines,
} from './retag-messages.js';
import { failedLine, isShownWait, WaitLines } from './sentences.js';
import { summaryLines, type Failures } from './summary.js';

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
    const { verbose, dryRun, savedLines } = this.options;
    const nowMs = this.clock.wallMs();
    switch (event.type) {
      case 'chapter-started': {
        this.#started.add(event.chapter);
        const kept = event.kept > 0 ? `, ${event.kept} already downloaded` : '';
        const line = `${nameOf(event)}: ${pluralize(event.pages, 'page')}${kept}`;
        return verbose ? [line] : [];
      }
      case 'page-loaded': {
        const page = `${nameOf(event)}: page ${event.page}`;
        const warning = `warning: ${page} does not match the digest in its name; kept, because two hosts sent the same image`;
        return event.warning ? [warning] : [];
      }
      case 'page-failed': {
        const attempt = `page ${event.page}, attempt ${event.attempt}`;
        return verbose ? [`${nameOf(event)}: ${attempt}: ${event.reason}`] : [];
      }
      case 'chapter-saved': {
        const size = `${pluralize(event.pages, 'page')}, ${formatBytes(event.bytes)}`;
        const { file, kept = [], replacedFile, removedFile } = event;
        const details = [
          ...keptLines(kept),
          ...removedLines(removedFile),
          ...(replacedFile === undefined ? [] : [`  renamed from ${replacedFile}`]),
        ];
        if (savedLines) return [`saved: ${nameOf(event)}, ${size}`, ...details];
        return details.length === 0 ? [] : [`${file}: pages`, ...details];
      }
      case 'chapter-retagged':
        return describeRetaggedChapter(event).split('\n');
      case 'chapter-failed':
        return this.#addFailure(event);
      case 'target-failed':
        return [`error: ${event.name === undefined ? '' : `${event.name}: `}${event.message}`];
      case 'waiting':
        return verbose || isShownWait(event, nowMs) ? this.#waits.linesFor(event, nowMs) : [];
      case 'warning':
        return [warningMessage(event.message, event.hint).trimEnd()];
      case 'detail': {
        const { chapter, message } = event;
        if (!verbose) return [];
        return [chapter === undefined ? message : `${nameOf({ ...event, chapter })}: ${message}`];
      }
      case 'summary':
        return summaryLines(event, this.#failures);
      case 'chapter-waiting': {
        const until = formatLocalTime(Date.parse(event.until), nowMs);
        return [`${nameOf(event)}: waits for its group until ${until}`];
      }
      case 'chapter-changed': {
        const isPages = event.changed.includes('pages');
        const what = isPages ? 'it was uploaded again' : event.changed.join(', ') || 'name';
        return [`changed on MangaDex: ${nameOf(event)}: ${what}`];
      }
      case 'chapter-restored':
        return [`available again: ${nameOf(event)}`];
      case 'book-planned':
        this.#books.plan(event);
        return verbose || dryRun ? [describeBindEvent(event)] : [];
      case 'book-saved':
        return this.#books.saved(event, savedLines);
      // A warning says what is to be done with an edited book.
      case 'book-skipped':
        return [];
      case 'book-failed':
      case 'chapters-unavailable':
      case 'volume-incomplete':
      case 'chapter-left-out':
      case 'bind-summary':
        return [describeBindEvent(event)];
      // Others are summarized by describeSkipped.
      case 'chapter-skipped': {
        const { file = '', kept } = event;
        return kept ? describeKept(file, kept).split('\n') : [];
      }
      // Series are summarized by the report of a sync.
      case 'chapter-removed':
      case 'book-page':
      case 'hook-failed':
      case 'page-bytes':
      case 'planned':
      case 'series-synced':
        return [];
    }
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

  #addFailure(event: Extract<DownloadEvent, { readonly type: 'chapter-failed' }>): string[] {
    const name = nameOf(event);
    // Reported once for the whole run.
    if (event.unfinished) {
      if (this.#started.has(event.chapter)) this.#failures.unfinished += 1;
      else this.#failures.neverStarted += 1;
      return [];
    }
    this.#failures.failed.push(name);
    return [failedLine(event)];
  }
}

/** The id where nothing else is known. */
function nameOf(event: ChapterFields & { readonly chapter: string }): string {
  return chapterName(event) ?? event.chapter;
}

/** Whether it is reported with `--quiet` too. */
export function isError(event: AppEvent): boolean {
  return (
    event.type === 'chapter-failed' ||
    event.type === 'target-failed' ||
    event.type === 'book-failed' ||
    (event.type === 'chapter-left-out' && event.message !== undefined)
  );
}
