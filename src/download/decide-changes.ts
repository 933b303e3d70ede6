/** Reads what a decision depends on: records of files that may have changed, and chapters that the service does not list. */
import { fetchChapters, type Chapter } from '../service/chapters.js';
import { readFileChapters, type ReadChapter } from '../library/file.js';
import type { LibraryIndex } from '../library/scan.js';
import { replacedRelease, type Release, type UnnamedWrite } from '../plan/change.js';
import type { SkipReason } from '../events/reasons.js';
import {
  decide,
  savedState,
  writesOf,
  type Decided,
  type KnownFiles,
  type DecisionOptions,
} from '../plan/decide.js';
import { hasName, maySupersede } from '../plan/replacement.js';
import { unavailableReason } from '../selection/exclusions.js';
import { isTolerable } from '../selection/title-loader.js';
import type { ServiceSession } from './download-session.js';
import type { UnlistedChapter } from './known-title.js';

type Requested = Parameters<typeof decide>[0];
type SelectedTitle = Requested['titles'][number];
type EarlierUpload = SelectedTitle['uploads'][number];

/** A title whose files are not read yet. */
export interface UnreadTitle extends Omit<SelectedTitle, 'uploads'> {
  readonly unlisted: readonly UnlistedChapter[];
}

export interface DecidedChanges extends Decided {
  /** With these, the same is decided again. */
  readonly requested: Requested;
  readonly files: KnownFiles;
}

type Deps = Pick<ServiceSession, 'client' | 'signal'>;
type FoundFiles = Omit<KnownFiles, 'library'> & { readonly library: LibraryIndex };

/** One request for each title of which a file has a chapter that the service does not list, if a new release is of it. */
export async function decideChanges(
  {
    named,
    titles,
  }: { readonly named: Requested['named']; readonly titles: readonly UnreadTitle[] },
  options: DecisionOptions,
  found: FoundFiles,
  deps: Deps,
): Promise<DecidedChanges> {
  const unread = { named, titles: titles.map((title) => ({ ...title, uploads: [] })) };
  const first = decide(unread, options, found);
  const saved = found.saved ?? (options.update ? await readRecords(first, found, deps) : undefined);
  const files = { ...found, saved };
  const second = saved ? decide(unread, options, files) : first;
  const namedIds = new Set(named.map(({ id }) => id));
  const mayBeNew = ({ id }: Release) => found.history?.has(id) !== true && !namedIds.has(id);
  const concerned = new Map(
    writesOf(second.changes).flatMap((change) => {
      const isNew = change.kind === 'save' && !change.betterThan && mayBeNew(change.release);
      const isChanged = !options.filesToReplace && isOfSaved(change);
      return isNew || isChanged ? [[change.release.id, change] as const] : [];
    }),
  );
  const read: SelectedTitle[] = [];
  for (const title of titles) {
    const added = title.releases.filter(({ id }) => concerned.has(id));
    const uploads =
      added.length === 0 ? [] : await readEarlierUploads(added, title, options.selection, deps);
    read.push({ ...title, uploads });
  }
  const requested = { named, titles: read };
  if (read.every(({ uploads }) => uploads.length === 0)) return { ...second, requested, files };
  const changed = new Set(
    [...concerned.values()].filter(isOfSaved).map(({ release }) => release.id),
  );
  const archived = await readArchived(read, changed, options, found);
  const allFiles = { ...files, archived };
  return { ...decide(requested, options, allFiles), requested, files: allFiles };
}

/** Whether a file has the release itself. */
function isOfSaved(change: UnnamedWrite): boolean {
  return change.kind !== 'save' && replacedRelease(change) === undefined;
}

/** Why a release is skipped that a file has. */
const SAVED_REASONS: readonly SkipReason[] = ['already-there', 'newer-version', 'fixed-book'];

/** The chapters among these that changed on the service since their files were saved, and what the files say. */
export async function readOutdated(
  { releases, moved }: Pick<UnreadTitle, 'releases' | 'moved'>,
  library: LibraryIndex,
  nowMs: number,
  signal: AbortSignal,
): Promise<{ readonly outdated: readonly Chapter[]; readonly saved: KnownFiles['saved'] }> {
  const { readSaved } = await import('./planning/read-saved.js');
  const archives = releases.flatMap(({ id }) => library.find(id) ?? []);
  const saved = await readSaved(archives, signal);
  const outdated = releases.filter((chapter) => {
    if (!saved.has(chapter.id)) return false;
    const now = savedState(chapter, { library, saved }, moved);
    return now.state === 'saved' && now.isOutdated && !unavailableReason(chapter, nowMs);
  });
  return { outdated, saved };
}

/** What the files say of their chapters that stay, or are compared with the service. */
async function readRecords(
  { changes }: Decided,
  { library }: FoundFiles,
  { signal }: Deps,
): Promise<KnownFiles['saved']> {
  const { readSaved } = await import('./planning/read-saved.js');
  const ids = changes.flatMap((change) => {
    if (change.kind === 'skip') return SAVED_REASONS.includes(change.reason) ? change.id : [];
    return 'release' in change ? change.release.id : [];
  });
  return readSaved(
    ids.flatMap((id) => library.find(id) ?? []),
    signal,
  );
}

/**
 * Chapters that the service does not list in the requested languages, and that are of one chapter with releases to
 * download: deleted ones, and saved ones in other languages. Without a look at the files, two files of one chapter would be
 * left. Asks the service whether it has deleted them: one request, if there are any in the requested languages.
 */
async function readEarlierUploads(
  added: readonly Chapter[],
  { keys, unlisted }: UnreadTitle,
  { languages }: DecisionOptions['selection'],
  { client, signal }: Deps,
): Promise<readonly EarlierUpload[]> {
  const addedKeys = new Set(added.map(keys.keyOf));
  const uploads = unlisted.filter(
    ({ release }) => addedKeys.has(keys.keyOf(release)) && hasName(release),
  );
  const isRead = ({ language }: Chapter) => languages.length === 0 || languages.includes(language);
  const ids = uploads.flatMap(({ release }) => (isRead(release) ? [release.id] : []));
  // The list may lack a chapter for other reasons.
  const existing = await fetchChapters(client, ids, { signal }).catch((error: unknown) => {
    if (!isTolerable(error)) throw error;
    return new Map(ids.map((id) => [id, undefined]));
  });
  const titleId = added[0]?.titleId;
  return uploads.flatMap((upload) => {
    const { release } = upload;
    const now = existing.get(release.id);
    // A chapter that was moved to another title is none of this one.
    if (now?.titleId !== undefined && now.titleId !== titleId) return [];
    return [{ ...upload, isDeleted: isRead(release) && !existing.has(release.id) }];
  });
}

/** Reads the files of changed chapters that may have the number of a deleted one by now. */
async function readArchived(
  titles: readonly SelectedTitle[],
  changed: ReadonlySet<string>,
  { selection }: DecisionOptions,
  { library }: FoundFiles,
): Promise<KnownFiles['archived']> {
  const read = new Map<string, ReadChapter>();
  for (const { releases, uploads, keys } of titles)
    for (const chapter of releases) {
      const archive = changed.has(chapter.id) ? library.find(chapter.id) : undefined;
      if (!archive || !uploads.some((upload) => maySupersede(chapter, upload, { selection, keys })))
        continue;
      const inFile = await readFileChapters(archive.file);
      const found = inFile.find(({ chapterId }) => chapterId === archive.chapterId);
      if (found) read.set(chapter.id, found);
    }
  return read;
}
