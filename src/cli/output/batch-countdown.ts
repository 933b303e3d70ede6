/** The time left of a batch of chapters, by its speed and by the rate limits. */
import type { Clock } from '../../core/clock.js';
import { remainingBatchMs } from '../../download/estimate.js';
import type { WaitingEvent } from '../../download/events.js';

export class BatchCountdown {
  readonly #chapters: ReadonlySet<string>;
  readonly #sinceMs: number;
  /** When the metadata of each chapter that has started was requested. */
  readonly #startedAtMs: number[] = [];
  #done = 0;
  /** The end of a wait in which nothing is sent; the estimate does not know it. */
  #pausedUntilMs = -Infinity;
  /** The end of a wait for a limit, which the estimate knows. */
  #minEndMs = -Infinity;
  /** Undefined while unknown. */
  #endMs: number | undefined;

  constructor(
    chapters: readonly string[],
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {
    this.#chapters = new Set(chapters);
    this.#sinceMs = clock.monotonicMs();
    this.#estimate();
  }

  /** A chapter has started. */
  start(): void {
    this.#startedAtMs.push(this.clock.monotonicMs());
    this.#estimate();
  }

  /** A chapter is done. False if it is not in the batch: the plan skips or fails it. */
  finish(chapter: string): boolean {
    if (!this.#chapters.has(chapter)) return false;
    this.#done += 1;
    this.#estimate();
    return true;
  }

  /** The run waits for this long. */
  wait(reason: WaitingEvent['for'], leftMs: number): void {
    const untilMs = this.clock.monotonicMs() + leftMs;
    if (reason === 'rate' || reason === 'quota') this.#minEndMs = untilMs;
    else this.#pausedUntilMs = untilMs;
    this.#estimate();
  }

  /** Undefined while unknown, and after the estimated end. */
  leftMs(): number | undefined {
    const leftMs = (this.#endMs ?? -Infinity) - this.clock.monotonicMs();
    return leftMs > 0 ? leftMs : undefined;
  }

  #estimate(): void {
    const nowMs = this.clock.monotonicMs();
    const progress = {
      done: this.#done,
      total: this.#chapters.size,
      elapsedMs: nowMs - this.#sinceMs,
      startedAgoMs: this.#startedAtMs.map((atMs) => nowMs - atMs),
    };
    const leftMs = remainingBatchMs(progress);
    const startMs = Math.max(nowMs, this.#pausedUntilMs);
    const endMs = Math.max(startMs + (leftMs ?? 0), this.#minEndMs);
    this.#endMs = leftMs === undefined && endMs <= nowMs ? undefined : endMs;
  }
}
