/** What is wrong with a book in a folder: each file that its manifest names is read. */
import { basename, join } from 'node:path';
import { readComicInfoFile } from '../library/archive-content.js';
import { FOLDER_MANIFEST_NAME } from '../library/bound-manifest.js';
import { COMIC_INFO_NAME } from '../library/comic-info.js';
import { readValidComicInfo } from '../library/comic-info-reader.js';
import { digestIfRegular, fileErrorReason, lstatIfExists } from '../core/files.js';
import { readFolderManifest } from '../books/folder-book.js';
import type { Damage } from './damage.js';

/** Undefined for a book without damage, and for a folder that `bind` did not write. */
export async function findFolderDamage(
  folder: string,
  signal: AbortSignal,
): Promise<Damage | undefined> {
  return checkFiles(folder, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return { reason: 'unreadable', detail: fileErrorReason(error) };
  });
}

async function checkFiles(folder: string, signal: AbortSignal): Promise<Damage | undefined> {
  const { files } = (await readFolderManifest(folder)) ?? {};
  if (!files || files.size === 0) {
    const stats = await lstatIfExists(join(folder, FOLDER_MANIFEST_NAME));
    const detail = `its list of chapters, ${FOLDER_MANIFEST_NAME}, is damaged`;
    return stats?.isFile() === true ? { reason: 'unreadable', detail } : undefined;
  }
  for (const [path, digest] of files) {
    signal.throwIfAborted();
    const found = await digestIfRegular(join(folder, path));
    if (found === undefined) return { reason: 'page-missing', detail: `${path} is missing` };
    if (found !== digest && !(await isEditedMetadata(join(folder, path))))
      return { reason: 'page-changed', detail: `${path} is not the file that was saved` };
  }
  return undefined;
}

/** For a file that differs from the one that was saved: an edit of the metadata is not damage. */
export async function isEditedMetadata(file: string): Promise<boolean> {
  if (basename(file) !== COMIC_INFO_NAME) return false;
  const xml = await readComicInfoFile(file).catch(() => undefined);
  return xml !== undefined && (await readValidComicInfo(xml)) !== undefined;
}
