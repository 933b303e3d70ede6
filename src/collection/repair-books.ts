/**
 * Rebuilds damaged books from their chapters, under their names and in their formats. The damaged file is kept as
 * `<name>.damaged`, and is replaced in one step once the new one was read back whole.
 */
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readdirIfReadable } from '../cbz/scan-library.js';
import type { AppContext } from '../config/context.js';
import { effectiveOptions } from '../config/options/options.js';
import { StorageError } from '../core/errors.js';
import { lstatIfExists, toStorageError } from '../core/files.js';
import { pluralize } from '../core/human-format.js';
import { underTemporaryLock } from '../core/lock.js';
import { toTankobonError } from '../core/system-errors.js';
import type { DownloadListeners } from '../download/download-session.js';
import type { CoverImage } from '../formats/book.js';
import { bookMetadata } from '../formats/book-metadata.js';
import { assertConverter } from '../formats/convert-image.js';
import { findCover } from '../formats/find-cover.js';
import { normalizedNumber, type ChapterGroup } from '../formats/group-volumes.js';
import { publishBookFile, withBookLock } from '../formats/publish-book.js';
import type { SourceChapter } from '../formats/source-chapter.js';
import { writeBook } from '../formats/write-book.js';
import { imageExtension } from '../image/format.js';
import { addChaptersBeside, addLoadedChapters, chaptersInBook } from './book-chapters.js';
import { areWhole } from './damage.js';
import { coverEntry, readDamagedBook, readEntry, type DamagedBook } from './damaged-book.js';
import { keepDamaged, removeIfUnreplaced, type RepairedFile } from './keep-damaged.js';

/** Beside the book, on whose file system there is space for it. The next run continues with what a killed one left. */
const WORK_FOLDER = '.tankobon-repair';

/** Resolves with the books that were replaced; the others are as they were. Other files are ignored. */
export async function repairBooks(
  files: readonly string[],
  context: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<readonly RepairedFile[]> {
  const repaired: RepairedFile[] = [];
  for (const file of files) {
    try {
      signal.throwIfAborted();
      const book = await readDamagedBook(file);
      if (book === undefined) continue;
      if (typeof book === 'string') throw notRebuilt(file, book);
      const kept = await repairBook(book, context, listeners, signal);
      if (kept !== undefined) repaired.push({ file, kept });
    } catch (thrown) {
      if (signal.aborted) break;
      const { message, hint } = toTankobonError(toStorageError(thrown, file));
      listeners.observe({ type: 'warning', message, hint });
    }
  }
  return repaired;
}

function notRebuilt(file: string, reason: string): StorageError {
  const hint = `Move it away, then bind its chapters again: tankobon bind ${dirname(file)}`;
  return new StorageError('archive-damaged', `Not rebuilt, since ${reason}: ${file}`, { hint });
}

async function repairBook(
  book: DamagedBook,
  context: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<string | undefined> {
  const folder = dirname(resolve(book.file));
  const work = join(folder, WORK_FOLDER);
  return underTemporaryLock(`${work}.lock`, { signal }, async () => {
    const found = await chaptersInBook(book, signal);
    await addChaptersBeside(book, found, signal);
    await checkWorkFolder(work);
    try {
      if (found.size < book.chapters.length) {
        await mkdir(work, { recursive: true });
        await addLoadedChapters(book, found, work, context, listeners, signal);
      }
      const chapters = book.chapters.flatMap((chapter) => found.get(chapter) ?? []);
      if (chapters.length < book.chapters.length) throw missingChapters(book, chapters.length);
      return await rebuild(book, chapters, context, listeners, signal);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

/** Throws StorageError if something else has the name, such as a link, which leads elsewhere. */
async function checkWorkFolder(work: string): Promise<void> {
  const stats = await lstatIfExists(work);
  if (stats && !stats.isDirectory())
    throw new StorageError('unsafe-path', `${work} exists and is not a folder.`);
}

function missingChapters({ file, chapters }: DamagedBook, found: number): StorageError {
  const missing = pluralize(chapters.length - found, 'chapter');
  return notRebuilt(file, `${missing} could neither be loaded nor found`);
}

/** Resolves with where the damaged book is kept; undefined if the new one has the same bytes. */
async function rebuild(
  damaged: DamagedBook,
  chapters: readonly SourceChapter[],
  { settings }: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { file, format, state, comicInfo } = damaged;
  const options = effectiveOptions({}, settings);
  const group = toGroup(damaged, chapters);
  const count = /<Count>(\d{1,6})<\/Count>/.exec(comicInfo)?.[1];
  const metadata = bookMetadata(group, options, count === undefined ? undefined : Number(count));
  const warn = (message: string): void => {
    listeners.observe({ type: 'warning', message });
  };
  const cover =
    options.bookCover === 'none' ? undefined : await coverOf(damaged, group, warn, signal);
  // Pages were converted where the format cannot contain them.
  const convert = await assertConverter().then(
    () => true,
    () => false,
  );
  return withBookLock(dirname(file), file, signal, async (tmpFile) => {
    const replaced = { kept: '', isDone: false };
    const publish = async (finished: string): Promise<string> => {
      replaced.kept = await keepDamaged(file);
      replaced.isDone = await publishBookFile(finished, file, state);
      return file;
    };
    const onPage = (): void => undefined;
    const writeOptions = { tmpFile, publish, convert, onPage, signal };
    try {
      await writeBook({ group, metadata, cover }, format, writeOptions);
    } finally {
      if (replaced.kept !== '' && !replaced.isDone) await removeIfUnreplaced(file, replaced.kept);
    }
    return replaced.isDone ? replaced.kept : undefined;
  });
}

/** The metadata of the book distinguishes a book of one chapter from a volume with one. */
function toGroup({ comicInfo }: DamagedBook, chapters: readonly SourceChapter[]): ChapterGroup {
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
  damaged: DamagedBook,
  group: ChapterGroup,
  warn: (message: string) => void,
  signal: AbortSignal,
): Promise<CoverImage | undefined> {
  const { file, entries } = damaged;
  const entry = coverEntry(damaged);
  if (entry && (await areWhole(file, [entry], signal))) {
    const data = await readEntry(file, entry);
    const extension = data && imageExtension(data);
    if (data && extension) return { file, data, extension };
  }
  if (!entry && entries.length > 0) return undefined;
  const beside = { ...group, chapters: group.chapters.map((chapter) => ({ ...chapter, file })) };
  // A cover that the book had is its own; otherwise one that other chapters share is not.
  const cover = await findCover(beside, entry ? [] : await otherArchives(file, group), warn);
  if (entry && !cover) warn(`Rebuilt without its cover, which is damaged: ${file}`);
  return cover;
}

async function otherArchives(file: string, { chapters }: ChapterGroup): Promise<string[]> {
  const folder = dirname(file);
  const own = new Set([file, ...chapters.map((chapter) => chapter.file)]);
  return (await readdirIfReadable(folder))
    .map(({ name }) => join(folder, name))
    .filter((path) => /\.(cbz|epub|pdf)$/i.test(path) && !own.has(path));
}
