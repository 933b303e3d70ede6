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
  countdown.wait('cooldown', 600_000);
  expect(countdown.leftMs()).toBe(before + 600_000);
  countdown.wait('cooldown', 600_000);
  expect(countdown.leftMs()).toBe(before + 600_000);
  clock.advance(600_000);
  expect(countdown.leftMs()).toBe(before);
});

test('the time left is at least the wait for a limit, which the estimate knows already', () => {
  const clock = fakeClock();
  const countdown = new BatchCountdown(['a', 'b'], clock);
  countdown.wait('quota', 47_000);
  expect(countdown.leftMs()).toBe(47_000);
  clock.advance(46_000);
  expect(countdown.leftMs()).toBe(1_000);
});
