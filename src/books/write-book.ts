/** Loads the writer of a format. */
import type { BookFormat } from '../config/bind-choices.js';
import type { Book, WriteOptions } from './book.js';

/** Writes the book completely or not at all. Resolves with its size in bytes. */
export async function writeBook(
  book: Book,
  format: BookFormat,
  options: WriteOptions,
): Promise<number> {
  switch (format) {
    case 'cbz':
      return (await import('./write-cbz.js')).writeCbzBook(book, options);
    case 'epub':
      return (await import('./write-epub.js')).writeEpubBook(book, options);
    case 'pdf':
      return (await import('./write-pdf.js')).writePdfBook(book, options);
    case 'folder':
      return (await import('./write-folder.js')).writeFolderBook(book, options);
  }
}
