/** Waiting for something, but not for ever. */
import type { Clock } from '../kernel/clock.js';

/** Resolves when `done` does, or after `ms` milliseconds; leaves no timer behind. */
export async function waitAtMost(clock: Clock, ms: number, done: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  const patience = clock.sleep(ms, enough.signal).catch(() => undefined);
  await Promise.race([done, patience]);
  enough.abort();
}
