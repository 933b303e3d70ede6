/** The result of a download: a fold over its events. */
import type { TankobonError } from '../core/errors.js';
import type {
  DownloadMessage,
  FailedEvent,
  SummaryEvent,
  TargetFailedEvent,
} from '../events/download-events.js';

/** A chapter that could not be saved. */
export interface FailedChapter {
  readonly id: string;
  readonly error: TankobonError;
  /** The run was stopped while the chapter was in progress. */
  readonly isUnfinished: boolean;
}

/** A chapter that is not available, or a target that is not one. */
export interface FailedTarget {
  readonly id: string;
  /** Such as `author:UUID`, if it is not a chapter. */
  readonly target?: string | undefined;
  readonly error: TankobonError;
}

export function failedEvent({ id, target, error }: FailedTarget): FailedEvent | TargetFailedEvent {
  const { code: reason, message } = error;
  return target === undefined
    ? { type: 'chapter-failed', chapter: id, reason, message, error }
    : { type: 'target-failed', target, reason, message, error };
}

export interface DownloadResult {
  /** The files of the chapters that were saved, by the ids of these. */
  readonly savedFiles: Map<string, string>;
  /** The files of the chapters that got other metadata or another name. */
  readonly retaggedFiles: Map<string, string>;
  /** Paths that have no file any more, or that of another chapter. */
  readonly removedFiles: Set<string>;
  skipped: number;
  readonly failed: FailedChapter[];
  /** Errors of targets that cannot be parsed, or of which nothing is known. */
  readonly invalidTargets: TankobonError[];
  /** Chapters and targets that were not reached. */
  notStarted: number;
  /** Errors of warnings, such as those of books and covers. */
  readonly otherErrors: TankobonError[];
  /** Pages that this run loaded, and their bytes. */
  pages: number;
  bytes: number;
  /** What stopped the run before its end. */
  stoppedBy: TankobonError | undefined;
  /** Whether the plan was completed. */
  isPlanned: boolean;
  /** Whether the user cancelled a prompt before the first chapter started. */
  isCancelled: boolean;
  reports: { readonly sent: number; readonly waiting: number };
}

export function emptyResult(): DownloadResult {
  return {
    savedFiles: new Map(),
    retaggedFiles: new Map(),
    removedFiles: new Set(),
    skipped: 0,
    failed: [],
    invalidTargets: [],
    notStarted: 0,
    otherErrors: [],
    pages: 0,
    bytes: 0,
    stoppedBy: undefined,
    isPlanned: false,
    isCancelled: false,
    reports: { sent: 0, waiting: 0 },
  };
}

export function addEvent(result: DownloadResult, event: DownloadMessage): void {
  switch (event.type) {
    case 'page-loaded':
      result.pages += 1;
      result.bytes += event.bytes;
      break;
    case 'chapter-saved':
      result.savedFiles.set(event.chapter, event.file);
      addRemoved(result, event.removedFile, event.replacedFile);
      break;
    case 'chapter-retagged': {
      const { chapter, file, newFile, book, removedFile } = event;
      result.retaggedFiles.set(chapter, newFile ?? file);
      // A book that a chapter was taken from has other chapters too.
      addRemoved(
        result,
        removedFile,
        newFile !== undefined && book === undefined ? file : undefined,
      );
      break;
    }
    case 'chapter-skipped':
      result[event.reason === 'not-started' ? 'notStarted' : 'skipped'] += 1;
      break;
    case 'chapter-failed':
      result.failed.push({
        id: event.chapter,
        error: event.error,
        isUnfinished: event.unfinished ?? false,
      });
      break;
    case 'target-failed':
      result.invalidTargets.push(event.error);
      break;
    case 'warning':
      if (event.error) result.otherErrors.push(event.error);
      break;
    case 'chapter-started':
    case 'page-failed':
    case 'page-bytes':
    case 'detail':
    case 'waiting':
    case 'summary':
  }
}

function addRemoved({ removedFiles }: DownloadResult, ...files: (string | undefined)[]): void {
  for (const file of files) if (file !== undefined) removedFiles.add(file);
}

/** All errors, for the exit code and the hints. */
export function errorsOf(result: DownloadResult): readonly TankobonError[] {
  const { invalidTargets, failed, stoppedBy, otherErrors } = result;
  const stops = stoppedBy ? [stoppedBy] : [];
  return [...invalidTargets, ...failed.map(({ error }) => error), ...stops, ...otherErrors];
}

/** The last event of a run. */
export function summaryOf(result: DownloadResult, elapsedMs: number): SummaryEvent {
  const { savedFiles, retaggedFiles, skipped, failed, invalidTargets } = result;
  const { notStarted, stoppedBy } = result;
  return {
    type: 'summary',
    saved: savedFiles.size,
    retagged: retaggedFiles.size,
    skipped,
    failed: failed.length + invalidTargets.length,
    notStarted,
    stopped: stoppedBy?.code,
    pages: result.pages,
    bytes: result.bytes,
    elapsedMs,
    reports: result.reports,
  };
}
