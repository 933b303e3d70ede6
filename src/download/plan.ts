/**
 * Plans a download: from the user's targets to the chapters to save, with their releases, names and paths. Catalogue
 * metadata is optional: without it, a chapter still becomes a CBZ.
 */
import { setImmediate } from 'node:timers/promises';
import { basename, dirname } from 'node:path';
import type { LibraryIndex } from '../library/scan.js';
import { scanLibrary } from '../library/scan.js';
import { chapterComment } from '../library/mark.js';
import type { FoundChapter } from '../library/file.js';
import { keptReason } from '../library/ownership.js';
import { replacedFile, whyLoaded, type Skip, type Write } from '../plan/change.js';
import { writesOf, type Decided, type DecisionOptions } from '../plan/decide.js';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { chapterFields, fieldsById } from '../selection/chapter-fields.js';
import { chapterName, type ChapterFields } from '../events/chapter-fields.js';
import { excludedGroup } from '../selection/exclusions.js';
import { resolveTargets, type Resolution } from '../selection/resolve-targets.js';
import type { ExcludedChapter } from '../selection/select-chapters.js';
import type { Target } from '../selection/target.js';
import { firstMsOf } from '../config/time-bound.js';
import type { TankobonError } from '../core/errors.js';
import { OTHER_USER_HINT, toStorageError } from '../core/files.js';
import { groupBy } from '../core/group-by.js';
import { warnOfForbidden } from '../core/read-folder.js';
import { accessHint } from '../core/system-errors.js';
import { shellQuoted } from '../core/shell-quoted.js';
import type { TitleChapters } from '../books/volume-completeness.js';
import {
  findChapterless,
  placeChapterless,
  standIn,
  type ChapterlessTitle,
} from './extras/chapterless-titles.js';
import { failedEvent, type FailedTarget } from './download-result.js';
import type { DownloadRequest } from './download-request.js';
import type { DownloadSession } from './download-session.js';
import type { KnownTitle } from './known-title.js';
import type { DRY_RUN_EVENTS, SkippedEvent, UpdateEvent } from '../events/download-events.js';
import type { EventsOf } from '../events/fields.js';
import { minTimeMs } from '../service/estimate.js';
import { extrasOwner } from './extras/extras-owner.js';
import { findLeftovers } from './leftovers.js';
import { findTitle, nameValues, titleIdOf, withInferredVolume } from './planning/comic-metadata.js';
import { describeChapter } from './save/describe-chapter.js';
import type { ChapterJob } from './save/chapter.js';
import { findTitleHomes, nameFiles, withHome, type Naming } from './planning/name-files.js';
import { failedTargets, selectForPlan } from './planning/plan-selection.js';
import { inferPlanVolumes, type ListedVolumes } from './planning/plan-volumes.js';
import { findPresent, type PresentChapter } from './extras/present-chapters.js';
import { prefetchSingleChapter } from './planning/prefetch.js';

export interface PlannedChapter {
  readonly job: ChapterJob;
  readonly chapter: Chapter | undefined;
  /** For people; undefined without metadata. */
  readonly seriesName: string | undefined;
  /** The values for a template, once more when the title is loaded; undefined without metadata. */
  readonly nameValues: ((title: Title | undefined) => ReturnType<typeof nameValues>) | undefined;
  /** With its people and covers, once they are loaded. Never rejects. */
  readonly title: Promise<Title | undefined>;
}

export interface Plan {
  readonly chapters: readonly PlannedChapter[];
  readonly skipped: readonly Skip[];
  /** Releases that the selection excludes. */
  readonly excluded: readonly ExcludedChapter[];
  readonly failed: readonly FailedTarget[];
  /** The selected chapters whose files tankobon saved before. */
  readonly present: readonly PresentChapter[];
  /** Titles without chapters there, which get covers and metadata all the same. */
  readonly chapterless: readonly ChapterlessTitle[];
  /** What killed runs left: workspaces of chapters that are already saved, and temporary files. */
  readonly leftovers: readonly string[];
  /** The hidden folders of the output folder: files that were replaced are kept in some of them. */
  readonly hiddenFolders: readonly string[];
  /** What is known of the chapters, by id. */
  readonly fields: ReadonlyMap<string, ChapterFields>;
  /** All releases of the titles that are targets, or in a list that is one. */
  readonly series: readonly (Resolution['series'][number] & TitleChapters)[];
  /** What volumes were inferred from, by the id of the title. */
  readonly listedVolumes: ListedVolumes;
  /** What a dry run says of existing chapters whose pages did not change. */
  readonly updates: readonly UpdateEvent[];
  /** Resolves when all metadata is loaded, with the error if one concerns the whole run. */
  readonly metadataError: Promise<TankobonError | undefined>;
}

/** Turns of the event loop in which the request gets its permit, connects and is written. */
const TURNS_BEFORE_SCAN = 3;

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
  const savesChapters = request.chapterFiles !== false;
  const prefetched =
    prefetches && savesChapters ? prefetchSingleChapter(libraryScan, session) : undefined;
  listeners.onActivity?.('resolving');
  const resolved = await resolve(session, prefetched?.onChapters);
  listeners.onActivity?.('scanning');
  const library = await libraryScan;
  if (!savesChapters) return planWithoutChapters(resolved, library, session);
  // The schemas of kept lists are slow to load.
  const { decideChanges, readKnownTitles } = await import('./known-title.js');
  const known = await readKnownTitles(titlesOf(resolved, request), library, session);
  const infersVolumes = request.bind === 'volume' && request.infer;
  const { resolution, listedVolumes } = infersVolumes
    ? await inferPlanVolumes(resolved, known, session)
    : { resolution: resolved, listedVolumes: new Map() };
  const selection = await selectForPlan(resolution, known, session);
  const files = { library, history };
  const decidedAlone = await decideChanges(selection, toDecisionOptions(session), files, session);
  const { askForOtherReleases } = await import('./planning/other-releases.js');
  const changes = await askForOtherReleases(
    decidedAlone.changes,
    selection.named,
    library,
    session,
  );
  const decided = { ...decidedAlone, changes };
  const planned = await planChanges(decided, { ...resolution, known }, library, session);
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
      ...selection.skipped.map((each) => ({ ...each, file: library.find(each.id)?.file })),
      ...planned.skipped,
    ],
    excluded: decided.excluded,
    failed: selection.failed,
    fields: fieldsById(
      [...resolution.chapters, ...resolution.series.flatMap(({ chapters }) => chapters)],
      resolution.titles,
    ),
    series,
    listedVolumes,
  };
}

/** For `--no-chapters`: the titles of all targets, with the chapters that are there, whatever the selection is. */
async function planWithoutChapters(
  resolution: Resolution,
  library: LibraryIndex,
  session: DownloadSession,
): Promise<Plan> {
  const { chapters, series } = resolution;
  const listed = new Set(series.map(({ titleId }) => titleId));
  const ofChapters = [...groupBy(chapters, (chapter) => titleIdOf(chapter) ?? '')]
    .filter(([titleId]) => titleId !== '' && !listed.has(titleId))
    .map(([titleId, ofTitle]) => ({ titleId, chapters: ofTitle }));
  const all = [...series, ...ofChapters];
  const releases = all.flatMap((each) => each.chapters);
  // The titles of chapters may still be loading.
  const { titles } = await resolution.loadedTitles;
  const planned = { ...resolution, titles, series: all, known: new Map() };
  const plan = await planChanges({ changes: [], chosen: releases }, planned, library, session);
  return { ...plan, failed: failedTargets(resolution) };
}

/** A better release is saved beside another one; `--update` replaces only what changed, or was deleted and uploaded again. */
function toDecisionOptions({ request, context }: DownloadSession): DecisionOptions {
  const { selection, update, force = false, repairs } = request;
  return {
    selection,
    update,
    force: repairs ?? force,
    better: 'beside',
    blocked: undefined,
    waitForGroupMs: 0,
    countsAsSaved: () => false,
    isUnwanted: (chapter) => excludedGroup(chapter, selection) !== undefined,
    nowMs: context.clock.wallMs(),
  };
}

async function scanOutput({
  request,
  context,
  signal,
  warn,
}: DownloadSession): Promise<LibraryIndex> {
  const { output, repairs: preferred } = request;
  const lostMarks = new Map(
    [...(preferred ?? [])].flatMap(([file, { lostMark }]) => (lostMark ? [[file, lostMark]] : [])),
  );
  const onUnreadableFolder = warnOfForbidden(warn);
  const stateFolder = context.paths.state;
  const options = { stateFolder, signal, preferred, lostMarks, onUnreadableFolder };
  // Loading the code of a scan would hold up the first request.
  for (let turn = 0; turn < TURNS_BEFORE_SCAN; turn += 1) await setImmediate();
  return scanLibrary(output, options).catch((error: unknown) => {
    throw toStorageError(error, output);
  });
}

function titlesOf(
  { series, titles }: Resolution,
  { selection: { languages } }: DownloadSession['request'],
) {
  return series.map(({ titleId, chapters: listed, isPartial, formerIds }) => {
    return { titleId, title: titles.get(titleId), listed, isPartial, languages, formerIds };
  });
}

/** The titles of a plan. */
type PlannedTitles = Pick<Resolution, 'titles' | 'series'> &
  Partial<Pick<Resolution, 'loadedTitles'>> & {
    readonly known: ReadonlyMap<string, Pick<KnownTitle, 'keys' | 'movedIds' | 'movedFiles'>>;
  };

/**
 * The plan for what is decided: the names of the files, and what else the run does. The folders of the chosen chapters may
 * lack covers and metadata.
 */
export async function planChanges(
  { changes, chosen }: Pick<Decided, 'changes' | 'chosen'>,
  planned: PlannedTitles,
  library: LibraryIndex,
  session: DownloadSession,
): Promise<Plan> {
  const { request: options, context, signal, warn } = session;
  const { titles, series, known } = planned;
  const movedIds = new Set([...known.values()].flatMap((title) => [...title.movedIds]));
  const movedFiles = new Set([...known.values()].flatMap((title) => title.movedFiles));
  const { loadedTitles = Promise.resolve({ titles, error: undefined }) } = planned;
  const writes = writesOf(changes);
  const skipped = changes.filter((change) => change.kind === 'skip');
  const kept = changes.filter((change) => change.kind === 'keep');
  const languages = new Set(chosen.map(({ language }) => language));
  const nameTemplates = options.templatesWithin(library.maxNameBytes);
  const nameChapter = nameTemplates(languages.size > 1);
  const loaded = options.namesPeople ? await loadedTitles : { titles };
  const named = { titles: withKnownRestarts(loaded.titles, known) };
  const present = findPresent(chosen, library, loadedTitles);
  const nowMs = context.clock.wallMs();
  const chapterless = findChapterless(
    { series, titles: named.titles },
    new Set(present.flatMap(({ chapter }) => titleIdOf(chapter) ?? [])),
    library,
    options,
    nowMs,
  );
  const { languages: preferred } = options.selection;
  const { state: stateFolder } = context.paths;
  const homes = options.metadata
    ? await findTitleHomes(
        [
          ...writes.flatMap(({ release }) => release.chapter ?? []),
          ...chapterless.map((title) => standIn(title, preferred)),
        ],
        { titles: named.titles, series },
        library.without(movedFiles),
        nameChapter,
        { ...session, extrasOwner: (folder) => extrasOwner(folder, stateFolder) },
      )
    : undefined;
  const naming = {
    ...options,
    library,
    titles: named.titles,
    nameTemplates,
    nameChapter,
    homes,
    movedIds,
  };
  const placed = await nameFiles(writes, naming, signal);
  // A repair keeps the damaged files beside the new ones.
  const maxAgeMs = options.repairs ? 0 : options.keepReplaced;
  const keep = { output: options.output, maxAgeMs, nowMs };
  warnOfFiles([...kept, ...placed.kept], placed.writes, options.output, warn);
  warnOfUnreadable(library.damaged, placed, options.output, warn);
  // What has no file has no workspace that is finished.
  const finished = skipped.flatMap(({ id: chapterId, reason }) => {
    const archive = reason === 'already-there' ? library.find(chapterId) : undefined;
    return archive ? [{ chapterId, quality: archive.quality ?? options.quality }] : [];
  });
  return {
    chapters: placed.writes.map((change) => planJob(change, { ...naming, loadedTitles, keep })),
    skipped,
    present,
    chapterless: await placeChapterless(chapterless, naming, {
      languages: preferred,
      loadedTitles,
      stateFolder,
      warn,
    }),
    leftovers: findLeftovers(library, finished),
    hiddenFolders: library.hiddenFolders,
    excluded: [],
    failed: [],
    fields: fieldsById(chosen, titles),
    series: [],
    listedVolumes: new Map(),
    updates: [],
    metadataError: loadedTitles.then(({ error }) => error),
  };
}

/** `keep`: how replaced files are kept. */
type JobOptions = Omit<DownloadRequest, keyof Naming> &
  Naming &
  Pick<Resolution, 'loadedTitles'> &
  Pick<ChapterJob, 'keep'>;

/** The job for a chapter that is written. */
function planJob(change: Write, options: JobOptions): PlannedChapter {
  const { output, quality, lostPages, metadata, loadedTitles, titles, force = false } = options;
  const { release, path } = change;
  const { id, chapter } = release;
  const seriesName = findTitle(titles, chapter)?.name;
  // The files have the name that the title had when its folder was made.
  const series = change.kind === 'save' ? undefined : change.series;
  const asInFolder = (title: Title | undefined) =>
    title && series !== undefined ? { ...title, name: series } : withHome(title, chapter, options);
  const title = loadedTitles.then((loaded) => asInFolder(findTitle(loaded.titles, chapter)));
  const job: ChapterJob = {
    id,
    name: chapter && chapterName(chapterFields(chapter, seriesName)),
    file: path,
    output,
    quality,
    lostPages,
    change,
    isForced: force,
    maxNameBytes: options.library.maxNameBytes,
    repairs: options.repairs?.get(replacedFile(change)?.file ?? path),
    keep: options.keep,
    comment: chapterComment(id),
    describe: async (pages, inferredVolume) =>
      describeChapter({
        id,
        quality,
        chapter: chapter && withInferredVolume(chapter, inferredVolume),
        pages,
        named: chapter && metadata ? { title: await title, recorded: change.recorded } : undefined,
        fields: options,
        book: change.kind === 'extract' ? change.book.file : undefined,
        // A repair writes the files anew, and its owner's edits stay.
        editedFiles: force && !options.repairs ? [] : editedFiles(change),
      }),
  };
  const valuesOf =
    chapter && ((loaded: Title | undefined) => nameValues(chapter, loaded ?? chapter.partialTitle));
  return { job, chapter, seriesName, nameValues: valuesOf, title };
}

/** The edits in an older upload are the owner's too. */
function editedFiles(change: Write): readonly string[] {
  if (change.kind === 'save') return [];
  const others = change.removes.map(({ file }) => file);
  return change.kind === 'replace' ? [change.file.file, ...others] : others;
}

/** The titles, with what their volumes show of numbers that begin again. */
function withKnownRestarts(
  titles: ReadonlyMap<string, Title>,
  known: PlannedTitles['known'],
): ReadonlyMap<string, Title> {
  const entries = [...titles].map(([id, title]) => {
    const { numbersRestart = title.numbersRestart } = known.get(id)?.keys ?? {};
    return [id, { ...title, numbersRestart }] as const;
  });
  return new Map(entries);
}

type Warn = DownloadSession['warn'];

function keptHint(file: string, ownership: FoundChapter['ownership']): string {
  if (ownership === 'other-user') return OTHER_USER_HINT;
  if (ownership === 'lost-mark')
    return `To give it the mark again, as it is, run: tankobon verify --accept ${shellQuoted(file)}`;
  return 'Move it away to download the chapter again.';
}

/** Files in the way of a download: those that stay, and those that are damaged. */
function warnOfFiles(
  kept: readonly Extract<Decided['changes'][number], { readonly kind: 'keep' }>[],
  writes: readonly Write[],
  output: string,
  warn: Warn,
): void {
  for (const each of kept)
    if (each.why === 'unreadable')
      // It may be of another program.
      warn(
        `${each.file} cannot be read (${each.readError}) and is kept: the chapter is saved as ${basename(each.path)}.`,
        accessHint(each.cause) ?? 'If it is a damaged chapter, remove it.',
      );
    else warn(keptReason(each.file, each.why), keptHint(each.file, each.why));
  for (const change of writes)
    if (change.kind === 'replace' && change.why === 'damaged')
      warn(
        `${change.path} is damaged (its end is lost): its chapter is downloaded again, and the damaged file stays beside it, as .damaged.`,
        `To look for further damage, run: tankobon verify ${shellQuoted(output)}`,
      );
}

/** Warns of damaged books beside what is saved. Files that are in the way have their own warning. */
function warnOfUnreadable(
  files: LibraryIndex['damaged'],
  { kept, writes }: Awaited<ReturnType<typeof nameFiles>>,
  output: string,
  warn: Warn,
): void {
  const saves = writes.filter(({ kind }) => kind === 'save');
  const folders = new Set(saves.map(({ path }) => dirname(path)));
  const named = new Set(kept.map(({ file }) => file));
  for (const { file, readError, cause, lostMark } of files)
    if (!lostMark && !named.has(file) && folders.has(dirname(file)))
      warn(
        `${file} cannot be read (${readError}): chapters that are only in it are downloaded again.`,
        accessHint(cause) ??
          `To look for further damage, run: tankobon verify ${shellQuoted(output)}`,
      );
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

/** What a dry run says of a plan; the last event is the sum. */
export function planEvents(plan: Plan): readonly EventsOf<typeof DRY_RUN_EVENTS>[] {
  const { fields } = plan;
  return [
    ...plan.chapters.map(({ job, chapter, seriesName }) => ({
      type: 'planned' as const,
      chapter: job.id,
      file: job.file,
      why: whyLoaded(job.change),
      ...(chapter && chapterFields(chapter, seriesName)),
      groups: chapter?.groups.map(({ name }) => name),
    })),
    ...skippedEvents(plan),
    ...plan.updates.map((event) => ({ ...event, ...fields.get(event.chapter) })),
    ...plan.excluded.map(({ chapter, reason, explanation }) => ({
      type: 'passed-over' as const,
      chapter: chapter.id,
      reason,
      why: explanation,
      ...fields.get(chapter.id),
    })),
    ...plan.failed.map((each) => ({ ...failedEvent(each), ...fields.get(each.id) })),
    {
      type: 'plan',
      chapters: plan.chapters.length,
      requests: requestsOf(plan),
      leastTimeMs: minPlanTimeMs(plan),
    },
  ];
}

/** An event for each chapter that the plan skips. */
export function skippedEvents({ skipped, fields }: Plan): readonly SkippedEvent[] {
  return skipped.map(({ id, reason, file, savedLanguage }) => ({
    type: 'chapter-skipped',
    chapter: id,
    reason,
    file,
    savedLanguage,
    ...fields.get(id),
  }));
}

/** The least time that the service's limits allow for the chapters of a plan. */
export function minPlanTimeMs(plan: Plan): number {
  return minTimeMs(requestsOf(plan), 'chapters');
}

/** Each chapter that is loaded or compared takes one request. */
function requestsOf({ chapters, updates }: Plan): number {
  return chapters.length + updates.length;
}
