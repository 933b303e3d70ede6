/**
 * Time that passes only when nothing else happens: a sleep ends as soon as all that is under way in
 * real time (requests, files) has come to rest. Hours of waiting take as long as the work in them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../src/core/clock.js';

/** Idle means unchanged in this many checks in a row. */
const LOOKS = 4;
const LOOK_MS = 1;

interface Sleeper {
  readonly wakeMs: number;
  readonly wake: () => void;
}

export interface VirtualClock extends Clock {
  /** Lets time pass until `done`. `movement` gives another value whenever something has happened. */
  runUntil<T>(done: Promise<T>, movement: () => number): Promise<T>;
}

export function virtualClock(): VirtualClock {
  const startedWallMs = Date.UTC(2030, 0, 1);
  let nowMs = 1_000;
  let moves = 0;
  const sleepers = new Set<Sleeper>();
  const passToNext = (): void => {
    const nextMs = Math.min(...[...sleepers].map(({ wakeMs }) => wakeMs));
    if (!Number.isFinite(nextMs)) return;
    nowMs = Math.max(nowMs, nextMs);
    for (const sleeper of sleepers) if (sleeper.wakeMs <= nowMs) sleeper.wake();
  };
  return {
    wallMs: () => startedWallMs + nowMs,
    monotonicMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        moves += 1;
        const leave = (): void => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', abort);
          moves += 1;
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
      }),
    async runUntil(done, movement) {
      const state = { running: true };
      const passing = (async () => {
        let quiet = 0;
        let before = -1;
        while (state.running) {
          await delay(LOOK_MS);
          const now = moves + movement();
          quiet = now === before ? quiet + 1 : 0;
          before = now;
          if (quiet >= LOOKS) passToNext();
          if (quiet >= LOOKS) quiet = 0;
        }
      })();
      try {
        return await done;
      } finally {
        state.running = false;
        await passing;
      }
    },
  };
}
