/** The chapters of a damaged folder book that are whole, as archives, from which a book can be written. */
import { dirname, join } from 'node:path';
import type { BookFile, ReadChapter } from '../library/file.js';
import { writeCbz, type CbzPage } from '../library/cbz-writer.js';
import { maxNameBytes } from '../core/file-system.js';
import { digestIfRegular, lstatIfExists } from '../core/files.js';
import { readChapters } from '../books/read-chapters.js';
import { isPage } from '../config/names.js';
import { chapterFolders } from '../books/folder-book.js';
import type { RepairFolder } from '../download/leftovers.js';

export type WholeChapters = Map<ReadChapter, ReadChapter>;

export async function packWholeChapters(
  { path: book, chapters, files }: BookFile,
  work: RepairFolder,
  signal: AbortSignal,
): Promise<WholeChapters> {
  const found: WholeChapters = new Map();
  const names = chapterFolders(chapters, await maxNameBytes(dirname(book)));
  const paths = [...files.keys()].filter(isPage);
  for (const [index, chapter] of chapters.entries()) {
    signal.throwIfAborted();
    const own = paths.filter((path) => path.startsWith(`${names[index] ?? ''}/`));
    if (own.length === 0 || own.length < (chapter.record?.pages?.length ?? 0)) continue;
    const pages = await wholePages(book, own, files);
    if (pages.length < own.length) continue;
    const packed = await work.newFile();
    await writeCbz({ file: packed, pages, signal });
    const [source] = await readChapters(packed);
    if (source)
      found.set(chapter, { ...chapter, file: packed, isBound: true, pages: source.pages });
  }
  return found;
}

/** The pages before the first one that is not as it was saved. */
async function wholePages(
  book: string,
  paths: readonly string[],
  files: BookFile['files'],
): Promise<readonly CbzPage[]> {
  const pages: CbzPage[] = [];
  for (const path of paths) {
    const file = join(book, path);
    const sha256 = files.get(path);
    if (sha256 === undefined || (await digestIfRegular(file)) !== sha256) return pages;
    pages.push({ file, sha256, bytes: (await lstatIfExists(file))?.size ?? 0 });
  }
  return pages;
}
