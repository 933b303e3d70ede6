/** The time left of a batch of chapters, by its speed and by the rate limits. */
import type { Clock } from '../../core/clock.js';
import { remainingBatchMs } from '../../service/estimate.js';
import type { WaitingEvent } from '../../events/download-events.js';

export class BatchCountdown {
  readonly #chapters: ReadonlySet<string>;
  readonly #sinceMs: number;
  /** When the metadata of each chapter that has started was requested. */
  readonly #startedAtMs: number[] = [];
  /** How many of them are done. */
  done = 0;
  /** The end of a wait in which nothing is sent; the estimate does not know it. */
  #pausedUntilMs = -Infinity;
  /** The end of a wait for a limit, which the estimate knows. */
  #minEndMs = -Infinity;
  /** The limit of the last such wait. */
  #limit: WaitingEvent['limit'];
  /** The moment of the last event. */
  #changedAtMs: number;
  /** Made when it is asked for, since it goes through all chapters; its end is undefined while unknown. */
  #estimated: { readonly endMs: number | undefined } | undefined;

  constructor(
    chapters: readonly string[],
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {
    this.#chapters = new Set(chapters);
    this.#sinceMs = clock.monotonicMs();
    this.#changedAtMs = this.#sinceMs;
  }

  /** A chapter has started. */
  start(): void {
    this.#change();
    this.#startedAtMs.push(this.#changedAtMs);
  }

  get total(): number {
    return this.#chapters.size;
  }

  /** A chapter is done. One that is not in the batch, since the plan skips or fails it, is ignored. */
  finish(chapter: string): void {
    if (!this.#chapters.has(chapter)) return;
    this.#change();
    this.done += 1;
  }

  /** The run waits for this long. */
  wait({ for: reason, limit }: Pick<WaitingEvent, 'for' | 'limit'>, leftMs: number): void {
    this.#change();
    const untilMs = this.#changedAtMs + leftMs;
    if (reason === 'rate' || reason === 'quota') {
      this.#minEndMs = untilMs;
      this.#limit = limit;
    } else this.#pausedUntilMs = untilMs;
  }

  /** Undefined while unknown, and after the estimated end. */
  leftMs(): number | undefined {
    const { endMs = -Infinity } = (this.#estimated ??= this.#estimate());
    const leftMs = endMs - this.clock.monotonicMs();
    return leftMs > 0 ? leftMs : undefined;
  }

  #change(): void {
    this.#changedAtMs = this.clock.monotonicMs();
    this.#estimated = undefined;
  }

  #estimate(): { readonly endMs: number | undefined } {
    const nowMs = this.#changedAtMs;
    const progress = {
      done: this.done,
      total: this.total,
      elapsedMs: nowMs - this.#sinceMs,
      startedAgoMs: this.#startedAtMs.map((atMs) => nowMs - atMs),
    };
    const leftMs = remainingBatchMs(progress, this.#limit);
    const startMs = Math.max(nowMs, this.#pausedUntilMs);
    const endMs = Math.max(startMs + (leftMs ?? 0), this.#minEndMs);
    return { endMs: leftMs === undefined && endMs <= nowMs ? undefined : endMs };
  }
}
