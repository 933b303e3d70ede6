/** The time left of a chapter is counted down while no page arrives, and ends with the estimate. */
import { PageCountdown } from '../../../src/cli/output/speed.js';
import { fakeClock } from '../../support/fake-clock.js';

test('the time left is counted down while the server stalls, and is unknown after the estimated end', () => {
  const clock = fakeClock();
  const countdown = new PageCountdown(10, clock);
  expect(countdown.leftMs()).toBeUndefined();
  for (let page = 0; page < 8; page += 1) {
    clock.advance(1_000);
    countdown.add();
  }
  expect(countdown.leftMs()).toBe(2_000);
  clock.advance(1_500);
  expect(countdown.leftMs()).toBe(500);
  clock.advance(6_500);
  expect(countdown.leftMs()).toBeUndefined();
  countdown.add();
  expect(countdown.leftMs()).toBeCloseTo(16_000 / 9);
});

test('the speed is that of the last pages, and without pages to load nothing is left', () => {
  const clock = fakeClock();
  const countdown = new PageCountdown(100, clock);
  clock.advance(600_000);
  for (let page = 0; page < 50; page += 1) {
    clock.advance(1_000);
    countdown.add();
  }
  expect(countdown.leftMs()).toBe(50_000);
  for (let page = 0; page < 50; page += 1) countdown.add();
  expect(countdown.leftMs()).toBeUndefined();
});
