/** Compares the clock of this machine with the service's, to name it where a wrong clock decides something. */
import type { Clock } from '../core/clock.js';

const MAX_ERROR_MS = 24 * 60 * 60 * 1_000;

export class ServiceTime {
  #serviceMs: number | undefined;

  constructor(private readonly clock: Pick<Clock, 'wallMs'>) {}

  record(serviceMs: number): void {
    this.#serviceMs = serviceMs;
  }

  /** Such as `your clock says 2018-03-01, the service's says 2026-11-21`; undefined if they differ by up to a day. */
  describeWrongClock(): string | undefined {
    const ownMs = this.clock.wallMs();
    const serviceMs = this.#serviceMs ?? ownMs;
    if (Math.abs(serviceMs - ownMs) <= MAX_ERROR_MS) return undefined;
    return `your clock says ${dateOf(ownMs)}, the service's says ${dateOf(serviceMs)}`;
  }
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
