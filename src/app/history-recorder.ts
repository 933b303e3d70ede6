/** Adds the chapters that a download saves, or finds in the output folder, to the download archive. */
import type { Observe } from '../download/events.js';
import type { DownloadArchive } from '../sync/download-archive.js';

export class HistoryRecorder {
  readonly #additions: Promise<void>[] = [];

  constructor(
    private readonly history: DownloadArchive,
    private readonly next: Observe,
  ) {}

  readonly observe: Observe = (event) => {
    const isThere =
      event.type === 'chapter-saved' ||
      (event.type === 'chapter-skipped' && event.reason === 'already-there');
    if (isThere) {
      const adding = this.history.add(event.chapter);
      // Reported by `finish`.
      adding.catch(() => undefined);
      this.#additions.push(adding);
    }
    this.next(event);
  };

  /** Resolves when everything is written. A failure is a warning: the chapters are saved. */
  async finish(): Promise<void> {
    const results = await Promise.allSettled(this.#additions);
    const failed = results.find((result) => result.status === 'rejected');
    if (!failed) return;
    const reason = failed.reason instanceof Error ? failed.reason.message : String(failed.reason);
    this.next({ type: 'warning', message: `The download archive is incomplete: ${reason}` });
  }
}
