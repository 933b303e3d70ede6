/**
 * The clock of the server, as the local monotonic clock plus an offset. Each round trip gives bounds for the offset; the
 * bounds are intersected, and widened by what two clocks may drift apart. Pure.
 *
 * Both conversions give the latest possible time: what counts as used expires late rather than early, whichever process
 * wrote it and whichever reads it.
 */
export interface RoundTrip {
  /** By the local monotonic clock. */
  readonly sentMs: number;
  readonly receivedMs: number;
  /** By the local wall clock, at the end. */
  readonly wallMs: number;
  /** By the server's clock, at some time between. */
  readonly serverMs: number;
}

/** Servers may read their clock once for several commands, or in whole milliseconds. */
const TOLERANCE_MS = 2;
/** The most that time servers slew a clock by: half a millisecond in a second. */
const MAX_DRIFT = 0.000_5;
/** The wall clock is read by a command before or after. */
const MAX_WALL_ERROR_MS = 1_000;

interface Bounds {
  readonly minMs: number;
  readonly maxMs: number;
  readonly measuredMs: number;
  /** The local wall clock, less the monotonic one. */
  readonly wallOffsetMs: number;
}

export class ServerClock {
  #bounds: Bounds | undefined;

  /**
   * Returns whether the server's clock was stepped since the last measurement: what was written by it before cannot be
   * compared with it any more. A suspended machine, whose monotonic clock stood still, does not count as a step.
   */
  measure({ sentMs, receivedMs, serverMs, wallMs }: RoundTrip): boolean {
    const minMs = serverMs - receivedMs - TOLERANCE_MS;
    const maxMs = serverMs - sentMs + TOLERANCE_MS;
    const wallOffsetMs = wallMs - receivedMs;
    const known = this.#bounds;
    this.#bounds = { minMs, maxMs, measuredMs: receivedMs, wallOffsetMs };
    if (!known) return false;
    const driftMs = Math.max(0, receivedMs - known.measuredMs) * MAX_DRIFT;
    const low = Math.max(minMs, known.minMs - driftMs);
    const high = Math.min(maxMs, known.maxMs + driftMs);
    if (low <= high) {
      this.#bounds = { minMs: low, maxMs: high, measuredMs: receivedMs, wallOffsetMs };
      return false;
    }
    const stepMs = (minMs + maxMs) / 2 - (known.minMs + known.maxMs) / 2;
    const pausedMs = wallOffsetMs - known.wallOffsetMs;
    const wasSuspended = pausedMs > MAX_WALL_ERROR_MS;
    return !(wasSuspended && Math.abs(stepMs - pausedMs) < MAX_WALL_ERROR_MS);
  }

  toLocalMs(serverMs: number): number {
    return serverMs - this.#known.minMs;
  }

  toServerMs(localMs: number): number {
    return localMs + this.#known.maxMs;
  }

  get #known(): Bounds {
    if (!this.#bounds) throw new Error('The clock of the server was not measured.');
    return this.#bounds;
  }
}
