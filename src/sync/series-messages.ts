/** What a run says of a series before its download: what is skipped, what waits, and what a person may wonder about. */
import type { Chapter } from '../service/chapters.js';
import type { LibraryIndex } from '../library/scan.js';
import { pluralize } from '../core/human-format.js';
import { shellQuoted } from '../core/shell-quoted.js';
import type { SkippedEvent } from '../events/download-events.js';
import { isUnavailable } from '../events/reasons.js';
import { chapterFields } from '../selection/chapter-fields.js';
import { unavailableReason } from '../selection/exclusions.js';
import { explainEmptySelection } from '../selection/explain-selection.js';
import type { ReleaseDecisions } from './release-decisions.js';
import { languagesOf, syncCommandLine } from './subscriptions.js';
import type { DueTitle, SyncSession } from './sync-session.js';

/** An event for each chapter that is not downloaded. The files of those that the service does not have are not named. */
export function skippedEvents(
  { skipped }: Pick<ReleaseDecisions, 'skipped'>,
  series: string,
): readonly SkippedEvent[] {
  return skipped.map(({ id, chapter, reason, file, savedLanguage }) => ({
    type: 'chapter-skipped',
    chapter: id,
    reason,
    savedLanguage,
    ...(file !== undefined && !isUnavailable(reason) && { file }),
    ...(chapter && chapterFields(chapter, series)),
  }));
}

/** A chapter that is skipped, or that waits, is reported once, not by each run. Returns those that are skipped now. */
export function reportDecisions(
  { id, label }: DueTitle,
  { waiting }: Pick<ReleaseDecisions, 'waiting'>,
  skipped: readonly SkippedEvent[],
  { journal, options: { dryRun }, listeners: { observe, onSkipped } }: SyncSession,
): readonly SkippedEvent[] {
  const known = journal.state.titles[id];
  const knownWaits = dryRun ? [] : (known?.waiting ?? []);
  for (const { release, untilMs } of waiting) {
    if (knownWaits.some((wait) => wait.chapter === release.id && wait.untilMs === untilMs))
      continue;
    const until = new Date(untilMs).toISOString();
    const fields = release.chapter && chapterFields(release.chapter, label);
    observe({ type: 'chapter-waiting', title: id, chapter: release.id, ...fields, until });
  }
  const reported = new Set(known?.reported);
  const fresh = skipped.filter(({ chapter }) => !reported.has(chapter));
  for (const event of fresh) observe(event);
  onSkipped?.(fresh);
  return fresh;
}

/**
 * The history lists these chapters, and their files are gone: a person may wonder why they do not come back, once for each
 * of them. A damaged file is not replaced by each run either: `verify` may find others, and says which. Returns the ids of
 * those that are gone.
 */
export function warnOfFilesGone(
  { id, label }: DueTitle,
  chapters: readonly Chapter[],
  library: LibraryIndex,
  { warn, journal, options: { file: subscriptionsFile }, context }: SyncSession,
): string[] {
  const gone: string[] = [];
  for (const chapter of chapters) {
    const file = library.findDamaged(chapter.id)?.file;
    if (file === undefined) gone.push(chapter.id);
    else
      warn(
        `${file} is damaged: its end is lost.`,
        `To download its chapter again, run: tankobon verify --repair ${shellQuoted(file)}`,
      );
  }
  const known = journal.state.titles[id];
  const reported = new Set(known?.gone ?? (known?.isRemovalReported ? gone : []));
  const fresh = gone.filter((chapterId) => !reported.has(chapterId));
  if (fresh.length === 0) return gone;
  const all = fresh.length < gone.length ? `all ${gone.length} chapters that are gone` : 'them';
  warn(
    `${label}: ${pluralize(fresh.length, 'chapter')} skipped: downloaded before, but not in the folder any more`,
    `To download ${all} again, run: ${syncCommandLine(`--redownload --only ${id}`, subscriptionsFile, context)}`,
  );
  return gone;
}

/** Titles of `follows` are left out: no subscription chose their language. */
export function warnOfMissingLanguage(
  { id, title: { languages }, label, options, isFollowed = false }: DueTitle,
  { context, options: { file }, warn }: SyncSession,
): void {
  const requested = languagesOf(options, context.settings);
  const available = languages.find((code) => !requested.includes(code));
  if (isFollowed || available === undefined || requested.length === 0) return;
  const asked = { languages: requested, groups: [] };
  warn(
    explainEmptySelection({ titleName: label, options: asked, chapters: [], languages }),
    `Change it: ${syncCommandLine(`add title:${id} --language ${available}`, file, context)}`,
  );
}

/** Reports the chapters that were taken down when the title was last read, and that the service has again. */
export function reportRestored(
  { id, label }: DueTitle,
  releases: readonly Chapter[],
  library: LibraryIndex,
  { journal, listeners, context }: SyncSession,
): void {
  const nowMs = context.clock.wallMs();
  const takenDown = new Set(journal.state.titles[id]?.takenDown);
  for (const chapter of releases) {
    const isBack = takenDown.has(chapter.id) && !unavailableReason(chapter, nowMs);
    if (!isBack || !library.find(chapter.id)) continue;
    const fields = chapterFields(chapter, label);
    listeners.observe({ type: 'chapter-restored', title: id, chapter: chapter.id, ...fields });
  }
}
