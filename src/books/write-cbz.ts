/** Writes a book as a CBZ: pages as `c001-001.png`, the cover first, one ComicInfo.xml with a bookmark per chapter. */
import { boundComment, MANIFEST_NAME } from '../library/mark.js';
import { COMIC_INFO_NAME, comicInfoXml, type ComicMetadata } from '../library/comic-info.js';
import { ZipFileWriter } from '../core/zip-file-writer.js';
import type { Book, FormatOptions } from './book.js';
import { manifestText } from './book-manifest.js';
import { titleOfPart } from './book-copy.js';
import { bookTitle } from './book-metadata.js';
import { bookPages } from './book-pages.js';

export async function writeCbzBook(book: Book, options: FormatOptions): Promise<number> {
  const { tmpFile, publish, maxMode, signal } = options;
  const { part, metadata } = book;
  const title =
    part && part.total > 1
      ? titleOfPart(metadata.title ?? bookTitle(book.group), part)
      : metadata.title;
  const zip = await ZipFileWriter.create({ tmpFile, comment: boundComment([]), maxMode, signal });
  try {
    // First, where it is found without reading the whole directory.
    zip.append(MANIFEST_NAME, manifestText(book));
    const pages: ComicMetadata['pages'][number][] = [];
    for await (const page of bookPages(book, options)) {
      const { name, data, dimensions, chapterTitle: bookmark } = page;
      await zip.write(name, data);
      const isFrontCover = pages.length === 0;
      pages.push({ bytes: data.length, ...dimensions, isFrontCover, bookmark });
    }
    zip.append(COMIC_INFO_NAME, await comicInfoXml({ ...book.metadata, title, pages }));
    return (await zip.finish(publish, boundComment(zip.entries))).bytes;
  } finally {
    await zip.discard();
  }
}
