/** The clock of a ledger server, and the replies of its script. */
import fc from 'fast-check';
import { MAX_TIME_MS } from '../../../src/rate-limit/ledger-record.js';
import { readReply } from '../../../src/rate-limit/redis/ledger-script.js';
import { RedisFailure } from '../../../src/rate-limit/redis/redis-failure.js';
import { ServerClock } from '../../../src/rate-limit/redis/server-clock.js';

const OFFSET_MS = 1_790_000_000_000;
const DAY_MS = 86_400_000;
/** A round trip that reached the server `toMs` after it was sent, and took `backMs` to return. */
const trip = (sentMs: number, toMs: number, backMs: number, stepMs = 0, wallMs = sentMs) => ({
  sentMs,
  receivedMs: sentMs + toMs + backMs,
  wallMs: wallMs + toMs + backMs,
  serverMs: sentMs + toMs + OFFSET_MS + stepMs,
});
const delays = fc.array(fc.tuple(fc.nat(5_000), fc.nat(5_000), fc.nat(60_000)), {
  minLength: 1,
  maxLength: 30,
});

describe('the clock of a server', () => {
  test('whatever the delays, both conversions give a time that is not too early, and no step is seen', () => {
    fc.assert(
      fc.property(delays, (trips) => {
        const clock = new ServerClock();
        let nowMs = 5_000;
        for (const [toMs, backMs, pauseMs] of trips) {
          expect(clock.measure(trip(nowMs, toMs, backMs))).toBe(false);
          nowMs += toMs + backMs + pauseMs;
          expect(clock.toServerMs(nowMs)).toBeGreaterThanOrEqual(nowMs + OFFSET_MS);
          expect(clock.toLocalMs(nowMs + OFFSET_MS)).toBeGreaterThanOrEqual(nowMs);
        }
      }),
    );
  });

  test('quick round trips make it exact, and slow ones do not make it worse', () => {
    const clock = new ServerClock();
    clock.measure(trip(0, 0.5, 0.5));
    clock.measure(trip(10, 3_000, 2_000));
    expect(clock.toServerMs(5_010) - OFFSET_MS - 5_010).toBeLessThan(6);
  });

  test.each([-DAY_MS, -1_000, 50, 1_000, DAY_MS])('a step of %d ms is seen, once', (stepMs) => {
    const clock = new ServerClock();
    clock.measure(trip(0, 1, 1));
    expect(clock.measure(trip(1_000, 1, 1, stepMs))).toBe(true);
    expect(clock.measure(trip(2_000, 1, 1, stepMs))).toBe(false);
    expect(clock.toServerMs(3_000)).toBeGreaterThanOrEqual(3_000 + OFFSET_MS + stepMs);
  });

  test('a machine that was suspended, whose own clock stood still, is no step', () => {
    const clock = new ServerClock();
    clock.measure(trip(0, 1, 1));
    const pausedMs = 3_600_000;
    expect(clock.measure(trip(1_000, 1, 1, pausedMs, 1_000 + pausedMs))).toBe(false);
    expect(clock.toServerMs(2_000)).toBeGreaterThanOrEqual(2_000 + OFFSET_MS + pausedMs);
  });

  test('a step of the local wall clock does not move the time of the server', () => {
    const clock = new ServerClock();
    clock.measure(trip(0, 1, 1));
    expect(clock.measure(trip(1_000, 1, 1, 0, 1_000 + DAY_MS))).toBe(false);
  });
});

test('any reply is read, or is a failure that ends the run', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.constantFrom('current', 'stale', '1790000000', '1e300', 'a'.repeat(40)),
      fc.array(tie('any'), { maxLength: 8 }),
    ),
  })).any;
  const run = 'a'.repeat(40);
  const examples: [unknown][] = [[['current', '1e300', '0', run, []]]];
  fc.assert(
    fc.property(value, (reply) => {
      try {
        const { serverMs } = readReply(reply);
        expect(serverMs).toBeLessThan(MAX_TIME_MS);
      } catch (error) {
        expect(error).toBeInstanceOf(RedisFailure);
      }
    }),
    { numRuns: 1_000, examples },
  );
});
