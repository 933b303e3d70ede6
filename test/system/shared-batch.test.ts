/** Machines that divide one list of chapters, with a real server. A machine that dies is in the long runs. */
import { systemClock } from '../../src/core/clock.js';
import { createLibrary } from '../../src/practice-server/library/library.js';
import { openWorkShare, type WorkShare } from '../../src/service/work-share.js';
import { startRedis, type RedisProcess } from '../support/redis-process.js';
import { describeWith } from '../support/requirements.js';
import { SharedBatch } from '../support/shared-batch.js';
import { chapterId, DAY_MS, syncChapter, syncTitle, titleId } from '../support/sync-harness.js';
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
        Promise.all(machines.map((machine) => batch.sync(machine, [titleId('Alpha')]).finished));
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

  test('divide titles of one chapter, and wait for each other once: none saves more than 14 of 24', async () => {
    const names = Array.from({ length: 24 }, (_, index) => `Title ${index}`);
    const batch = await SharedBatch.startWith(libraryOf(names, ['1']));
    try {
      const machines = [1, 2, 3];
      const run = (machine: number) => batch.sync(machine, names.map(titleId)).finished;
      const ends = await Promise.all(machines.map(run));
      expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
      const saved = machines.map((machine) => batch.saved(machine));
      expect(saved.flat()).toHaveLength(names.length);
      expect(new Set(saved.flat()).size).toBe(names.length);
      expect(Math.max(...saved.map(({ length }) => length))).toBeLessThanOrEqual(14);
      const summaries = ends.map(({ stdout }) => stdout.trim().split('\n').at(-1) ?? '');
      const counts = summaries.map((line) => (JSON.parse(line) as { saved: number }).saved);
      expect(counts).toEqual(saved.map(({ length }) => length));
      expect(batch.service.violations()).toEqual([]);
    } finally {
      await batch.stop();
    }
  });

  test('do not load again what is in their folder or in their history when the server loses its data', async () => {
    const names = ['Alpha', 'Beta'];
    const batch = await SharedBatch.startWith(libraryOf(names, ['1', '2']));
    try {
      const machines = [1, 2];
      // Both save to the folder of the first one.
      const run = async () => {
        const requests = batch.service.log.length;
        const runs = machines.map((machine) => batch.sync(machine, names.map(titleId), 1).finished);
        expect((await Promise.all(runs)).map(({ code }) => code)).toEqual([0, 0]);
        const paths = batch.service.log.slice(requests).map(({ path }) => path);
        const loaded = paths.filter((path) => path.startsWith('/at-home/'));
        return loaded.map((path) => path.split('/').at(-1)).sort();
      };
      const ids = (...numbers: readonly string[]) =>
        names.flatMap((name) => numbers.map((number) => chapterId(name, number))).sort();
      const release = (number: string) => {
        for (const name of names)
          batch.service.library.putChapter(syncChapter(name, number, Date.now() - DAY_MS));
      };
      expect(await run()).toEqual(ids('1', '2'));
      await batch.emptyServer();
      release('3');
      expect(await run()).toEqual(ids('3'));
      // Each machine finds the files of both, and adds them to its history.
      release('4');
      expect(await run()).toEqual(ids('4'));
      batch.clear(1);
      await batch.emptyServer();
      release('5');
      // Only the machine that saved a chapter 4 has it in its history.
      const loaded = await run();
      expect(loaded).toEqual(expect.arrayContaining(ids('5')));
      expect(loaded.filter((id) => ids('1', '2', '3').includes(id ?? ''))).toEqual([]);
    } finally {
      await batch.stop();
    }
  });
});

const libraryOf = (names: readonly string[], numbers: readonly string[]) =>
  createLibrary({
    titles: names.map(syncTitle),
    chapters: names.flatMap((name) =>
      numbers.map((number) => syncChapter(name, number, Date.now() - 9 * DAY_MS)),
    ),
    lists: [],
  });
