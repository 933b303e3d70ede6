/**
 * Downloads one chapter, from its delivery metadata to its CBZ, in two steps: a batch prepares the next chapter while
 * the last pages of the current one load.
 */
import { dirname, join } from 'node:path';
import { CbzWriter } from '../../library/cbz-writer.js';
import {
  fetchAtHomeMetadata,
  pageFileNames,
  type AtHomeMetadata,
  digestInFileName,
} from '../../service/at-home.js';
import { BaseUrls } from '../../service/base-urls.js';
import { QUALITIES, type LostPages, type Quality } from '../../config/quality.js';
import { comparedFile, replacedFile } from '../../plan/change.js';
import { hasSamePages as hasPages } from '../../plan/chapter-changes.js';
import { ChapterError, StorageError } from '../../core/errors.js';
import { shownPath, systemReason } from '../../core/system-errors.js';
import { freeBytes } from '../../core/file-system.js';
import { formatBytes } from '../../core/human-format.js';
import { lstatIfExists, maxModeIn, removeEmptyFolders, toStorageError } from '../../core/files.js';
import { isSameEntry } from '../../core/same-file.js';
import { reusableBuffer } from '../../core/zip-file.js';
import type { ServiceClient } from '../../service/client.js';
import type { SavedEvent } from '../../events/download-events.js';
import { assertSamePages, completePages, loadAll } from './chapter-pages.js';
import { replaceDamaged } from '../../core/keep-damaged.js';
import { estimatedBytes } from '../../service/estimate.js';
import {
  isAsSaved,
  keepSavedPages,
  loadOrSubstitute,
  substitutesOf,
  type Substitutes,
} from './lost-pages.js';
import { loadPage, type PageJob, type PageDeps } from './page.js';
import type { ChapterDescription } from './describe-chapter.js';
import type { PrefetchedMetadata } from '../planning/prefetch.js';
import type { openChapterShare } from './chapter-share.js';
import {
  findPublished,
  isOverwritten,
  publishChapter,
  removeOther,
  type ChapterTarget,
} from './publish-chapter.js';
import { Workspace, workspaceName, type PackedPage } from './workspace.js';

export interface ChapterJob extends ChapterTarget {
  /** Used in messages; undefined without metadata. */
  readonly name?: string | undefined;
  /** The user's output folder, which contains `file`. */
  readonly output: string;
  readonly quality: Quality;
  /** What becomes of a page that no node has; undefined: the chapter fails. */
  readonly lostPages: LostPages | undefined;
  /** The archive comment, which identifies the chapter. */
  readonly comment: string;
  /** Returns the delivery metadata that was requested ahead, once. */
  readonly takePrefetched?: () => PrefetchedMetadata | undefined;
  /** Creates ComicInfo.xml and the record for these pages. A volume that was inferred stays until the service names one. Never throws. */
  readonly describe: (
    pages: readonly PackedPage[],
    inferredVolume?: string,
  ) => Promise<ChapterDescription>;
}

export interface ChapterDeps extends PageDeps {
  readonly client: ServiceClient;
  /** What must stay free in the file system of the output folder. Default: nothing. */
  readonly minFreeBytes?: number;
  /** Throws StorageError `output-away`, before the folder of a chapter is made. */
  readonly checkOutput?: (() => Promise<void>) | undefined;
  /** Divides the chapters with other machines. */
  readonly share?: Pick<
    Awaited<ReturnType<typeof openChapterShare>>,
    'claim' | 'finish' | 'release'
  >;
}

/** What is reported of a chapter that was saved. */
type SavedChapter = Omit<SavedEvent, 'type' | 'chapter'>;

export interface PreparedChapter {
  /**
   * Loads the missing pages and writes the CBZ. Call it once; its pages are queued when it returns. `same-pages`: the
   * existing archive has compressed pages in place of lost ones, which are still lost.
   */
  save(): Promise<SavedChapter | 'same-pages'>;
}

/** `same-pages`: an existing archive has the pages that the service has. */
export type Preparation = PreparedChapter | 'same-pages' | undefined;

/**
 * Locks the workspace, requests the delivery metadata, and verifies the pages of an earlier run. Resolves with
 * `undefined` if the CBZ exists and is not to be replaced, perhaps because another process has just written it.
 * Throws ChapterError, StorageError, or the error of the request; the pages of an earlier run are kept.
 */
export async function prepareChapter(
  job: ChapterJob,
  deps: ChapterDeps,
  signal: AbortSignal,
): Promise<Preparation> {
  if (await isAlreadySaved(job)) return undefined;
  const { id: chapterId, file: target, output, quality } = job;
  const { clock } = deps.loader;
  const onBusy = (holder: string): void => {
    deps.observe(sharedFolderWarning(output));
    deps.observe({ type: 'detail', chapter: chapterId, message: `waits for ${holder}` });
  };
  const options = { chapterId, target, output, quality, clock, signal, onBusy };
  await deps.checkOutput?.();
  const workspace = await Workspace.open(options);
  try {
    if (!(await isAlreadySaved(job))) return await prepareInWorkspace(workspace, job, deps, signal);
    await cleanUp(workspace, deps);
    return undefined;
  } catch (error) {
    await workspace.close();
    throw error;
  }
}

/** Throws for a folder in the CBZ's place, before any page is requested. */
async function isAlreadySaved(job: ChapterJob): Promise<boolean> {
  return (await findPublished(job)) !== undefined && !isOverwritten(job);
}

/** A lower limit that a hint names. */
const LOWER_MIN_FREE = { setting: '100M', bytes: 100_000_000 };

/** Throws StorageError `disk-full`, which stops the run, if the chapter would probably leave less than `minFreeBytes`. */
async function checkSpace(
  folder: string,
  { name, id, quality, output }: ChapterJob,
  pages: number,
  { minFreeBytes = 0 }: ChapterDeps,
): Promise<void> {
  if (minFreeBytes === 0) return;
  const free = await freeBytes(folder).catch(() => undefined);
  const bytes = estimatedBytes(pages, quality);
  if (free === undefined || free - bytes >= minFreeBytes) return;
  const { setting } = free - bytes >= LOWER_MIN_FREE.bytes ? LOWER_MIN_FREE : { setting: false };
  throw new StorageError(
    'disk-full',
    `${name ?? `Chapter ${id}`} has about ${formatBytes(bytes)}, which would leave less than ${formatBytes(minFreeBytes)} of the ${formatBytes(free)} that are free on the disk of ${output}.`,
    {
      path: output,
      hint: `Free some space, or allow less free space: tankobon config set minFree ${setting}`,
    },
  );
}

async function prepareInWorkspace(
  workspace: Workspace,
  job: ChapterJob,
  deps: ChapterDeps,
  signal: AbortSignal,
): Promise<Preparation> {
  const { clock } = deps.loader;
  const { id, quality } = job;
  const fetchMetadata = () => fetchAtHomeMetadata(deps.client, id, signal);
  const request = job.takePrefetched?.() ?? {
    requestedAtMs: clock.monotonicMs(),
    metadata: fetchMetadata(),
  };
  const metadata = await request.metadata;
  if (await hasSamePages(job, metadata)) {
    await cleanUp(workspace, deps);
    return 'same-pages';
  }
  const { hash } = metadata;
  observeBaseUrl(id, metadata, deps);
  const names = pageFileNames(metadata, quality);
  if (names.length === 0)
    throw new ChapterError('chapter-empty', `The service lists no pages: chapter ${id}`);
  await checkSpace(dirname(workspace.folder), job, names.length, deps);
  const renew = async () => {
    const renewed = await fetchMetadata();
    assertSamePages(metadata, renewed, quality, id);
    observeBaseUrl(id, renewed, deps);
    return renewed;
  };
  const baseUrls = new BaseUrls(metadata, request.requestedAtMs, renew, clock);
  const expectedDigest = (page: number) => digestInFileName(names[page - 1] ?? '');
  await workspace.resume({ hash, quality, names }, expectedDigest, signal);
  const substitutes = substitutesOf(job.change, job.lostPages, metadata);
  await keepSavedPages(substitutes, names, workspace, signal);
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
  return {
    save: () => save(job, pages, { workspace, substitutes, count: names.length }, deps, signal),
  };
}

/** Has the same words for each chapter, so that a run says it once. */
export function sharedFolderWarning(output: string) {
  const message = `Another tankobon downloads to this folder too. This run waits for the chapters that it has begun, and skips what it saves: ${output}`;
  return { type: 'warning', message } as const;
}

/**
 * Whether the service has the pages of the file that the chapter is compared with, so that they are not loaded. A file that
 * is damaged counts as having none of them, and so does a chapter in a book with pages of another quality: it gets a file
 * of its own.
 */
export async function hasSamePages(
  { change, quality }: Pick<ChapterJob, 'change' | 'quality'>,
  metadata: AtHomeMetadata,
): Promise<boolean> {
  const compared = comparedFile(change);
  if (!compared) return false;
  const { file, saved } = compared;
  const isInBook = change.kind === 'extract';
  if (isInBook && (saved.quality ?? quality) !== quality) return false;
  const acceptsLost = quality === 'data-saver' || saved.acceptedPages !== undefined;
  if (saved.pages !== undefined || isInBook) return hasPages(saved, metadata, acceptsLost);
  const { readPageDigests } = await import('../../library/chapter-file.js');
  const pages = await readPageDigests({ file }, reusableBuffer()).catch(() => []);
  return hasPages({ ...saved, pages }, metadata);
}

function observeBaseUrl(chapter: string, { baseUrl }: AtHomeMetadata, { observe }: PageDeps): void {
  observe({ type: 'detail', chapter, message: `base URL ${baseUrl}` });
}

interface Loading {
  readonly workspace: Workspace;
  /** The number of pages. */
  readonly count: number;
  readonly substitutes: Substitutes;
}

async function save(
  job: ChapterJob,
  pages: readonly PageJob[],
  loading: Loading,
  deps: ChapterDeps,
  signal: AbortSignal,
): Promise<SavedChapter | 'same-pages'> {
  const { workspace, substitutes } = loading;
  const { kept, archiveFile: tmpFile } = workspace;
  const { id: chapter, comment } = job;
  // The workspace is private; its archive is for the folder of the chapter.
  const maxMode = maxModeIn(dirname(job.file));
  const options = { tmpFile, pages: pages.length, signal, comment, maxMode };
  const cbz = new CbzWriter(options);
  try {
    deps.observe({ type: 'chapter-started', chapter, pages: pages.length, kept: kept.size });
    const add = async (page: number, content?: Buffer) => {
      const loaded = kept.get(page);
      if (loaded) await cbz.add(page, loaded, content);
    };
    for (const page of kept.keys()) void add(page);
    const load = async (page: PageJob, stop: AbortSignal) => {
      const onKept = (content: Buffer | undefined) => add(page.page, content);
      const load = (each: PageJob) => loadPage({ ...each, onKept }, deps);
      await loadOrSubstitute({ ...page, signal: stop }, substitutes, workspace, load);
      // A page that was taken from the saved file has no bytes in memory.
      if (!cbz.has(page.page)) void add(page.page);
    };
    const missing = pages.filter(({ page }) => !kept.has(page));
    await loadAll(missing, load, signal);
    const digests = completePages(kept, pages.length, chapter).map(({ sha256 }) => sha256);
    const isSame = isAsSaved(substitutes, digests);
    const compressed = [...substitutes.used].sort((a, b) => a - b);
    if (compressed.length > 0) deps.observe(compressedWarning(job, compressed));
    const saved = isSame ? 'same-pages' : await finish(job, compressed, loading, cbz, signal);
    await cbz.discard();
    await cleanUp(workspace, deps);
    await removeOtherQuality(job, deps);
    return saved;
  } catch (error) {
    await cbz.discard();
    await workspace.close();
    throw error;
  }
}

/** The CBZ is written: a failure to clean up is only a warning. */
async function cleanUp(workspace: Workspace, { observe }: ChapterDeps): Promise<void> {
  try {
    await workspace.remove();
  } catch (error) {
    const reason = systemReason(error);
    observe({
      type: 'warning',
      message: `Cannot remove ${shownPath(workspace.folder)}: ${reason}`,
    });
  }
}

function compressedWarning({ id, name = `Chapter ${id}` }: ChapterJob, pages: readonly number[]) {
  const which = `${pages.length === 1 ? 'page' : 'pages'} ${pages.join(', ')}`;
  const message = `${name}: no node has ${which} as uploaded; compressed instead. Try again later with: --update`;
  return { type: 'warning', message } as const;
}

/** An unfinished download of the chapter in the other quality is not needed any more. It costs only space: failures are ignored. */
async function removeOtherQuality({ id, file, quality }: ChapterJob, { loader }: ChapterDeps) {
  for (const other of QUALITIES.filter((each) => each !== quality)) {
    const folder = join(dirname(file), workspaceName(id, other));
    if (await lstatIfExists(folder).catch(() => undefined))
      await Workspace.removeLeftover(folder, loader.clock).catch(() => undefined);
  }
}

/** Completes the archive that was written during the download. */
async function finish(
  job: ChapterJob,
  dataSaverPages: readonly number[],
  { workspace, count }: Loading,
  cbz: CbzWriter,
  signal: AbortSignal,
): Promise<SavedChapter> {
  const { id, file, output, change } = job;
  const replaces = replacedFile(change)?.file;
  const [removed] = change.kind === 'replace' ? change.removes : [];
  const pages = completePages(workspace.kept, count, id);
  const publish = async (tmpFile: string) => {
    await removeOther(tmpFile, job, signal);
    return change.kind === 'replace' && change.why === 'damaged'
      ? replaceDamaged(file, () => publishChapter(tmpFile, job))
      : publishChapter(tmpFile, job);
  };
  try {
    const dimensions = await cbz.dimensions();
    const sized = pages.map((page, index) => ({
      ...page,
      ...dimensions[index],
      ...(dataSaverPages.includes(page.page) && { isCompressed: true }),
    }));
    const description = await job.describe(sized);
    const { kept } = description;
    const saved = await cbz.finish(publish, description);
    const isRenamed = replaces !== undefined && replaces !== saved.file;
    const isLeft = async (path: string) =>
      (await lstatIfExists(path)) === undefined || (await isSameEntry(path, saved.file));
    const hasReplaced = isRenamed && (await isLeft(replaces));
    if (hasReplaced) await removeEmptyFolders(dirname(replaces), output);
    if (removed) await removeEmptyFolders(dirname(removed.file), output);
    return {
      pages: count,
      ...saved,
      ...(hasReplaced && { replacedFile: replaces }),
      ...(removed && { removedFile: removed.file }),
      ...(dataSaverPages.length > 0 && { dataSaverPages }),
      ...(kept.length > 0 && { kept }),
    };
  } catch (error) {
    throw toStorageError(error, file);
  }
}
