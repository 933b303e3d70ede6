/** The result of a download, and the event that sums it up. */
import type { Observe } from '../download/events.js';
import type { DownloadRequest } from './download-request.js';
import type { DownloadListeners, DownloadResult } from './download-session.js';

export function emptyResult({ invalidTargets }: DownloadRequest): DownloadResult {
  return {
    saved: 0,
    skipped: 0,
    failed: [],
    invalidTargets,
    notStarted: 0,
    stoppedBy: undefined,
    isPlanned: false,
    isCancelled: false,
    afterwards: [],
    reports: { sent: 0, waiting: 0 },
  };
}

/** Passes all events on, and counts the pages that were loaded. */
export function countLoads(next: Observe) {
  const loaded = { pages: 0, bytes: 0 };
  const observe: Observe = (event) => {
    if (event.type === 'page-loaded') {
      loaded.pages += 1;
      loaded.bytes += event.bytes;
    }
    next(event);
  };
  return { loaded, observe };
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
