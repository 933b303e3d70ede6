/** Rules for the pages of a chapter: which metadata describes the same ones, when the others are given up, when all are there. */
import { sharedSignal } from '../../core/abort.js';
import { ChapterError, hasCode, StorageError } from '../../core/errors.js';
import { pageFileNames, type AtHomeMetadata } from '../../service/at-home.js';
import type { Quality } from '../../config/quality.js';
import type { KeptPage } from './workspace.js';

/** After this many failed pages the rest of the chapter is not tried. */
const MAX_FAILED_PAGES = 3;

/** Throws ChapterError('chapter-changed') if renewed metadata describes other pages. */
export function assertSamePages(
  before: AtHomeMetadata,
  now: AtHomeMetadata,
  quality: Quality,
  chapterId: string,
): void {
  const pagesOf = (metadata: AtHomeMetadata) =>
    JSON.stringify([metadata.hash, pageFileNames(metadata, quality)]);
  if (pagesOf(now) === pagesOf(before)) return;
  throw new ChapterError(
    'chapter-changed',
    `The chapter changed on the service during the download: chapter ${chapterId}`,
  );
}

/**
 * Calls `load` for all pages at once. A failed page does not stop the others, so that the next run has less to load; a
 * third one does, and so does any other error. Throws the error that stopped the pages, else the first, when all have
 * ended.
 */
export async function loadAll<Page>(
  pages: readonly Page[],
  load: (page: Page, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  const stop = new AbortController();
  const anySignal = sharedSignal(AbortSignal.any([signal, stop.signal]));
  const loads = pages.map(async (page) => {
    try {
      await load(page, anySignal);
    } catch (error) {
      failures.push(error);
      if (!hasCode(error, 'page-lost') || failures.length >= MAX_FAILED_PAGES) stop.abort(error);
    }
  });
  await Promise.all(loads);
  signal.throwIfAborted();
  stop.signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
}

/** The pages in order; throws StorageError('archive-wrong') if they are not exactly those from 1 to `count`. */
export function completePages(
  kept: ReadonlyMap<number, KeptPage>,
  count: number,
  chapterId: string,
): readonly KeptPage[] {
  const pages = [...kept.values()].sort((a, b) => a.page - b.page);
  if (pages.length === count && pages.every(({ page }, index) => page === index + 1)) return pages;
  const message = `${pages.length} of ${count} pages are in the workspace: chapter ${chapterId}`;
  throw new StorageError('archive-wrong', message);
}
