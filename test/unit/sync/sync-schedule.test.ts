import {
  checkInterval,
  MIN_INTERVAL_MS,
  nextDelayMs,
  outageDelayMs,
} from '../../../src/sync/sync-schedule.js';

test('an interval is at least 15 minutes, with the reason', () => {
  expect(() => {
    checkInterval(MIN_INTERVAL_MS);
  }).not.toThrow();
  expect(() => {
    checkInterval(MIN_INTERVAL_MS - 1);
  }).toThrow('bans addresses that poll');
});

test('the jitter only adds, up to a tenth', () => {
  expect(nextDelayMs(MIN_INTERVAL_MS, 0)).toBe(MIN_INTERVAL_MS);
  expect(nextDelayMs(MIN_INTERVAL_MS, 1)).toBe((MIN_INTERVAL_MS * 11) / 10);
});

test('after failures the pause doubles, from one minute to 15', () => {
  expect([1, 2, 3, 4, 5, 50].map((failures) => outageDelayMs(failures) / 60_000)).toEqual([
    1, 2, 4, 8, 15, 15,
  ]);
});
