/**
 * Chooses the final name of a finished CBZ. Other processes save into the same folder, so a name that was free when
 * the run was planned may now belong to another chapter: then this chapter's id is added to the name.
 */
import { basename, dirname, join } from 'node:path';
import { candidatePaths } from '../cbz/file-name.js';
import { readIdentity } from '../cbz/archive-content.js';
import { StorageError } from '../core/errors.js';
import { toStorageError, renameInto, statIfExists } from '../core/files.js';
import { publishNew } from '../core/publish.js';

export interface ChapterTarget {
  readonly id: string;
  /** The planned path. */
  readonly file: string;
  /** Replace an archive of the same chapter. */
  readonly replace: boolean;
  /** Another release of the same chapter, whose archive is replaced too. */
  readonly replacesChapter?: string;
}

/** The path of this chapter's CBZ: the planned one, or the one that another process gave it. */
export async function findPublished(target: ChapterTarget): Promise<string | undefined> {
  for (const file of candidates(target)) {
    const content = await contentOf(file, target);
    if (content === 'none') return undefined;
    if (content === 'same-chapter') return file;
  }
  return undefined;
}

/**
 * Gives `tmpFile` its final name and resolves with it. Replaces only archives that name this chapter, or the one that it
 * replaces: a file that cannot be read may be of another program.
 */
export async function publishChapter(tmpFile: string, target: ChapterTarget): Promise<string> {
  for (const file of candidates(target)) {
    if (await publishNew(tmpFile, file)) return file;
    const content = await contentOf(file, target);
    if (content === 'replaced-chapter' || (target.replace && content === 'same-chapter')) {
      await renameInto(tmpFile, file);
      return file;
    }
    // Another process has saved the same chapter meanwhile.
    if (content === 'same-chapter') return file;
  }
  throw new StorageError('name-taken', `No free file name: ${target.file}`);
}

function* candidates({ id, file }: ChapterTarget): Generator<string> {
  for (const name of candidatePaths({ chapterId: id, path: basename(file) }))
    yield join(dirname(file), name);
}

async function contentOf(
  file: string,
  { id, replacesChapter }: ChapterTarget,
): Promise<'none' | 'same-chapter' | 'replaced-chapter' | 'other'> {
  const stats = await statIfExists(file).catch((error: unknown) => {
    throw toStorageError(error, file);
  });
  if (!stats) return 'none';
  if (!stats.isFile())
    throw new StorageError('name-taken', `${file} exists and is not a regular file.`);
  const identity = await readIdentity(file);
  if (identity === undefined || typeof identity === 'string') return 'other';
  if (identity.chapterId === id.toLowerCase()) return 'same-chapter';
  return identity.chapterId === replacesChapter?.toLowerCase() ? 'replaced-chapter' : 'other';
}
