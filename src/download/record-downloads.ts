/** Adds the chapters of a run to its history, from the events of the run. */
import { thrownMessage } from '../core/errors.js';
import type { DownloadArchive } from './download-archive.js';
import type { Observe } from './events.js';

/** Passes all events on, and adds the chapters that were saved, or exist in the output folder, to the history. */
export function recordDownloads(history: DownloadArchive, next: Observe) {
  const additions: Promise<void>[] = [];
  const observe: Observe = (event) => {
    if (
      event.type === 'chapter-saved' ||
      event.type === 'chapter-retagged' ||
      (event.type === 'chapter-skipped' && event.reason === 'already-there')
    ) {
      const adding = history.add(event.chapter);
      // Reported by `finish`.
      adding.catch(() => undefined);
      additions.push(adding);
    }
    next(event);
  };
  /** Resolves when the history is written. A failure is a warning: the chapters are saved. */
  const finish = async (): Promise<void> => {
    const results = await Promise.allSettled(additions);
    const failed = results.find((each) => each.status === 'rejected');
    if (!failed) return;
    const reason = thrownMessage(failed.reason);
    next({ type: 'warning', message: `The download archive is incomplete: ${reason}` });
  };
  return { observe, finish };
}
