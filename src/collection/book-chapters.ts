/**
 * Where the chapters of a damaged book can be taken from: from the book itself, as far as its pages are whole, from
 * chapter files beside it, or from the service, which loads them into a folder that is removed later.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { listArchives, readdirIfReadable } from '../cbz/scan-library.js';
import type { AppContext } from '../config/context.js';
import { groupBy } from '../core/group-by.js';
import type { DownloadListeners } from '../download/download-session.js';
import { downloadRequest } from '../download/download-request.js';
import { download } from '../download/run-download.js';
import type { ManifestChapter } from '../formats/book-manifest.js';
import { pageEntries, readChapters } from '../formats/read-chapters.js';
import { sourceKey, type ReadChapter } from '../formats/source-chapter.js';
import { areWhole, findDamage } from './damage.js';
import type { DamagedBook } from './damaged-book.js';
import { packWholeChapters, type FoundChapters } from './pack-chapters.js';

/** The chapters whose pages are whole in the damaged book; those of a folder are packed into `work`. */
export async function chaptersInBook(
  book: DamagedBook,
  work: string,
  signal: AbortSignal,
): Promise<FoundChapters> {
  if (book.format === 'folder') return packWholeChapters(book, work, signal);
  const { file, chapters, entries } = book;
  const found: FoundChapters = new Map();
  const byPrefix = groupBy(pageEntries(entries), ({ name }) => /^c\d+-/.exec(basename(name))?.[0]);
  for (const chapter of chapters) {
    const pages = byPrefix.get(chapter.prefix) ?? [];
    const hasAll = pages.length > 0 && pages.length >= (chapter.record?.pages?.length ?? 0);
    if (hasAll && (await areWhole(file, pages, signal)))
      found.set(chapter, { ...chapter, file, isBound: true, pages });
  }
  return found;
}

/** Adds those of `missing` that have a whole file in the folder of the book. */
export async function addChaptersBeside(
  { file, chapters }: DamagedBook,
  found: FoundChapters,
  signal: AbortSignal,
): Promise<void> {
  const folder = dirname(file);
  const names = (await readdirIfReadable(folder)).filter((entry) => entry.isFile());
  for (const { name } of names) {
    signal.throwIfAborted();
    const missing = chapters.filter((chapter) => !found.has(chapter));
    if (missing.length === 0) return;
    const beside = join(folder, name);
    if (!/\.(cbz|zip)$/i.test(name) || resolve(beside) === resolve(file)) continue;
    // A file that cannot be read is no help.
    const [source, ...others] = await readChapters(beside).catch(() => []);
    if (!source || source.isBound || others.length > 0) continue;
    const chapter = missing.find((each) => isChapter(source, each));
    if (chapter && !(await findDamage(beside, { signal }))) found.set(chapter, as(chapter, source));
  }
}

function isChapter(source: ReadChapter, { identity, key }: ManifestChapter): boolean {
  if (!identity) return sourceKey(source) === key;
  const { chapterId, version = 1, quality = 'data' } = source.identity ?? {};
  return (
    chapterId === identity.chapterId &&
    version >= (identity.version ?? 1) &&
    quality === (identity.quality ?? 'data')
  );
}

/** The pages of the file, with the metadata that the chapter has in the book, unless its manifest is lost. */
function as({ metadata, record, key }: ManifestChapter, source: ReadChapter): ReadChapter {
  if (!record) return source;
  const { updatedAt, pages, version } = source.record ?? {};
  const newRecord = { ...record, version, updatedAt, pages };
  return { ...source, metadata, key, record: source.record ? newRecord : record };
}

/** Adds those that the service has, with files in `folder`: what a killed run loaded is there already. */
export async function addLoadedChapters(
  { chapters }: DamagedBook,
  found: FoundChapters,
  folder: string,
  context: AppContext,
  listeners: DownloadListeners,
  signal: AbortSignal,
): Promise<void> {
  const missing = chapters.filter((chapter) => !found.has(chapter));
  const byQuality = groupBy(missing, ({ identity }) => identity?.quality ?? 'data');
  for (const [quality, ofQuality] of byQuality) {
    const targets = ofQuality.flatMap(({ identity }) =>
      identity ? [{ kind: 'chapter' as const, id: identity.chapterId }] : [],
    );
    if (targets.length === 0) continue;
    const once = { bind: false, cover: false, downloadArchive: false, markRead: false } as const;
    const plain = { metadata: true, seriesMetadata: false, name: '{chapter-id}.cbz' } as const;
    const options = { ...once, ...plain, output: folder, quality };
    const request = downloadRequest(targets, options, context.settings);
    const { stoppedBy } = await download(context, request, listeners, signal);
    if (stoppedBy) throw stoppedBy;
  }
  for (const file of (await listArchives(folder, signal)).files) {
    const [source] = await readChapters(file);
    const chapter = source && missing.find((each) => isChapter(source, each));
    if (chapter) found.set(chapter, as(chapter, source));
  }
}
