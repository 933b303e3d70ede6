/** What is wrong with a book in a folder: each file that its manifest names is read. */
import { basename, join } from 'node:path';
import { digestIfRegular, lstatIfExists } from '../../core/files.js';
import { FOLDER_MANIFEST_NAME } from '../mark.js';
import { COMIC_INFO_NAME, readValidComicInfo } from '../comic-info.js';
import { readFolderContent } from '../read/folder-content.js';
import { damaged, type CheckOptions } from './damage.js';

/** A folder that `bind` did not write has no damage. */
export async function checkFolder(folder: string, { signal }: CheckOptions): Promise<undefined> {
  const { files } = await readFolderContent(folder, 'metadata', {});
  if (files.size === 0) {
    const stats = await lstatIfExists(join(folder, FOLDER_MANIFEST_NAME));
    const detail = `its list of chapters, ${FOLDER_MANIFEST_NAME}, is damaged`;
    if (stats?.isFile() === true) throw damaged('unreadable', detail);
  }
  for (const [path, digest] of files) {
    signal.throwIfAborted();
    const found = await digestIfRegular(join(folder, path));
    if (found === undefined) throw damaged('page-missing', `${path} is missing`);
    if (found !== digest && !(await isEditedMetadata(join(folder, path))))
      throw damaged('page-changed', `${path} is not the file that was saved`);
  }
}

/** For a file that differs from the one that was saved: an edit of the metadata is not damage. */
export async function isEditedMetadata(path: string): Promise<boolean> {
  if (basename(path) !== COMIC_INFO_NAME) return false;
  const { comicInfo } = await readFolderContent(path, 'metadata', {}).catch(() => ({
    comicInfo: undefined,
  }));
  return comicInfo !== undefined && (await readValidComicInfo(comicInfo)) !== undefined;
}
