/**
 * Plans a download: from the user's targets to the chapters to save, with their releases, names and paths. Catalogue
 * metadata is optional: without it, a chapter still becomes a CBZ.
 */
import { join, relative, sep } from 'node:path';
import { distinctPaths, type FormatFileName } from '../cbz/file-name.js';
import { formatIdentityComment } from '../cbz/identity.js';
import { scanLibrary, type LibraryIndex } from '../cbz/library-index.js';
import type { Chapter } from '../api/chapters.js';
import { comicMetadata, nameValues, type VolumeField } from './comic-metadata.js';
import { resolveTargets, type Resolution, type Series } from '../selection/resolve-targets.js';
import type { ExcludedChapter } from '../selection/select-chapters.js';
import type { Target } from '../selection/target.js';
import type { Title } from '../api/titles.js';
import type { Quality } from '../image/page-url.js';
import type { TankobonError } from '../core/errors.js';
import { toStorageError } from '../core/files.js';
import type { ChapterJob } from './chapter.js';
import { findLeftovers } from './leftovers.js';
import {
  selectForPlan,
  type ChosenChapter,
  type SelectDeps,
  type SelectOptions,
  type SkippedChapter,
} from './plan-selection.js';
import { prefetchSingleChapter } from './prefetch.js';
import type { KeptPage } from './workspace.js';

export interface PlanOptions extends SelectOptions {
  readonly targets: readonly Target[];
  /** The folder for the CBZ files. Archives anywhere below it count as existing. */
  readonly output: string;
  readonly quality: Quality;
  /** Download existing chapters again. */
  readonly force: boolean;
  /** Download existing chapters again if the service has a newer version. */
  readonly update: boolean;
  /** False: files are named by id and contain no ComicInfo.xml. */
  readonly metadata: boolean;
  readonly volumeField: VolumeField;
  /** Returns a chapter's path below the output folder; `hasLanguages`: the run has chapters in several languages. */
  readonly nameChapter: (hasLanguages: boolean) => FormatFileName;
  /** The targets as already resolved; without it, the service is asked. */
  readonly resolution?: Resolution;
  /** Archives of other releases whose names may be taken over, by the id of the chapter that replaces each. */
  readonly replacements?: ReadonlyMap<string, ReplacedArchive>;
}

export interface ReplacedArchive {
  readonly chapterId: string;
  readonly file: string;
}

export type { SkippedChapter } from './plan-selection.js';

export interface PlannedChapter {
  readonly job: ChapterJob;
  readonly chapter: Chapter | undefined;
  /** For people; undefined without metadata. */
  readonly seriesName: string | undefined;
  /** With its people and covers, once they are loaded. Never rejects. */
  readonly title: Promise<Title | undefined>;
  /** Why this release was selected, for people. */
  readonly why: string;
}

export interface PlannedSeries extends Series {
  readonly numbersRestart: boolean;
  readonly volumeCount: number | undefined;
}

export interface Plan {
  readonly chapters: readonly PlannedChapter[];
  readonly skipped: readonly SkippedChapter[];
  /** What killed runs left: workspaces of chapters that are already saved, and temporary files. */
  readonly leftovers: readonly string[];
  /** Releases that the selection excludes. */
  readonly excluded: readonly ExcludedChapter[];
  /** Targets that are not available. */
  readonly failed: readonly { readonly id: string; readonly error: TankobonError }[];
  /** All releases of the titles that are targets, or in a list that is one. */
  readonly series: readonly PlannedSeries[];
  /** Resolves when all metadata is loaded, with the error if one concerns the whole run. */
  readonly metadataError: Promise<TankobonError | undefined>;
}

export type PlanActivity = 'resolving' | 'scanning';

export interface PlanDeps extends SelectDeps {
  /** The existing archives; without it, the output folder is scanned. */
  readonly library?: LibraryIndex;
  /** Chapters that count as downloaded although their archives may be missing. */
  readonly history?: { readonly has: (chapterId: string) => boolean };
  /** Called with the only chapter of a run as soon as it is sure to be downloaded. */
  readonly prefetch?: (chapterId: string) => void;
  readonly onActivity?: (activity: PlanActivity) => void;
}

/** Throws errors that concern the whole run: a rate limit, an unreachable service, an unreadable output folder. */
export async function planChapters(options: PlanOptions, deps: PlanDeps): Promise<Plan> {
  const libraryScan = deps.library
    ? Promise.resolve(deps.library)
    : scanLibrary(options.output, { signal: deps.signal }).catch((error: unknown) => {
        throw toStorageError(error, options.output);
      });
  // Awaited below; until then, a failure must not count as unhandled.
  libraryScan.catch(() => undefined);
  const onChapters = prefetchSingleChapter(options, libraryScan, deps);
  deps.onActivity?.('resolving');
  const resolution = options.resolution ?? (await resolve(options, deps, onChapters));
  const { selected, skipped, excluded, failed } = await selectForPlan(resolution, options, deps);
  deps.onActivity?.('scanning');
  const library = await libraryScan;
  const missing: ChosenChapter[] = [];
  const finished: string[] = [];
  for (const one of selected) {
    const existing = library.find(one.id);
    const isNewer = (one.chapter?.version ?? 0) > (existing?.version ?? Number.POSITIVE_INFINITY);
    if (!existing && !options.force && deps.history?.has(one.id) === true)
      skipped.push({ id: one.id, reason: 'in-download-archive' });
    else if (!existing) missing.push(one);
    else if (options.force || (isNewer && options.update))
      // A bound file keeps its other chapters: the chapter gets a file of its own.
      missing.push(existing.isBound ? one : { ...one, replaces: existing.file });
    else {
      const reason = isNewer ? 'newer-version' : 'already-there';
      skipped.push({ id: one.id, reason, file: existing.file });
      // The pages of an unfinished newer version are kept.
      if (!isNewer) finished.push(one.id);
    }
  }
  const languages = new Set(selected.flatMap(({ chapter }) => chapter?.language ?? []));
  const nameChapter = options.nameChapter(languages.size > 1);
  const chapters = planJobs(missing, library, resolution, { ...options, nameChapter });
  const metadataError = resolution.fullTitles.then(({ error }) => error);
  const leftovers = findLeftovers(library, finished, options.quality);
  const series = resolution.series.map((one) => {
    const { numbersRestart = false, volumeCount } = resolution.titles.get(one.titleId) ?? {};
    return { ...one, numbersRestart, volumeCount };
  });
  return { chapters, skipped, leftovers, excluded, failed, series, metadataError };
}

/** Without metadata, chapters are known by their id alone and the catalogue is not asked. */
async function resolve(
  { targets, metadata, selection: { languages } }: PlanOptions,
  { client, warn, signal }: PlanDeps,
  onChapters: (chapters: readonly Chapter[]) => void,
): Promise<Resolution> {
  const isBare = ({ kind }: Target) => !metadata && (kind === 'chapter' || kind === 'any');
  const resolution = await resolveTargets(
    targets.filter((target) => !isBare(target)),
    { client, warn, signal, onChapters, languages: languages.length > 0 ? languages : undefined },
  );
  const bareIds = targets.filter(isBare).map(({ id }) => id);
  const idsWithoutMetadata = [...resolution.idsWithoutMetadata, ...bareIds];
  return { ...resolution, idsWithoutMetadata };
}

function planJobs(
  selected: readonly ChosenChapter[],
  library: LibraryIndex,
  { titles, fullTitles }: Resolution,
  options: Omit<PlanOptions, 'nameChapter'> & { readonly nameChapter: FormatFileName },
): PlannedChapter[] {
  const { output, quality, metadata } = options;
  const findTitle = (known: ReadonlyMap<string, Title>, chapter: Chapter | undefined) =>
    known.get(chapter?.titleId ?? '') ?? chapter?.partialTitle;
  const candidates = selected.map(({ id, chapter }) => ({
    chapterId: id,
    path:
      chapter && metadata
        ? options.nameChapter(nameValues(chapter, findTitle(titles, chapter)))
        : `${id}.cbz`,
  }));
  const replaced = [...(options.replacements?.values() ?? [])].map(({ file }) => file);
  const paths = distinctPaths(candidates, existingPaths(library, output, new Set(replaced)));
  const damaged = new Set(library.damaged.map(({ file }) => file));
  return selected.map(({ id, chapter, why, replaces }, index) => {
    const file = replaces ?? join(output, paths[index] ?? `${id}.cbz`);
    const title = fullTitles.then((full) => findTitle(full.titles, chapter));
    const job: ChapterJob = {
      id,
      file,
      output,
      quality,
      replace: options.force || replaces !== undefined || damaged.has(file),
      replacesChapter: options.replacements?.get(id)?.chapterId,
      comment: formatIdentityComment({ chapterId: id, quality, version: chapter?.version }),
      comicInfo:
        chapter && metadata
          ? (pages) => createComicInfo(chapter, title, pages, options.volumeField)
          : undefined,
    };
    return { job, chapter, seriesName: findTitle(titles, chapter)?.name, title, why };
  });
}

/** The paths of all existing archives, also of those that tankobon did not write. */
function existingPaths(
  library: LibraryIndex,
  output: string,
  replaced: ReadonlySet<string>,
): string[] {
  const files = [...library.archives.map(({ file }) => file), ...library.unidentified];
  return files
    .filter((file) => !replaced.has(file))
    .map((file) => relative(output, file).split(sep).join('/'));
}

async function createComicInfo(
  chapter: Chapter,
  title: Promise<Title | undefined>,
  pages: readonly KeptPage[],
  volumeField: VolumeField,
): Promise<string> {
  const { comicInfoXml } = await import('../cbz/comic-info.js');
  const { imageDimensionsOfFile } = await import('../image/dimensions.js');
  const sized = [];
  // One after another: so only the beginning of one page is in memory.
  for (const { file, bytes } of pages)
    sized.push({ bytes, ...(await imageDimensionsOfFile(file)) });
  return comicInfoXml(comicMetadata(chapter, await title, sized, volumeField));
}
