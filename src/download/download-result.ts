/** The result of a download, and what is recorded of its events. */
import { thrownMessage } from '../core/errors.js';
import type { Observe } from './events.js';
import type { DownloadListeners, DownloadResult, DownloadSession } from './download-session.js';

export function emptyResult(invalidTargets: DownloadResult['invalidTargets'] = []): DownloadResult {
  return {
    saved: 0,
    skipped: 0,
    failed: [],
    invalidTargets,
    notStarted: 0,
    stoppedBy: undefined,
    isPlanned: false,
    isCancelled: false,
    errorsAfterSaving: [],
    reports: { sent: 0, waiting: 0 },
  };
}

/**
 * Passes all events on, counts the pages that were loaded, and adds the chapters that were saved, or exist in the
 * output folder, to the download archive.
 */
export function recordEvents({
  history,
  listeners: { observe: next },
}: Pick<DownloadSession, 'history' | 'listeners'>) {
  const loaded = { pages: 0, bytes: 0 };
  const additions: Promise<void>[] = [];
  const observe: Observe = (event) => {
    if (event.type === 'page-loaded') {
      loaded.pages += 1;
      loaded.bytes += event.bytes;
    } else if (
      history &&
      (event.type === 'chapter-saved' ||
        (event.type === 'chapter-skipped' && event.reason === 'already-there'))
    ) {
      const adding = history.add(event.chapter);
      // Reported by `finish`.
      adding.catch(() => undefined);
      additions.push(adding);
    }
    next(event);
  };
  /** Resolves when the archive is written. A failure is a warning: the chapters are saved. */
  const finish = async (): Promise<void> => {
    const results = await Promise.allSettled(additions);
    const failed = results.find((result) => result.status === 'rejected');
    if (!failed) return;
    const reason = thrownMessage(failed.reason);
    next({ type: 'warning', message: `The download archive is incomplete: ${reason}` });
  };
  return { loaded, observe, finish };
}

/** The last event of a run. */
export function observeSummary(
  result: DownloadResult,
  { observe }: DownloadListeners,
  loads = { pages: 0, bytes: 0, elapsedMs: 0 },
): void {
  const { saved, skipped, failed, invalidTargets, notStarted, stoppedBy, reports } = result;
  observe({
    type: 'summary',
    saved,
    skipped,
    failed: failed.length + invalidTargets.length,
    notStarted,
    stopped: stoppedBy?.code,
    ...loads,
    reports,
  });
}
