/**
 * Chapters in the output folder that the service does not list in the requested languages, and of which a new release is:
 * deleted ones, and saved ones in other languages. Without a look at the files, two files of one chapter would be left.
 */
import { fetchChapters, type Chapter } from '../service/chapters.js';
import { type ExistingArchive } from '../library/scan.js';
import { isReadableBook } from '../library/file.js';
import { mayBeTwo, mayReplace, type ChapterKeys } from '../selection/same-chapter.js';
import { rankOf, type SelectionOptions } from '../selection/select-chapters.js';
import { isTolerable } from '../selection/title-loader.js';
import type { ServiceSession } from './download-session.js';
import type { KnownTitle, UnlistedChapter } from './known-title.js';

export interface EarlierUpload extends UnlistedChapter {
  /** Whether the service deleted the chapter; otherwise its list lacks it for another reason, such as its language. */
  readonly isDeleted: boolean;
}

/**
 * Those of one chapter with releases to download. Asks the service whether it has deleted them: one request, if there
 * are any in the requested languages.
 */
export async function readEarlierUploads(
  added: readonly Chapter[],
  { keys, unlisted }: KnownTitle,
  { languages }: Pick<SelectionOptions, 'languages'>,
  { client, signal }: Pick<ServiceSession, 'client' | 'signal'>,
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
  return uploads.map((upload) => {
    const { release } = upload;
    return { ...upload, isDeleted: isRead(release) && !existing.has(release.id) };
  });
}

/** Two chapters without a number and a title may be of different stories. */
export function hasName({ number, title = '' }: Chapter): boolean {
  return number !== undefined || title !== '';
}

/** What to do with a release of a chapter that a file has. */
export type UploadDecision =
  | { readonly kind: 'skipped'; readonly reason: UploadSkipReason; readonly file: string }
  | { readonly kind: 'replaces'; readonly archive: ExistingArchive };

/** `already-there`: in a release that is not worse, and that cannot be taken for another chapter. */
export type UploadSkipReason =
  'already-there' | 'uploaded-again' | 'other-release-saved' | 'fixed-book';

export interface UploadRules {
  readonly selection: Pick<SelectionOptions, 'languages' | 'groups' | 'allReleases'>;
  /** What a better release replaces: nothing, files of deleted chapters, or also those of other releases. */
  readonly replaces: 'none' | 'deleted' | 'all';
  readonly keys: Pick<ChapterKeys, 'keyOf'>;
}

/** Undefined for a release of a chapter that no file has. Pure. */
export function decideUpload(
  chapter: Chapter,
  uploads: readonly EarlierUpload[],
  { selection, replaces, keys }: UploadRules,
): UploadDecision | undefined {
  const key = keys.keyOf(chapter);
  const same = uploads.filter(
    ({ release }) => keys.keyOf(release) === key && isAlternative(chapter, release, selection),
  );
  const upload = same.find(({ isDeleted }) => isDeleted) ?? same[0];
  if (!upload) return undefined;
  const reason = whyKept(chapter, upload, { selection, replaces, keys });
  return reason
    ? { kind: 'skipped', reason, file: upload.archive.file }
    : { kind: 'replaces', archive: upload.archive };
}

/** Undefined if the chapter replaces the file. */
function whyKept(
  chapter: Chapter,
  { archive, release, isDeleted }: EarlierUpload,
  { selection, replaces, keys }: UploadRules,
): UploadSkipReason | undefined {
  const { file, isBound = false, ownership } = archive;
  const isReplacing = replaces === 'all' || (replaces === 'deleted' && isDeleted);
  if (isDeleted && !isSuccessor(chapter, release, selection))
    return mayBeTwo(chapter, release) ? 'other-release-saved' : 'already-there';
  if (!mayReplace(release, chapter, keys)) return 'other-release-saved';
  if (!isDeleted && (!isReplacing || compareRanks(chapter, release, selection) >= 0))
    return 'other-release-saved';
  if (!isReplacing || ownership !== 'own') return 'uploaded-again';
  return isBound && !isReadableBook(file) ? 'fixed-book' : undefined;
}

/** Whether only one of the two would be selected. A saved release in a language that is not requested any more counts. */
export function isAlternative(
  chapter: Chapter,
  earlier: Chapter,
  { languages, allReleases = false }: Pick<SelectionOptions, 'languages' | 'allReleases'>,
): boolean {
  if (allReleases && groupsOf(chapter) !== groupsOf(earlier)) return false;
  return (languages.length > 0 && !allReleases) || chapter.language === earlier.language;
}

/** Equal for chapters of the same groups. */
export function groupsOf({ groups }: Chapter): string {
  return groups
    .map(({ name }) => name)
    .sort()
    .join('\n');
}

const DAY_MS = 86_400_000;

/** Whether the chapter is of a better language or group, or of the same and not older. A file has only the day of publication. */
function isSuccessor(
  chapter: Chapter,
  earlier: Chapter,
  selection: UploadRules['selection'],
): boolean {
  const difference = compareRanks(chapter, earlier, selection);
  if (difference !== 0) return difference < 0;
  const date = chapter.publishAt ?? chapter.readableAt ?? chapter.createdAt;
  const day = Math.floor((date?.getTime() ?? Number.POSITIVE_INFINITY) / DAY_MS);
  return day >= Math.floor((earlier.publishAt?.getTime() ?? 0) / DAY_MS);
}

/** By language, then by group; negative if the first one is better. */
function compareRanks(a: Chapter, b: Chapter, selection: UploadRules['selection']): number {
  const [first, second] = [rankOf(a, selection), rankOf(b, selection)];
  return first.language - second.language || first.group - second.group;
}
