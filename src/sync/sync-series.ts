/** One series of a run: which releases to download now, their download, and what is remembered of it. */
import type { Chapter } from '../service/chapters.js';
import { fetchTitleFeed } from '../service/feeds.js';
import { hasCode } from '../core/errors.js';
import { decideChanges, readOutdated, type UnreadTitle } from '../download/known-title.js';
import {
  comparedFile,
  replacedRelease,
  type Decision,
  type Release,
  type UnnamedWrite,
} from '../plan/change.js';
import { chapterFields } from '../selection/chapter-fields.js';
import { chapterName } from '../events/chapter-fields.js';
import { decide, savedState, writesOf, type KnownFiles } from '../plan/decide.js';
import { findMovedHere, reportMovedHere } from './moved-chapters.js';
import { notCompared, releaseDecisions } from './release-decisions.js';
import { effectiveOptions } from '../config/options.js';
import { emptyResult, type DownloadResult } from '../download/download-result.js';
import { readListedVolumes, inferVolumes, lacksVolume } from '../selection/infer-volumes.js';
import type { LibraryIndex } from '../library/scan.js';
import { readKnownTitle } from '../download/known-title.js';
import {
  reportDecisions,
  reportRestored,
  skippedEvents,
  warnOfFilesGone,
  warnOfMissingLanguage,
} from './series-messages.js';
import type { TitleState } from './history/sync-lines.js';
import { formerIdsOf } from './history.js';
import { chapterNotice, failureNotice } from './run-report.js';
import {
  releaseRules,
  rulesText,
  selectReleases,
  sinceMsOf,
  startMsOf,
  toDecisionOptions,
  type KnownTitle,
  type ReleaseRules,
} from './sync-request.js';
import { languagesOf } from './subscriptions.js';
import { bindSeries } from './bind-series.js';
import { fillDevice } from './device-books.js';
import { readText } from './read-markers.js';
import { reasonsNotToKeep, retireChapters } from './retire-chapters.js';
import {
  historyFor,
  recoverSaved,
  reportChanges,
  reportPlanned,
  saveReleases,
} from './sync-save.js';
import type { DueTitle, SyncSession } from './sync-session.js';

/** Failures of a chapter that another attempt does not change. */
const PERMANENT_CODES = ['chapter-not-found', 'chapter-unavailable', 'chapter-external'] as const;

/**
 * Downloads the series except for chapters that other machines have claimed (`--share`). `finish` waits for these
 * machines unless the run was stopped, takes over what they leave, and records what was done. Both throw errors that
 * concern the whole run.
 */
export async function syncSeries(due: DueTitle, session: SyncSession) {
  const { id, title, options, output } = due;
  const { context, journal, libraries, userSignal } = session;
  const known = journal.state.titles[id];
  const { dryRun } = session.options;
  const nowMs = context.clock.wallMs();
  const library = await libraries.open(output);
  const languages = languagesOf(options, context.settings);
  let isListingWhole = true;
  const warnOfEntries = (message: string): void => {
    isListingWhole = false;
    session.warn(message);
  };
  const deps = { signal: userSignal, warn: warnOfEntries, languages };
  const listed = await fetchTitleFeed(session.client, id, deps);
  if (listed.length === 0) warnOfMissingLanguage(due, session);
  const wasUnbound =
    !dryRun && ((await recoverSaved(due, listed, session)) || journal.state.unbound.has(id));
  const sinceMs = sinceOf(due, session, nowMs);
  const rules = releaseRules(options, context.settings, sinceMs);
  const movedHere = await findMovedHere(due, listed, library, session);
  const archive = historyFor(due, session);
  const history = archive && {
    has: (chapterId: string) => archive.has(chapterId) && !movedHere.has(chapterId),
  };
  const files = { library, history };
  const stateOf = (chapterId: string) => savedState({ id: chapterId }, files);
  const formerIds = formerIdsOf(id, journal.state);
  const listedTitle = { titleId: id, title, listed, languages, formerIds, isKept: !dryRun };
  const knownTitle = await readKnownTitle(listedTitle, library, { ...session, signal: userSignal });
  const releases = await withInferredVolumes(due, listed, knownTitle, rules, files, session);
  const selected = selectReleases(releases, knownTitle, rules, nowMs);
  const unkept = reasonsNotToKeep(due, rules, selected, library);
  const decisionOptions = toDecisionOptions(rules, nowMs, (chapter) => unkept.has(chapter.id));
  const decideNow = async () => {
    const found = { library: await libraries.open(output), history };
    const { outdated, saved } = await readOutdated(selected, found.library, nowMs, userSignal);
    const update = notCompared(due, outdated, session);
    const decided = await decideChanges(
      { named: [], titles: [selected] },
      { ...decisionOptions, update },
      { ...found, saved },
      session,
    );
    const decisions = releaseDecisions(decided, selected, outdated, update);
    return { ...decided, decisions };
  };
  const first = await decideNow();
  const { decisions, againAtMs } = first;
  const { planned, compared } = decisions;
  const waiting = decisions.waiting.map(({ release: { id: chapter, ...release }, untilMs }) => ({
    chapter,
    number: release.chapter?.number,
    untilMs,
  }));
  const updates = rules.upgrade ? decisions.updates : [];
  const skipped = skippedEvents(decisions, due.label);
  reportRestored(due, releases, library, session);
  reportMovedHere(due, planned, movedHere, session);
  const reported = reportDecisions(due, decisions, skipped, session);
  // What was taken down before the title was subscribed is not news.
  const takenDown = reported
    .filter(({ reason }) => known && reason === 'chapter-unavailable')
    .map(({ chapter, reason }) => ({ id: chapter, reason }));
  const ofTitle = (changes: readonly Decision[]) => ({ changes, known: knownTitle });
  if (dryRun) await reportPlanned(due, ofTitle(planned), releases, session);
  if (!rules.upgrade || dryRun)
    await reportChanges(due, ofTitle(decisions.updates), releases, session);
  const missing = decisions.withoutFile.filter((chapter) => !unkept.has(chapter.id));
  const gone = warnOfFilesGone(due, missing, library, session);
  const all = dryRun ? [] : [...planned, ...writesOf(updates)];
  const result = emptyResult();
  const save = (changes: readonly Decision[], onClaimedElsewhere?: (id: string) => void) =>
    saveReleases(due, ofTitle(changes), releases, result, session, onClaimedElsewhere);
  const claimedElsewhere = new Set<string>();
  const { bind } = effectiveOptions(options, context.settings);
  // If the run is killed, the next one binds what was saved.
  if (bind !== false && (wasUnbound || all.length > 0)) journal.add({ unbound: id });
  if (!dryRun) await save([...planned, ...updates], (each) => claimedElsewhere.add(each));
  const finish = async ({ isStopped = result.stoppedBy !== undefined } = {}) => {
    const isLeft = ({ release }: UnnamedWrite) => claimedElsewhere.has(release.id);
    if (isStopped) result.notStarted += claimedElsewhere.size;
    else if (claimedElsewhere.size > 0) {
      // Where another process had the folder for itself meanwhile, files may have other names, and chapters files.
      const isSame = (await libraries.open(output)) === library;
      const now = isSame ? first : await decideNow();
      const updated = rules.upgrade ? writesOf(now.decisions.updates) : [];
      const there = now.changes.filter(
        (change) => change.kind === 'skip' && claimedElsewhere.has(change.id),
      );
      const left = [...now.decisions.planned, ...updated].filter(isLeft);
      await save([...left, ...there]);
    }
    const saved = dryRun ? planned : all.filter(({ release }) => result.savedFiles.has(release.id));
    const isToBind = !dryRun && (saved.length + result.retaggedFiles.size > 0 || wasUnbound);
    const bindErrors = await bindSeries(due, releases, isToBind, session);
    const isComplete =
      !result.stoppedBy &&
      result.notStarted === 0 &&
      result.failed.every(({ error }) => hasCode(error, ...PERMANENT_CODES));
    const mayRetire = isComplete && bindErrors.length === 0 && isListingWhole && listed.length > 0;
    const isStoppedNow = dryRun === true || result.stoppedBy !== undefined;
    const notThere = [...result.failed, ...waiting.map(({ chapter }) => ({ id: chapter }))];
    const retired = mayRetire ? await retireUnkept(due, rules, selected, notThere, session) : 0;
    const device = isStoppedNow ? undefined : await fillDevice(due, releases, session);
    const movedNow = [...movedHere.keys()].filter((each) => result.savedFiles.has(each));
    const moved = [...(known?.movedHere ?? []), ...movedNow];
    const state: TitleState = {
      name: due.label,
      latest: title.latestChapterId,
      rules: rulesText(options, context.settings),
      readAtMs: nowMs,
      hasChapters: listed.length > 0 || undefined,
      againAtMs,
      sinceMs: known?.sinceMs ?? (sinceMs === sinceMsOf(options) ? undefined : sinceMs),
      isIncomplete: isComplete ? undefined : true,
      gone: gone.length > 0 ? gone : undefined,
      redownload: known?.redownload === true && !isComplete ? true : undefined,
      waiting,
      reported: skipped.map(({ chapter }) => chapter),
      takenDown: decisions.skipped.flatMap(({ id: chapter, reason }) =>
        reason === 'chapter-unavailable' && stateOf(chapter).state === 'saved' ? [chapter] : [],
      ),
      movedHere: moved.length > 0 ? moved : undefined,
      // What failed, or was not reached, is compared again.
      compared: isComplete ? [...compared] : known?.compared,
      device: device ?? known?.device,
      read: due.readIds && readText(id, await libraries.open(output), due.readIds),
    };
    journal.add({ title: id, state });
    const series = { id, name: due.label, folder: output };
    return {
      ...countsOf(saved, result, first.known + skipped.length),
      retired,
      bindErrors,
      titleId: id,
      name: due.label,
      saved: saved.map(({ release }) => savedName(release)),
      waiting,
      notices: [
        ...chapterNotice('taken-down', due, releases, takenDown),
        ...chapterNotice(
          'failed',
          due,
          releases,
          failedChapters(result).map(({ id: each, error }) => ({
            id: each,
            reason: error.code,
            message: error.message,
          })),
        ),
        ...bindErrors.map((error) => failureNotice(series, error)),
      ],
    };
  };
  return { isWaiting: claimedElsewhere.size > 0 && !result.stoppedBy, finish };
}

/** @param notThere chapters that failed, or that wait for a group: they are not among the latest yet */
async function retireUnkept(
  due: DueTitle,
  rules: ReleaseRules,
  title: UnreadTitle,
  notThere: readonly Pick<Release, 'id'>[],
  session: SyncSession,
): Promise<number> {
  const ids = new Set(notThere.map(({ id }) => id));
  const selected = title.selected.filter(({ id }) => !ids.has(id));
  const library = await session.libraries.open(due.output);
  const reasons = reasonsNotToKeep(due, rules, { ...title, selected }, library);
  const inOrder = [...title.releases].sort(title.keys.compare);
  return retireChapters(due, inOrder, reasons, session);
}

/** Without its title, group and language. */
function savedName({ id, chapter }: Release): string {
  const { volume, number, chapterTitle } = chapter ? chapterFields(chapter) : {};
  return chapterName({ volume, number, chapterTitle }) ?? id;
}

/** Without those that the next run goes on with. */
function failedChapters({ failed }: DownloadResult) {
  return failed.filter(({ isUnfinished }) => !isUnfinished);
}

/** What is reported of the series; `known`: chapters that were skipped before the download. */
function countsOf(saved: readonly UnnamedWrite[], result: DownloadResult, known: number) {
  const { skipped, otherErrors, notStarted, stoppedBy, reports } = result;
  const replaced = saved.filter(hasReplaced).length;
  const failed = failedChapters(result);
  return {
    new: saved.length - replaced,
    replaced,
    skipped: known + skipped,
    failed: failed.length,
    errors: [...failed.map(({ error }) => error), ...otherErrors],
    notStarted: notStarted + result.failed.length - failed.length,
    stoppedBy,
    reports,
  };
}

/** Whether the chapter was downloaded before, in this release or another one. A damaged file does not count. */
function hasReplaced(change: UnnamedWrite): boolean {
  return comparedFile(change) !== undefined || replacedRelease(change) !== undefined;
}

/** Where volumes are bound: one request, if a chapter to download lacks its volume. */
async function withInferredVolumes(
  due: DueTitle,
  releases: readonly Chapter[],
  known: KnownTitle,
  rules: ReleaseRules,
  files: KnownFiles & { readonly library: LibraryIndex },
  session: SyncSession,
): Promise<readonly Chapter[]> {
  const { id: titleId, title, options } = due;
  const { client, warn, userSignal: signal, context } = session;
  const { bind, infer } = effectiveOptions(options, context.settings);
  // A number does not determine the volume where each volume begins with 1.
  if (bind !== 'volume' || !infer || title.numbersRestart) return releases;
  // A chapter without a volume may be of a selected one.
  const ofAll = { ...rules, selection: { ...rules.selection, volumes: undefined } };
  const nowMs = context.clock.wallMs();
  const selected = { ...selectReleases(releases, known, ofAll, nowMs), uploads: [] };
  const unkept = reasonsNotToKeep(due, ofAll, selected, files.library);
  const decisionOptions = toDecisionOptions(ofAll, nowMs, ({ id }) => unkept.has(id));
  const { changes } = decide({ named: [], titles: [selected] }, decisionOptions, files);
  const lacksOne = writesOf(changes).some(
    ({ release: { chapter } }) => chapter !== undefined && lacksVolume(chapter),
  );
  if (!lacksOne) return releases;
  const listed = await readListedVolumes(titleId, { client, warn, signal });
  return inferVolumes(releases, listed, known.keys);
}

/** The time before which releases are not downloaded, from the file or from the first run with `--from-now`. */
function sinceOf(
  { id, options }: DueTitle,
  { journal, options: { fromNow } }: SyncSession,
  nowMs: number,
): number | undefined {
  const known = journal.state.titles[id];
  return startMsOf(options, known ? known.sinceMs : fromNow ? nowMs : undefined);
}
