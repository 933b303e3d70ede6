/** Finds the chapters in the files and folders to bind. */
import { lstat, realpath, stat } from 'node:fs/promises';
import { hasCode, UsageError } from '../core/errors.js';
import { isSystemError } from '../core/files.js';
import { isForbidden, toTankobonError } from '../core/system-errors.js';
import type { ContainerName } from '../config/containers.js';
import { containerByExtension, mayBeComic } from '../config/containers.js';
import { readLibraryFile } from '../library/file.js';
import { listArchives } from '../library/scan.js';
import { mayHaveFiles, unreadableFolderError } from '../core/read-folder.js';
import { inOneSpelling } from '../core/same-file.js';
import { FolderStore } from '../library/store.js';
import type { KnownBook } from './book-names.js';
import { toReadChapters } from './read-chapters.js';
import type { FailedFile, BookChapter } from './source-chapter.js';

export interface CollectedChapters {
  /** In the order of the inputs, then by path. */
  readonly chapters: readonly BookChapter[];
  /** Archives that cannot be read. */
  readonly failed: readonly FailedFile[];
  /** Archives of kinds that are not read. */
  readonly otherArchives: readonly string[];
  /** Folders of images below the folders to bind. */
  readonly imageFolders: readonly string[];
  /** Links below the folders to bind. */
  readonly skippedLinks: number;
  /** ZIP archives below the folders to bind. */
  readonly skippedZips: number;
  /** Archives with a ComicInfo.xml that cannot be read. */
  readonly undescribed: readonly string[];
  /** The books of the format, if chapters cannot be read back from it. */
  readonly fixedBooks: readonly KnownBook[];
}

export interface CollectOptions {
  readonly format: ContainerName;
  /** Books that a scan found, and that cannot be read back. */
  readonly fixedBooks?: readonly string[] | undefined;
  /** Files that a scan found, which another process may have bound and removed since. */
  readonly found?: readonly string[] | undefined;
  /** For the index of large folders. Without it, every file is read. */
  readonly stateFolder?: string | undefined;
  readonly signal: AbortSignal;
}

const PACK_HINT =
  'Zip each folder of images into a CBZ; chapters of MangaDex: tankobon adopt FOLDER --apply --pack';

/** Throws UsageError `nothing-to-bind` for a missing input, and if the inputs have no archives at all. */
export async function collectChapters(
  inputs: readonly string[],
  { found = [], fixedBooks: foundBooks = [], stateFolder, format, signal }: CollectOptions,
): Promise<CollectedChapters> {
  const chapters: BookChapter[] = [];
  const failed: FailedFile[] = [];
  const files = new Map<string, InputFile>(
    found.map((file) => [file, { file, isNamed: false, store: undefined }]),
  );
  const stored: FolderStore[] = [];
  const books = [...foundBooks];
  const otherArchives: string[] = [];
  const imageFolders: string[] = [];
  const undescribed: string[] = [];
  let skippedLinks = 0;
  let skippedZips = 0;
  for (const input of await inOneSpelling(inputs)) {
    const listed = await archivesIn(input, { stateFolder, format, signal });
    const { archives, store, skippedLinks: count } = listed;
    for (const each of listed.unreadableFolders)
      failed.push({ file: each.folder, error: unreadableFolderError(each) });
    skippedLinks += count;
    skippedZips += listed.skippedZips;
    if (store) stored.push(store);
    for (const file of listed.otherArchives) otherArchives.push(file);
    for (const each of listed.imageFolders) imageFolders.push(each);
    for (const file of listed.fixedBooks) books.push(file);
    for (const archive of archives) if (!files.has(archive.file)) files.set(archive.file, archive);
  }
  for (const { file, isNamed, isLink = false, store } of files.values()) {
    signal.throwIfAborted();
    try {
      const opened = await (store ? store.read(file) : readLibraryFile(file));
      const read = toReadChapters(opened);
      if (opened.kind === 'chapter' && opened.described === 'broken') undescribed.push(file);
      // Books of other programs that happen to be in a folder are not chapters, and copies have other pages.
      if (isNamed || mayBeComic(file) || read.some(({ isBound }) => isBound))
        for (const each of read.filter(({ copy }) => !copy))
          chapters.push(isLink ? { ...each, ownership: 'link' } : each);
    } catch (error) {
      if (!hasCode(error, 'archive-damaged')) throw error;
      const isGone = !isNamed && isSystemError(error.cause, 'ENOENT');
      if (!isGone && (isNamed || mayBeComic(file)))
        failed.push({ file, error: toTankobonError(error) });
    }
  }
  const fixedBooks: KnownBook[] = [];
  for (const file of books) for (const book of await knownBook(file)) fixedBooks.push(book);
  // Without them the next run is slower.
  for (const store of stored) await store.save().catch(() => undefined);
  if (inputs.length > 0 && chapters.length === 0 && failed.length === 0)
    throw new UsageError('nothing-to-bind', `No chapters found: ${inputs.join(', ')}`, {
      ...(imageFolders.length > 0 && { hint: PACK_HINT }),
      ...(skippedZips > 0 && { hint: 'Give ZIP archives that are comics the extension .cbz.' }),
    });
  const skipped = { otherArchives, imageFolders, skippedLinks, skippedZips };
  return { chapters, failed, ...skipped, undescribed, fixedBooks };
}

/** None for a copy, whose place the options of it decide, and for a file of another program. */
async function knownBook(file: string): Promise<readonly KnownBook[]> {
  const read = await readLibraryFile(file);
  if (read.kind !== 'book' || read.copy) return [];
  const chapters = read.chapters.flatMap(({ chapterId: id, metadata: { volume } }) =>
    id === undefined ? [] : [{ id, volume }],
  );
  return chapters.length < read.chapters.length ? [] : [{ file, chapters }];
}

interface InputFile {
  readonly file: string;
  readonly isNamed: boolean;
  /** A link led to the file, which is never removed then. */
  readonly isLink?: boolean;
  readonly store: FolderStore | undefined;
}

/** An input itself may be a link. */
async function archivesIn(input: string, { stateFolder, format, signal }: CollectOptions) {
  try {
    if (!(await stat(input)).isDirectory()) {
      const isLink = (await lstat(input)).isSymbolicLink();
      // Files are opened without following links.
      const file = isLink ? await realpath(input) : input;
      const named: InputFile = { file, isNamed: true, isLink, store: undefined };
      return {
        archives: [named],
        store: undefined,
        imageFolders: [],
        skippedLinks: 0,
        skippedZips: 0,
        unreadableFolders: [],
        otherArchives: [],
        fixedBooks: [],
      };
    }
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) throw error;
    const reason = isForbidden(error) ? 'Cannot read' : 'Not found';
    throw new UsageError('nothing-to-bind', `${reason}: ${input}`, { cause: error });
  }
  const store = stateFolder === undefined ? undefined : FolderStore.open(stateFolder, input);
  const { files, skippedLinks, ...listed } = await listArchives(input, signal, store);
  const fixedBooks =
    format === 'folder'
      ? listed.folderBooks
      : listed.pdfs.filter((file) => containerByExtension(file) === format);
  const unreadableFolders = listed.unreadableFolders.filter(mayHaveFiles);
  const archives = files.map((file): InputFile => ({ file, isNamed: false, store }));
  const { otherArchives, imageFolders, skippedZips } = listed;
  const skipped = { imageFolders, skippedLinks, skippedZips };
  return { archives, store, ...skipped, unreadableFolders, otherArchives, fixedBooks };
}
