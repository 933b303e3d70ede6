/** Writes a book as folders of images, one for each chapter: `Ch.001/001.png`, with a ComicInfo.xml in each. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { COMIC_INFO_NAME, comicInfoXml, type ComicMetadata } from '../library/comic-info.js';
import { pageName } from '../config/names.js';
import { maxNameBytes } from '../core/file-system.js';
import { maxModeIn, syncFolder, writeNewFile } from '../core/files.js';
import { sha256Of } from '../core/sha256.js';
import type { Book, FormatOptions } from './book.js';
import { manifestText } from './book-manifest.js';
import { bookPages, type BookPage } from './book-pages.js';
import {
  chapterFolders,
  createUnfinishedFolder,
  finishFolder,
  folderMode,
  removeOwnFiles,
} from './folder-book.js';

/** `tmpFile` is the new folder. Resolves with the size of the pages in bytes. */
export async function writeFolderBook(book: Book, options: FormatOptions): Promise<number> {
  const { tmpFile: folder, publish, signal, maxMode = maxModeIn(dirname(folder)) } = options;
  const { chapters } = book.group;
  const names = chapterFolders(chapters, await maxNameBytes(dirname(folder)));
  const pagesOf = names.map((): ComicMetadata['pages'][number][] => []);
  const digests = new Map<string, string>();
  let bytes = 0;
  const write = async (path: string, data: string | Buffer) => {
    await writeNewFile(join(folder, path), data, { maxMode });
    digests.set(path, sha256Of(data));
  };
  try {
    await createUnfinishedFolder(folder, maxMode);
    for (const name of names) await mkdir(join(folder, name), folderMode(maxMode));
    for await (const page of bookPages(book, options)) {
      const { data, dimensions, chapter } = page;
      await write(filePath(page, book, names), data);
      bytes += data.length;
      if (chapter !== undefined) pagesOf[chapter]?.push({ bytes: data.length, ...dimensions });
    }
    for (const [index, { metadata }] of chapters.entries()) {
      const name = names[index] ?? '';
      const xml = await comicInfoXml({ ...metadata, pages: pagesOf[index] ?? [] });
      await write(`${name}/${COMIC_INFO_NAME}`, xml);
      await syncFolder(join(folder, name));
    }
    await finishFolder(folder, manifestText(book, Object.fromEntries(digests)), maxMode);
    signal.throwIfAborted();
    await publish(folder);
    return bytes;
  } finally {
    await removeOwnFiles(folder);
  }
}

/** With slashes, as the manifest names it. */
function filePath({ chapter, page, extension }: BookPage, book: Book, names: readonly string[]) {
  if (chapter === undefined) return `cover.${extension}`;
  const pages = book.group.chapters[chapter]?.pages.length ?? 0;
  return `${names[chapter] ?? ''}/${pageName(page, pages, extension)}`;
}
