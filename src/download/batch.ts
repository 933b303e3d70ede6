/**
 * Several chapters, one after another as far as their pages go, with the next one prepared while the last pages
 * of this one load. One chapter that cannot be had leaves the others alone; what concerns them all stops the run.
 * Chapters that fail during an outage of the service are tried once more at the end.
 */
import { toTankobonError, TankobonError } from '../core/errors.js';
import { OutageTooLong } from '../api/outage.js';
import {
  prepareChapter,
  type ChapterJob,
  type ChapterDeps,
  type PreparedChapter,
} from './chapter.js';

export interface BatchOutcome {
  /** The ids of the chapters whose CBZ was made. */
  readonly saved: ReadonlySet<string>;
  readonly skipped: number;
  readonly failed: readonly FailedChapter[];
  /** Chapters that the run did not come to before it was stopped. */
  readonly notStarted: readonly ChapterJob[];
  readonly stoppedBy: TankobonError | undefined;
}

interface FailedChapter {
  readonly job: ChapterJob;
  readonly error: TankobonError;
}

/** Chapters whose pages are loading at once, at most: enough to fill the slots with chapters of few pages. */
const MOST_CHAPTERS_IN_FLIGHT = 8;
/** So many chapters in a row that the network or the service would not give: the next will fare no better. */
const MOST_OUTAGES_IN_A_ROW = 3;

/** Codes that say something about the run and not about one chapter. */
const RUN_WIDE: ReadonlySet<string> = new Set([
  'interrupted',
  'banned',
  'wait-too-long',
  'rate-limited',
  'captcha-required',
  'disk-full',
  'fault',
]);

/** Codes of a chapter that may have failed because of an outage. */
const OUTAGE_FAILURES: ReadonlySet<string> = new Set([
  'unreachable',
  'service-failed',
  'bad-answer',
  'page-lost',
]);

/** Saves every chapter that can be had; tells each one's fate to `parts.observe`. Never throws for a chapter. */
export async function saveChapters(
  jobs: Iterable<ChapterJob>,
  parts: ChapterDeps,
  signal: AbortSignal,
): Promise<BatchOutcome> {
  const batch = new Batch(parts, signal);
  for (const job of jobs) await batch.begin(job);
  return batch.end();
}

class Batch {
  readonly #saved = new Set<string>();
  #skipped = 0;
  #outagesInARow = 0;
  readonly #failed: FailedChapter[] = [];
  readonly #notStarted: ChapterJob[] = [];
  /** Chapters that failed during an outage; undefined when they get their last try. */
  #tryAgain: FailedChapter[] | undefined = [];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;

  constructor(
    private readonly parts: ChapterDeps,
    signal: AbortSignal,
  ) {
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  /** Returns when it is time to begin the next chapter. */
  async begin(job: ChapterJob): Promise<void> {
    await this.parts.queue.onEmpty();
    while (this.#inFlight.size >= MOST_CHAPTERS_IN_FLIGHT) await Promise.race(this.#inFlight);
    if (this.#signal.aborted) {
      this.#leave(job);
      return;
    }
    const outagesBefore = this.#outages;
    try {
      const chapter = await prepareChapter(job, this.parts, this.#signal);
      if (chapter) this.#follow(job, chapter, outagesBefore);
      else this.#skip(job);
    } catch (error) {
      // The stop of the run is no fault of this chapter, of which nothing was loaded.
      if (this.#explained(error) === this.#stopReason) this.#leave(job);
      else this.#fail(job, error, outagesBefore);
    }
  }

  async end(): Promise<BatchOutcome> {
    await this.#allSettled();
    const again = this.#tryAgain ?? [];
    this.#tryAgain = undefined;
    for (const { job, error } of again) {
      if (this.#signal.aborted) this.#fail(job, error);
      else await this.begin(job);
    }
    await this.#allSettled();
    return {
      saved: this.#saved,
      skipped: this.#skipped,
      failed: this.#failed,
      notStarted: this.#notStarted,
      stoppedBy: this.#stopReason,
    };
  }

  async #allSettled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.race(this.#inFlight);
  }

  get #outages(): number {
    return this.parts.outages?.count ?? 0;
  }

  get #stopReason(): TankobonError | undefined {
    return this.#signal.aborted ? toTankobonError(this.#signal.reason) : undefined;
  }

  #follow(job: ChapterJob, chapter: PreparedChapter, outagesBefore: number): void {
    const following = chapter
      .save()
      .then(
        (saved) => {
          this.#saved.add(job.id);
          this.#outagesInARow = 0;
          this.parts.observe({ type: 'chapter-saved', chapter: job.id, ...saved });
        },
        (error: unknown) => {
          this.#fail(job, error, outagesBefore);
        },
      )
      .finally(() => {
        this.#inFlight.delete(following);
      });
    this.#inFlight.add(following);
  }

  #skip(job: ChapterJob): void {
    this.#skipped += 1;
    this.parts.observe({ type: 'warning', message: `${job.file} is there already.` });
    this.parts.observe({
      type: 'chapter-skipped',
      chapter: job.id,
      reason: 'already-there',
      file: job.file,
    });
  }

  #leave(job: ChapterJob): void {
    this.#notStarted.push(job);
    this.parts.observe({ type: 'chapter-skipped', chapter: job.id, reason: 'not-started' });
  }

  #fail(job: ChapterJob, thrown: unknown, outagesBefore = this.#outages): void {
    const error = this.#explained(thrown);
    if (this.#tryAgain && this.#mayBeOutage(error, outagesBefore)) {
      this.#tryAgain.push({ job, error });
      const message = `${job.id} failed during an outage, and is tried again at the end: ${error.message}`;
      this.parts.observe({ type: 'warning', message });
      return;
    }
    this.#failed.push({ job, error });
    this.parts.observe({
      type: 'chapter-failed',
      chapter: job.id,
      reason: error.code,
      message: error.message,
    });
    const outage = error.code === 'unreachable' || error.code === 'service-failed';
    this.#outagesInARow = outage ? this.#outagesInARow + 1 : 0;
    if (
      RUN_WIDE.has(error.code) ||
      error instanceof OutageTooLong ||
      this.#outagesInARow >= MOST_OUTAGES_IN_A_ROW
    )
      this.#stop.abort(error);
  }

  #mayBeOutage(error: TankobonError, outagesBefore: number): boolean {
    return (
      this.#outages > outagesBefore &&
      OUTAGE_FAILURES.has(error.code) &&
      !(error instanceof OutageTooLong) &&
      !this.#signal.aborted
    );
  }

  /** What an abort broke off is explained by the abort, whatever words the platform has for it. */
  #explained(thrown: unknown): TankobonError {
    if (thrown instanceof TankobonError) return thrown;
    const reason: unknown = this.#signal.aborted ? this.#signal.reason : thrown;
    return reason instanceof TankobonError ? reason : toTankobonError(thrown);
  }
}
