/**
 * The name that a finished CBZ gets. Other processes save into the same folder, so a name that was free when the run
 * was planned may be another chapter's by now: then the chapter gets the mark that one process would have given it.
 */
import { basename, dirname, join } from 'node:path';
import { candidatePaths } from '../cbz/file-name.js';
import { readIdentity } from '../cbz/library-index.js';
import { StorageError } from '../core/errors.js';
import { toStorageError, renameInto, statIfExists } from '../core/files.js';
import { publishNew } from '../core/publish.js';

export interface ChapterTarget {
  readonly id: string;
  /** The planned path. */
  readonly file: string;
  /** Replace an archive of the same chapter, or one that is damaged. */
  readonly replace: boolean;
}

type Owner = 'nobody' | 'same-chapter' | 'damaged' | 'other';

/** The CBZ of this chapter under its planned name, or under the name that another process gave it. */
export async function findPublished(target: ChapterTarget): Promise<string | undefined> {
  for (const file of candidates(target)) {
    const owner = await ownerOf(file, target.id);
    if (owner === 'nobody') return undefined;
    if (owner === 'same-chapter') return file;
  }
  return undefined;
}

/** Gives `tmpFile` its final name and resolves with it. An archive of another chapter is never replaced. */
export async function publishChapter(tmpFile: string, target: ChapterTarget): Promise<string> {
  for (const file of candidates(target)) {
    if (await publishNew(tmpFile, file)) return file;
    const owner = await ownerOf(file, target.id);
    if (target.replace && (owner === 'same-chapter' || owner === 'damaged')) {
      await renameInto(tmpFile, file);
      return file;
    }
    // Another process saved the same chapter meanwhile.
    if (owner === 'same-chapter') return file;
  }
  throw new StorageError('name-taken', `Other archives have all names for ${target.file}.`);
}

function* candidates({ id, file }: ChapterTarget): Generator<string> {
  for (const name of candidatePaths({ chapterId: id, path: basename(file) }))
    yield join(dirname(file), name);
}

async function ownerOf(file: string, chapterId: string): Promise<Owner> {
  const there = await statIfExists(file).catch((error: unknown) => {
    throw toStorageError(error, file);
  });
  if (!there) return 'nobody';
  if (!there.isFile())
    throw new StorageError('name-taken', `${file} exists and is not a regular file.`);
  const identity = await readIdentity(file);
  if (typeof identity === 'string') return 'damaged';
  return identity?.chapterId === chapterId.toLowerCase() ? 'same-chapter' : 'other';
}
