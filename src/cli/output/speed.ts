import type { Clock } from '../../core/clock.js';

/** Bytes per second over the last few seconds. */
export class Speed {
  readonly #arrivals: { atMs: number; bytes: number }[] = [];
  static readonly #WINDOW_MS = 3_000;

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  add(bytes: number): void {
    const atMs = this.clock.monotonicMs();
    const last = this.#arrivals.at(-1);
    if (last && atMs - last.atMs < 100) last.bytes += bytes;
    else this.#arrivals.push({ atMs, bytes });
  }

  /** Undefined if nothing has arrived lately. */
  bytesPerSecond(): number | undefined {
    const nowMs = this.clock.monotonicMs();
    while (this.#arrivals[0] && nowMs - this.#arrivals[0].atMs > Speed.#WINDOW_MS)
      this.#arrivals.shift();
    const first = this.#arrivals[0];
    if (!first) return undefined;
    const bytes = this.#arrivals.reduce((sum, arrival) => sum + arrival.bytes, 0);
    return bytes / Math.max((nowMs - first.atMs) / 1_000, 0.5);
  }
}
