/**
 * Saves several chapters: the next chapter is prepared while the last pages of the current one load. A chapter that
 * fails does not affect the others; an error that concerns the whole run stops it. Chapters that fail during an
 * outage of the service are tried once more at the end.
 */
import { sharedSignal } from '../../core/abort.js';
import { TankobonError } from '../../core/errors.js';
import { toTankobonError } from '../../core/system-errors.js';
import {
  prepareChapter,
  sharedFolderWarning,
  type ChapterJob,
  type ChapterDeps,
  type Preparation,
  type PreparedChapter,
} from './chapter.js';
import { mayBeOutage, OutageCounter } from './chapter-failure.js';

interface FailedChapter {
  readonly job: ChapterJob;
  readonly error: TankobonError;
}

/** Chapters whose pages load at the same time: enough to fill the queue with short chapters. */
const MAX_CHAPTERS_IN_FLIGHT = 8;
/** How often to check whether a chapter that another machine has claimed is done, or free again. */
const CLAIM_POLL_MS = 2_000;

/** What a batch itself uses; the rest of `ChapterDeps` is for the chapters. */
export type BatchDeps = Pick<ChapterDeps, 'queue' | 'observe' | 'outages' | 'share'> & {
  readonly loader: Pick<ChapterDeps['loader'], 'clock' | 'redactor'>;
  /** Called for each chapter whose existing archive has the pages that the service has. */
  readonly onSamePages?: (chapterId: string) => void;
  /** Called for each chapter that another machine has claimed, which is left then. By default, the batch waits for it. */
  readonly onClaimedElsewhere?: ((chapterId: string) => void) | undefined;
};

type Prepare = (job: ChapterJob, signal: AbortSignal) => Promise<Preparation>;

/**
 * Saves the chapters and reports each one's result to `deps.observe`. Never throws for a chapter; resolves with the
 * error that stopped the run, if one did.
 */
export function saveChapters(
  jobs: Iterable<ChapterJob>,
  deps: ChapterDeps & Pick<BatchDeps, 'onSamePages' | 'onClaimedElsewhere'>,
  signal: AbortSignal,
): Promise<TankobonError | undefined> {
  return runBatch(jobs, deps, signal, (job, stop) => prepareChapter(job, deps, stop));
}

/** Saves with any way to prepare a chapter. */
export async function runBatch(
  jobs: Iterable<ChapterJob>,
  deps: BatchDeps,
  signal: AbortSignal,
  prepare: Prepare,
): Promise<TankobonError | undefined> {
  const batch = new Batch(deps, signal, prepare);
  for (const job of jobs) await batch.start(job);
  return batch.finish();
}

class Batch {
  readonly #outageCounter = new OutageCounter();
  /** Chapters that failed during an outage; undefined during their second attempt. */
  #toRetry: FailedChapter[] | undefined = [];
  /** Chapters that other machines have claimed. */
  #claimedElsewhere: ChapterJob[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;

  constructor(
    private readonly deps: BatchDeps,
    signal: AbortSignal,
    private readonly prepare: Prepare,
  ) {
    this.#signal = sharedSignal(AbortSignal.any([signal, this.#stop.signal]));
  }

  /** Resolves when the next chapter can start. */
  async start(job: ChapterJob): Promise<void> {
    await this.deps.queue.onEmpty();
    while (this.#inFlight.size >= MAX_CHAPTERS_IN_FLIGHT) await Promise.race(this.#inFlight);
    if (this.#signal.aborted) {
      this.#recordNotStarted(job);
      return;
    }
    const outagesBefore = this.#outages;
    try {
      if (!(await this.#claim(job))) return;
      const chapter = await this.prepare(job, this.#signal);
      if (chapter === 'same-pages') await this.#keepPages(job);
      else if (chapter) this.#save(job, chapter, outagesBefore);
      else await this.#skip(job);
    } catch (error) {
      // Nothing of the chapter was loaded yet when the run was stopped.
      if (this.#toError(error) === this.#stopReason) this.#recordNotStarted(job);
      else this.#recordFailure(job, error, outagesBefore);
    }
  }

  async finish(): Promise<TankobonError | undefined> {
    await this.#settled();
    const toRetry = this.#toRetry ?? [];
    this.#toRetry = undefined;
    for (const { job, error } of toRetry) {
      if (this.#signal.aborted) this.#recordFailure(job, error);
      else await this.start(job);
    }
    await this.#settled();
    return this.#stopReason;
  }

  /** Whether this machine is to save the chapter. */
  async #claim(job: ChapterJob): Promise<boolean> {
    const claim = (await this.deps.share?.claim(job.id)) ?? 'claimed';
    if (claim === 'taken') {
      if (this.deps.onClaimedElsewhere) this.deps.onClaimedElsewhere(job.id);
      else this.#claimedElsewhere.push(job);
    }
    if (claim !== 'done') return claim === 'claimed';
    this.deps.observe({ type: 'chapter-skipped', chapter: job.id, reason: 'shared-done' });
    return false;
  }

  /** Waits for the chapters of other machines too, and takes over those of machines that are gone. */
  async #settled(): Promise<void> {
    await Promise.all(this.#inFlight);
    while (this.#claimedElsewhere.length > 0) {
      await this.deps.loader.clock.sleep(CLAIM_POLL_MS, this.#signal).catch(() => undefined);
      for (const job of this.#claimedElsewhere.splice(0)) await this.start(job);
      await Promise.all(this.#inFlight);
    }
  }

  get #outages(): number {
    return this.deps.outages?.count ?? 0;
  }

  get #stopReason(): TankobonError | undefined {
    return this.#signal.aborted ? toTankobonError(this.#signal.reason) : undefined;
  }

  #save(job: ChapterJob, chapter: PreparedChapter, outagesBefore: number): void {
    const saving = chapter
      .save()
      .then(
        async (saved) => {
          this.#outageCounter.recordSaved();
          if (saved === 'same-pages') return this.#keepPages(job);
          this.deps.observe({ type: 'chapter-saved', chapter: job.id, ...saved });
          await this.#finishClaim(job);
        },
        (error: unknown) => {
          this.#recordFailure(job, error, outagesBefore);
        },
      )
      .finally(() => {
        this.#inFlight.delete(saving);
      });
    this.#inFlight.add(saving);
  }

  /** It is saved all the same if the server cannot be reached; then the run stops. */
  async #finishClaim({ id }: ChapterJob): Promise<void> {
    try {
      await this.deps.share?.finish(id);
    } catch (error) {
      this.#stop.abort(this.#toError(error));
    }
  }

  /** Its metadata is updated after the batch. */
  async #keepPages(job: ChapterJob): Promise<void> {
    await this.#finishClaim(job);
    this.deps.onSamePages?.(job.id);
  }

  async #skip(job: ChapterJob): Promise<void> {
    const { id, file, output } = job;
    await this.#finishClaim(job);
    this.deps.observe(sharedFolderWarning(output));
    this.deps.observe({ type: 'chapter-skipped', chapter: id, reason: 'already-there', file });
  }

  #recordNotStarted(job: ChapterJob): void {
    this.deps.observe({ type: 'chapter-skipped', chapter: job.id, reason: 'not-started' });
  }

  #recordFailure(job: ChapterJob, thrown: unknown, outagesBefore = this.#outages): void {
    const error = this.#toError(thrown);
    const { code, message } = error;
    const hadOutage = this.#outages > outagesBefore && !this.#signal.aborted;
    if (this.#toRetry && hadOutage && mayBeOutage(error)) {
      this.#toRetry.push({ job, error });
      this.deps.observe({
        type: 'warning',
        message: `${job.name ?? `Chapter ${job.id}`} failed during an outage and is tried again at the end: ${message}`,
      });
      return;
    }
    // Another machine may save it; if the server cannot be reached, the claim lapses.
    this.deps.share?.release(job.id).catch(() => undefined);
    const stopsRun = this.#outageCounter.recordFailed(error);
    const isUnfinished = stopsRun || error === this.#stopReason;
    this.deps.observe({
      type: 'chapter-failed',
      chapter: job.id,
      reason: code,
      message,
      ...(isUnfinished && { unfinished: true }),
      error,
    });
    if (stopsRun) this.#stop.abort(error);
  }

  /** After an abort, a platform error such as AbortError becomes the abort's reason. */
  #toError(thrown: unknown): TankobonError {
    if (thrown instanceof TankobonError) return thrown;
    const reason: unknown = this.#signal.aborted ? this.#signal.reason : thrown;
    return reason instanceof TankobonError
      ? reason
      : toTankobonError(thrown, this.deps.loader.redactor);
  }
}
