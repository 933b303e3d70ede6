/** The monitor of outages in virtual time: who probes, when, and when it ends. */
import { ServiceError } from '../../../../src/core/errors.js';
import { OutageMonitor, OutageTooLong } from '../../../../src/service/requests/outage.js';
import type { Wait } from '../../../../src/service/permits/rate-ledger.js';
import { RetryableError } from '../../../../src/service/requests/retry.js';
import { SimulatedTime } from '../../../support/fake-clock.js';

const failureOf = (askedMs?: number) =>
  new RetryableError(new ServiceError('unreachable', 'No way to the service.'), askedMs);

/** A service that does not answer until `upMs`, and the monitor of a run that had an answer before. */
function outageUntil(upMs: number, maxOutageMs = 600_000) {
  const time = new SimulatedTime();
  const startMs = time.nowMs;
  const waits: Wait[] = [];
  const probedMs: number[] = [];
  const monitor = new OutageMonitor({
    maxOutageMs,
    clock: time.clock(),
    onWait: (wait) => waits.push(wait),
    random: () => 1,
  });
  const probe = async () => {
    probedMs.push(time.nowMs - startMs);
    await time.sleep(10);
    return time.nowMs - startMs < upMs ? failureOf() : undefined;
  };
  return { time, waits, probedMs, monitor, probe };
}

const settled = (promises: readonly Promise<unknown>[]) => Promise.allSettled(promises);

test('a run that had no answer yet, or whose limit is 0, is not ready to wait', () => {
  const { monitor, probe } = outageUntil(0);
  expect(monitor.isReady).toBe(false);
  monitor.recordSuccess('GET /x', probe);
  expect(monitor.isReady).toBe(true);
  const { monitor: hasty } = outageUntil(0, 0);
  hasty.recordSuccess('GET /x', probe);
  expect(hasty.isReady).toBe(false);
});

test('one request probes for all, after pauses that grow to 30 s', async () => {
  const { time, waits, probedMs, monitor, probe } = outageUntil(120_000);
  monitor.recordSuccess('GET /x', probe);
  const rides = Array.from({ length: 5 }, () => monitor.waitForEnd('GET /x', failureOf()));
  const late = monitor.waitWhileActive();
  expect(await time.run(Promise.all([...rides, late]))).toEqual([
    ...Array<boolean>(5).fill(true),
    undefined,
  ]);
  const pauses = probedMs.map((atMs, index) => atMs - (probedMs[index - 1] ?? 0));
  expect(pauses.map((ms) => Math.round(ms / 100) / 10)).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30, 30]);
  expect(monitor.count).toBe(1);
  expect(monitor.isActive).toBe(false);
  expect(waits).toHaveLength(probedMs.length);
  expect(waits[0]).toMatchObject({ for: 'outage', reason: 'unreachable' });
});

test('a service that answers the first probe had no outage: the failure was the request’s own', async () => {
  const { time, monitor, probe } = outageUntil(0);
  monitor.recordSuccess('GET /x', probe);
  expect(await time.run(monitor.waitForEnd('GET /x', failureOf()))).toBe(false);
  expect(monitor.count).toBe(0);
});

test('the kind of request that failed is probed where it was answered before, else the last one', async () => {
  const { time, monitor } = outageUntil(0);
  const probed: string[] = [];
  for (const kind of ['a', 'b', 'c']) {
    monitor.recordSuccess(kind, () => {
      probed.push(kind);
      return Promise.resolve(undefined);
    });
  }
  await time.run(monitor.waitForEnd('b', failureOf()));
  await time.run(monitor.waitForEnd('new', failureOf()));
  expect(probed).toEqual(['b', 'c']);
});

test('a prober that is interrupted leaves its turn to the next request', async () => {
  const { time, probedMs, monitor, probe } = outageUntil(20_000);
  monitor.recordSuccess('GET /x', probe);
  const stopping = new AbortController();
  const first = monitor.waitForEnd('GET /x', failureOf(), stopping.signal);
  const second = monitor.waitForEnd('GET /x', failureOf());
  time.after(3_000, () => {
    stopping.abort(new Error('stop'));
  });
  const [stopped, ridden] = await time.run(settled([first, second]));
  expect(stopped?.status).toBe('rejected');
  expect(ridden).toEqual({ status: 'fulfilled', value: true });
  expect(probedMs.length).toBeGreaterThan(3);
});

test('an outage longer than the limit fails all that wait, and all requests after that, with the last failure’s code', async () => {
  const { time, probedMs, monitor, probe } = outageUntil(Infinity, 60_000);
  monitor.recordSuccess('GET /x', probe);
  const rides = await time.run(
    settled([monitor.waitForEnd('GET /x', failureOf()), monitor.waitForEnd('GET /y', failureOf())]),
  );
  for (const ride of rides) {
    expect(ride.status === 'rejected' && ride.reason).toBeInstanceOf(OutageTooLong);
    expect(ride.status === 'rejected' && ride.reason).toMatchObject({ code: 'unreachable' });
  }
  // The last probe is at the limit itself.
  expect(probedMs.at(-1)).toBe(60_000);
  await expect(monitor.waitWhileActive()).rejects.toBeInstanceOf(OutageTooLong);
});

test('a pause that the service asks for is kept; one beyond the limit is not waited for', async () => {
  const { time, probedMs, monitor, probe } = outageUntil(0, 60_000);
  monitor.recordSuccess('GET /x', probe);
  await time.run(monitor.waitForEnd('GET /x', failureOf(45_000)));
  expect(probedMs).toEqual([45_000]);
  await expect(monitor.waitForEnd('GET /x', failureOf(61_000))).rejects.toBeInstanceOf(
    OutageTooLong,
  );
});
