/** The time left of a batch is shown only as long as it is an estimate. */
import { BatchCountdown } from '../../../src/cli/output/batch-countdown.js';
import { fakeClock } from '../../support/fake-clock.js';

test('after the estimated end no time left is shown', () => {
  const clock = fakeClock();
  const countdown = new BatchCountdown(['a', 'b', 'c'], clock);
  countdown.start();
  clock.advance(10_000);
  countdown.finish('a');
  expect(countdown.leftMs()).toBeGreaterThan(0);
  clock.advance(600_000);
  expect(countdown.leftMs()).toBeUndefined();
});

test('the time left includes a wait in which nothing is sent', () => {
  const clock = fakeClock();
  const countdown = new BatchCountdown(['a', 'b', 'c'], clock);
  countdown.start();
  clock.advance(10_000);
  countdown.finish('a');
  const before = countdown.leftMs() ?? 0;
  countdown.wait({ for: 'cooldown' }, 600_000);
  expect(countdown.leftMs()).toBe(before + 600_000);
  countdown.wait({ for: 'cooldown' }, 600_000);
  expect(countdown.leftMs()).toBe(before + 600_000);
  clock.advance(600_000);
  expect(countdown.leftMs()).toBe(before);
});

test('the time left is at least the wait for a limit, which the estimate knows already', () => {
  const clock = fakeClock();
  const countdown = new BatchCountdown(['a', 'b'], clock);
  countdown.wait({ for: 'quota' }, 47_000);
  expect(countdown.leftMs()).toBe(47_000);
  clock.advance(46_000);
  expect(countdown.leftMs()).toBe(1_000);
});

test('the time left follows a limit that the service announced, which is lower than the published one', () => {
  const clock = fakeClock();
  const countdown = new BatchCountdown(
    Array.from({ length: 60 }, (_, index) => String(index)),
    clock,
  );
  for (let chapter = 0; chapter < 6; chapter += 1) countdown.start();
  const limit = { endpoint: 'GET /at-home/server/{id}', requests: 6, periodMs: 60_000 };
  countdown.wait({ for: 'quota', limit }, 60_000);
  // The general limit of five requests a second lets the sixth of a minute wait.
  expect(countdown.leftMs()).toBe(9 * 60_000 + 1_000);
});
