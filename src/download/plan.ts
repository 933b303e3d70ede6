/**
 * From what a user named to the chapters to save: which releases, what each is called, where its CBZ goes, what
 * is on the shelf already. Metadata is wanted here and never needed: a service that has none still yields a CBZ.
 */
import { join, relative, sep } from 'node:path';
import { distinctPaths, type FormatFileName } from '../cbz/file-name.js';
import { formatIdentityComment } from '../cbz/identity.js';
import { scanLibrary, type LibraryIndex } from '../cbz/library-index.js';
import type { Chapter } from '../api/chapters.js';
import { comicMetadata, nameValues } from './comic-metadata.js';
import { resolveTargets, type Resolution } from '../selection/resolve-targets.js';
import {
  isEmpty,
  selectChapters,
  unavailableReason,
  type ExcludedChapter,
  type SelectionOptions,
} from '../selection/select-chapters.js';
import type { Target } from '../selection/target.js';
import type { Title } from '../api/titles.js';
import type { Quality } from '../image/page-url.js';
import { ChapterError, type TankobonError } from '../core/errors.js';
import { toStorageError } from '../core/files.js';
import type { ServiceClient } from '../api/client.js';
import type { ChapterJob } from './chapter.js';
import type { SkipReason } from './events.js';
import { prefetchSingleChapter } from './prefetch.js';
import type { KeptPage } from './workspace.js';

export interface PlanOptions {
  readonly targets: readonly Target[];
  /** The folder that the CBZ files go to; whatever lies below it is on the shelf. */
  readonly output: string;
  readonly quality: Quality;
  /** Load again what is there. */
  readonly force: boolean;
  /** Load again what is there in an older version. */
  readonly update: boolean;
  /** False: files are named by id, and hold no ComicInfo.xml. */
  readonly metadata: boolean;
  /** Gives each chapter its path below the output folder. */
  readonly nameChapter: FormatFileName;
  /** Which of the chapters of titles and lists. */
  readonly selection: SelectionOptions;
}

export interface PlannedChapter {
  readonly job: ChapterJob;
  readonly chapter: Chapter | undefined;
  /** With its people and covers, as soon as they are there. Never rejects. */
  readonly title: Promise<Title | undefined>;
  /** Why this release and no other, for a person. */
  readonly why: string;
}

export interface SkippedChapter {
  readonly id: string;
  readonly reason: SkipReason;
  /** Where it is, if it is there. */
  readonly file?: string;
}

export interface Plan {
  readonly chapters: readonly PlannedChapter[];
  readonly skipped: readonly SkippedChapter[];
  /** Releases that were not asked for, or given up for another of the same chapter. */
  readonly excluded: readonly ExcludedChapter[];
  /** What was asked for by name and cannot be had, each with why. */
  readonly failed: readonly { readonly id: string; readonly error: TankobonError }[];
  /** What of it is asked for still; resolves with what kept it from coming, if that concerns the run as a whole. */
  readonly metadataError: Promise<TankobonError | undefined>;
}

export interface PlanDeps {
  readonly client: ServiceClient;
  readonly warn: (message: string) => void;
  readonly nowMs: number;
  /** Told of a chapter that the plan will surely hold, while the rest of it is still asked for. */
  readonly prefetch?: (chapterId: string) => void;
  readonly signal: AbortSignal;
}

/** A chapter that is to be had, if it is not on the shelf. */
interface SelectedChapter {
  readonly id: string;
  readonly chapter: Chapter | undefined;
  readonly why: string;
}

/** Throws what concerns the run as a whole: a cooldown, an unreachable service, an output folder that cannot be read. */
export async function planChapters(wish: PlanOptions, parts: PlanDeps): Promise<Plan> {
  const { nameChapter } = wish;
  const shelfScan = scanLibrary(wish.output, parts.signal).catch((error: unknown) => {
    throw toStorageError(error, wish.output);
  });
  // Awaited below; a failure must not count as unhandled while the service is asked.
  shelfScan.catch(() => undefined);
  const onNamed = prefetchSingleChapter(wish, shelfScan, parts);
  const resolution = await resolve(wish, parts, onNamed);
  const { wanted, skipped, passedOver, lost } = choose(resolution, wish, parts);
  const shelf = await shelfScan;
  const missing: (SelectedChapter & { readonly replaces?: string })[] = [];
  for (const one of wanted) {
    const there = shelf.find(one.id);
    const isNewer = (one.chapter?.version ?? 0) > (there?.version ?? Number.POSITIVE_INFINITY);
    if (!there) missing.push(one);
    else if (wish.force || (isNewer && wish.update)) missing.push({ ...one, replaces: there.file });
    else
      skipped.push({
        id: one.id,
        reason: isNewer ? 'newer-version' : 'already-there',
        file: there.file,
      });
  }
  const findTitle = (titles: ReadonlyMap<string, Title>, chapter: Chapter | undefined) =>
    titles.get(chapter?.titleId ?? '') ?? chapter?.partialTitle;
  const paths = distinctPaths(
    missing.map(({ id, chapter }) => ({
      chapterId: id,
      path:
        chapter && wish.metadata
          ? nameChapter(nameValues(chapter, findTitle(resolution.titles, chapter)))
          : `${id}.cbz`,
    })),
    takenPaths(shelf, wish),
  );
  const damaged = new Set(shelf.damaged.map(({ file }) => file));
  const chapters = missing.map(({ id, chapter, why, replaces }, index): PlannedChapter => {
    const file = replaces ?? join(wish.output, paths[index] ?? `${id}.cbz`);
    const title = resolution.fullTitles.then(({ titles }) => findTitle(titles, chapter));
    const replace = wish.force || replaces !== undefined || damaged.has(file);
    return { job: jobOf({ id, chapter, title, file, replace }, wish), chapter, title, why };
  });
  const rest = resolution.fullTitles.then(({ error }) => error);
  return { chapters, skipped, excluded: passedOver, failed: lost, metadataError: rest };
}

/** Without metadata a chapter is its id, and nothing is asked of the catalogue for it. */
async function resolve(
  wish: PlanOptions,
  { client, warn, signal }: PlanDeps,
  onNamed: (chapters: readonly Chapter[]) => void,
): Promise<Resolution> {
  const isBare = ({ kind }: Target) => !wish.metadata && (kind === 'chapter' || kind === 'any');
  const { languages } = wish.selection;
  const found = await resolveTargets(
    wish.targets.filter((target) => !isBare(target)),
    { client, warn, signal, onChapters: onNamed, ...(languages.length > 0 && { languages }) },
  );
  return {
    ...found,
    idsWithoutMetadata: [
      ...found.idsWithoutMetadata,
      ...wish.targets.filter(isBare).map(({ id }) => id),
    ],
  };
}

/** Each chapter once: those named themselves first, then those of series, in reading order. */
function choose(
  {
    chapters: named,
    series,
    titles,
    unusableTitleIds,
    idsWithoutMetadata: bare,
    failures: lost,
  }: Resolution,
  wish: PlanOptions,
  { nowMs }: PlanDeps,
) {
  const wanted = new Map<string, SelectedChapter>();
  const skipped: SkippedChapter[] = [];
  const passedOver: ExcludedChapter[] = [];
  const refused: { id: string; error: TankobonError }[] = lost.map(({ target, error }) => ({
    id: target.id,
    error,
  }));
  // Without its title a chapter's metadata would name a file that chapters of any title could have.
  const described = (chapter: Chapter): Chapter | undefined =>
    chapter.partialTitle || !unusableTitleIds.has(chapter.titleId ?? '') ? chapter : undefined;
  for (const chapter of named) {
    const error = whyNot(chapter, nowMs);
    if (isEmpty(chapter)) skipped.push({ id: chapter.id, reason: 'chapter-unavailable' });
    else if (error) refused.push({ id: chapter.id, error });
    else wanted.set(chapter.id, { id: chapter.id, chapter: described(chapter), why: 'named' });
  }
  for (const id of bare) wanted.set(id, { id, chapter: undefined, why: 'named' });
  const refusedIds = new Set(refused.map(({ id }) => id));
  for (const { titleId, chapters } of series) {
    const numbersRestart = titles.get(titleId)?.numbersRestart ?? false;
    const selection = selectChapters(chapters, wish.selection, { nowMs, numbersRestart });
    for (const { chapter, explanation: why } of selection.selected) {
      if (!wanted.has(chapter.id))
        wanted.set(chapter.id, { id: chapter.id, chapter: described(chapter), why });
    }
    for (const one of selection.excluded) {
      const { chapter, reason: because } = one;
      if (
        because === 'chapter-external' ||
        because === 'chapter-unavailable' ||
        because === 'chapter-unpublished'
      ) {
        if (!refusedIds.has(chapter.id)) skipped.push({ id: chapter.id, reason: because });
      } else passedOver.push(one);
    }
  }
  return { wanted: [...wanted.values()], skipped, passedOver, lost: refused };
}

/** Why a chapter that was asked for by name cannot be had, as far as its metadata tell. */
function whyNot(chapter: Chapter, nowMs: number): ChapterError | undefined {
  const reason = unavailableReason(chapter, nowMs);
  if (!reason) return undefined;
  const code = reason.reason === 'chapter-external' ? 'chapter-external' : 'chapter-unavailable';
  return new ChapterError(
    code,
    `Chapter ${chapter.id} has no pages to load: ${reason.explanation}.`,
  );
}

/** Paths that belong to other chapters, or to somebody else's archives. */
function takenPaths(shelf: LibraryIndex, wish: PlanOptions): string[] {
  const files = [...shelf.archives.map(({ file }) => file), ...shelf.unidentified];
  return files.map((file) => relative(wish.output, file).split(sep).join('/'));
}

interface Found {
  readonly id: string;
  readonly chapter: Chapter | undefined;
  readonly title: Promise<Title | undefined>;
  readonly file: string;
  readonly replace: boolean;
}

function jobOf(
  { id, chapter, title, file, replace }: Found,
  { quality, metadata, output }: PlanOptions,
): ChapterJob {
  const version = chapter && { version: chapter.version };
  return {
    id,
    file,
    output,
    quality,
    replace,
    comment: formatIdentityComment({ chapterId: id, quality, ...version }),
    ...(chapter &&
      metadata && {
        comicInfo: (pages: readonly KeptPage[]) => comicInfoOf(chapter, title, pages),
      }),
  };
}

async function comicInfoOf(
  chapter: Chapter,
  title: Promise<Title | undefined>,
  pages: readonly KeptPage[],
): Promise<string> {
  const { comicInfoXml } = await import('../cbz/comic-info.js');
  const { imageDimensionsOfFile: pictureSizeOfFile } = await import('../image/dimensions.js');
  const sized = [];
  // One after another: so no more than one beginning of a page is in memory.
  for (const { file, bytes } of pages) sized.push({ bytes, ...(await pictureSizeOfFile(file)) });
  return comicInfoXml(comicMetadata(chapter, await title, sized));
}
