/** One series of a run: which releases to download now, their download, and what is remembered of it. */
import type { Chapter } from '../api/chapters.js';
import { fetchTitleFeed } from '../api/feeds.js';
import { hasCode } from '../core/errors.js';
import { pluralize } from '../core/human-format.js';
import { explainEmptySelection } from '../selection/explain-selection.js';
import { writeKnownReleases } from './known-releases.js';
import { chapterFields } from '../selection/chapter-fields.js';
import type { SkippedEvent, SkipReason } from '../download/events.js';
import { readEarlierUploads, type EarlierUpload } from '../download/earlier-uploads.js';
import { findChanges, reportChanges, reportRestored } from './known-changes.js';
import {
  decideReleases,
  type PlannedRelease,
  type ReleaseDecisions,
  type ReleaseRules,
} from './release-decisions.js';
import { effectiveOptions } from '../config/options/options.js';
import { emptyResult } from '../download/download-result.js';
import { readListedVolumes } from '../download/plan-volumes.js';
import { savedState, type SavedState } from '../download/saved-state.js';
import { inferVolumes, lacksVolume } from '../selection/infer-volumes.js';
import { languagesOf, outputOf, releaseRules, rulesText, sinceMsOf } from './sync-request.js';
import { bindSeries, recoverSaved, saveReleases } from './sync-save.js';
import type { SyncSession } from './sync-session.js';
import type { DueTitle } from './sync-titles.js';

/** Failures of a chapter that another attempt does not change. */
const PERMANENT_CODES = ['chapter-not-found', 'chapter-unavailable', 'chapter-external'] as const;

/** Throws errors that concern the whole run. */
export async function syncSeries(due: DueTitle, session: SyncSession) {
  const { id, title, options } = due;
  const { context, journal, libraries, history } = session;
  const known = journal.state.titles[id];
  const { dryRun, file, folder } = session.options;
  const nowMs = context.clock.wallMs();
  const output = outputOf(options, file, context.settings);
  const library = await libraries.open(output);
  const listed = await readReleases(due, session);
  if (listed.length === 0) warnOfMissingLanguage(due, session);
  const isUnfinished = !dryRun && (await recoverSaved(due, listed, output, session));
  const sinceMs = sinceOf(due, session, nowMs);
  const rules = releaseRules(options, context.settings, sinceMs);
  const redownload = session.options.redownload ?? known?.redownload ?? false;
  const stateOf = (chapterId: string) =>
    savedState({ id: chapterId }, { library, history: redownload ? undefined : history }).state;
  const decide: Decide = (releases, { uploads, isDownloaded, ...selection } = {}) =>
    decideReleases(
      releases,
      { ...rules, selection: { ...rules.selection, ...selection } },
      (chapterId) => (isDownloaded ?? isKnown)(stateOf(chapterId)),
      { nowMs, numbersRestart: title.numbersRestart },
      uploads,
    );
  const releases = await withInferredVolumes(due, listed, decide, session);
  const added = decide(releases).planned.filter(({ replaces }) => replaces === undefined);
  const uploads = await readEarlierUploads(
    { title, added: added.map(({ chapter }) => chapter), listed, library },
    session,
  );
  const decisions = decide(releases, { uploads });
  const { planned, againAtMs } = decisions;
  const waiting = decisions.waiting.map(({ chapter, untilMs }) => ({
    chapter: chapter.id,
    number: chapter.number,
    untilMs,
  }));
  const { changed, compared } = await findChanges(due, releases, planned, library, session);
  const updates = rules.upgrade ? changed : [];
  const skipped = skippedEvents(decisions, title.name);
  reportRestored(due, releases, library, session);
  reportDecisions(due, decisions, skipped, session);
  if (!rules.upgrade || dryRun) await reportChanges(due, changed, releases, output, session);
  if (releases.some((chapter) => stateOf(chapter.id) === 'recorded')) {
    const isDownloaded = (state: SavedState['state']) => state === 'saved';
    const all = decide(releases, { uploads, isDownloaded }).planned;
    warnOfMissingFiles(due, all.length - planned.length, session);
  }
  const { saved, result } =
    dryRun || planned.length + updates.length === 0
      ? { saved: planned, result: emptyResult() }
      : await saveReleases(due, [...planned, ...updates], releases, output, {
          ...session,
          redownload,
        });
  if (!dryRun && (saved.length + result.retagged > 0 || isUnfinished))
    await bindSeries(due, output, releases, session);
  const { failed, notStarted, stoppedBy, reports } = result;
  const isComplete = !stoppedBy && failed.every(({ error }) => hasCode(error, ...PERMANENT_CODES));
  const state = {
    name: title.name,
    latest: due.follow ? undefined : title.latestChapterId,
    rules: rulesText(options, context.settings),
    readAtMs: nowMs,
    hasChapters: (!due.follow && listed.length > 0) || undefined,
    againAtMs,
    sinceMs: known?.sinceMs ?? (sinceMs === sinceMsOf(options) ? undefined : sinceMs),
    isIncomplete: isComplete ? undefined : true,
    redownload: known?.redownload === true && !isComplete ? true : undefined,
    waiting,
    reported: skipped.map(({ chapter }) => chapter),
    // What failed, or was not reached, is compared again.
    compared: isComplete ? [...compared] : known?.compared,
  };
  const hasOwnFeed = due.follow !== undefined && !due.follow.releases && !dryRun;
  if (hasOwnFeed) await writeKnownReleases(folder, id, listed);
  const isNewlyFollowed = hasOwnFeed && !journal.state.follows?.titleIds.includes(id);
  journal.add({ title: id, state }, ...(isNewlyFollowed ? [{ followed: id }] : []));
  const isReplacement = ({ replaces, isUpdate = false }: PlannedRelease) =>
    isUpdate || replaces !== undefined;
  const replaced = saved.filter(isReplacement).length;
  return {
    titleId: id,
    name: title.name,
    new: saved.length - replaced,
    replaced,
    skipped: decisions.known + skipped.length + result.skipped,
    failed: failed.length,
    waiting,
    errors: [...failed.map(({ error }) => error), ...result.otherErrors],
    notStarted,
    stoppedBy,
    reports,
  };
}

const isKnown = (state: SavedState['state']) => state !== 'missing';

type Decide = (
  releases: readonly Chapter[],
  options?: Pick<ReleaseRules['selection'], 'volumes'> & {
    readonly uploads?: readonly EarlierUpload[];
    readonly isDownloaded?: (state: SavedState['state']) => boolean;
  },
) => ReleaseDecisions;

/** Where volumes are bound: one request, if a chapter to download lacks its volume. */
async function withInferredVolumes(
  { id, title, options }: DueTitle,
  releases: readonly Chapter[],
  decide: Decide,
  { client, warn, userSignal: signal, context }: SyncSession,
): Promise<readonly Chapter[]> {
  const { bind, infer } = effectiveOptions(options, context.settings);
  // A number does not determine the volume where each volume begins with 1.
  if (bind !== 'volume' || !infer || title.numbersRestart) return releases;
  // A chapter without a volume may be of a selected one.
  const { planned } = decide(releases, { volumes: undefined });
  if (!planned.some(({ chapter }) => lacksVolume(chapter))) return releases;
  return inferVolumes(releases, await readListedVolumes(id, { client, warn, signal }));
}

/** An event for each chapter that the service does not have. */
function skippedEvents(
  { external, unavailable, doubled }: ReleaseDecisions,
  series: string,
): readonly SkippedEvent[] {
  const event = (chapter: Chapter, reason: SkipReason, file?: string): SkippedEvent => ({
    type: 'chapter-skipped',
    chapter: chapter.id,
    reason,
    ...(file !== undefined && { file }),
    ...chapterFields(chapter, series),
  });
  return [
    ...external.map((chapter) => event(chapter, 'chapter-external')),
    ...unavailable.map((chapter) => event(chapter, 'chapter-unavailable')),
    ...doubled.map(({ chapter, reason, file }) => event(chapter, reason, file)),
  ];
}

/** A chapter that is skipped is reported once, not by each run. */
function reportDecisions(
  { id, title }: DueTitle,
  { waiting, planned }: ReleaseDecisions,
  skipped: readonly SkippedEvent[],
  { options: { dryRun }, journal, observeSync, onSkipped }: SyncSession,
): void {
  const describe = (chapter: Chapter) => ({
    title: id,
    chapter: chapter.id,
    ...chapterFields(chapter, title.name),
  });
  for (const { chapter, untilMs } of waiting) {
    const until = new Date(untilMs).toISOString();
    observeSync({ type: 'chapter-waiting', ...describe(chapter), until });
  }
  const reported = new Set(journal.state.titles[id]?.reported);
  const fresh = skipped.filter(({ chapter }) => !reported.has(chapter));
  for (const event of fresh) observeSync(event);
  onSkipped?.(fresh);
  if (!dryRun) return;
  for (const { chapter, why, replaces } of planned)
    observeSync({ type: 'planned', ...describe(chapter), why, replaces });
}

/** The history lists these chapters, and their files are gone: a person may wonder why they do not come back. */
function warnOfMissingFiles({ id, title }: DueTitle, count: number, { warn }: SyncSession): void {
  if (count === 0) return;
  warn(
    `${title.name}: ${pluralize(count, 'chapter')} skipped: downloaded before, but not in the folder any more`,
    `To download them again, run: tankobon sync --redownload --only ${id}`,
  );
}

/** Titles of `follows` are left out: no subscription chose their language. */
function warnOfMissingLanguage(
  { id, title: { name, languages }, options, follow }: DueTitle,
  { context, warn }: SyncSession,
): void {
  const requested = languagesOf(options, context.settings);
  const available = languages.find((code) => !requested.includes(code));
  if (follow || available === undefined || requested.length === 0) return;
  warn(
    explainEmptySelection({
      titleName: name,
      options: { languages: requested, groups: [] },
      chapters: [],
      languages,
    }),
    `Change it: tankobon sync add title:${id} --language ${available}`,
  );
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
  { journal, options: { fromNow } }: SyncSession,
  nowMs: number,
): number | undefined {
  const known = journal.state.titles[id];
  const remembered = known ? known.sinceMs : fromNow ? nowMs : undefined;
  const times = [sinceMsOf(options), remembered].filter((ms) => ms !== undefined);
  return times.length > 0 ? Math.max(...times) : undefined;
}
