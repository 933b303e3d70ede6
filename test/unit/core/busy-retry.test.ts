import { retryWhileBusy } from '../../../src/core/busy-retry.js';

/** A clock that moves only while it sleeps. */
function virtualClock() {
  let nowMs = 0;
  return {
    monotonicMs: () => nowMs,
    sleep: (ms: number) => {
      nowMs += ms;
      return Promise.resolve();
    },
  };
}

const systemError = (code: string) => Object.assign(new Error(`${code}: made up`), { code });

/** An operation that fails with `code` for the first `busyMs` of the clock. */
function busyFor(busyMs: number, code: string, clock: ReturnType<typeof virtualClock>) {
  return () =>
    clock.monotonicMs() < busyMs ? Promise.reject(systemError(code)) : Promise.resolve('done');
}

test.each([
  ['linux', 'EBUSY'],
  ['darwin', 'EBUSY'],
  ['win32', 'EBUSY'],
  ['win32', 'EPERM'],
  ['win32', 'EACCES'],
] as const)('on %s, %s is tried again for up to 5 seconds', async (platform, code) => {
  const clock = virtualClock();
  const done = retryWhileBusy(busyFor(4_500, code, clock), { platform, clock });
  expect(await done).toBe('done');

  const stuck = virtualClock();
  const never = retryWhileBusy(busyFor(Infinity, code, stuck), { platform, clock: stuck });
  await expect(never).rejects.toMatchObject({ code });
  expect(stuck.monotonicMs()).toBeGreaterThan(4_000);
  expect(stuck.monotonicMs()).toBeLessThanOrEqual(5_000);
});

test.each([
  ['linux', 'EPERM'],
  ['linux', 'EACCES'],
  ['darwin', 'EACCES'],
  ['win32', 'ENOENT'],
  ['linux', 'EXDEV'],
] as const)('on %s, %s is permanent', async (platform, code) => {
  const clock = virtualClock();
  const failing = retryWhileBusy(busyFor(1, code, clock), { platform, clock });
  await expect(failing).rejects.toMatchObject({ code });
  expect(clock.monotonicMs()).toBe(0);
});
