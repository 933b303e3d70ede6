/** The end of a run waits for health reports only while a response is likely. */
import { remainingWaitMs, type ExitWait } from '../../../../src/service/reports/exit-wait.js';

const WAIT: ExitWait = {
  nowMs: 10_500,
  startedMs: 10_000,
  maxWaitMs: 2_000,
  firstRequestMs: 10_000,
  hasResponded: true,
  isHostDown: false,
};

const DOWN = { isHostDown: true, nowMs: 10_100, firstRequestMs: 9_000 };

test.each<[string, Partial<ExitWait>, number]>([
  ['a host that responds', {}, 1_500],
  ['a host that responds slowly, until the time is over', { nowMs: 12_000 }, 0],
  ['a host that was not asked yet', { firstRequestMs: undefined, hasResponded: false }, 1_500],
  ['a first response, for a second', { firstRequestMs: 9_501, hasResponded: false }, 1_500],
  ['a first response, not longer', { firstRequestMs: 9_500, hasResponded: false }, 0],
  ['a host that is down, for its probe', DOWN, 200],
  ['a host that is down, not longer', { isHostDown: true }, -200],
  ['the probe of a host that never responded', { ...DOWN, hasResponded: false }, 200],
  ['an exit in a hurry', { maxWaitMs: 300, nowMs: 10_100 }, 200],
  ['an exit that does not wait', { maxWaitMs: 0, isHostDown: true, nowMs: 10_000 }, 0],
])('waits for %s', (_, change, remainingMs) => {
  expect(remainingWaitMs({ ...WAIT, ...change })).toBe(remainingMs);
});
