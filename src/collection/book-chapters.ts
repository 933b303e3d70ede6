/**
 * Where the chapters of a damaged book can be taken from: from the book itself, as far as its pages are whole, from
 * chapter files beside it, or from the service. What is not in the book is read from a private folder: others may
 * change or replace files beside it at any time.
 */
import { dirname, join, resolve } from 'node:path';
import { areWhole, checkFile } from '../library/damage.js';
import { type BookFile, type ReadChapter } from '../library/file.js';
import { readPageDigests } from '../library/chapter-file.js';
import { listArchives } from '../library/scan.js';
import { readdirIfReadable } from '../core/read-folder.js';
import { reusableBuffer } from '../core/zip-file.js';
import type { AppContext } from '../config/context.js';
import { mayBeComic } from '../config/containers.js';
import { createFile, isOwnFile, openRegularFile, PRIVATE_FILE_MODE } from '../core/files.js';
import { groupBy } from '../core/group-by.js';
import type { DownloadListeners } from '../download/download-session.js';
import { downloadRequest } from '../download/download-request.js';
import { download } from '../download/run-download.js';
import { readChapters } from '../books/read-chapters.js';
import { sourceKey } from '../books/source-chapter.js';
import type { RepairFolder } from '../download/leftovers.js';
import { packWholeChapters, type WholeChapters } from './pack-chapters.js';

/** The chapters whose pages are whole in the damaged book; those of a folder are packed into `work`. */
export async function chaptersInBook(
  book: BookFile,
  work: RepairFolder,
  signal: AbortSignal,
): Promise<WholeChapters> {
  if (book.container === 'folder') return packWholeChapters(book, work, signal);
  const { path: file, chapters } = book;
  const found: WholeChapters = new Map();
  for (const chapter of chapters) {
    const { pages } = chapter;
    const { pages: saved = [], acceptedPages = saved } = chapter.record ?? {};
    const hasAll = pages.length > 0 && pages.length >= acceptedPages.length;
    if (hasAll && (await areWhole(file, pages, signal)))
      found.set(chapter, { ...chapter, file, isBound: true, pages });
  }
  return found;
}

/**
 * Adds those that are missing, and have a whole file of this user in the folder of the book, of which it reads a copy in
 * `work`. Resolves with these files.
 */
export async function addChaptersBeside(
  { path: file, chapters }: BookFile,
  found: WholeChapters,
  work: RepairFolder,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const folder = dirname(file);
  const used: string[] = [];
  const names = (await readdirIfReadable(folder)).filter((entry) => entry.isFile());
  for (const { name } of names) {
    signal.throwIfAborted();
    const missing = chapters.filter((chapter) => !found.has(chapter));
    if (missing.length === 0) break;
    const beside = join(folder, name);
    if (!mayBeComic(name) || resolve(beside) === resolve(file)) continue;
    if (!(await findChapter(beside, missing))) continue;
    const copy = await copyOwnFile(beside, work);
    const match = copy === undefined ? undefined : await findChapter(copy, missing);
    if (!match || !(await hasSavedPages(match, signal))) continue;
    found.set(match.chapter, as(match.chapter, match.source));
    used.push(beside);
  }
  return used;
}

interface ChapterMatch {
  readonly source: ReadChapter;
  readonly chapter: ReadChapter;
}

/** Undefined for a file of another chapter, a book, and one that cannot be read. */
async function findChapter(
  file: string,
  missing: readonly ReadChapter[],
): Promise<ChapterMatch | undefined> {
  const [source, ...others] = await readChapters(file).catch(() => []);
  if (!source || source.isBound || others.length > 0) return undefined;
  const chapter = missing.find((each) => isChapter(source, each));
  return chapter && { source, chapter };
}

/** Undefined for a link, and for a file that is gone or belongs to another user. */
async function copyOwnFile(file: string, work: RepairFolder): Promise<string | undefined> {
  const source = await openRegularFile(file).catch(() => undefined);
  if (!source) return undefined;
  try {
    if (!isOwnFile(file, await source.stat())) return undefined;
    const copy = await work.newFile();
    const target = await createFile(copy, { mode: PRIVATE_FILE_MODE });
    try {
      for await (const chunk of source.createReadStream({ autoClose: false }))
        await target.writeFile(chunk as Buffer);
    } finally {
      await target.close();
    }
    return copy;
  } finally {
    await source.close();
  }
}

/**
 * Whether the file has no damage, and the pages whose digests the book has: a file can name any chapter. The pages of a
 * newer version are others.
 */
async function hasSavedPages(
  { source, chapter: { record, version: recorded = 1 } }: ChapterMatch,
  signal: AbortSignal,
): Promise<boolean> {
  const { state } = await checkFile(source.file, { signal });
  if (state === 'damaged' || state === 'forbidden') return false;
  const { version = 1 } = source;
  const pages = record?.pages ?? [];
  if (pages.length === 0 || version > recorded) return true;
  const digests = await readPageDigests(source, reusableBuffer(), signal);
  return digests.length === pages.length && digests.every((digest, at) => digest === pages[at]);
}

function isChapter(source: ReadChapter, chapter: ReadChapter): boolean {
  if (chapter.chapterId === undefined) return sourceKey(source) === chapter.key;
  return (
    source.chapterId === chapter.chapterId &&
    (source.version ?? 1) >= (chapter.version ?? 1) &&
    (source.quality ?? 'data') === (chapter.quality ?? 'data')
  );
}

/** The pages of the file, with the metadata that the chapter has in the book, unless its manifest is lost. */
function as({ metadata, record, key }: ReadChapter, source: ReadChapter): ReadChapter {
  if (!record) return source;
  const { updatedAt, pages, version } = source.record ?? {};
  const newRecord = { ...record, version, updatedAt, pages };
  return { ...source, metadata, key, record: source.record ? newRecord : record };
}

/** Adds those that the service has, with files in `work`: what a killed run loaded is there already. */
export async function addLoadedChapters(
  { chapters }: BookFile,
  found: WholeChapters,
  work: RepairFolder,
  context: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<void> {
  const missing = chapters.filter((chapter) => !found.has(chapter));
  const byQuality = groupBy(missing, ({ quality = 'data' }) => quality);
  for (const [quality, ofQuality] of byQuality) {
    const targets = ofQuality.flatMap(({ chapterId: id }) =>
      id === undefined ? [] : [{ kind: 'chapter' as const, id }],
    );
    if (targets.length === 0) continue;
    const once = { bind: false, cover: false, downloadArchive: false, markRead: false } as const;
    const plain = { metadata: true, seriesMetadata: false, name: '{chapter-id}.cbz' } as const;
    const options = { ...once, ...plain, output: work.path, quality };
    const request = downloadRequest(targets, options, context.settings);
    const { stoppedBy } = await download(context, request, listeners, signal);
    if (stoppedBy) throw stoppedBy;
  }
  for (const file of (await listArchives(work.path, signal)).files) {
    const match = await findChapter(file, missing);
    if (match && (await hasSavedPages(match, signal)))
      found.set(match.chapter, as(match.chapter, match.source));
  }
}
