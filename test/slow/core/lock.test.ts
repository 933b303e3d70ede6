/** Both kinds of locks, by the same tests: the kernel's, and the heartbeat where Node has no addon for that. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type * as lockModule from '../../../src/core/lock.js';
import { heldFolder, STALE_AFTER_MS } from '../../../src/core/heartbeat-lock.js';
import { MODULES_URL } from '../../support/build-folders.js';
import { IS_LONG_RUN } from '../../support/long-run.js';

type LockKind = 'kernel' | 'heartbeat';

const HIDE = resolve('test/support/hide-native-binaries.cjs');

type Locks = typeof lockModule;

/** An instance of the module that loaded this kind, which it keeps. */
async function locksOfKind(kind: LockKind): Promise<Locks> {
  const locks = (await import(`../../../src/core/lock.js?${kind}`)) as Locks;
  if (kind === 'kernel') return locks;
  const dlopen: unknown = Reflect.get(process, 'dlopen');
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) if (isAddon(file)) Reflect.deleteProperty(cache, file);
  process.dlopen = (_, file) => {
    throw Object.assign(new Error(`${file}: hidden`), { code: 'ERR_DLOPEN_FAILED' });
  };
  try {
    (await locks.tryLockFile(join(folder, 'first.lock')))?.release();
  } finally {
    Reflect.set(process, 'dlopen', dlopen);
  }
  rmSync(join(folder, 'first.lock'));
  return locks;
}

const isAddon = (file: string): boolean => file.endsWith('fs-native-extensions.node');

/** A process that holds the lock of `file`, until it is killed; with `try` the lock of the open file, if it is free. */
async function startHolder(file: string, kind: LockKind, how: 'wait' | 'try' = 'wait') {
  const holder = fork('test/slow/core/workers/lock-holder.js', [MODULES_URL, file, how], {
    execArgv: kind === 'heartbeat' ? ['--require', HIDE] : [],
  });
  holders.push(holder);
  const [message] = (await once(holder, 'message')) as [string];
  return Object.assign(holder, { held: message === 'held' });
}

const holders: ChildProcess[] = [];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-lock-'));
});
afterEach(() => {
  for (const holder of holders.splice(0)) holder.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

test('a free lock is taken also if another one creates the folder of both at that moment', async () => {
  const counter = new SharedArrayBuffer(4);
  const missed = ['a.lock', 'b.lock'].map(async (name) => {
    const workerData = { modules: MODULES_URL, folder, name, rounds: 300, counter };
    const worker = new Worker('./test/slow/core/workers/new-folder-locker.js', {
      workerData,
    });
    const [count] = (await once(worker, 'message')) as [number];
    return count;
  });
  expect(await Promise.all(missed)).toEqual([0, 0]);
});

describe.each(['kernel', 'heartbeat'] as const)('%s', (kind) => {
  let locks: Locks;
  beforeEach(async () => {
    locks = await locksOfKind(kind);
  });
  test('a lock has one holder, also within one process', async () => {
    const file = join(folder, 'a.lock');
    const first = await locks.tryLockFile(file);
    expect(first).toBeDefined();
    expect(await locks.tryLockFile(file)).toBeUndefined();
    first?.release();
    const second = await locks.tryLockFile(file);
    expect(second).toBeDefined();
    second?.release();
    expect(readdirSync(folder)).toEqual(['a.lock']);
  });

  test('a lock that another process holds is not available, and its file names that process', async () => {
    const file = join(folder, 'b.lock');
    const holder = await startHolder(file, kind);
    expect(await locks.tryLockFile(file)).toBeUndefined();
    expect(locks.describeLockHolder(file)).toBe(`process ${holder.pid ?? 0}`);
    holder.disconnect();
    await once(holder, 'exit');
    expect((await locks.tryLockFile(file))?.release()).toBeUndefined();
  });

  test('a wait ends with its signal', async () => {
    const file = join(folder, 'c.lock');
    const held = await locks.lockFile(file);
    const reason = new Error('stop');
    const aborted = locks.lockFile(file, { signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    held.release();
  });

  test('a lock file removed by its holder is not held; the next holder creates a new one', async () => {
    const file = join(folder, 'd.lock');
    const first = await locks.lockFile(file);
    const waiting = locks.lockFile(file);
    rmSync(file);
    first.release();
    const second = await waiting;
    first.release();
    expect(await locks.tryLockFile(file)).toBeUndefined();
    second.release();
  });

  test('the lock of an open file is held for another process until it is released', async () => {
    const file = join(folder, 'journal');
    const descriptor = openSync(file, 'a');
    const lock = await locks.tryLockOpenFile(file, descriptor);
    expect(lock).toBeDefined();
    expect(await locks.isLocked(file)).toBe(true);
    const other = await startHolder(file, kind, 'try');
    expect(other.held).toBe(false);
    lock?.release();
    expect(() => fstatSync(descriptor)).toThrow('EBADF');
    expect(await locks.isLocked(file)).toBe(false);
    expect((await startHolder(file, kind, 'try')).held).toBe(true);
  });

  test('a file that is renamed over another keeps its lock, and the lock of the other ends alone', async () => {
    const [file, temporary] = [join(folder, 'journal'), join(folder, 'journal.new')];
    const [old, compacted] = [openSync(file, 'a'), openSync(temporary, 'a')];
    const oldLock = await locks.tryLockOpenFile(file, old);
    const newLock = await locks.tryLockOpenFile(temporary, compacted);
    renameSync(temporary, file);
    oldLock?.release();
    expect(await locks.isLocked(file)).toBe(true);
    expect((await startHolder(file, kind, 'try')).held).toBe(false);
    newLock?.release();
    expect(await locks.isLocked(file)).toBe(false);
  });

  test('an open file whose path leads to another file by now is not locked', async () => {
    const file = join(folder, 'journal');
    const open = () => openSync(file, 'a');
    const [first, second] = [open(), open()];
    renameSync(file, join(folder, 'moved'));
    expect(await locks.tryLockOpenFile(file, first)).toBeUndefined();
    writeFileSync(file, '');
    expect(await locks.tryLockOpenFile(file, second)).toBeUndefined();
    for (const descriptor of [first, second]) expect(() => fstatSync(descriptor)).toThrow('EBADF');
    expect(await locks.isLocked(join(folder, 'missing'))).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(['journal', 'moved']);
  });

  test('processes add to a number one after the other', async () => {
    const file = join(folder, 'e.lock');
    const processes = IS_LONG_RUN ? 4 : 2;
    const args = [MODULES_URL, file, join(folder, 'number'), '25'];
    const execArgv = kind === 'heartbeat' ? ['--require', HIDE] : [];
    const workers = Array.from({ length: processes }, () =>
      fork('test/slow/core/workers/adder.js', args, { execArgv }),
    );
    const codes = await Promise.all(
      workers.map(async (worker) => (await once(worker, 'exit')) as [number]),
    );
    expect(codes.map(([code]) => code)).toEqual(Array(processes).fill(0));
    expect(readFileSync(join(folder, 'number'), 'utf8')).toBe(String(processes * 25));
  });
});

test('kernel: a killed holder releases its lock at once', async () => {
  const { tryLockFile } = await locksOfKind('kernel');
  const file = join(folder, 'f.lock');
  const holder = await startHolder(file, 'kernel');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect(await tryLockFile(file)).toBeDefined();
});

test('kernel: no second file exists while a lock is taken, so that a killed process leaves none', async () => {
  const { tryLockFile } = await locksOfKind('kernel');
  const names = new Set<string>();
  const watcher = watch(folder);
  const seenLast = new Promise<void>((resolveSeen) => {
    watcher.on('change', (_, name) => {
      names.add(String(name));
      if (name === 'last') resolveSeen();
    });
  });
  (await tryLockFile(join(folder, 'j.lock')))?.release();
  writeFileSync(join(folder, 'last'), '');
  await seenLast;
  watcher.close();
  expect([...names]).toEqual(['j.lock', 'last']);
});

test('heartbeat: the lock of a killed holder is taken over when it was not renewed for five seconds', async () => {
  const { tryLockFile } = await locksOfKind('heartbeat');
  const file = join(folder, 'g.lock');
  const holder = await startHolder(file, 'heartbeat');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const opened = openSync(file, 'r');
  const held = heldFolder(file, opened);
  closeSync(opened);
  const renewedAgo = (ms: number) => {
    const at = (Date.now() - ms) / 1_000;
    utimesSync(held, at, at);
  };
  renewedAgo(0);
  expect(await tryLockFile(file)).toBeUndefined();
  renewedAgo(STALE_AFTER_MS + 100);
  const lock = await tryLockFile(file);
  expect(lock).toBeDefined();
  lock?.release();
});

test('kernel: the lock of an open file ends with its process, and others can read and write it meanwhile', async () => {
  const { isLocked } = await locksOfKind('kernel');
  const file = join(folder, 'journal');
  const holder = await startHolder(file, 'kernel', 'try');
  expect(await isLocked(file)).toBe(true);
  writeFileSync(file, 'a line\n', { flag: 'a' });
  expect(readFileSync(file, 'utf8')).toBe('a line\n');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect(await isLocked(file)).toBe(false);
});
