/**
 * Limits the bytes per second of all page bodies of a process with a token bucket: a page is read only as fast as the
 * rate allows, and the connection's own flow control slows the node down.
 */
import type { Clock } from '../../core/clock.js';

export interface BandwidthLimit {
  /** Resolves when bytes that have arrived are within the rate. */
  take(bytes: number, signal?: AbortSignal): Promise<void>;
}

/** Bytes that have not been used are saved up for at most this long. */
const MAX_SAVED_MS = 250;

export function createBandwidthLimit(bytesPerSecond: number, clock: Clock): BandwidthLimit {
  /** When everything that was taken so far is within the rate. */
  let paidAtMs = -Infinity;
  return {
    async take(bytes, signal) {
      const nowMs = clock.monotonicMs();
      paidAtMs = Math.max(paidAtMs, nowMs - MAX_SAVED_MS) + (bytes / bytesPerSecond) * 1_000;
      if (paidAtMs > nowMs) await clock.sleep(paidAtMs - nowMs, signal);
    },
  };
}
