/**
 * One chapter from its metadata to its CBZ, in two steps, so that a batch can prepare the next chapter while the
 * last pages of this one load.
 */
import { CbzWriter, writeCbz } from '../cbz/cbz-writer.js';
import {
  fetchAtHomeMetadata,
  type MetadataPrefetcher,
  pageFileNames,
  type AtHomeMetadata,
} from '../image/at-home.js';
import { BaseUrls } from '../image/base-urls.js';
import { digestInFileName, type Quality } from '../image/page-url.js';
import { ChapterError, hasCode, StorageError } from '../core/errors.js';
import { toStorageError } from '../core/files.js';
import type { ServiceClient } from '../api/client.js';
import { findPublished, publishChapter } from './publish-chapter.js';
import { loadPage, type PageJob, type PageDeps } from './page.js';
import { PagePacker } from './page-packer.js';
import { Workspace, type KeptPage } from './workspace.js';

export interface ChapterJob {
  readonly id: string;
  /** The CBZ's final path. */
  readonly file: string;
  /** The folder for all archives, which the user named: `file` is somewhere below it. */
  readonly output: string;
  readonly quality: Quality;
  /** Load it again although its CBZ is there. */
  readonly replace: boolean;
  /** Written into the archive as its comment: which chapter this is. */
  readonly comment?: string;
  /** ComicInfo.xml for these pages; `undefined` leaves it out. Never throws. */
  readonly comicInfo?: (pages: readonly KeptPage[]) => Promise<string | undefined>;
}

export interface ChapterDeps extends PageDeps {
  readonly client: ServiceClient;
  /** What was asked for before it was this chapter's turn. */
  readonly prefetcher?: MetadataPrefetcher;
}

export interface SavedChapter {
  readonly file: string;
  readonly pages: number;
  readonly bytes: number;
}

export interface PreparedChapter {
  /** Loads what is missing and leaves the CBZ. To be called once; its pages are in the queue when it returns. */
  save(): Promise<SavedChapter>;
}

/** No use in trying the rest of a chapter once this many of its pages are lost. */
const MOST_LOST_PAGES = 3;

/**
 * Takes the workspace, asks where the pages are, and proves what an earlier run left. `undefined`: the CBZ is there
 * already and need not be replaced, perhaps since another process made it just now. Throws ChapterError,
 * StorageError, or what the service said; what an earlier run left stays for the next.
 */
export async function prepareChapter(
  job: ChapterJob,
  parts: ChapterDeps,
  signal: AbortSignal,
): Promise<PreparedChapter | undefined> {
  if (await isDone(job)) return undefined;
  const workspace = await takeWorkspace(job, parts, signal);
  try {
    if (!(await isDone(job))) return await prepareIn(workspace, job, parts, signal);
    await workspace.remove();
    return undefined;
  } catch (error) {
    await workspace.leave();
    throw error;
  }
}

/** Whether the CBZ is there. A folder in its place is found out before its pages are asked for in its turn. */
async function isDone(job: ChapterJob): Promise<boolean> {
  return (await findPublished(job)) !== undefined && !job.replace;
}

function takeWorkspace(
  job: ChapterJob,
  parts: ChapterDeps,
  signal: AbortSignal,
): Promise<Workspace> {
  return Workspace.take({
    chapterId: job.id,
    target: job.file,
    output: job.output,
    quality: job.quality,
    clock: parts.loader.clock,
    signal,
    onBusy: (holder) => {
      const message = `Another tankobon is at work on chapter ${job.id} in this folder (${holder}); waiting for it.`;
      parts.observe({ type: 'warning', message });
    },
  });
}

async function prepareIn(
  workspace: Workspace,
  job: ChapterJob,
  parts: ChapterDeps,
  signal: AbortSignal,
): Promise<PreparedChapter> {
  const { clock } = parts.loader;
  const { quality } = job;
  const ask = () => fetchAtHomeMetadata(parts.client, job.id, signal);
  const asked = parts.prefetcher?.take(job.id);
  const askedAtMs = asked?.requestedAtMs ?? clock.monotonicMs();
  const metadata = await (asked?.metadata ?? ask());
  const names = pageFileNames(metadata, quality);
  if (names.length === 0)
    throw new ChapterError('chapter-empty', `The service names no page for chapter ${job.id}.`);
  const baseUrls = new BaseUrls(
    metadata,
    askedAtMs,
    async () => unchanged(job, metadata, await ask()),
    clock,
  );
  const promised = (page: number) => digestInFileName(names[page - 1] ?? '');
  await workspace.resume({ hash: metadata.hash, quality, names }, promised, signal);
  const pages = names.map((fileName, index) => ({
    chapter: job.id,
    page: index + 1,
    fileName,
    hash: metadata.hash,
    quality,
    baseUrls,
    workspace,
    signal,
  }));
  return { save: () => save(job, pages, workspace, parts, signal) };
}

async function save(
  job: ChapterJob,
  pages: readonly PageJob[],
  workspace: Workspace,
  parts: ChapterDeps,
  signal: AbortSignal,
): Promise<SavedChapter> {
  const packer = new PagePacker(workspace.kept, () =>
    CbzWriter.create({
      tmpFile: workspace.archiveFile,
      pages: pages.length,
      signal,
      ...(job.comment !== undefined && { comment: job.comment }),
    }),
  );
  try {
    parts.observe({
      type: 'chapter-started',
      chapter: job.id,
      pages: pages.length,
      kept: workspace.kept.size,
    });
    await loadPages(pages, parts, () => {
      packer.packAvailable();
    });
    const saved = await pack(job, pages.length, { workspace, packer }, signal);
    await packer.discard();
    await tidyUp(workspace, parts);
    return saved;
  } catch (error) {
    await packer.discard();
    await workspace.leave();
    throw error;
  }
}

/** The CBZ is there: what cannot be removed beside it is worth a word, and no more. */
async function tidyUp(workspace: Workspace, { observe }: ChapterDeps): Promise<void> {
  try {
    await workspace.remove();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    observe({ type: 'warning', message: `${workspace.folder} could not be removed: ${why}` });
  }
}

/** A fresh base URL serves the chapter that was begun, or none. */
function unchanged(job: ChapterJob, first: AtHomeMetadata, now: AtHomeMetadata): AtHomeMetadata {
  const same =
    now.hash === first.hash &&
    JSON.stringify(pageFileNames(now, job.quality)) ===
      JSON.stringify(pageFileNames(first, job.quality));
  if (!same)
    throw new ChapterError(
      'chapter-changed',
      `Chapter ${job.id} changed on the service while it was loaded.`,
    );
  return now;
}

/** Loads all pages that are missing. A lost page does not stop the others: what they load, the next run has. */
async function loadPages(
  pages: readonly PageJob[],
  parts: PageDeps,
  onKept: () => void,
): Promise<void> {
  const lost: unknown[] = [];
  const stop = new AbortController();
  const loads = pages
    .filter(({ page, workspace }) => !workspace.kept.has(page))
    .map(async (page) => {
      const signal = AbortSignal.any([page.signal, stop.signal]);
      try {
        await loadPage({ ...page, signal }, parts);
        onKept();
      } catch (error) {
        lost.push(error);
        if (!hasCode(error, 'page-lost') || lost.length >= MOST_LOST_PAGES) stop.abort(error);
      }
    });
  await Promise.all(loads);
  pages[0]?.signal.throwIfAborted();
  if (stop.signal.aborted) throw stop.signal.reason;
  if (lost.length > 0) throw lost[0];
}

/** Finishes what was packed on the way; where that could not be, packs all pages now. */
async function pack(
  job: ChapterJob,
  count: number,
  { workspace, packer }: { readonly workspace: Workspace; readonly packer: PagePacker },
  signal: AbortSignal,
): Promise<SavedChapter> {
  const pages = [...workspace.kept.values()].sort((a, b) => a.page - b.page);
  if (pages.length !== count || pages.some(({ page }, index) => page !== index + 1)) {
    throw new StorageError(
      'archive-wrong',
      `${pages.length} pages of chapter ${job.id} are there, not ${count}.`,
    );
  }
  const { file } = job;
  const publish = (tmpFile: string) => publishChapter(tmpFile, job);
  const [comicInfo, packed] = await Promise.all([
    job.comicInfo?.(pages),
    packer.finishedArchive(count),
  ]);
  try {
    if (packed) return { pages: count, ...(await packed.finish(publish, comicInfo)) };
  } catch (error) {
    throw toStorageError(error, file);
  }
  await packer.discard();
  const written = await writeCbz({
    file,
    publish,
    pages,
    signal,
    ...(comicInfo === undefined ? {} : { comicInfo }),
    ...(job.comment === undefined ? {} : { comment: job.comment }),
  });
  return { pages: count, ...written };
}
