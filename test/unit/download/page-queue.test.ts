import { expect, test } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { PageQueue } from '../../../src/download/page-queue.js';

test('no more pages are in flight than there are slots, and they start in the order of asking', async () => {
  const slots = new PageQueue(3);
  const started: number[] = [];
  let inFlight = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 12 }, (_, page) =>
      slots.run(async () => {
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

test('a slot is free again after a load that failed', async () => {
  const slots = new PageQueue(1);
  await expect(slots.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await slots.run(() => Promise.resolve('yes'))).toBe('yes');
});

test('the next chapter is prepared when the last page has started, not when it has ended', async () => {
  const slots = new PageQueue(2);
  const ends: (() => void)[] = [];
  const load = () => slots.run(() => new Promise<void>((resolve) => ends.push(resolve)));
  const loads = [load(), load(), load()];
  let allStarted = false;
  const waiting = slots.onEmpty().then(() => {
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

test('a page that is there frees its slot, but no more such pages wait to be kept than there are slots', async () => {
  const slots = new PageQueue(2);
  const kept: (() => void)[] = [];
  let arrived = 0;
  const load = () =>
    slots.run(async ({ release: free }) => {
      arrived += 1;
      free();
      await new Promise<void>((resolve) => kept.push(resolve));
    });
  const loads = Array.from({ length: 8 }, load);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  // Two wait to be kept, two more are there and hold their slots.
  expect(arrived).toBe(4);
  for (let page = 1; page <= 8; page += 1) {
    kept.shift()?.();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(arrived - page).toBeLessThanOrEqual(4);
  }
  expect(arrived).toBe(8);
  await Promise.all(loads);
});

test('pages have rooms of their own while they are gathered, proven or kept, and use them again', async () => {
  const slots = new PageQueue(2);
  const inUse = new Set<Buffer>();
  const all = new Set<Buffer>();
  await Promise.all(
    Array.from({ length: 20 }, () =>
      slots.run(async ({ buffer: room, release: free }) => {
        expect(inUse.has(room)).toBe(false);
        inUse.add(room);
        all.add(room);
        await turn();
        free();
        await turn();
        inUse.delete(room);
      }),
    ),
  );
  expect(all.size).toBeLessThanOrEqual(4);
});
