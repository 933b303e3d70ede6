/**
 * What becomes of the releases of one title in a run: which are downloaded now, which wait, and what changed on the service
 * of the chapters that are there. With `upgrade` the files follow; otherwise each change is reported once.
 */
import type { Chapter } from '../service/chapters.js';
import type { LibraryIndex } from '../library/scan.js';
import { decideChanges, readOutdated, type UnreadTitle } from '../download/known-title.js';
import {
  replacedFile,
  replacedRelease,
  type Decision,
  type Skip,
  type UnnamedWrite,
} from '../plan/change.js';
import {
  firstReadableMs,
  writesOf,
  type Decided,
  type DecisionOptions,
  type KnownFiles,
} from '../plan/decide.js';
import { isNewsSkip } from '../events/reasons.js';
import { mayBeTwo } from '../selection/same-chapter.js';
import type { ExcludedChapter } from '../selection/select-chapters.js';
import { minOf } from '../core/extremes.js';
import { rulesText } from './sync-request.js';
import type { DueTitle, SyncSession } from './sync-session.js';

export interface ReleaseDecisions {
  /** To download now, in reading order. */
  readonly planned: readonly UnnamedWrite[];
  /** The best release so far of each chapter that waits for its preferred group. */
  readonly waiting: readonly Extract<Decided['changes'][number], { readonly kind: 'wait' }>[];
  /** Releases that are not downloaded, and that a person may miss. */
  readonly skipped: readonly Skip[];
  /** The number of chapters that were downloaded before. */
  readonly known: number;
  /** The known chapters that only the history has: their files were moved or removed. */
  readonly withoutFile: readonly Chapter[];
  /** When to decide again although nothing new was released: a wait ends, or a chapter becomes readable. */
  readonly againAtMs: number | undefined;
}

/** What a run says of the decisions for a title, and what it does. */
export function releaseDecisions(
  { changes, known }: Pick<Decided, 'changes' | 'known'>,
  { releases, excluded }: Pick<UnreadTitle, 'releases' | 'excluded'>,
  nowMs: number,
): ReleaseDecisions {
  const waiting = changes.flatMap((change) => (change.kind === 'wait' ? [change] : []));
  const skips = changes.flatMap((change) => (change.kind === 'skip' ? [change] : []));
  const listed = new Set(releases);
  const news = skips.filter((skip) => isNews(skip, listed));
  const isExternal = ({ reason }: Skip) => reason === 'chapter-external';
  const ofReason = (reason: Skip['reason']) => skips.filter((skip) => skip.reason === reason);
  const again = [...waiting.map(({ untilMs }) => untilMs), ...publicationsMs(excluded)];
  const next = again.filter((ms) => ms > nowMs);
  return {
    planned: writesOf(changes),
    waiting,
    skipped: [...news.filter(isExternal), ...news.filter((skip) => !isExternal(skip))],
    known,
    withoutFile: ofReason('in-download-archive').flatMap(({ chapter }) => chapter ?? []),
    againAtMs: next.length > 0 ? minOf(next) : undefined,
  };
}

/** Whether a person may miss the release, since the one that is here may be taken for another chapter. */
function isNews({ reason, chapter, instead }: Skip, listed: ReadonlySet<Chapter>): boolean {
  if (!isNewsSkip(reason)) return false;
  if (reason === 'chapter-external') return instead === undefined;
  if (reason !== 'other-release-saved' || !chapter || !instead) return true;
  return (
    !listed.has(instead) || mayBeTwo(instead, chapter) || instead.language !== chapter.language
  );
}

function publicationsMs(excluded: readonly ExcludedChapter[]): readonly number[] {
  return excluded.flatMap(({ chapter, reason }) =>
    reason === 'chapter-unpublished' ? [firstReadableMs(chapter)] : [],
  );
}

interface KnownChanges {
  /** What becomes of the chapters that changed since the last comparison. None is replaced by another release. */
  readonly updates: readonly Decision[];
  /** All changed chapters as they are now, for the next run. */
  readonly compared: readonly string[];
}

/** `planned`: what the run downloads anyway. Reads the records of the title's files. */
export async function findChanges(
  { id, options }: DueTitle,
  title: UnreadTitle,
  planned: readonly UnnamedWrite[],
  decisionOptions: DecisionOptions,
  { library, history }: KnownFiles & { readonly library: LibraryIndex },
  session: SyncSession,
): Promise<KnownChanges> {
  const { journal, userSignal, context, client } = session;
  const { nowMs } = decisionOptions;
  const { outdated, saved } = await readOutdated(title, library, nowMs, userSignal);
  const handled = new Set(
    planned.flatMap((change) => [change.release.id, replacedRelease(change) ?? '']),
  );
  const all = outdated.filter((chapter) => !handled.has(chapter.id));
  const known = journal.state.titles[id];
  // With other rules, such as `upgrade`, what was only reported is dealt with again.
  const hasSameRules = known?.rules === rulesText(options, context.settings);
  const earlier = new Set(hasSameRules ? known.compared : []);
  const changed = all.filter((chapter) => !earlier.has(revisionOf(chapter)));
  const compared = all.map(revisionOf);
  if (changed.length === 0) return { updates: [], compared };
  const taken = new Set(planned.map((change) => replacedFile(change)?.file));
  const unlisted = title.unlisted.filter(({ archive }) => !taken.has(archive.file));
  const named = changed.map((chapter) => {
    return { id: chapter.id, chapter, why: 'it changed on MangaDex' };
  });
  const { changes } = await decideChanges(
    { named, titles: [{ ...title, selected: [], excluded: [], unlisted }] },
    { ...decisionOptions, update: true },
    { library, history, saved },
    { client, signal: userSignal },
  );
  return { updates: changes, compared };
}

/** Another edit of the same chapter is another change. */
function revisionOf({ id, version, updatedAt }: Chapter): string {
  return `${id} ${version} ${updatedAt?.getTime() ?? ''}`;
}
