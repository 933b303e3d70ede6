/** The writers of books, which derive from this table, as do the images that a book can contain and the sizes of its parts. */
import { CONTAINERS, type ContainerName } from '../config/containers.js';
import { IMAGE_EXTENSIONS, type ImageExtension } from '../core/image-format.js';
import type { Book, WriteBook, WriteOptions } from './book.js';

interface Writer {
  readonly load: () => Promise<WriteBook>;
  /** The images that it can contain. */
  readonly accepted: readonly ImageExtension[];
  /** One broken image would make the whole book unreadable. */
  readonly needsWholeImages: boolean;
  /** What it adds to the bytes of each page, of each chapter and of the book: at most, so that parts fit. */
  readonly overheadBytes: {
    readonly page: number;
    readonly chapter: number;
    readonly book: number;
  };
}

export const WRITERS: Readonly<Record<ContainerName, Writer>> = {
  cbz: {
    load: async () => (await import('./write-cbz.js')).writeCbzBook,
    accepted: IMAGE_EXTENSIONS,
    needsWholeImages: false,
    overheadBytes: { page: 400, chapter: 200, book: 4_000 },
  },
  epub: {
    load: async () => (await import('./write-epub.js')).writeEpubBook,
    accepted: ['jpg', 'png', 'gif', 'webp'],
    needsWholeImages: false,
    overheadBytes: { page: 1_700, chapter: 800, book: 8_000 },
  },
  pdf: {
    load: async () => (await import('./write-pdf.js')).writePdfBook,
    accepted: ['jpg', 'png', 'gif'],
    needsWholeImages: true,
    overheadBytes: { page: 1_000, chapter: 400, book: 4_000 },
  },
  folder: {
    load: async () => (await import('./write-folder.js')).writeFolderBook,
    accepted: IMAGE_EXTENSIONS,
    needsWholeImages: false,
    overheadBytes: { page: 200, chapter: 2_000, book: 0 },
  },
};

/** Writes the book completely or not at all. Resolves with its size in bytes. */
export async function writeBook(
  book: Book,
  format: ContainerName,
  options: WriteOptions,
): Promise<number> {
  const { load, accepted } = WRITERS[format];
  const write = await load();
  return write(book, { ...options, format: CONTAINERS[format].label, accepted });
}
