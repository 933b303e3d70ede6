/** Downloads the planned releases of a sync. */
import type { Chapter } from '../service/chapters.js';
import { type FoundChapter, readOwnership } from '../library/file.js';
import { keptReason } from '../library/ownership.js';
import { removeExpired } from '../library/replaced-files.js';
import { lstatIfExists } from '../core/files.js';
import type { DownloadArchive } from '../download/download-archive.js';
import { findLeftovers, removeLeftovers } from '../download/leftovers.js';
import { checkOutput } from './folders-away.js';
import { isSaved } from './history.js';
import type { DownloadListeners, ServiceSession } from '../download/download-session.js';
import type { DownloadResult } from '../download/download-result.js';
import { planChanges } from '../download/plan.js';
import { lacksExtras } from '../download/extras.js';
import { previewPlan, runPlan } from '../download/run-download.js';
import { comparedFile, replacedRelease, whyLoaded, type Decision } from '../plan/change.js';
import { savedState, writesOf } from '../plan/decide.js';
import { savedUpdate } from '../events/series-updates.js';
import { unavailableReason } from '../selection/exclusions.js';
import { chapterFields } from '../selection/chapter-fields.js';
import { withScan } from './changed-files.js';
import { releaseRules, seriesRequest, type KnownTitle } from './sync-request.js';
import type { DueTitle, SyncSession } from './sync-session.js';

/** Undefined if chapters of the title are downloaded again (`--redownload`, `sync forget`). */
export function historyFor(
  { id }: DueTitle,
  { options, journal, history }: SyncSession,
): DownloadArchive | undefined {
  const isIgnored = options.redownload ?? journal.state.titles[id]?.redownload;
  return isIgnored ? undefined : history;
}

/** What a run does to the files of a title. */
interface TitleChanges {
  /** New releases, and chapters that changed on the service. */
  readonly changes: readonly Decision[];
  readonly known: Pick<KnownTitle, 'keys' | 'movedIds' | 'movedFiles'>;
}

/** Saves the releases, and the covers and metadata that those lack which are there. What it does is added to `result`. */
export async function saveReleases(
  due: DueTitle,
  ofTitle: TitleChanges,
  releases: readonly Chapter[],
  result: DownloadResult,
  session: SyncSession,
  onClaimedElsewhere: ((chapterId: string) => void) | undefined,
): Promise<void> {
  const { id, output } = due;
  const { libraries, journal, listeners } = session;
  const { changes } = ofTitle;
  const library = await libraries.open(output);
  const { request, plan } = await planReleases(due, ofTitle, releases, session);
  const nowMs = session.context.clock.wallMs();
  const hasNone = releases.every((release) => unavailableReason(release, nowMs));
  const chapterless = async () => (hasNone ? (await plan(session)).chapterless : []);
  const lacksMore = () => lacksExtras(releases, library, titlesOf(due), request, chapterless);
  if (changes.length === 0 && !(await lacksMore())) return;
  const writes = writesOf(changes);
  const added = writes.filter((change) => !comparedFile(change));
  const plannedIds = writes.map(({ release }) => release.id);
  // If the run is killed, the next one announces what was saved.
  journal.addAll(
    added.map((change) => ({ started: change.release.id, replaces: replacedRelease(change) })),
  );
  const observe: DownloadListeners['observe'] = (event) => {
    if (event.type !== 'summary') listeners.observe(event);
    if (event.type !== 'chapter-saved') return;
    const change = writes.find(({ release }) => release.id === event.chapter);
    if (!change?.release.chapter) return;
    const { id: chapterId, chapter } = change.release;
    const replacedId = comparedFile(change) ? chapterId : replacedRelease(change);
    journal.add({ saved: savedUpdate(id, due.label, chapter, event.file, replacedId) });
  };
  const saving = {
    ...session,
    onClaimedElsewhere,
    checkOutput: () => checkOutput(output, session),
    listeners: { ...listeners, observe },
    request,
  };
  const save = () =>
    runPlan(saving, plan, result).finally(() => {
      journal.add({ ended: plannedIds });
    });
  if (added.length === changes.length) await save();
  else
    await withScan(due, session, async (onChanged) => {
      const before = new Set([...result.retaggedFiles.values(), ...result.removedFiles]);
      await save();
      for (const file of [...result.retaggedFiles.values(), ...result.removedFiles])
        if (!before.has(file)) onChanged(file);
    });
  for (const change of added)
    if (result.savedFiles.has(change.release.id))
      await warnOfKept(library.find(replacedRelease(change) ?? ''), session);
  libraries.update(output, id, result);
}

function titlesOf({ id, title }: DueTitle): ReadonlyMap<string, DueTitle['title']> {
  return new Map([[id, title]]);
}

/** A release of another program, or behind a link, stays beside the one that is better, also if it was put there meanwhile. */
async function warnOfKept(old: FoundChapter | undefined, { warn }: SyncSession): Promise<void> {
  if (!old || old.isBound || !(await lstatIfExists(old.file))) return;
  const ownership = await readOwnership(old.file);
  if (ownership !== 'own') warn(keptReason(old.file, ownership));
}

/** The download of these releases, and its plan, which is made when it starts. */
async function planReleases(
  due: DueTitle,
  { changes, known }: TitleChanges,
  releases: readonly Chapter[],
  session: SyncSession,
) {
  const { id, label, options, output } = due;
  const { libraries, context, options: syncOptions } = session;
  const library = await libraries.open(output);
  const ofSeries = seriesRequest(options, syncOptions, context.settings);
  const { selection } = releaseRules(options, context.settings, undefined);
  const request = { ...ofSeries, output, selection };
  const decided = { changes, chosen: releases };
  const listed = {
    titles: titlesOf(due),
    series: [{ titleId: id, chapters: releases }],
    known: new Map([[id, known]]),
  };
  const plan = async (shared: ServiceSession) => {
    const history = historyFor(due, session);
    const named = await planChanges(decided, listed, library, { ...shared, request, history });
    const fields = [...named.fields].map(([chapterId, each]) => {
      return [chapterId, { ...each, series: label }] as const;
    });
    return { ...named, fields: new Map(fields) };
  };
  return { request, plan };
}

/** For a dry run: each new release, and the file that it would get. */
export async function reportPlanned(
  due: DueTitle,
  added: TitleChanges,
  releases: readonly Chapter[],
  session: SyncSession,
): Promise<void> {
  if (added.changes.length === 0) return;
  const { plan } = await planReleases(due, added, releases, session);
  const { chapters } = await plan(session);
  for (const { job } of chapters) {
    const { id, file, change } = job;
    const { chapter } = change.release;
    session.listeners.observe({
      type: 'planned',
      title: due.id,
      chapter: id,
      file,
      ...(chapter && chapterFields(chapter, due.label)),
      why: whyLoaded(change),
      replaces: replacedRelease(change),
    });
  }
}

/** Compares the pages, by one request for each chapter, and reports what changed. */
export async function reportChanges(
  due: DueTitle,
  updates: TitleChanges,
  releases: readonly Chapter[],
  session: SyncSession,
): Promise<void> {
  if (updates.changes.length === 0) return;
  const { request, plan: planAll } = await planReleases(due, updates, releases, session);
  const planned = await planAll(session);
  const plan = await previewPlan(planned, request, { ...session, signal: session.userSignal });
  for (const { job } of plan.chapters) report(job.id, ['pages']);
  for (const event of plan.updates)
    if (event.type === 'chapter-retagged') report(event.chapter, event.changed);

  function report(id: string, what: readonly string[]): void {
    const chapter = releases.find((each) => each.id === id);
    session.listeners.observe({
      type: 'chapter-changed',
      title: due.id,
      chapter: id,
      changed: what,
      ...(chapter && chapterFields(chapter, due.label)),
    });
  }
}

/**
 * A run that was killed may have saved chapters of these without recording or announcing them. Removes what it left
 * behind. True if it may not have bound them either.
 */
export async function recoverSaved(
  { id, label, output }: DueTitle,
  releases: readonly Chapter[],
  session: SyncSession,
): Promise<boolean> {
  const { libraries, history, journal, context } = session;
  const { settings, clock } = context;
  const library = await libraries.open(output);
  const savedIds = releases
    .filter((chapter) => savedState(chapter, { library, history }).state !== 'missing')
    .map((chapter) => chapter.id);
  const { chapters } = journal.state;
  const pending = releases.filter((release) => chapters.has(release.id));
  for (const chapter of pending) {
    const file = library.find(chapter.id)?.file;
    const { replaces, update } = chapters.get(chapter.id) ?? {};
    if (file !== undefined && !update)
      journal.add({ saved: savedUpdate(id, label, chapter, file, replaces) });
  }
  const pendingIds = pending.map((chapter) => chapter.id);
  if (pending.length > 0) journal.add({ ended: pendingIds });
  const isUnfinished =
    savedIds.some((chapterId) => !history.has(chapterId)) ||
    pendingIds.some((chapterId) => isSaved(chapters.get(chapterId)));
  await history.add(savedIds);
  if (savedIds.some((chapterId) => library.find(chapterId))) await history.addFolder(output);
  const replacedIds = pending.flatMap((chapter) =>
    library.find(chapter.id) ? (chapters.get(chapter.id)?.replaces ?? []) : [],
  );
  await history.addReplaced(replacedIds);
  const saved = savedIds.map((chapterId) => {
    return { chapterId, quality: library.find(chapterId)?.quality ?? settings.quality };
  });
  await removeLeftovers(findLeftovers(library, saved), clock);
  const { keepReplaced: maxAgeMs } = settings;
  await removeExpired({ output, maxAgeMs, nowMs: clock.wallMs() }, library.hiddenFolders);
  return isUnfinished;
}
