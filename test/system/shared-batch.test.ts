/** Machines that divide one list of chapters, with a real server. A machine that dies is in the long runs. */
import { systemClock } from '../../src/core/clock.js';
import { createLibrary } from '../../src/practice-server/library/library.js';
import { openWorkShare, type WorkShare } from '../../src/rate-limit/redis/work-share.js';
import { startRedis, type RedisProcess } from '../support/redis-process.js';
import { describeWith } from '../support/requirements.js';
import { SharedBatch } from '../support/shared-batch.js';
import { DAY_MS, syncChapter, syncTitle, titleId } from '../support/sync-harness.js';
import { startTcpProxy } from '../support/tcp-proxy.js';

/** Long enough that a busy machine renews it in time. */
const LEASE_MS = 4_000;

describeWith('a share', { programs: ['redis-server'] }, () => {
  let redis: RedisProcess;
  const open: WorkShare[] = [];
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    for (const share of open.splice(0)) await share.close();
    await redis.stop();
  });

  const openOne = (leaseMs = 60_000, url = redis.url): WorkShare => {
    const server = { url: new URL(url) };
    const share = openWorkShare({
      server,
      name: 'list',
      clock: systemClock,
      maxOutageMs: 5_000,
      leaseMs,
    });
    open.push(share);
    return share;
  };

  test('an item is claimed by one, never done twice, and free after a release', async () => {
    const [one, other] = [openOne(), openOne()];
    expect([await one.claim('a'), await other.claim('a'), await one.claim('a')]).toEqual([
      'claimed',
      'taken',
      'claimed',
    ]);
    await one.release('a');
    expect([await other.claim('a'), await one.claim('a')]).toEqual(['claimed', 'taken']);
    await other.finish('a');
    expect([await one.claim('a'), await openOne().claim('a')]).toEqual(['done', 'done']);
  });

  test('a lease is renewed while its holder lives, and lapses after it', async () => {
    const proxy = await startTcpProxy(redis.port);
    const [one, other] = [
      openOne(LEASE_MS, `redis://127.0.0.1:${proxy.port}/0`),
      openOne(LEASE_MS),
    ];
    await one.claim('a');
    await systemClock.sleep(LEASE_MS * 1.3);
    expect(await other.claim('a')).toBe('taken');
    proxy.cut();
    const deadlineMs = systemClock.monotonicMs() + 2 * LEASE_MS;
    while ((await other.claim('a')) === 'taken') {
      expect(systemClock.monotonicMs()).toBeLessThan(deadlineMs);
      await systemClock.sleep(50);
    }
    await proxy.stop();
  });

  test('a release by another one has no effect', async () => {
    const [one, other] = [openOne(), openOne()];
    await one.claim('a');
    await other.release('a');
    expect(await openOne().claim('a')).toBe('taken');
  });
});

describeWith('machines with one share', { programs: ['redis-server'] }, () => {
  test('load each chapter once, within the limits', async () => {
    const batch = await SharedBatch.start(12);
    try {
      const machines = [1, 2, 3, 4];
      const ends = await Promise.all(machines.map((machine) => batch.run(machine).finished));
      expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
      const saved = machines.flatMap((machine) => batch.saved(machine));
      expect(saved.sort()).toEqual(batch.ids.map((id) => `${id}.cbz`).sort());
      const { log } = batch.service;
      expect(batch.service.violations()).toEqual([]);
      expect(log.filter(({ status }) => status === 429)).toEqual([]);
      expect(ends.map(({ stdout }) => stdout).join('')).toContain('"reason":"shared-done"');
    } finally {
      await batch.stop();
    }
  });

  test('that are subscribed to the same title load each new chapter once', async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => String(index + 1));
    const readableMs = Date.now() - 9 * DAY_MS;
    const batch = await SharedBatch.startWith(
      createLibrary({
        titles: [syncTitle('Alpha')],
        chapters: numbers.map((number) => syncChapter('Alpha', number, readableMs)),
        lists: [],
      }),
    );
    try {
      const machines = [1, 2];
      const run = () =>
        Promise.all(machines.map((machine) => batch.sync(machine, titleId('Alpha')).finished));
      const ends = await run();
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
      const saved = machines.map((machine) => batch.saved(machine));
      expect(saved.flat()).toHaveLength(numbers.length);
      expect(new Set(saved.flat()).size).toBe(numbers.length);
      expect(Math.min(...saved.map(({ length }) => length))).toBeGreaterThan(0);
      expect(ends.map(({ stdout }) => stdout).join('')).toContain('"reason":"shared-done"');
      const requests = batch.service.log.length;
      expect((await run()).map(({ code }) => code)).toEqual([0, 0]);
      const again = batch.service.log.slice(requests).map(({ path }) => path);
      expect(again.filter((path) => path.startsWith('/at-home/'))).toEqual([]);
      expect(batch.service.violations()).toEqual([]);
    } finally {
      await batch.stop();
    }
  });
});
