/**
 * Time that passes only when nothing else happens: a sleep ends once this thread has no work and no event is left.
 * Hours of waiting take as long as the work in them. A load that hangs lets time pass, as it does for a user.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../src/core/clock.js';

/** The thread is idle when it was so at this many checks in a row. */
const IDLE_CHECKS = 4;
const CHECK_MS = 1;
/**
 * What may stay open while nothing happens: connections, listeners, and the timers that limit them. A child process is
 * not among them: time stands still while one runs.
 */
const IDLE_RESOURCES = /^(TCP|Connect|Pipe|TTY|TLS|MessagePort|Timeout|Immediate)/;

interface Sleeper {
  readonly wakeMs: number;
  readonly wake: () => void;
}

export interface VirtualClock extends Clock {
  /** Moves both clocks forward. Sleeps that have ended by then end. */
  advance(ms: number): void;
}

export function virtualClock(startedAtMs = Date.now()): VirtualClock {
  let nowMs = 1_000;
  const sleepers = new Set<Sleeper>();
  let isPassing = false;
  const moveTo = (ms: number): void => {
    nowMs = Math.max(nowMs, ms);
    for (const sleeper of sleepers) if (sleeper.wakeMs <= nowMs) sleeper.wake();
  };
  const pass = async (): Promise<void> => {
    if (isPassing) return;
    isPassing = true;
    while (sleepers.size > 0) {
      await untilIdle();
      if (sleepers.size > 0) moveTo(Math.min(...[...sleepers].map(({ wakeMs }) => wakeMs)));
    }
    isPassing = false;
  };
  return {
    wallMs: () => startedAtMs + nowMs,
    monotonicMs: () => nowMs,
    advance(ms) {
      moveTo(nowMs + ms);
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const leave = (): void => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', abort);
        };
        const sleeper = {
          wakeMs: nowMs + ms,
          wake() {
            leave();
            resolve();
          },
        };
        const abort = (): void => {
          leave();
          reject(signal?.reason as Error);
        };
        signal?.addEventListener('abort', abort);
        sleepers.add(sleeper);
        void pass();
      }),
  };
}

/** Waits until neither a socket nor a file has moved for a few turns of the event loop. */
async function untilIdle(): Promise<void> {
  let before = NaN;
  for (let idle = 0; idle < IDLE_CHECKS;) {
    await delay(CHECK_MS);
    const { events } = performance.nodeTiming.uvMetricsInfo;
    idle = events === before && !hasWork() ? idle + 1 : 0;
    before = events;
  }
}

function hasWork(): boolean {
  return process.getActiveResourcesInfo().some((name) => !IDLE_RESOURCES.test(name));
}
