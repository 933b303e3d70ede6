/** The estimated time of the ledger's server is never after the real one. */
import { estimateServerTime } from '../../../src/rate-limit/redis/server-time.js';
import { seeded } from '../../support/seeded.js';

test('for any drift and travel time it is before the real time, by no more than it says', () => {
  const random = seeded(3);
  for (let run = 0; run < 2_000; run += 1) {
    const rate = 1 + (random() - 0.5) * 0.001;
    const [outMs, backMs, laterMs] = [random() * 10, random() * 10, random() * 5_000];
    const realMs = (localMs: number): number => 1e12 + localMs * rate;
    const reply = {
      serverMs: Math.floor(realMs(outMs)),
      received: { nowMs: outMs + backMs, wallMs: outMs + backMs },
      roundTripMs: outMs + backMs,
    };
    const localMs = outMs + backMs + laterMs;
    const local = { nowMs: localMs, wallMs: localMs };
    const { nowMs, errorMs } = estimateServerTime(reply, local) ?? { nowMs: NaN, errorMs: NaN };
    expect(nowMs).toBeLessThanOrEqual(realMs(localMs));
    expect(nowMs + errorMs).toBeGreaterThanOrEqual(realMs(localMs) - 1);
  }
});

test.each([
  ['from a reply that is old', 5_001, 5_001, 1],
  ['from a reply that took long', 1, 1, 21],
  ['after this machine has slept', 1, 500, 1],
])('there is none %s', (_, nowMs, wallMs, roundTripMs) => {
  const reply = { serverMs: 0, received: { nowMs: 0, wallMs: 0 }, roundTripMs };
  expect(estimateServerTime(reply, { nowMs, wallMs })).toBeUndefined();
});
