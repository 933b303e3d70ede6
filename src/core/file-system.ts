/** What a file system can do, and how much space it has. */
import { link, lstat, stat, statfs, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { withoutTouching } from './folder-times.js';
import { nearestExisting } from './output-folder.js';
import { hasModes } from './own-folder.js';
import { MAX_SEGMENT_BYTES, SHORT_SEGMENT_BYTES } from './path-segment.js';
import { isSystemError } from './system-errors.js';
import { temporaryName } from './temporary-files.js';

/** The type that statfs gives file systems in user space (Linux, linux/magic.h). */
const FUSE_TYPE = 0x65735546;

/** Whether a driver in user space (FUSE) has the file system of `path`; false where that is unknown. */
export async function isInUserSpace(path: string): Promise<boolean> {
  const { type } = await statfs(path).catch(() => ({ type: 0 }));
  return type === FUSE_TYPE;
}

/** The bytes that this user can still write to the file system of `path`; undefined where it does not say. */
export async function freeBytes(path: string): Promise<number | undefined> {
  const { blocks, bavail, bsize } = await statfs(path);
  return blocks === 0 ? undefined : bavail * bsize;
}

/** The device of the file system of `folder`, or of the nearest folder above it that exists; undefined if it is unknown. */
export async function deviceOf(folder: string): Promise<number | undefined> {
  try {
    const { path } = await nearestExisting(resolve(folder));
    return (await stat(path)).dev;
  } catch {
    return undefined;
  }
}

interface FileSystemTraits {
  readonly hasHardLinks: boolean;
  readonly hasModes: boolean;
  /** `A` and `a` are different files. */
  readonly isCaseSensitive: boolean;
  readonly isInUserSpace: boolean;
  /** See maxNameBytes. */
  readonly maxNameBytes: number;
}

/** Finds out with temporary files in `folder`, which are removed. Throws system errors. */
export function probeFileSystem(folder: string): Promise<FileSystemTraits> {
  return withoutTouching(folder, () => probe(folder));
}

async function probe(folder: string): Promise<FileSystemTraits> {
  const file = temporaryName(join(folder, 'check'));
  const second = temporaryName(join(folder, 'check'));
  await writeFile(file, '', { flag: 'wx', mode: 0o600 });
  try {
    const otherCase = join(dirname(file), basename(file).toUpperCase());
    return {
      hasHardLinks: await canLink(file, second),
      hasModes: process.platform !== 'win32' && hasModes(folder),
      isCaseSensitive: (await lstat(otherCase).catch(() => undefined)) === undefined,
      isInUserSpace: await isInUserSpace(file),
      maxNameBytes: await maxNameBytes(folder),
    };
  } finally {
    await unlink(file);
  }
}

/**
 * The longest name of a file that the folder takes, or will take once it exists: encrypted folders of some NAS take 143
 * bytes, others 255. Looks names up that do not exist, which takes one call in most folders: a name that is too long is
 * refused then too.
 */
export async function maxNameBytes(folder: string): Promise<number> {
  const existing = await nearestExisting(resolve(folder)).catch(() => undefined);
  const isTaken = (bytes: number) =>
    lstat(join(existing?.path ?? folder, 'x'.repeat(bytes))).then(
      () => true,
      (error: unknown) => !isSystemError(error, 'ENAMETOOLONG'),
    );
  let [low, high] = [1, MAX_SEGMENT_BYTES];
  if (await isTaken(high)) return high;
  if ((await isTaken(SHORT_SEGMENT_BYTES)) && !(await isTaken(SHORT_SEGMENT_BYTES + 1)))
    return SHORT_SEGMENT_BYTES;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (await isTaken(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

async function canLink(file: string, second: string): Promise<boolean> {
  try {
    await link(file, second);
  } catch (error) {
    if (isSystemError(error, 'ENOSPC', 'EDQUOT')) throw error;
    return false;
  }
  await unlink(second);
  return true;
}
