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
