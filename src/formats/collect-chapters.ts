/** Finds the chapters in the files and folders to bind. */
import { stat } from 'node:fs/promises';
import { hasCode, UsageError, type TankobonError } from '../core/errors.js';
import { isSystemError } from '../core/files.js';
import { toTankobonError } from '../core/system-errors.js';
import { listArchives } from '../cbz/scan-library.js';
import { readChapters } from './read-chapters.js';
import type { SourceChapter } from './source-chapter.js';

export interface CollectedChapters {
  /** In the order of the inputs, then by path. */
  readonly chapters: readonly SourceChapter[];
  /** Archives that cannot be read. */
  readonly failed: readonly FailedFile[];
  /** Links below the folders to bind. */
  readonly skippedLinks: number;
}

export interface FailedFile {
  readonly file: string;
  readonly error: TankobonError;
}

/**
 * `found`: files that a scan found, which another process may have bound and removed since. Throws UsageError
 * `nothing-to-bind` for a missing input, and if the inputs have no archives at all.
 */
export async function collectChapters(
  inputs: readonly string[],
  found: readonly string[],
  signal: AbortSignal,
): Promise<CollectedChapters> {
  const chapters: SourceChapter[] = [];
  const failed: FailedFile[] = [];
  const files = new Map(found.map((file) => [file, { file, isNamed: false }]));
  let skippedLinks = 0;
  for (const input of inputs) {
    const { archives, skippedLinks: count } = await archivesIn(input, signal);
    skippedLinks += count;
    for (const archive of archives) if (!files.has(archive.file)) files.set(archive.file, archive);
  }
  for (const { file, isNamed } of files.values()) {
    signal.throwIfAborted();
    try {
      const read = await readChapters(file);
      // Books of other programs that happen to be in a folder are not chapters, and copies have other pages.
      if (isNamed || /\.cbz$/i.test(file) || read.some(({ isBound }) => isBound))
        chapters.push(...read.filter(({ copy }) => !copy));
    } catch (error) {
      if (!hasCode(error, 'archive-damaged')) throw error;
      const isGone = !isNamed && isSystemError(error.cause, 'ENOENT');
      if (!isGone && (isNamed || /\.cbz$/i.test(file)))
        failed.push({ file, error: toTankobonError(error) });
    }
  }
  if (inputs.length > 0 && chapters.length === 0 && failed.length === 0)
    throw new UsageError('nothing-to-bind', `No chapters found: ${inputs.join(', ')}`);
  return { chapters, failed, skippedLinks };
}

/** An input itself may be a link. */
async function archivesIn(input: string, signal: AbortSignal) {
  try {
    if (!(await stat(input)).isDirectory())
      return { archives: [{ file: input, isNamed: true }], skippedLinks: 0 };
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) throw error;
    const reason = error.code === 'EACCES' || error.code === 'EPERM' ? 'Cannot read' : 'Not found';
    throw new UsageError('nothing-to-bind', `${reason}: ${input}`, { cause: error });
  }
  const { files, skippedLinks } = await listArchives(input, signal);
  return { archives: files.map((file) => ({ file, isNamed: false })), skippedLinks };
}
