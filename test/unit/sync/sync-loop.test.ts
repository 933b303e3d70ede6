/** `--every`: when the next run starts. */
import {
  checkInterval,
  MIN_INTERVAL_MS,
  repeatSync,
  type RunOutcome,
} from '../../../src/sync/sync-loop.js';
import { interruptedError } from '../../../src/core/errors.js';
import { skippingClock } from '../../support/fake-clock.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Runs the loop until `runs` have started; resolves with the hours between their starts. */
async function startsOf(
  runs: number,
  change: {
    readonly outcome?: (run: number) => RunOutcome;
    readonly random?: number;
    readonly onSleep?: (clock: ReturnType<typeof skippingClock>, slept: number) => void;
    readonly fileVersion?: (sleeps: number) => string;
    readonly isFileUsable?: (sleeps: number) => boolean;
    readonly runMs?: number;
  } = {},
) {
  const clock = skippingClock();
  const stop = new AbortController();
  const starts: number[] = [];
  const waits: number[] = [];
  let sleeps = 0;
  await repeatSync({
    intervalMs: 6 * HOUR_MS,
    clock: {
      ...clock,
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal);
        sleeps += 1;
        change.onSleep?.(clock, sleeps);
      },
    },
    random: () => change.random ?? 0,
    signal: stop.signal,
    fileVersion: () => Promise.resolve(change.fileVersion?.(sleeps) ?? 'same'),
    isFileUsable: () => Promise.resolve(change.isFileUsable?.(sleeps) ?? true),
    onWait: (nextRunMs) => {
      waits.push(nextRunMs - clock.wallMs());
      if (starts.length === runs) stop.abort(interruptedError());
      return Promise.resolve();
    },
    run: () => {
      starts.push(clock.monotonicMs());
      clock.advance(change.runMs ?? 0);
      return Promise.resolve(change.outcome?.(starts.length) ?? 'done');
    },
  });
  return { gaps: starts.slice(1).map((ms, index) => ms - (starts[index] ?? 0)), waits, sleeps };
}

test('from start to start it is the interval, and up to a tenth more', async () => {
  expect((await startsOf(3, { runMs: 20 * MINUTE_MS })).gaps).toEqual([6 * HOUR_MS, 6 * HOUR_MS]);
  expect((await startsOf(2, { random: 1 })).gaps).toEqual([6.6 * HOUR_MS]);
});

test('a run that takes longer than the interval is followed by the next one at once', async () => {
  expect((await startsOf(2, { runMs: 7 * HOUR_MS })).gaps).toEqual([7 * HOUR_MS]);
});

test('a run that could not reach the service is tried again soon, then less often', async () => {
  const { gaps } = await startsOf(8, { outcome: (run) => (run < 7 ? 'unreachable' : 'done') });
  expect(gaps).toEqual([1, 2, 4, 8, 15, 15, 360].map((minutes) => minutes * MINUTE_MS));
});

describe('a changed file', () => {
  test('starts a run at once, within half a minute', async () => {
    const { gaps } = await startsOf(2, { fileVersion: (sleeps) => (sleeps < 3 ? 'old' : 'new') });
    expect(gaps).toEqual([1.5 * MINUTE_MS]);
  });

  test('waits until it is valid', async () => {
    const { gaps } = await startsOf(2, {
      fileVersion: (sleeps) => String(Math.min(sleeps, 5)),
      isFileUsable: (sleeps) => sleeps === 5,
    });
    expect(gaps).toEqual([2.5 * MINUTE_MS]);
  });
});

describe('the clocks', () => {
  test('after the machine was suspended, the next run starts within half a minute', async () => {
    // Linux does not count the suspended time as monotonic.
    const { sleeps } = await startsOf(2, {
      onSleep: (clock, slept) => {
        if (slept === 2) clock.stepWall(8 * HOUR_MS);
      },
    });
    expect(sleeps).toBe(2);
  });

  test('a wall clock that is set back does not delay it', async () => {
    const { gaps } = await startsOf(2, {
      onSleep: (clock, slept) => {
        if (slept === 2) clock.stepWall(-24 * HOUR_MS);
      },
    });
    expect(gaps).toEqual([6 * HOUR_MS]);
  });
});

test('a run that rejects ends the loop', async () => {
  const deps = {
    intervalMs: HOUR_MS,
    clock: skippingClock(),
    random: () => 0,
    signal: new AbortController().signal,
    fileVersion: () => Promise.resolve(''),
    isFileUsable: () => Promise.resolve(true),
    onWait: () => Promise.resolve(),
    run: () => Promise.reject(interruptedError()),
  };
  await expect(repeatSync(deps)).rejects.toMatchObject({ code: 'interrupted' });
});

test('an interval is at least 15 minutes, with the reason', () => {
  expect(() => {
    checkInterval(MIN_INTERVAL_MS);
  }).not.toThrow();
  expect(() => {
    checkInterval(MIN_INTERVAL_MS - 1);
  }).toThrow('bans addresses that poll');
});
