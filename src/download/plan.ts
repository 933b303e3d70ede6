/**
 * Plans a download: from the user's targets to the chapters to save, with their releases, names and paths. Catalogue
 * metadata is optional: without it, a chapter still becomes a CBZ.
 */
import { type LibraryIndex, scanIndexed } from '../library/scan.js';
import type { Chapter } from '../service/chapters.js';
import { fieldsById, type ChapterFields } from '../selection/chapter-fields.js';
import { resolveTargets, type Resolution, type Series } from '../selection/resolve-targets.js';
import type { Target } from '../selection/target.js';
import { firstMsOf } from '../config/time-bound.js';
import type { TankobonError } from '../core/errors.js';
import { replacedFolders } from '../library/replaced-files.js';
import { toStorageError } from '../core/files.js';
import type { TitleChapters } from '../books/volume-completeness.js';
import type { DownloadSession } from './download-session.js';
import type { UpdateEvent } from './events.js';
import { warnOfFiles } from './file-warnings.js';
import { findLeftovers } from './leftovers.js';
import { findTitleHomes } from './find-title-homes.js';
import type { KnownTitles } from './known-title.js';
import { compareWithLibrary, planJobs, type PlannedChapter } from './plan-jobs.js';
import { selectForPlan, type ChosenChapter, type PlanSelection } from './plan-selection.js';
import { inferPlanVolumes, type ListedVolumes } from './plan-volumes.js';
import { planUploads, type ReplacedArchives } from './plan-uploads.js';
import { findPresent, type PresentChapter } from './present-chapters.js';
import { prefetchSingleChapter } from './prefetch.js';
import { withReplaced } from './replaced-names.js';
import { preferSavedReleases } from './saved-releases.js';
import type { KnownChapters } from './saved-state.js';

export interface Plan extends Omit<PlanSelection, 'selected'> {
  readonly chapters: readonly PlannedChapter[];
  /** The selected chapters whose files tankobon saved before. */
  readonly present: readonly PresentChapter[];
  /** What killed runs left: workspaces of chapters that are already saved, and temporary files. */
  readonly leftovers: readonly string[];
  /** Folders with files that were replaced. */
  readonly replacedFolders: readonly string[];
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

/**
 * Throws errors that concern the whole run: a rate limit, an unreachable service, an unreadable output folder.
 * `prefetches`: request the delivery metadata of a single chapter as soon as it is sure to be downloaded.
 */
export async function planTargets(
  session: DownloadSession,
  { prefetches = false } = {},
): Promise<Plan> {
  const { request, listeners, history } = session;
  const libraryScan = scanOutput(session);
  // Awaited below; until then, a failure must not count as unhandled.
  libraryScan.catch(() => undefined);
  const prefetched = prefetches ? prefetchSingleChapter(libraryScan, session) : undefined;
  listeners.onActivity?.('resolving');
  const resolved = await resolve(session, prefetched?.onChapters);
  listeners.onActivity?.('scanning');
  const library = await libraryScan;
  // The schemas of kept lists are slow to load.
  const { readKnownTitles } = await import('./known-title.js');
  const known = await readKnownTitles(titlesOf(resolved, request), library, session);
  const infersVolumes = request.bind === 'volume' && request.infer;
  const { resolution, listedVolumes } = infersVolumes
    ? await inferPlanVolumes(resolved, known, session)
    : { resolution: resolved, listedVolumes: new Map() };
  const choice = await selectForPlan(resolution, known, session);
  const selection = preferSavedReleases(choice, resolution, request.selection, {
    library,
    history,
    titles: known,
  });
  const { selected } = selection;
  const planned = await planSelected(
    selected,
    { ...resolution, known },
    library,
    undefined,
    session,
  );
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

async function scanOutput({ request, context, signal }: DownloadSession): Promise<LibraryIndex> {
  const { output, filesToReplace: preferred, lostMarks } = request;
  const options = { signal, preferred, lostMarks };
  return scanIndexed(context.paths.state, output, options).catch((error: unknown) => {
    throw toStorageError(error, output);
  });
}

function titlesOf(
  { series, titles }: Resolution,
  { selection: { languages } }: DownloadSession['request'],
) {
  return series.map(({ titleId, chapters: listed, isPartial }) => {
    return { titleId, title: titles.get(titleId), listed, isPartial, languages };
  });
}

/** The titles of a plan. */
interface PlannedTitles
  extends
    Pick<Resolution, 'titles' | 'series'>,
    Partial<Pick<Resolution, 'loadedTitles' | 'chapters'>> {
  readonly known: KnownTitles;
}

/**
 * The plan for chapters that are selected already.
 * @param replaced the archives that chapters replace, if that is decided already
 */
export async function planSelected(
  selected: readonly ChosenChapter[],
  planned: PlannedTitles,
  library: LibraryIndex,
  replaced: ReplacedArchives | undefined,
  session: DownloadSession,
): Promise<Plan> {
  const { request: options, context, history, signal, warn } = session;
  const { titles, series, known } = planned;
  const { loadedTitles = Promise.resolve({ titles, error: undefined }) } = planned;
  const saved = options.update ? await readExisting(selected, library, signal) : undefined;
  const compared = compareWithLibrary(selected, { library, history, saved }, options);
  const uploads = await planUploads(compared.missing, planned, known, library, replaced, session);
  const { missing, replacements, superseded } = uploads;
  const languages = new Set(selected.flatMap(({ chapter }) => chapter?.language ?? []));
  const nameChapter = options.nameChapter(languages.size > 1);
  const named = options.namesPeople ? await loadedTitles : { titles };
  const homes = options.metadata
    ? await findTitleHomes(missing, { titles: named.titles, series }, library, nameChapter, session)
    : undefined;
  const replacing = await withReplaced(
    missing,
    library,
    named.titles,
    { ...options, replacements },
    signal,
  );
  const loading = { titles: named.titles, loadedTitles };
  const present = findPresent(
    selected.flatMap(({ chapter }) => chapter ?? []),
    library,
    loadedTitles,
  );
  const { output, filesToReplace } = options;
  // A repair keeps the damaged files beside the new ones.
  const maxAgeMs = filesToReplace ? 0 : options.keepReplaced;
  const keep = { output, maxAgeMs, nowMs: context.clock.wallMs() };
  const chapters = planJobs(replacing, library, loading, {
    ...options,
    keep,
    replacements,
    superseded,
    nameChapter,
    homes,
  });
  warnOfFiles(compared.kept, chapters, warn);
  return {
    chapters,
    present,
    skipped: [...uploads.skipped, ...compared.skipped],
    leftovers: findLeftovers(library, compared.finished, options.quality),
    replacedFolders: replacedFolders(library.hiddenFolders),
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

/** If metadata is turned off, chapters are not looked up: their ids suffice. */
async function resolve(
  { request, client, warn, signal, context }: DownloadSession,
  onChapters?: (chapters: readonly Chapter[]) => Promise<void>,
): Promise<Resolution> {
  const { targets, metadata, selection } = request;
  const { languages, since } = selection;
  const sinceMs = since && firstMsOf(since, context.clock.wallMs());
  const isWithoutMetadata = ({ kind }: Target) =>
    !metadata && (kind === 'chapter' || kind === 'any');
  const resolution = await resolveTargets(
    targets.filter((target) => !isWithoutMetadata(target)),
    { client, warn, signal, onChapters, languages, sinceMs },
  );
  const unresolvedIds = targets.filter(isWithoutMetadata).map(({ id }) => id);
  const idsWithoutMetadata = [...resolution.idsWithoutMetadata, ...unresolvedIds];
  return { ...resolution, idsWithoutMetadata };
}
