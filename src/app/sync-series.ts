/** One series of a run: which releases to download now, their download, and what is remembered of it. */
import { join } from 'node:path';
import type { Chapter } from '../api/chapters.js';
import { fetchTitleFeed } from '../api/feeds.js';
import { hasCode, type TankobonError } from '../core/errors.js';
import { removeFile } from '../core/files.js';
import { findLeftovers, removeLeftovers } from '../download/leftovers.js';
import type { ObserveBind } from '../formats/bind-events.js';
import { decideReleases, type TakenRelease } from '../sync/release-decisions.js';
import { writeKnownReleases } from '../sync/known-releases.js';
import { writeSyncState } from '../sync/sync-state.js';
import type { DownloadListeners, DownloadResult } from './download-session.js';
import { downloadIn } from './download.js';
import type { SeriesReport } from './sync-events.js';
import { languagesOf, outputOf, releaseRules, rulesText, seriesRequest } from './sync-request.js';
import type { SyncSession } from './sync-session.js';
import type { DueTitle } from './sync-titles.js';

export interface SeriesResult extends SeriesReport {
  readonly errors: readonly TankobonError[];
  readonly notStarted: number;
  readonly stoppedBy: TankobonError | undefined;
  readonly reports: DownloadResult['reports'];
}

/** Failures of a chapter that another attempt does not change. */
const PERMANENT_CODES = ['chapter-not-found', 'chapter-unavailable', 'chapter-external'] as const;

/** Throws errors that concern the whole run. */
export async function syncSeries(due: DueTitle, session: SyncSession): Promise<SeriesResult> {
  const { id, title, options } = due;
  const { context, state, libraries, history, journal, observeSync } = session;
  const { settings, clock } = context;
  const nowMs = clock.wallMs();
  const output = outputOf(options, session.options.file, settings);
  const library = await libraries.open(output);
  const releases = await readReleases(due, session);
  // A run that was killed may have saved a chapter without recording, announcing or binding it.
  const there = releases.filter(({ id: chapterId }) => library.find(chapterId) !== undefined);
  const savedIds = there.map(({ id: chapterId }) => chapterId);
  const isUnfinished =
    savedIds.some((chapterId) => !history.has(chapterId)) ||
    (await journal.read()).some(({ titleId }) => titleId === id);
  if (!session.options.dryRun) {
    await history.add(...savedIds);
    await removeLeftovers(findLeftovers(library, savedIds, settings.quality), clock);
  }
  const sinceMs = sinceOf(due, session, nowMs);
  const rules = releaseRules({ ...options, since: sinceMs }, settings);
  const decisions = decideReleases(
    releases,
    rules,
    (chapterId) => history.has(chapterId) || library.find(chapterId) !== undefined,
    { nowMs, numbersRestart: title.numbersRestart },
  );
  for (const { chapter, untilMs } of decisions.waiting) {
    const until = new Date(untilMs).toISOString();
    observeSync({ type: 'chapter-waiting', title: id, chapter: chapter.id, until });
  }
  for (const { id: chapter } of decisions.external)
    observeSync({ type: 'chapter-skipped', chapter, reason: 'chapter-external' });
  const { saved, result } = session.options.dryRun
    ? plannedOnly(id, decisions.taken, session)
    : await save(due, decisions.taken, output, session);
  if (!session.options.dryRun && (saved.length > 0 || isUnfinished))
    await bindSeries(due, output, releases, session);
  const failed = result?.failed ?? [];
  const isComplete =
    !result?.stoppedBy && failed.every(({ error }) => hasCode(error, ...PERMANENT_CODES));
  const waiting = decisions.waiting.map(({ chapter, untilMs }) => ({
    chapter: chapter.id,
    number: chapter.number,
    untilMs,
  }));
  state.titles[id] = {
    name: title.name,
    latest: due.follow ? undefined : title.latestChapterId,
    rules: rulesText(options, settings),
    readAtMs: nowMs,
    againAtMs: decisions.againAtMs,
    sinceMs: state.titles[id]?.sinceMs ?? (sinceMs === options.since ? undefined : sinceMs),
    isIncomplete: isComplete ? undefined : true,
    waiting,
  };
  if (due.follow && !due.follow.releases && !session.options.dryRun) {
    await writeKnownReleases(session.options.folder, id, releases);
    state.follows?.titleIds.push(id);
  }
  const replaced = saved.filter(({ replaces }) => replaces !== undefined).length;
  return {
    titleId: id,
    name: title.name,
    new: saved.length - replaced,
    replaced,
    skipped: decisions.known + decisions.external.length + (result?.skipped ?? 0),
    failed: failed.length,
    waiting,
    errors: [...failed.map(({ error }) => error), ...(result?.afterwards ?? [])],
    notStarted: result?.notStarted ?? 0,
    stoppedBy: result?.stoppedBy,
    reports: result?.reports ?? { sent: 0, waiting: 0 },
  };
}

function readReleases(
  { id, options, follow }: DueTitle,
  { client, userSignal: signal, warn, context }: SyncSession,
): Promise<Chapter[]> {
  if (follow?.releases) return follow.releases();
  const languages = languagesOf(options, context.settings);
  return fetchTitleFeed(client, id, { signal, warn, languages });
}

/** The time before which releases are not downloaded, from the file or from the first run with `--from-now`. */
function sinceOf(
  { id, options }: DueTitle,
  { state, options: { fromNow } }: SyncSession,
  nowMs: number,
): number | undefined {
  const known = state.titles[id];
  const remembered = known ? known.sinceMs : fromNow ? nowMs : undefined;
  const times = [options.since, remembered].filter((ms) => ms !== undefined);
  return times.length > 0 ? Math.max(...times) : undefined;
}

interface Saved {
  readonly saved: readonly TakenRelease[];
  readonly result: DownloadResult | undefined;
}

function plannedOnly(
  title: string,
  taken: readonly TakenRelease[],
  { observeSync }: SyncSession,
): Saved {
  for (const { chapter, why, replaces } of taken)
    observeSync({ type: 'planned', title, chapter: chapter.id, why, replaces });
  return { saved: taken, result: undefined };
}

async function save(
  { id, title, options }: DueTitle,
  taken: readonly TakenRelease[],
  output: string,
  session: SyncSession,
): Promise<Saved> {
  if (taken.length === 0) return { saved: [], result: undefined };
  const { state, history, libraries, journal, context, listeners } = session;
  const library = await libraries.open(output);
  const { folder } = session.options;
  const replacements = new Map(
    taken.flatMap(({ chapter, replaces = '' }) => {
      const old = library.find(replaces);
      return old && !old.isBound
        ? [[chapter.id, { chapterId: old.chapterId, file: old.file }] as const]
        : [];
    }),
  );
  for (const { chapter, replaces } of taken)
    if (replaces !== undefined) state.replacements[chapter.id] = replaces;
  // The replaced archive is removed after its replacement is saved, if need be by the next run.
  if (replacements.size > 0) await writeSyncState(folder, state);
  const request = seriesRequest(options, session.options, context.settings);
  const titles = new Map([[id, title]]);
  const byId = new Map(taken.map((one) => [one.chapter.id, one]));
  const saved: { one: TakenRelease; file: string; journaled: Promise<void> }[] = [];
  const observe: DownloadListeners['observe'] = (event) => {
    if (event.type !== 'summary') listeners.observe(event);
    const one = event.type === 'chapter-saved' ? byId.get(event.chapter) : undefined;
    if (!one || event.type !== 'chapter-saved') return;
    const journaled = journal.add(updateOf(id, title.name, output, one, event.file));
    // Awaited below.
    journaled.catch(() => undefined);
    saved.push({ one, file: event.file, journaled });
  };
  const result = await downloadIn({
    ...session,
    listeners: { ...listeners, observe },
    history,
    library,
    request: {
      ...request,
      plan: {
        ...request.plan,
        replacements,
        resolution: {
          chapters: taken.map(({ chapter }) => chapter),
          series: [],
          titles,
          fullTitles: Promise.resolve({ titles, error: undefined }),
          idsWithoutMetadata: [],
          unusableTitleIds: new Set(),
          failures: [],
        },
      },
    },
  });
  await Promise.all(saved.map(({ journaled }) => journaled));
  const files = saved.map(({ one, file: path }) => ({ chapterId: one.chapter.id, file: path }));
  libraries.update(output, files, new Set());
  await removeReplaced(output, session);
  return { saved: saved.map(({ one }) => one), result };
}

/** Binds all chapters of the series that are there. A book that fails is a warning: its chapters are saved. */
async function bindSeries(
  { options, title }: DueTitle,
  output: string,
  releases: readonly Chapter[],
  { libraries, context, warn, userSignal }: SyncSession,
): Promise<void> {
  if (!options.bind || userSignal.aborted) return;
  const { bindRequest } = await import('./bind-request.js');
  const { bindBooks } = await import('../formats/bind.js');
  const library = await libraries.open(output);
  const archives = releases.map(({ id }) => library.find(id));
  const inputs = archives.flatMap((one) => (one && !one.isBound ? [one.file] : []));
  const request = {
    ...bindRequest(inputs, { ...options.bind, output }, context.settings),
    volumeCount: () => title.volumeCount,
  };
  const observe: ObserveBind = (event) => {
    if (event.type === 'book-failed') warn(`Not bound: ${event.message}`);
  };
  try {
    await bindBooks(request, observe, userSignal);
  } catch (error) {
    userSignal.throwIfAborted();
    warn(`${title.name} was not bound: ${error instanceof Error ? error.message : String(error)}`);
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

function updateOf(
  titleId: string,
  series: string,
  output: string,
  { chapter, replaces }: TakenRelease,
  file: string,
) {
  const { id, number, volume, title, language, groups } = chapter;
  const names = groups.map(({ name }) => name);
  return {
    titleId,
    series,
    output,
    chapter: { id, number, volume, title, language, groups: names, file: join(file), replaces },
  };
}
