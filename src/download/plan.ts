/**
 * Plans a download: from the user's targets to the chapters to save, with their releases, names and paths. Catalogue
 * metadata is optional: without it, a chapter still becomes a CBZ.
 */
import type { LibraryIndex } from '../cbz/library-index.js';
import { scanIndexed } from '../cbz/library-cache.js';
import type { Chapter } from '../api/chapters.js';
import { fieldsById, type ChapterFields } from '../selection/chapter-fields.js';
import { resolveTargets, type Resolution, type Series } from '../selection/resolve-targets.js';
import type { Target } from '../selection/target.js';
import { firstMsOf } from '../selection/time-bound.js';
import type { Clock } from '../core/clock.js';
import type { TankobonError } from '../core/errors.js';
import { toStorageError } from '../core/files.js';
import type { TitleChapters } from '../formats/volume-completeness.js';
import type { DownloadRequest } from './download-request.js';
import type { UpdateEvent } from './events.js';
import { warnOfFiles } from './file-warnings.js';
import { findLeftovers } from './leftovers.js';
import { findTitleHomes, titlesToPlace, type FindHomesOptions } from './find-title-homes.js';
import { compareWithLibrary, planJobs, type JobOptions, type PlannedChapter } from './plan-jobs.js';
import {
  selectForPlan,
  type ChosenChapter,
  type PlanSelection,
  type SelectDeps,
} from './plan-selection.js';
import { inferPlanVolumes, type ListedVolumes } from './plan-volumes.js';
import { planUploads } from './plan-uploads.js';
import { prefetchSingleChapter } from './prefetch.js';
import { withReplaced } from './replaced-names.js';
import { preferSavedReleases } from './saved-releases.js';
import { findSuperseded } from './find-superseded.js';
import type { KnownChapters } from './saved-state.js';

export interface Plan extends Omit<PlanSelection, 'selected'> {
  readonly chapters: readonly PlannedChapter[];
  /** What killed runs left: workspaces of chapters that are already saved, and temporary files. */
  readonly leftovers: readonly string[];
  /** What is known of the chapters, by id. */
  readonly fields: ReadonlyMap<string, ChapterFields>;
  /** All releases of the titles that are targets, or in a list that is one. */
  readonly series: readonly (Series & TitleChapters)[];
  /** What volumes were inferred from, by the id of the title. */
  readonly listedVolumes: ListedVolumes;
  /** What a dry run says of existing chapters whose pages did not change. */
  readonly updates: readonly UpdateEvent[];
  /** Resolves when all metadata is loaded, with the error if one concerns the whole run. */
  readonly metadataError: Promise<TankobonError | undefined>;
}

export type PlanActivity = 'resolving' | 'scanning';

export interface PlanDeps extends SelectDeps {
  readonly history?: KnownChapters['history'];
  readonly clock: Clock;
  /** Has the index of the output folder. */
  readonly stateFolder: string;
  /** Request the delivery metadata of a single chapter as soon as it is sure to be downloaded. */
  readonly prefetches?: boolean;
  /** Called with what is done before the plan is complete. */
  readonly onActivity?: (activity: PlanActivity) => void;
}

/** Throws errors that concern the whole run: a rate limit, an unreachable service, an unreadable output folder. */
export async function planTargets(options: DownloadRequest, deps: PlanDeps): Promise<Plan> {
  const { output, filesToReplace: preferred, lostMarks } = options;
  const scanOptions = { signal: deps.signal, preferred, lostMarks };
  const libraryScan = scanIndexed(deps.stateFolder, output, scanOptions).catch((error: unknown) => {
    throw toStorageError(error, output);
  });
  // Awaited below; until then, a failure must not count as unhandled.
  libraryScan.catch(() => undefined);
  const prefetched = deps.prefetches
    ? prefetchSingleChapter(options, libraryScan, deps)
    : undefined;
  deps.onActivity?.('resolving');
  const resolved = await resolve(options, deps, prefetched?.onChapters);
  const infersVolumes = options.bind === 'volume' && options.infer;
  const { resolution, listedVolumes } = infersVolumes
    ? await inferPlanVolumes(resolved, options.selection, deps)
    : { resolution: resolved, listedVolumes: new Map() };
  const choice = await selectForPlan(resolution, options, deps);
  deps.onActivity?.('scanning');
  const library = await libraryScan;
  const found = { ...deps, library };
  const selection = preferSavedReleases(choice, resolution, options.selection, found);
  const uploads = await planUploads(selection.selected, resolution, library, options, deps);
  const { replacements } = uploads;
  const request = { ...options, replacements };
  const planned = await planSelected(uploads.selected, resolution, library, request, deps);
  // The others of a title are requested where they are needed.
  const complete = resolution.series.filter(({ isPartial = false }) => !isPartial);
  const series = complete.map((entry) => {
    const { numbersRestart = false, volumeCount } = resolution.titles.get(entry.titleId) ?? {};
    return { ...entry, numbersRestart, volumeCount };
  });
  return {
    ...planned,
    chapters: planned.chapters.map((chapter) => ({
      ...chapter,
      job: { ...chapter.job, takePrefetched: prefetched?.take },
    })),
    skipped: [
      ...selection.skipped.map((entry) => ({ file: library.find(entry.id)?.file, ...entry })),
      ...uploads.skipped,
      ...planned.skipped,
    ],
    excluded: selection.excluded,
    failed: selection.failed,
    fields: fieldsById(
      [...resolution.chapters, ...resolution.series.flatMap(({ chapters }) => chapters)],
      resolution.titles,
    ),
    series,
    listedVolumes,
  };
}

/** What is known of the titles of a plan. */
type KnownTitles = Pick<Resolution, 'titles' | 'series'> &
  Partial<Pick<Resolution, 'loadedTitles'>>;

/** The plan for chapters that are selected already. */
export async function planSelected(
  selected: readonly ChosenChapter[],
  { titles, series, loadedTitles = Promise.resolve({ titles, error: undefined }) }: KnownTitles,
  library: LibraryIndex,
  options: DownloadRequest & Pick<JobOptions, 'replacements'>,
  deps: Pick<PlanDeps, 'history' | 'warn' | 'client' | 'signal'>,
): Promise<Plan> {
  const saved = options.update ? await readExisting(selected, library, deps.signal) : undefined;
  const known = { library, history: deps.history, saved };
  const { missing, skipped, finished, kept } = compareWithLibrary(selected, known, options);
  const languages = new Set(selected.flatMap(({ chapter }) => chapter?.language ?? []));
  const nameChapter = options.nameChapter(languages.size > 1);
  const named = options.namesPeople ? await loadedTitles : { titles };
  const homes = options.metadata
    ? await findTitleHomes(
        titlesToPlace(missing, named.titles),
        library,
        { ...options, nameChapter, releases: releasesOf(series) },
        deps,
      )
    : undefined;
  const { superseded, replacements } = await findSuperseded(
    missing.filter((chosen) => !options.filesToReplace && isSavedAlready(chosen)),
    { titles: named.titles, series },
    library,
    options,
    deps,
  );
  const replacing = await withReplaced(
    missing,
    library,
    named.titles,
    { ...options, replacements },
    deps.signal,
  );
  const loading = { titles: named.titles, loadedTitles };
  const chapters = planJobs(replacing, library, loading, {
    ...options,
    replacements,
    superseded,
    nameChapter,
    homes,
  });
  warnOfFiles({ kept, chapters }, deps.warn);
  return {
    chapters,
    skipped,
    leftovers: findLeftovers(library, finished, options.quality),
    excluded: [],
    failed: [],
    fields: fieldsById(
      selected.flatMap(({ chapter }) => chapter ?? []),
      titles,
    ),
    series: [],
    listedVolumes: new Map(),
    updates: [],
    metadataError: loadedTitles.then(({ error }) => error),
  };
}

const isSavedAlready = ({ replaces, compared }: ChosenChapter) =>
  replaces !== undefined || compared !== undefined;

/** What the files of these chapters say of them: with `--update`, they are compared with the service. */
async function readExisting(
  selected: readonly ChosenChapter[],
  library: LibraryIndex,
  signal: AbortSignal,
): Promise<KnownChapters['saved']> {
  const { readSaved } = await import('./read-saved.js');
  const archives = selected.flatMap(({ id }) => library.find(id) ?? []);
  return readSaved(archives, signal);
}

function releasesOf(series: readonly Series[]): FindHomesOptions['releases'] {
  return new Map(
    series.flatMap(({ titleId, chapters }) =>
      chapters.map((chapter) => [chapter.id, { titleId, chapter }]),
    ),
  );
}

/** If metadata is turned off, chapters are not looked up: their ids suffice. */
async function resolve(
  { targets, metadata, selection: { languages, since } }: DownloadRequest,
  { client, warn, signal, nowMs }: PlanDeps,
  onChapters?: (chapters: readonly Chapter[]) => Promise<void>,
): Promise<Resolution> {
  const isWithoutMetadata = ({ kind }: Target) =>
    !metadata && (kind === 'chapter' || kind === 'any');
  const resolution = await resolveTargets(
    targets.filter((target) => !isWithoutMetadata(target)),
    { client, warn, signal, onChapters, languages, sinceMs: since && firstMsOf(since, nowMs) },
  );
  const unresolvedIds = targets.filter(isWithoutMetadata).map(({ id }) => id);
  const idsWithoutMetadata = [...resolution.idsWithoutMetadata, ...unresolvedIds];
  return { ...resolution, idsWithoutMetadata };
}
