/** Writes a book in its format. Each writer is loaded when it is used. */
import type { BookFormat } from './bind-choices.js';
import type { Book, WriteOptions, WrittenBook } from './book.js';

/** Writes the book whole or not at all. Throws StorageError, or the signal's reason. */
export async function writeBook(
  book: Book,
  format: BookFormat,
  options: WriteOptions,
): Promise<WrittenBook> {
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
