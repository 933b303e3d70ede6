/**
 * Rebuilds damaged books from their chapters, under their names and in their formats. The damaged file is kept as
 * `<name>.damaged`, and is replaced in one step once the new one was read back whole.
 */
import { dirname, join, resolve } from 'node:path';
import { findDamage, isEditedMetadata } from '../library/damage.js';
import type { BookFile } from '../library/file.js';
import { readdirIfReadable } from '../core/read-folder.js';
import type { AppContext } from '../config/context.js';
import { effectiveOptions } from '../config/options.js';
import { StorageError } from '../core/errors.js';
import { lstatIfExists, toStorageError } from '../core/files.js';
import { pluralize } from '../core/human-format.js';
import { underTemporaryLock } from '../core/lock.js';
import { shellQuoted } from '../core/shell-quoted.js';
import { toTankobonError } from '../core/system-errors.js';
import type { DownloadListeners } from '../download/download-session.js';
import type { BookGroup, CoverImage } from '../books/book.js';
import { bookMetadata } from '../books/book-metadata.js';
import { assertConverter } from '../books/convert-image.js';
import { findCover } from '../books/find-cover.js';
import { normalizedNumber, type ChapterGroup } from '../books/group-volumes.js';
import { keepDamaged, removeIfUnreplaced } from '../download/keep-damaged.js';
import type { RepairedFile } from '../events/verify-events.js';
import { publishBookFile, publishBookFolder, withBookLock } from '../books/publish-book.js';
import type { ReadChapter } from '../books/source-chapter.js';
import { writeBook } from '../books/write-book.js';
import { addChaptersBeside, addLoadedChapters, chaptersInBook } from './book-chapters.js';
import { readDamagedBook, readOwnCover, type NotRebuildable } from './damaged-book.js';
import { RepairFolder } from '../download/repair-folder.js';
import type { FileStore } from '../library/store.js';

/** Resolves with the books that were replaced; the others are as they were. Other files are ignored. */
export async function repairBooks(
  files: readonly string[],
  context: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
  store: FileStore,
): Promise<readonly RepairedFile[]> {
  const repaired: RepairedFile[] = [];
  for (const file of files) {
    try {
      signal.throwIfAborted();
      const mark = await store.markAt(resolve(file));
      const book = await readDamagedBook(file, mark?.isBook === true ? mark.chapters : []);
      if (book === undefined) continue;
      if ('reason' in book) throw notRebuilt(file, book);
      const kept = await repairBook(book, context, listeners, signal);
      if (kept !== undefined) repaired.push({ file, ...kept });
    } catch (thrown) {
      if (signal.aborted) break;
      const { message, hint } = toTankobonError(toStorageError(thrown, file));
      listeners.observe({ type: 'warning', message, hint });
    }
  }
  return repaired;
}

function notRebuilt(file: string, { reason, hint = bindHint(file) }: NotRebuildable): StorageError {
  return new StorageError('archive-damaged', `Not rebuilt, since ${reason}: ${file}`, { hint });
}

function bindHint(file: string): string {
  return `Move it away, then bind its chapters again: tankobon bind ${shellQuoted(dirname(file))}`;
}

async function repairBook(
  book: BookFile,
  context: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<KeptFiles | undefined> {
  const folder = dirname(resolve(book.path));
  return underTemporaryLock(RepairFolder.lockFile(folder), { signal }, async () => {
    const work = await RepairFolder.open(folder);
    try {
      const found = await chaptersInBook(book, work, signal);
      const beside = await addChaptersBeside(book, found, work, signal);
      if (found.size < book.chapters.length)
        await addLoadedChapters(book, found, work, context, listeners, signal);
      const chapters = book.chapters.flatMap((chapter) => found.get(chapter) ?? []);
      if (chapters.length < book.chapters.length) throw missingChapters(book, chapters.length);
      return await rebuild({ book, chapters, beside }, context, listeners, signal);
    } finally {
      await work.close();
    }
  });
}

function missingChapters({ path: file, chapters }: BookFile, found: number): StorageError {
  const missing = pluralize(chapters.length - found, 'chapter');
  return notRebuilt(file, { reason: `${missing} could neither be loaded nor found` });
}

type KeptFiles = Pick<RepairedFile, 'kept' | 'keptFiles'>;

interface FoundBook {
  readonly book: BookFile;
  readonly chapters: readonly ReadChapter[];
  /** The chapter files in the folder of the book that have some of the chapters. */
  readonly beside: readonly string[];
}

/** Resolves with where the damaged files are kept; undefined if the new book has the same bytes. */
async function rebuild(
  { book: damaged, chapters, beside }: FoundBook,
  { settings }: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<KeptFiles | undefined> {
  const { path: file, container: format, volumeCount } = damaged;
  const options = effectiveOptions({}, settings);
  const group = toGroup(damaged, chapters);
  const metadata = bookMetadata(group, options, volumeCount);
  const warn = (message: string): void => {
    listeners.observe({ type: 'warning', message });
  };
  const cover =
    options.bookCover === 'none' ? undefined : await coverOf(damaged, group, beside, warn);
  // Pages were converted where the format cannot contain them.
  const convert = await assertConverter().then(
    () => true,
    () => false,
  );
  return withBookLock(dirname(file), file, undefined, signal, async (tmpFile) => {
    const kept = new Map<string, string>();
    const keep = async (each: string): Promise<boolean> => {
      kept.set(each, await keepDamaged(each));
      return true;
    };
    const replaced = { isDone: false };
    const publish = async (finished: string): Promise<string> => {
      replaced.isDone = await publishRebuilt(finished, damaged, keep, signal);
      return file;
    };
    const onPage = (): void => undefined;
    const writeOptions = { tmpFile, publish, convert, onPage, signal };
    try {
      await writeBook({ group, metadata, cover }, format, writeOptions);
    } finally {
      if (!replaced.isDone) for (const [each, name] of kept) await removeIfUnreplaced(each, name);
    }
    if (!replaced.isDone) return undefined;
    return format === 'folder' ? { keptFiles: [...kept.values()] } : { kept: kept.get(file) ?? '' };
  });
}

/** `keep`: called for a file before it is replaced. False if nothing was. */
async function publishRebuilt(
  finished: string,
  { path: file, container, state }: BookFile,
  keep: (file: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  if (container !== 'folder') {
    await keep(file);
    return publishBookFile(finished, file, state, undefined);
  }
  await publishBookFolder(finished, file, undefined, async (each) => {
    const isRegular = (await lstatIfExists(each))?.isFile() === true;
    return isRegular && !(await isEditedMetadata(each)) && keep(each);
  });
  // Such as a link in the place of a page.
  const left = await findDamage(file, { signal, container });
  if (left) throw notRebuilt(file, { reason: left.detail });
  // What a killed run left may have been put in place already.
  return true;
}

/** The metadata of the book distinguishes a book of one chapter from a volume with one. */
function toGroup({ comicInfo = '' }: BookFile, chapters: readonly ReadChapter[]): BookGroup {
  const { series = '', language = '' } = chapters[0]?.metadata ?? {};
  const volumes = new Set(chapters.map(({ metadata }) => normalizedNumber(metadata.volume)));
  const [first = ''] = volumes;
  const volume = volumes.size === 1 && first !== '' ? first : undefined;
  const isChapter = chapters.length === 1 && comicInfo.includes('<Number>');
  const by = isChapter ? 'chapter' : volume === undefined ? 'title' : 'volume';
  return { by, series, language, volume, chapters, missing: [] };
}

/** The cover of the damaged book, or the one that is beside it if that is damaged or lost. */
async function coverOf(
  damaged: BookFile,
  group: ChapterGroup,
  chapterFiles: readonly string[],
  warn: (message: string) => void,
): Promise<CoverImage | undefined> {
  const { path: file } = damaged;
  const own = await readOwnCover(damaged);
  if (own === 'none') return undefined;
  if (typeof own === 'object') return own;
  const beside = { ...group, chapters: group.chapters.map((chapter) => ({ ...chapter, file })) };
  const isDamaged = own === 'damaged';
  // A cover that the book had is its own; otherwise one that other chapters share is not.
  const others = isDamaged ? [] : await otherArchives(file, chapterFiles);
  const hasOthers = (folder: string) => others.some((other) => dirname(other) === folder);
  const cover = await findCover(beside, hasOthers, warn);
  if (isDamaged && !cover) warn(`Rebuilt without its cover, which is damaged: ${file}`);
  return cover;
}

async function otherArchives(file: string, chapterFiles: readonly string[]): Promise<string[]> {
  const folder = dirname(file);
  const own = new Set([file, ...chapterFiles]);
  return (await readdirIfReadable(folder))
    .map(({ name }) => join(folder, name))
    .filter((path) => /\.(cbz|epub|pdf)$/i.test(path) && !own.has(path));
}
