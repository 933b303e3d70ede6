/** Checks the output folder, and files that the user names for results, before anything is sent: a mistyped path costs no requests. */
import { constants } from 'node:fs';
import { access, lstat, mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { withoutTouching } from './folder-times.js';
import { UsageError } from './errors.js';
import { isSystemError } from './files.js';
import { fileKind } from './safe-open.js';

/** Throws UsageError `bad-output` if it is not a folder, cannot be created or cannot be written to. Creates nothing. */
export async function checkOutputFolder(output: string): Promise<void> {
  const folder = resolve(output);
  try {
    const { path, isFolder } = await nearestExisting(folder);
    if (!isFolder)
      throw unusable(path === folder ? 'it is not a folder' : `${path} is not a folder`, folder);
    if (path === folder) await access(folder, constants.W_OK | constants.X_OK);
    // access() is not enough: root has the right to write to /proc, which takes no folders.
    else await tryFolder(path);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    // A full disk is reported where it stops a chapter.
    if (isSystemError(cause, 'ENOSPC', 'EDQUOT')) return;
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw unusable(`${REASONS[code] ?? 'it cannot be created'} (${code})`, folder, cause);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'its name is too long',
  ENOTDIR: 'a part of the path is not a folder',
};

/** Always the same, so that one that a killed run left is removed by the next. */
const PROBE_NAME = '.tankobon.check';

/** Creates a folder in `parent` and removes it. Throws the system error if that is not possible. */
export function tryFolder(parent: string): Promise<void> {
  const path = join(parent, PROBE_NAME);
  return withoutTouching(parent, async () => {
    await mkdir(path).catch((error: unknown) => {
      if (!isSystemError(error, 'EEXIST')) throw error;
    });
    // Another process may have removed it.
    await rmdir(path).catch(() => undefined);
  });
}

/** The folder, or the nearest one above it that exists; or what is there in the place of a folder. */
export async function nearestExisting(
  folder: string,
): Promise<{ readonly path: string; readonly isFolder: boolean }> {
  for (let path = folder; ; path = dirname(path)) {
    try {
      return { path, isFolder: (await stat(path)).isDirectory() };
    } catch (error) {
      if (!isSystemError(error, 'ENOENT') || path === dirname(path)) throw error;
      // A link to nothing.
      if (await lstat(path).catch(() => undefined)) return { path, isFolder: false };
    }
  }
}

function unusable(reason: string, folder: string, cause?: unknown): UsageError {
  return new UsageError('bad-output', `The output folder cannot be used: ${reason}: ${folder}`, {
    cause,
    path: folder,
  });
}

/**
 * Throws UsageError `bad-output` if anything but a regular file exists at `path`: writing replaces the file, and must
 * not replace a device, a pipe or a link. `option` is shown in the hint, such as `--html`.
 */
export async function checkOutputFile(path: string, option: string): Promise<void> {
  const stats = await lstat(path).catch((error: unknown) => {
    // Other errors, such as a missing right, are reported when the file is written.
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG')) return undefined;
    throw error;
  });
  if (!stats || stats.isFile()) return;
  throw new UsageError('bad-output', `${path} is ${fileKind(stats)}, not a regular file.`, {
    path,
    hint: `Choose a new or a regular file: ${option} FILE`,
  });
}
