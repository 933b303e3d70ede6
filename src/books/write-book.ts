/** The writers of books, which derive from this table, as do the images that a book can contain and the sizes of its parts. */
import { CONTAINERS, type ContainerName } from '../config/containers.js';
import { IMAGE_EXTENSIONS, type ImageExtension } from '../core/image-format.js';
import { StorageError } from '../core/errors.js';
import { readLibraryFile } from '../library/file.js';
import type { Book, WriteBook, WriteOptions } from './book.js';
import type { ExistingBook } from './existing-book.js';
import type { MergedFolder } from './folder-book.js';
import { publishBookFile, publishBookFolder, type KeepBook } from './publish-book.js';

interface Writer {
  readonly load: () => Promise<WriteBook>;
  /** The images that it can contain. */
  readonly accepted: readonly ImageExtension[];
  /** The images that it decodes. */
  readonly decoded: readonly ImageExtension[];
  /** One broken image would make the whole book unreadable. */
  readonly needsWholeImages: boolean;
  /** The file says how its pages turn; for others, programs that read comics ask. */
  readonly hasDirection: boolean;
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
    decoded: [],
    needsWholeImages: false,
    hasDirection: false,
    overheadBytes: { page: 400, chapter: 200, book: 4_000 },
  },
  epub: {
    load: async () => (await import('./write-epub.js')).writeEpubBook,
    accepted: ['jpg', 'png', 'gif', 'webp'],
    decoded: [],
    needsWholeImages: false,
    hasDirection: true,
    overheadBytes: { page: 1_700, chapter: 800, book: 8_000 },
  },
  pdf: {
    load: async () => (await import('./write-pdf.js')).writePdfBook,
    accepted: ['jpg', 'png', 'gif'],
    decoded: ['png'],
    needsWholeImages: true,
    hasDirection: true,
    overheadBytes: { page: 1_000, chapter: 400, book: 4_000 },
  },
  folder: {
    load: async () => (await import('./write-folder.js')).writeFolderBook,
    accepted: IMAGE_EXTENSIONS,
    decoded: [],
    needsWholeImages: false,
    hasDirection: false,
    overheadBytes: { page: 200, chapter: 2_000, book: 0 },
  },
};

/** Writes the book completely or not at all. Resolves with its size in bytes. */
export async function writeBook(
  book: Book,
  format: ContainerName,
  options: WriteOptions,
): Promise<number> {
  const { load, accepted, decoded } = WRITERS[format];
  const write = await load();
  const publish = async (tmpFile: string): Promise<string> => {
    await assertReadBack(tmpFile, format);
    return options.publish(tmpFile);
  };
  const { label } = CONTAINERS[format];
  return write(book, { ...options, publish, format: label, accepted, decoded });
}

interface BookTarget {
  readonly file: string;
  readonly existing: ExistingBook;
  readonly format: ContainerName;
  readonly keep: KeepBook;
}

/** Writes a book in the place of the existing one. Throws as its writer does, and as publishing it does. */
export async function writeInPlace(
  book: Book,
  { file, existing, format, keep }: BookTarget,
  options: Omit<WriteOptions, 'publish'>,
): Promise<MergedFolder & { readonly bytes: number }> {
  let published: MergedFolder = { isChanged: true, kept: [], isWhole: true };
  const publish = async (finished: string): Promise<string> => {
    if (format === 'folder') published = await publishBookFolder(finished, file, keep);
    else {
      const replaced = existing.kind === 'bound' ? existing.state : undefined;
      const isChanged = await publishBookFile(finished, file, replaced, keep, options.maxMode);
      published = { ...published, isChanged };
    }
    return file;
  };
  const bytes = await writeBook(book, format, { ...options, publish });
  return { ...published, bytes };
}

/** The files of the chapters may be removed then. Throws StorageError `archive-wrong`. */
async function assertReadBack(path: string, container: ContainerName): Promise<void> {
  const file = await readLibraryFile(path, { container });
  const hasList = file.kind === 'book' && file.keys.length > 0;
  if (hasList && file.damage === undefined) return;
  const problem = hasList ? 'it is not whole' : 'its list of chapters is too large';
  throw new StorageError('archive-wrong', `The book cannot be read back: ${problem}`);
}
