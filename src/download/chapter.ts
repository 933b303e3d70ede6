/**
 * Downloads one chapter, from its delivery metadata to its CBZ, in two steps: a batch prepares the next chapter while
 * the last pages of the current one load.
 */
import { CbzWriter, writeCbz } from '../cbz/cbz-writer.js';
import { fetchAtHomeMetadata, pageFileNames, type AtHomeMetadata } from '../image/at-home.js';
import { BaseUrls } from '../image/base-urls.js';
import { digestInFileName, type Quality } from '../image/page-url.js';
import { ChapterError, hasCode, StorageError } from '../core/errors.js';
import { toStorageError } from '../core/files.js';
import type { ServiceClient } from '../api/client.js';
import { loadPage, type PageJob, type PageDeps } from './page.js';
import { PagePacker } from './page-packer.js';
import type { MetadataPrefetcher } from './prefetch.js';
import type { WorkShare } from '../rate-limit/redis/work-share.js';
import { findPublished, publishChapter } from './publish-chapter.js';
import { Workspace, type KeptPage } from './workspace.js';

export interface ChapterJob {
  readonly id: string;
  /** The CBZ's final path. */
  readonly file: string;
  /** The user's output folder, which contains `file`. */
  readonly output: string;
  readonly quality: Quality;
  /** Download the chapter again although its CBZ exists. */
  readonly replace: boolean;
  /** Another release of the chapter, whose CBZ is replaced if it has the same path. */
  readonly replacesChapter?: string;
  /** The archive comment, which identifies the chapter. */
  readonly comment?: string;
  /** Creates ComicInfo.xml for these pages; `undefined` leaves it out. Never throws. */
  readonly comicInfo?: (pages: readonly KeptPage[]) => Promise<string | undefined>;
}

export interface ChapterDeps extends PageDeps {
  readonly client: ServiceClient;
  readonly prefetcher?: Pick<MetadataPrefetcher, 'take'>;
  /** Divides the chapters with other machines. */
  readonly share?: Pick<WorkShare, 'claim' | 'finish' | 'release'>;
}

export interface SavedChapter {
  readonly file: string;
  readonly pages: number;
  readonly bytes: number;
}

export interface PreparedChapter {
  /** Loads the missing pages and writes the CBZ. Call it once; its pages are queued when it returns. */
  save(): Promise<SavedChapter>;
}

/** After this many failed pages the rest of the chapter is not tried. */
const MAX_FAILED_PAGES = 3;

/**
 * Locks the workspace, requests the delivery metadata, and verifies the pages of an earlier run. Resolves with
 * `undefined` if the CBZ exists and is not to be replaced, perhaps because another process has just written it.
 * Throws ChapterError, StorageError, or the error of the request; the pages of an earlier run are kept.
 */
export async function prepareChapter(
  job: ChapterJob,
  deps: ChapterDeps,
  signal: AbortSignal,
): Promise<PreparedChapter | undefined> {
  if (await isDone(job)) return undefined;
  const workspace = await Workspace.open({
    chapterId: job.id,
    target: job.file,
    output: job.output,
    quality: job.quality,
    clock: deps.loader.clock,
    signal,
    onBusy: (holder) => {
      const message = `Waiting for another tankobon that downloads chapter ${job.id} to this folder (${holder}).`;
      deps.observe({ type: 'warning', message });
    },
  });
  try {
    if (!(await isDone(job))) return await prepareIn(workspace, job, deps, signal);
    await workspace.remove();
    return undefined;
  } catch (error) {
    await workspace.close();
    throw error;
  }
}

/** Also throws for a folder in the CBZ's place, before any page is requested. */
async function isDone(job: ChapterJob): Promise<boolean> {
  return (await findPublished(job)) !== undefined && !job.replace;
}

async function prepareIn(
  workspace: Workspace,
  job: ChapterJob,
  deps: ChapterDeps,
  signal: AbortSignal,
): Promise<PreparedChapter> {
  const { clock } = deps.loader;
  const { id, quality } = job;
  const fetchMetadata = () => fetchAtHomeMetadata(deps.client, id, signal);
  const request = deps.prefetcher?.take(id) ?? {
    requestedAtMs: clock.monotonicMs(),
    metadata: fetchMetadata(),
  };
  const metadata = await request.metadata;
  const { hash } = metadata;
  observeBaseUrl(id, metadata, deps);
  const names = pageFileNames(metadata, quality);
  if (names.length === 0)
    throw new ChapterError('chapter-empty', `The service lists no pages: chapter ${id}`);
  const renew = async () => {
    const renewed = assertUnchanged(job, metadata, await fetchMetadata());
    observeBaseUrl(id, renewed, deps);
    return renewed;
  };
  const baseUrls = new BaseUrls(metadata, request.requestedAtMs, renew, clock);
  const expectedDigest = (page: number) => digestInFileName(names[page - 1] ?? '');
  await workspace.resume({ hash, quality, names }, expectedDigest, signal);
  const pages = names.map((fileName, index) => ({
    chapter: id,
    page: index + 1,
    fileName,
    hash,
    quality,
    baseUrls,
    workspace,
    signal,
  }));
  return { save: () => save(job, pages, workspace, deps, signal) };
}

function observeBaseUrl(chapter: string, { baseUrl }: AtHomeMetadata, { observe }: PageDeps): void {
  observe({ type: 'detail', chapter, message: `base URL ${baseUrl}` });
}

/** Renewed metadata is used only if it describes the same pages. */
function assertUnchanged(
  { id, quality }: ChapterJob,
  before: AtHomeMetadata,
  now: AtHomeMetadata,
): AtHomeMetadata {
  const pagesOf = (metadata: AtHomeMetadata) =>
    JSON.stringify([metadata.hash, pageFileNames(metadata, quality)]);
  if (pagesOf(now) === pagesOf(before)) return now;
  throw new ChapterError(
    'chapter-changed',
    `The chapter changed on the service during the download: chapter ${id}`,
  );
}

async function save(
  job: ChapterJob,
  pages: readonly PageJob[],
  workspace: Workspace,
  deps: ChapterDeps,
  signal: AbortSignal,
): Promise<SavedChapter> {
  const { kept } = workspace;
  const packer = new PagePacker(kept, () =>
    CbzWriter.create({
      tmpFile: workspace.archiveFile,
      pages: pages.length,
      signal,
      comment: job.comment,
    }),
  );
  try {
    deps.observe({
      type: 'chapter-started',
      chapter: job.id,
      pages: pages.length,
      kept: kept.size,
    });
    await loadPages(pages, deps, () => {
      packer.packAvailable();
    });
    const saved = await pack(job, pages.length, workspace, packer, signal);
    await packer.discard();
    await cleanUp(workspace, deps);
    return saved;
  } catch (error) {
    await packer.discard();
    await workspace.close();
    throw error;
  }
}

/** The CBZ is written: a failure to clean up is only a warning. */
async function cleanUp(workspace: Workspace, { observe }: ChapterDeps): Promise<void> {
  try {
    await workspace.remove();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    observe({ type: 'warning', message: `Cannot remove ${workspace.folder}: ${reason}` });
  }
}

/** Loads all missing pages. A failed page does not stop the others, so that the next run has less to load. */
async function loadPages(
  pages: readonly PageJob[],
  deps: PageDeps,
  onKept: () => void,
): Promise<void> {
  const failures: unknown[] = [];
  const stop = new AbortController();
  const loads = pages
    .filter(({ page, workspace }) => !workspace.kept.has(page))
    .map(async (page) => {
      const signal = AbortSignal.any([page.signal, stop.signal]);
      try {
        await loadPage({ ...page, signal }, deps);
        onKept();
      } catch (error) {
        failures.push(error);
        if (!hasCode(error, 'page-lost') || failures.length >= MAX_FAILED_PAGES) stop.abort(error);
      }
    });
  await Promise.all(loads);
  pages[0]?.signal.throwIfAborted();
  stop.signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
}

/** Completes the archive that was written during the download; if there is none, packs all pages now. */
async function pack(
  { id, file, comment, comicInfo: createComicInfo, replace, replacesChapter }: ChapterJob,
  count: number,
  workspace: Workspace,
  packer: PagePacker,
  signal: AbortSignal,
): Promise<SavedChapter> {
  const pages = [...workspace.kept.values()].sort((a, b) => a.page - b.page);
  if (pages.length !== count || pages.some(({ page }, index) => page !== index + 1)) {
    const message = `${pages.length} of ${count} pages are in the workspace: chapter ${id}`;
    throw new StorageError('archive-wrong', message);
  }
  const publish = (tmpFile: string) =>
    publishChapter(tmpFile, { id, file, replace, replacesChapter });
  const [comicInfo, archive] = await Promise.all([
    createComicInfo?.(pages),
    packer.finishedArchive(count),
  ]);
  try {
    if (archive) return { pages: count, ...(await archive.finish(publish, comicInfo)) };
  } catch (error) {
    throw toStorageError(error, file);
  }
  await packer.discard();
  const written = await writeCbz({ file, publish, pages, signal, comicInfo, comment });
  return { pages: count, ...written };
}
