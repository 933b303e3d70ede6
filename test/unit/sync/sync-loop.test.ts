/** `--every`: when the next run starts. */
import {
  checkInterval,
  MIN_INTERVAL_MS,
  repeatSync,
  type RunOutcome,
} from '../../../src/sync/sync-loop.js';
import { interruptedError } from '../../../src/core/errors.js';
import { parseHours } from '../../../src/config/hours.js';
import { fakeClock, skippingClock } from '../../support/fake-clock.js';

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
  const { gaps } = await startsOf(8, { outcome: (run) => (run < 7 ? 'retry' : 'done') });
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

describe('with hours', () => {
  /** The hours of the day, in local time, at which runs start; what the run does with its signal. */
  async function startsIn(
    text: string,
    { runs = 3, intervalMs = 6 * HOUR_MS, runMs = 0, stepMs = 0, changes = false } = {},
  ) {
    const hours = parseHours(text);
    const clock = fakeClock(new Date(2030, 0, 1, 12).getTime());
    const sleeping = {
      ...clock,
      sleep: async (ms: number, signal?: AbortSignal) => {
        await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
        clock.advance(ms);
      },
    };
    const stop = new AbortController();
    const starts: string[] = [];
    const cuts: boolean[] = [];
    let versions = 0;
    await repeatSync({
      intervalMs,
      hours,
      clock: sleeping,
      random: () => 0,
      signal: stop.signal,
      fileVersion: () => Promise.resolve(changes ? String((versions += 1)) : ''),
      isFileUsable: () => Promise.resolve(true),
      onWait: () => {
        if (starts.length === runs) stop.abort(interruptedError());
        return Promise.resolve();
      },
      run: async (signal) => {
        const at = new Date(clock.wallMs());
        starts.push(
          `${at.getDate()}. ${at.getHours()}:${String(at.getMinutes()).padStart(2, '0')}`,
        );
        const endMs = clock.wallMs() + runMs;
        while (clock.wallMs() < endMs && !signal.aborted)
          await new Promise((resolve) => setImmediate(resolve));
        cuts.push(signal.aborted);
        clock.stepWall(stepMs);
        return 'done';
      },
    });
    return { starts, cuts };
  }

  test.each([
    ['1-7', ['2. 1:00', '3. 1:00', '4. 1:00']],
    ['22:30-6', ['1. 22:30', '2. 4:30', '2. 22:30']],
    ['20-24', ['1. 20:00', '2. 20:00', '3. 20:00']],
    ['0-14', ['1. 12:00', '2. 0:00', '2. 6:00']],
  ])('%s, runs start in these alone', async (text, starts) => {
    expect(await startsIn(text)).toEqual({ starts, cuts: [false, false, false] });
  });

  test('a run that goes on at their end is cut, and goes on when they begin again, whatever the interval', async () => {
    const { starts, cuts } = await startsIn('1-7', {
      runMs: 9 * HOUR_MS,
      intervalMs: 72 * HOUR_MS,
    });
    expect(starts).toEqual(['2. 1:00', '3. 1:00', '4. 1:00']);
    expect(cuts).toEqual([true, true, true]);
  });

  test('neither a changed file nor a clock that is set back starts a run outside of them', async () => {
    expect((await startsIn('1-3', { changes: true, runs: 2 })).starts[0]).toBe('2. 1:00');
    const { starts } = await startsIn('1-3', { stepMs: -5 * HOUR_MS, intervalMs: HOUR_MS });
    for (const start of starts) expect(start).toMatch(/ [12]:/);
  });

  test.each(['', '7', '1-1', '0-24', '1-25', '1:60-7', '-1-7', '1-7,9-10', '1 - 2 - 3'])(
    '%j is not a value',
    (text) => {
      expect(parseHours(text)).toBeUndefined();
    },
  );

  test('they need an interval', () => {
    expect(() => {
      checkInterval(undefined, parseHours('1-7'));
    }).toThrow('--hours has no effect without --every.');
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
    checkInterval(MIN_INTERVAL_MS, undefined);
  }).not.toThrow();
  expect(() => {
    checkInterval(MIN_INTERVAL_MS - 1, undefined);
  }).toThrow('bans addresses that poll');
});
