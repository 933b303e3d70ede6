/** Writes a book as an EPUB 3 with fixed layout; the images keep their bytes. */
import { boundComment, MANIFEST_NAME } from '../library/mark.js';
import { ZipFileWriter } from '../core/zip-file-writer.js';
import type { Book, FormatOptions } from './book.js';
import { manifestText } from './book-manifest.js';
import { titleOfPart } from './book-copy.js';
import { bookIdentity, bookPosition, bookTitle } from './book-metadata.js';
import { bookPages, requireDimensions } from './book-pages.js';
import {
  CONTAINER_XML,
  EPUB_MIME_TYPE,
  epubLanguage,
  navXhtml,
  pageDocument,
  pageXhtml,
  STYLE_CSS,
  tocNcx,
  type EpubBook,
  type EpubPage,
} from './epub-documents.js';
import { contentOpf } from './epub-package.js';

export async function writeEpubBook(book: Book, options: FormatOptions): Promise<number> {
  const { tmpFile, publish, maxMode, signal } = options;
  const { group, metadata, part, profile } = book;
  const epub: EpubBook = {
    title: titleOfPart(bookTitle(group), part),
    metadata,
    position: bookPosition(group),
    identity: bookIdentity(group) + titleOfPart('', part),
    profile,
  };
  const language = epubLanguage(metadata);
  const { direction } = metadata;
  const zip = await ZipFileWriter.create({ tmpFile, comment: boundComment([]), maxMode, signal });
  try {
    // The standard requires it to be the first entry, stored, without extra fields.
    zip.append('mimetype', EPUB_MIME_TYPE);
    zip.append(MANIFEST_NAME, manifestText(book));
    zip.append('META-INF/container.xml', CONTAINER_XML);
    zip.append('OEBPS/style.css', STYLE_CSS);
    const pages: EpubPage[] = [];
    for await (const page of bookPages(book, options)) {
      const { name, data, extension, chapterTitle } = page;
      const dimensions = requireDimensions(page);
      const { kind, background } = page;
      const epubPage: EpubPage = { name, extension, dimensions, chapterTitle, kind, background };
      zip.append(
        `OEBPS/pages/${pageDocument(page)}`,
        pageXhtml(epubPage, pages.length, { language, screen: profile?.screen, direction }),
      );
      await zip.write(`OEBPS/images/${name}`, data);
      pages.push(epubPage);
    }
    zip.append('OEBPS/nav.xhtml', navXhtml(epub, pages));
    zip.append('OEBPS/toc.ncx', tocNcx(epub, pages));
    zip.append('OEBPS/content.opf', contentOpf(epub, pages));
    return (await zip.finish(publish, boundComment(zip.entries))).bytes;
  } finally {
    await zip.discard();
  }
}
