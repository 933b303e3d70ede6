/**
 * Moves the files of chapters away that a subscription does not keep (`keep-latest`, `keep-unread`), once the chapters of
 * the run are saved and bound. The history has them before: they count as removed by their owner.
 */
import { readdir } from 'node:fs/promises';
import type { Chapter } from '../service/chapters.js';
import { effectiveOptions } from '../config/options.js';
import { fileChanged, isUnchanged, readFileState } from '../core/file-state.js';
import { removeFile } from '../core/files.js';
import type { UnreadTitle } from '../download/known-title.js';
import { toTankobonError } from '../core/system-errors.js';
import { keepReplaced } from '../library/replaced-files.js';
import type { LibraryIndex } from '../library/scan.js';
import type { RetireReason } from '../events/reasons.js';
import { isOwnChapter } from '../plan/change.js';
import { filesToRetire, notKept } from '../plan/retire.js';
import { unavailableReason } from '../selection/exclusions.js';
import { chapterFields } from '../selection/chapter-fields.js';
import { withScan } from './changed-files.js';
import { incompleteTitle } from './history.js';
import { isBeforeStart, type ReleaseRules } from './sync-request.js';
import type { DueTitle, SyncSession } from './sync-session.js';
import { filesInPlace, isUnedited } from './unedited-file.js';

type Retire = ReturnType<typeof filesToRetire>['changes'][number];
type Reasons = ReadonlyMap<string, RetireReason>;

/** By the ids of the releases: why the subscription does not keep their chapters. */
export function reasonsNotToKeep(
  { readIds }: DueTitle,
  rules: ReleaseRules,
  title: Omit<UnreadTitle, 'excluded'>,
  library: LibraryIndex,
): Reasons {
  const { keepLatest: latest } = rules;
  const { releases, selected, keys, earlier, unlisted } = title;
  if (latest === undefined && readIds === undefined) return new Map();
  const others = [...releases, ...earlier, ...unlisted.map(({ release }) => release)];
  const saved = others.filter(({ id }) => library.copiesOf(id).length > 0);
  const toSave = selected.flatMap(({ chapter }) => chapter ?? []);
  const there = [...toSave.filter((chapter) => !isBeforeStart(chapter, rules)), ...saved];
  return notKept({ listed: releases, there, keys }, { latest, readIds });
}

/**
 * Resolves with how many files were moved away, or would be in a dry run. A file that fails is a warning.
 * @param releases all that the service lists in the requested languages, in reading order
 */
export async function retireChapters(
  due: DueTitle,
  releases: readonly Chapter[],
  reasons: Reasons,
  session: SyncSession,
): Promise<number> {
  const { libraries, journal, context, options } = session;
  const needsBook = effectiveOptions(due.options, context.settings).bind !== false;
  // This run may have bound chapters.
  if (needsBook && reasons.size > 0) libraries.forget(due.output);
  const library = await libraries.open(due.output);
  const before = journal.state.notKept.get(due.id) ?? new Set();
  const nowMs = context.clock.wallMs();
  const available = releases.filter((release) => !unavailableReason(release, nowMs));
  const { changes, waiting } = filesToRetire(available, reasons, { library, before, needsBook });
  const allowed = await untouched(due, changes, library, session);
  if (options.dryRun) {
    for (const change of allowed) report(due, change, true, session);
    return allowed.length;
  }
  const failed = allowed.length > 0 ? await moveAway(due, allowed, session) : new Set<string>();
  const now = [...reasons.keys()].filter((id) => !waiting.has(id) && !failed.has(id));
  const listed = new Set(releases.map(({ id }) => id));
  // Nothing is known of releases that are not listed, such as those in a language that is not asked for now.
  const notListed = [...before].filter((id) => !listed.has(id));
  const after = new Set([...now, ...notListed]);
  const add = [...after].filter((id) => !before.has(id));
  const remove = [...before].filter((id) => !after.has(id));
  if (add.length + remove.length > 0) journal.add({ notKept: due.id, add, remove });
  return allowed.length - failed.size;
}

async function untouched(
  { id, output }: DueTitle,
  changes: readonly Retire[],
  library: LibraryIndex,
  { userSignal }: SyncSession,
): Promise<readonly Retire[]> {
  if (changes.length === 0) return [];
  const archives = library.ofTitle(id);
  const inPlace = await filesInPlace(archives.filter(isOwnChapter), output);
  const allowed: Retire[] = [];
  for (const change of changes) {
    userSignal.throwIfAborted();
    if (inPlace.has(change.file) && (await isUnedited(change.file, userSignal)))
      allowed.push(change);
  }
  return allowed;
}

/** Resolves with the ids of the chapters whose files stay since they could not be moved. */
async function moveAway(
  due: DueTitle,
  changes: readonly Retire[],
  session: SyncSession,
): Promise<ReadonlySet<string>> {
  const { libraries, journal, history, userSignal, warn } = session;
  const failed = new Set<string>();
  const removedFiles = new Set<string>();
  // If the run is killed, the next one goes on.
  journal.addAll(incompleteTitle(due.id, journal.state));
  await history.add(changes.map(({ chapterId }) => chapterId));
  await withScan(due, session, async (onChanged) => {
    for (const change of changes) {
      userSignal.throwIfAborted();
      try {
        await moveFile(change.file, due.output, session);
      } catch (error) {
        failed.add(change.chapterId);
        warn(`Not moved away: ${toTankobonError(error).message}`);
        continue;
      }
      removedFiles.add(change.file);
      onChanged(change.file);
      report(due, change, false, session);
    }
  }).finally(() => {
    const none = { savedFiles: new Map(), retaggedFiles: new Map() };
    libraries.update(due.output, due.id, { ...none, removedFiles });
  });
  if (await isEmptied(due.output)) await history.removeFolder(due.output);
  return failed;
}

async function moveFile(file: string, output: string, { context }: SyncSession): Promise<void> {
  const state = await readFileState(file);
  // A run on another machine moved it.
  if (!state) return;
  const { keepReplaced: maxAgeMs } = context.settings;
  const keep = { output, maxAgeMs, nowMs: context.clock.wallMs() };
  await keepReplaced({ file, state }, [], keep, async () => {
    if (!(await isUnchanged(file, state))) throw fileChanged(file);
    await removeFile(file);
  });
}

/** A folder in which nothing is left would pass for a disk that is not mounted. */
async function isEmptied(output: string): Promise<boolean> {
  const names = await readdir(output).catch(() => ['unreadable']);
  return names.every((name) => name.startsWith('.'));
}

function report(
  { id, label }: DueTitle,
  { chapterId, chapter, file, why }: Retire,
  isPlanned: boolean,
  { listeners, context }: SyncSession,
): void {
  listeners.observe({
    type: 'chapter-retired',
    title: id,
    chapter: chapterId,
    ...chapterFields(chapter, label),
    file,
    reason: why,
    ...(isPlanned && { planned: true }),
    ...(context.settings.keepReplaced === 0 && { removed: true }),
  });
}
