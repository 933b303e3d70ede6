/** Removes the file of a deleted chapter whose number another one gets, see find-superseded.ts. */
import { readIdentity } from '../cbz/archive-content.js';
import type { ExistingArchive } from '../cbz/library-index.js';
import { fileChanged, isUnchanged, readFileState, replaceUnchanged } from '../cbz/ownership.js';
import { removeFile } from '../core/files.js';

/** A file that makes way for a chapter. */
export type SupersededFile = Pick<ExistingArchive, 'file' | 'chapterId'>;

/**
 * Removes the file once its successor was published as `written`, so that a killed run leaves one of the two, with the
 * edits of both. Resolves with the path of the successor: it gets the name of the file, if that is the `wanted` one. Throws
 * StorageError `file-changed`.
 */
export async function takePlace(
  written: string,
  wanted: string,
  { file, chapterId }: SupersededFile,
): Promise<string> {
  const state = await readFileState(file);
  if (!state) return written;
  const identity = await readIdentity(file);
  const isSame =
    typeof identity === 'object' && identity.isMarked && identity.chapterId === chapterId;
  if (!isSame) throw fileChanged(file);
  if (file === wanted) {
    if (await replaceUnchanged(written, file, state)) return file;
    throw fileChanged(file);
  }
  if (!(await isUnchanged(file, state))) throw fileChanged(file);
  await removeFile(file);
  return written;
}
