/** Locks of folders: who waits for whom, in which order, and what a process that was killed leaves. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lockFolder, type FolderLock } from '../../../src/core/folder-lock.js';
import { posixTest } from '../../support/platform.js';
import { virtualClock } from '../../support/virtual-clock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-folder-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const clock = virtualClock();

/** A request of a lock, which may wait. */
function request(path: string, kind: 'shared' | 'exclusive', stop = new AbortController()) {
  const waits: string[] = [];
  let held: FolderLock | undefined;
  const locking = lockFolder(join(folder, path), {
    locksFolder: join(folder, 'locks'),
    isExclusive: kind === 'exclusive',
    clock,
    signal: stop.signal,
    onWait: (holder) => waits.push(holder),
  }).then((lock) => (held = lock));
  locking.catch(() => undefined);
  return { locking, waits, stop, isHeld: () => held !== undefined };
}

/** Resolves once the request is in the queue behind others. */
async function waiting({ waits, isHeld }: ReturnType<typeof request>): Promise<boolean> {
  while (waits.length === 0 && !isHeld()) await delay(1);
  return !isHeld();
}

test.each([
  ['shared', 'lib', 'shared', 'lib', false],
  ['shared', 'lib', 'exclusive', 'lib', true],
  ['exclusive', 'lib', 'shared', 'lib', true],
  ['exclusive', 'lib', 'exclusive', 'lib', true],
  ['exclusive', 'lib', 'shared', 'lib/Alpha', true],
  ['exclusive', 'lib/Alpha', 'shared', 'lib', true],
  ['exclusive', 'lib/Alpha', 'shared', 'lib/Beta', false],
  ['exclusive', 'lib', 'shared', 'library', false],
  ['exclusive', 'lib', 'shared', 'lib/..hidden', true],
] as const)('%s of %s, then %s of %s: waits %s', async (kind, path, otherKind, other, waits) => {
  const first = request(path, kind);
  const lock = await first.locking;
  const second = request(other, otherKind);
  expect(await waiting(second)).toBe(waits);
  lock.release();
  (await second.locking).release();
});

test('a request waits for those before it, also for one that waits itself', async () => {
  const first = await request('lib', 'shared').locking;
  const rename = request('lib', 'exclusive');
  expect(await waiting(rename)).toBe(true);
  const second = request('lib', 'shared');
  expect(await waiting(second)).toBe(true);
  first.release();
  const renaming = await rename.locking;
  expect(second.isHeld()).toBe(false);
  renaming.release();
  (await second.locking).release();
});

test('only an exclusive lock changes the generation', async () => {
  const generations: number[] = [];
  for (const kind of ['shared', 'shared', 'exclusive', 'shared', 'exclusive', 'shared'] as const) {
    const lock = await request('lib', kind).locking;
    generations.push(lock.generation);
    lock.release();
  }
  const [first, second, renaming, third, again, last] = generations;
  expect([second, third, last]).toEqual([first, renaming, again]);
  expect(new Set(generations).size).toBe(3);
});

test('an interrupted wait leaves nothing that others wait for', async () => {
  const first = await request('lib', 'shared').locking;
  const rename = request('lib', 'exclusive');
  expect(await waiting(rename)).toBe(true);
  rename.stop.abort(new Error('stopped'));
  await expect(rename.locking).rejects.toThrow('stopped');
  const second = request('lib', 'shared');
  expect(await waiting(second)).toBe(false);
  first.release();
  (await second.locking).release();
});

test('what an ended process left is removed, and is waited for no more', async () => {
  mkdirSync(join(folder, 'locks'), { mode: 0o700 });
  for (const [name, text] of [
    ['7.json', JSON.stringify({ number: 7, folder: '/', isExclusive: true })],
    ['7.lock', '1 elsewhere'],
    ['8.json', '{'],
  ] as const)
    writeFileSync(join(folder, 'locks', name), text, { mode: 0o600 });
  const lock = await request('lib', 'exclusive').locking;
  expect(readdirSync(join(folder, 'locks')).filter((name) => /^\d/.test(name))).toHaveLength(2);
  lock.release();
});

posixTest(
  'a link to the folder is the same folder, also where the end of the path is missing',
  async () => {
    mkdirSync(join(folder, 'lib'));
    symlinkSync('lib', join(folder, 'link'));
    const lock = await request('lib/new/deep', 'exclusive').locking;
    const second = request('link/new', 'shared');
    expect(await waiting(second)).toBe(true);
    lock.release();
    (await second.locking).release();
  },
);
