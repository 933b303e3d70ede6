/** Downloads the planned releases of a sync, binds them, and removes the archives that they replace. */
import { thrownMessage } from '../core/errors.js';
import type { Chapter } from '../api/chapters.js';
import { removeFile } from '../core/files.js';
import { findLeftovers, removeLeftovers } from '../download/leftovers.js';
import type { ObserveBind } from '../formats/bind-events.js';
import type { PlannedRelease } from './release-decisions.js';
import { writeSyncState, type SyncState } from './sync-state.js';
import type { DownloadListeners } from '../download/download-session.js';
import { planSelected } from '../download/plan.js';
import { runPlan } from '../download/run-download.js';
import { seriesRequest } from './sync-request.js';
import type { SyncSession } from './sync-session.js';
import type { DueTitle } from './sync-titles.js';

export async function saveReleases(
  { id, title, options }: DueTitle,
  planned: readonly PlannedRelease[],
  output: string,
  session: SyncSession,
) {
  const { state, libraries, journal, context, listeners } = session;
  const library = await libraries.open(output);
  const replacements = new Map(
    planned.flatMap(({ chapter, replaces = '' }) => {
      const old = library.find(replaces);
      return old && !old.isBound ? [[chapter.id, old] as const] : [];
    }),
  );
  for (const { chapter, replaces } of planned) {
    state.downloading[chapter.id] = replaces ?? null;
    if (replaces !== undefined) state.replacements[chapter.id] = replaces;
  }
  // If the run is killed, the next one announces what was saved, and removes what was replaced.
  await writeSyncState(session.options.folder, state);
  const request = seriesRequest(options, session.options, context.settings);
  const titles = new Map([[id, title]]);
  const byId = new Map(planned.map((release) => [release.chapter.id, release]));
  const saved: { release: PlannedRelease; file: string; journaled: Promise<void> }[] = [];
  const observe: DownloadListeners['observe'] = (event) => {
    if (event.type !== 'summary') listeners.observe(event);
    const release = event.type === 'chapter-saved' && byId.get(event.chapter);
    if (!release) return;
    const journaled = journal.add(updateOf(id, title.name, release, event.file));
    // Awaited below.
    journaled.catch(() => undefined);
    saved.push({ release, file: event.file, journaled });
  };
  const chapters = planned.map(({ chapter }) => chapter);
  const selected = planned.map(({ chapter, why }) => ({ id: chapter.id, chapter, why }));
  const loadedTitles = Promise.resolve({ titles, error: undefined });
  const result = await runPlan(
    { ...session, listeners: { ...listeners, observe }, request },
    (shared) =>
      planSelected(
        selected,
        { titles, loadedTitles },
        library,
        { ...request.plan, replacements },
        shared,
      ),
  ).finally(async () => {
    await Promise.all(saved.map(({ journaled }) => journaled));
    forgetDownloading(chapters, state);
  });
  const files = saved.map(({ release, file }) => ({ chapterId: release.chapter.id, file }));
  libraries.update(output, files, new Set());
  await removeReplaced(output, session);
  return { saved: saved.map(({ release }) => release), result };
}

function forgetDownloading(chapters: readonly Chapter[], state: SyncState): void {
  const ids = new Set(chapters.map(({ id }) => id));
  const others = Object.entries(state.downloading).filter(([id]) => !ids.has(id));
  state.downloading = Object.fromEntries(others);
}

/**
 * A run that was killed may have saved chapters of these without recording or announcing them. Removes what it left
 * behind. True if it may not have bound them either.
 */
export async function recoverSaved(
  { id, title }: DueTitle,
  releases: readonly Chapter[],
  output: string,
  { state, libraries, history, journal, context }: SyncSession,
): Promise<boolean> {
  const { settings, clock } = context;
  const library = await libraries.open(output);
  const saved = releases.filter((chapter) => library.find(chapter.id) !== undefined);
  const savedIds = saved.map((chapter) => chapter.id);
  for (const chapter of saved) {
    const replaces = state.downloading[chapter.id];
    if (replaces === undefined) continue;
    const release = { chapter, replaces: replaces ?? undefined };
    const file = library.find(chapter.id)?.file ?? '';
    await journal.add(updateOf(id, title.name, release, file));
  }
  forgetDownloading(releases, state);
  const isUnfinished =
    savedIds.some((chapterId) => !history.has(chapterId)) ||
    (await journal.read()).some(({ titleId }) => titleId === id);
  await history.add(...savedIds);
  await removeLeftovers(findLeftovers(library, savedIds, settings.quality), clock);
  return isUnfinished;
}

function updateOf(
  titleId: string,
  series: string,
  { chapter, replaces }: Pick<PlannedRelease, 'chapter' | 'replaces'>,
  file: string,
) {
  const { id, number, volume, title, language, groups } = chapter;
  const names = groups.map(({ name }) => name);
  return {
    titleId,
    series,
    chapter: { id, number, volume, title, language, groups: names, file, replaces },
  };
}

/** Binds all existing chapters of the series. A book that fails is a warning: its chapters are saved. */
export async function bindSeries(
  { options, title }: DueTitle,
  output: string,
  releases: readonly Chapter[],
  { libraries, context, warn, userSignal }: SyncSession,
): Promise<void> {
  if (!options.bind || userSignal.aborted) return;
  const { bindRequest } = await import('../download/bind-request.js');
  const { bindBooks } = await import('../formats/bind-books.js');
  const library = await libraries.open(output);
  const archives = releases.map(({ id }) => library.find(id));
  const found = archives.flatMap((archive) =>
    archive && !archive.isBound && archive.ownership !== 'link' ? [archive.file] : [],
  );
  const request = {
    ...bindRequest([], { ...options.bind, output }, context.settings),
    found,
    volumeCount: () => title.volumeCount,
  };
  const observe: ObserveBind = (event) => {
    if (event.type === 'book-failed') warn(`Not bound: ${event.message}`);
    else if (event.type === 'warning') warn(event.message);
  };
  try {
    await bindBooks(request, observe, userSignal);
  } catch (error) {
    userSignal.throwIfAborted();
    warn(`${title.name} was not bound: ${thrownMessage(error)}`);
  }
}

/** Removes the archives whose replacements are saved. */
export async function removeReplaced(output: string, session: SyncSession): Promise<void> {
  const { state, libraries } = session;
  const library = await libraries.open(output);
  const pending: Record<string, string> = {};
  for (const [newId, oldId] of Object.entries(state.replacements)) {
    const saved = library.find(newId);
    const old = library.find(oldId);
    if (!saved) pending[newId] = oldId;
    // A bound file has other chapters too.
    else if (old && !old.isBound && old.file !== saved.file) {
      await removeFile(old.file);
      libraries.update(output, [], new Set([old.file]));
    }
  }
  state.replacements = pending;
}
