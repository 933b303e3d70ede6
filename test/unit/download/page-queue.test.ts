import { setImmediate as turn } from 'node:timers/promises';
import { PageQueue } from '../../../src/download/save/page-queue.js';

test('runs at most `concurrency` pages at once, in order', async () => {
  const queue = new PageQueue(3);
  const started: number[] = [];
  let inFlight = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 12 }, (_, page) =>
      queue.run(async () => {
        started.push(page);
        inFlight += 1;
        most = Math.max(most, inFlight);
        await turn();
        inFlight -= 1;
      }),
    ),
  );
  expect(most).toBe(3);
  expect(started).toEqual([...started].sort((a, b) => a - b));
});

test('frees the slot after a failed load', async () => {
  const queue = new PageQueue(1);
  await expect(queue.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queue.run(() => Promise.resolve('yes'))).toBe('yes');
});

test('onEmpty resolves when the last page has started, not when it has ended', async () => {
  const queue = new PageQueue(2);
  const ends: (() => void)[] = [];
  const load = () => queue.run(() => new Promise<void>((resolve) => ends.push(resolve)));
  const loads = [load(), load(), load()];
  let allStarted = false;
  const waiting = queue.onEmpty().then(() => {
    allStarted = true;
  });
  await turn();
  expect(allStarted).toBe(false);
  ends[0]?.();
  await waiting;
  expect(ends).toHaveLength(3);
  for (const end of ends) end();
  await Promise.all(loads);
});

test('a page can release its slot early, but at most `concurrency` released pages are unfinished', async () => {
  const queue = new PageQueue(2);
  const kept: (() => void)[] = [];
  let arrived = 0;
  const load = () =>
    queue.run(async ({ release }) => {
      arrived += 1;
      release();
      await new Promise<void>((resolve) => kept.push(resolve));
    });
  const loads = Array.from({ length: 8 }, load);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  // Two have released their queue and are unfinished; two more hold theirs.
  expect(arrived).toBe(4);
  for (let page = 1; page <= 8; page += 1) {
    kept.shift()?.();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(arrived - page).toBeLessThanOrEqual(4);
  }
  expect(arrived).toBe(8);
  await Promise.all(loads);
});

test('a page that arrived while too many others were unfinished releases its slot when one of these ends', async () => {
  const queue = new PageQueue(1);
  const ends: (() => void)[] = [];
  const load = () =>
    queue.run(async ({ release }) => {
      const end = new Promise<void>((resolve) => ends.push(resolve));
      release();
      await end;
    });
  const loads = Array.from({ length: 4 }, load);
  for (const arrived of [2, 3, 4]) {
    await turn();
    expect(ends).toHaveLength(arrived);
    ends[arrived - 2]?.();
  }
  ends.at(-1)?.();
  await Promise.all(loads);
});

test('each unfinished page has its own buffer; the buffers of finished pages are reused', async () => {
  const queue = new PageQueue(2);
  const inUse = new Set<Buffer>();
  const all = new Set<Buffer>();
  await Promise.all(
    Array.from({ length: 20 }, () =>
      queue.run(async ({ takeBuffer, release }) => {
        const buffer = takeBuffer();
        expect(inUse.has(buffer)).toBe(false);
        inUse.add(buffer);
        all.add(buffer);
        await turn();
        release();
        await turn();
        inUse.delete(buffer);
      }),
    ),
  );
  expect(all.size).toBeLessThanOrEqual(4);
});

test('a page that has not arrived takes no buffer: those of the pages before it are free by then', async () => {
  const queue = new PageQueue(3);
  const all = new Set<Buffer>();
  await Promise.all(
    Array.from({ length: 12 }, () =>
      queue.run(async ({ takeBuffer, release }) => {
        await turn();
        await turn();
        await turn();
        all.add(takeBuffer());
        release();
        await turn();
      }),
    ),
  );
  expect(all.size).toBe(3);
});
