/**
 * Several chapters, one after another as far as their pages go, with the next one prepared while the last pages
 * of this one load. One chapter that cannot be had leaves the others alone; what concerns them all stops the run.
 */
import { asOurs, TankobonError } from '../kernel/errors.js';
import {
  prepareChapter,
  type ChapterJob,
  type ChapterParts,
  type PreparedChapter,
} from './chapter.js';

export interface BatchOutcome {
  /** The ids of the chapters whose CBZ was made. */
  readonly saved: ReadonlySet<string>;
  readonly skipped: number;
  readonly failed: readonly { readonly job: ChapterJob; readonly error: TankobonError }[];
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

/** Saves every chapter that can be had; tells each one's fate to `parts.observe`. Never throws for a chapter. */
export async function saveAll(
  jobs: Iterable<ChapterJob>,
  parts: ChapterParts,
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
  readonly #failed: { job: ChapterJob; error: TankobonError }[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;

  constructor(
    private readonly parts: ChapterParts,
    signal: AbortSignal,
  ) {
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  /** Returns when it is time to begin the next chapter. */
  async begin(job: ChapterJob): Promise<void> {
    await this.parts.slots.whenAllStarted();
    while (this.#inFlight.size >= MOST_CHAPTERS_IN_FLIGHT) await Promise.race(this.#inFlight);
    try {
      this.#signal.throwIfAborted();
      const chapter = await prepareChapter(job, this.parts, this.#signal);
      if (chapter) this.#follow(job, chapter);
      else this.#skip(job);
    } catch (error) {
      this.#fail(job, error);
    }
  }

  async end(): Promise<BatchOutcome> {
    while (this.#inFlight.size > 0) await Promise.race(this.#inFlight);
    return { saved: this.#saved, skipped: this.#skipped, failed: this.#failed };
  }

  #follow(job: ChapterJob, chapter: PreparedChapter): void {
    const following = chapter
      .save()
      .then(
        (saved) => {
          this.#saved.add(job.id);
          this.#outagesInARow = 0;
          this.parts.observe({ type: 'chapter-saved', chapter: job.id, ...saved });
        },
        (error: unknown) => {
          this.#fail(job, error);
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

  #fail(job: ChapterJob, thrown: unknown): void {
    const error = thrown instanceof TankobonError ? thrown : this.#explained(thrown);
    this.#failed.push({ job, error });
    this.parts.observe({
      type: 'chapter-failed',
      chapter: job.id,
      reason: error.code,
      message: error.message,
    });
    const outage = error.code === 'unreachable' || error.code === 'service-failed';
    this.#outagesInARow = outage ? this.#outagesInARow + 1 : 0;
    if (RUN_WIDE.has(error.code) || this.#outagesInARow >= MOST_OUTAGES_IN_A_ROW)
      this.#stop.abort(error);
  }

  /** What an abort broke off is explained by the abort, whatever words the platform has for it. */
  #explained(thrown: unknown): TankobonError {
    const reason: unknown = this.#signal.aborted ? this.#signal.reason : thrown;
    return reason instanceof TankobonError ? reason : asOurs(thrown);
  }
}
