/**
 * Locks of folders between the processes of one user: several may save into a folder at the same time, and one that
 * gives its files other names has it for itself, with the folders below and above. Locks are granted in the order in
 * which they were requested.
 */
import { closeSync, unlinkSync, writeFileSync } from 'node:fs';
import { realpath, readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { maxOf } from './extremes.js';
import type { Clock } from './clock.js';
import {
  createFileSync,
  isSystemError,
  makePrivateFolder,
  PRIVATE_FILE_MODE,
  readFileIfExists,
  removeFile,
  writeFileAtomic,
} from './files.js';
import { isRecord, parseJson } from './json.js';
import { describeLockHolder, isLocked, lockFile, tryLockFile, type HeldLock } from './lock.js';

export interface FolderLockOptions {
  /** The folder of the lock files. */
  readonly locksFolder: string;
  /** The process changes the names of files that others have found. */
  readonly isExclusive: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called once if the lock is not free, with its holder, such as `process 1234`. */
  readonly onWait: (holder: string) => void;
}

export interface FolderLock extends HeldLock {
  /** Changes when a process had some folder for itself: what was found before may have another name by now. */
  readonly generation: number;
}

interface Request {
  readonly number: number;
  readonly folder: string;
  readonly isExclusive: boolean;
}

const REGISTRY_LOCK = 'registry.lock';
const GENERATION_FILE = 'generation';
const REQUEST_FILE = /^(\d{1,15})\.json$/;
const POLL_MS = 200;
const MAX_FILE_BYTES = 64 * 1024;

/** A process holds at most one at a time. Rejects with the signal's reason when aborted, and with errors of the file system. */
export async function lockFolder(folder: string, options: FolderLockOptions): Promise<FolderLock> {
  const { locksFolder, isExclusive, clock, signal, onWait } = options;
  makePrivateFolder(locksFolder);
  const path = await realFolder(folder);
  const { own, lock, earlier } = await register(path, isExclusive, options);
  const release = (): void => {
    // Removed while held: otherwise, the next request removes them.
    for (const file of Object.values(filesOf(locksFolder, own.number))) removeQuietly(file);
    lock.release();
  };
  try {
    const blocking = earlier.filter((other) => areInConflict(other, own));
    let isReported = false;
    for (const { number } of blocking)
      for (const { lock: file } = filesOf(locksFolder, number); await isLocked(file);) {
        if (!isReported) onWait(describeLockHolder(file));
        isReported = true;
        await clock.sleep(POLL_MS, signal);
      }
    return { release, generation: await readGeneration(locksFolder) };
  } catch (error) {
    release();
    throw error;
  }
}

/** Requests are numbered under a lock of their own, which also removes those of processes that have ended. */
async function register(
  folder: string,
  isExclusive: boolean,
  { locksFolder, clock, signal }: FolderLockOptions,
): Promise<{ own: Request; lock: HeldLock; earlier: readonly Request[] }> {
  const registry = await lockFile(join(locksFolder, REGISTRY_LOCK), { clock, signal });
  try {
    const earlier = await activeRequests(locksFolder);
    const last = maxOf([await readGeneration(locksFolder), ...earlier.map((it) => it.number)]);
    const own = { number: last + 1, folder, isExclusive };
    const files = filesOf(locksFolder, own.number);
    writeRequest(files.request, own);
    const lock = await tryLockFile(files.lock);
    if (!lock) throw new Error(`The new lock of ${folder} is held.`);
    if (isExclusive) await writeFileAtomic(join(locksFolder, GENERATION_FILE), String(own.number));
    return { own, lock, earlier };
  } finally {
    registry.release();
  }
}

/** Not synced: other processes read it only while this one holds its lock. One that a kill left was removed before. */
function writeRequest(file: string, request: Request): void {
  const descriptor = createFileSync(file, PRIVATE_FILE_MODE);
  try {
    writeFileSync(descriptor, JSON.stringify(request));
  } finally {
    closeSync(descriptor);
  }
}

function removeQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It is open in another process, on Windows.
  }
}

async function activeRequests(locksFolder: string): Promise<readonly Request[]> {
  const active: Request[] = [];
  for (const name of await readdir(locksFolder)) {
    const [, digits] = REQUEST_FILE.exec(name) ?? [];
    if (digits === undefined) continue;
    const number = Number(digits);
    const files = filesOf(locksFolder, number);
    if (await isLocked(files.lock)) active.push(await readRequest(files.request, number));
    else for (const file of Object.values(files)) await removeFile(file);
  }
  return active;
}

/** What cannot be read counts as a lock of everything. */
async function readRequest(file: string, number: number): Promise<Request> {
  const text = await readFileIfExists(file, { maxBytes: MAX_FILE_BYTES });
  const parsed = parseJson(text?.toString() ?? '');
  const { folder, isExclusive } = isRecord(parsed) ? parsed : {};
  return {
    number,
    folder: typeof folder === 'string' ? folder : sep,
    isExclusive: isExclusive !== false,
  };
}

async function readGeneration(locksFolder: string): Promise<number> {
  const options = { maxBytes: MAX_FILE_BYTES };
  const text = await readFileIfExists(join(locksFolder, GENERATION_FILE), options);
  const generation = Number(text?.toString() ?? 0);
  return Number.isSafeInteger(generation) ? generation : 0;
}

function areInConflict(a: Request, b: Request): boolean {
  return (
    (a.isExclusive || b.isExclusive) &&
    (contains(a.folder, b.folder) || contains(b.folder, a.folder))
  );
}

function contains(folder: string, other: string): boolean {
  const path = relative(folder, other);
  return path.split(sep)[0] !== '..' && resolve(folder, path) === other;
}

/** Without links, as far as the folder exists. */
async function realFolder(folder: string): Promise<string> {
  const path = resolve(folder);
  try {
    return await realpath(path);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT') || dirname(path) === path) throw error;
    return join(await realFolder(dirname(path)), basename(path));
  }
}

function filesOf(locksFolder: string, number: number) {
  const start = join(locksFolder, String(number));
  return { request: `${start}.json`, lock: `${start}.lock` };
}
