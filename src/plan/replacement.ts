/**
 * What may replace a file, beside a newer state of its own release: a better release of the same chapter, or one whose
 * number it has although its own chapter was deleted. All conditions are here; that the file did not change since it was
 * read is checked right before it is replaced (library/ownership.ts). Pure.
 */
import type { Chapter } from '../service/chapters.js';
import { type ReadChapter, isReadableBook, type FoundChapter } from '../library/file.js';
import { isOwnChapter } from './change.js';
import { isShortIdPath } from '../config/names.js';
import { numberKey } from '../selection/reading-order.js';
import {
  haveOtherVolumes,
  mayBeTwo,
  mayReplace,
  type ChapterKeys,
} from '../selection/same-chapter.js';
import { rankOf, type SelectionOptions } from '../selection/select-chapters.js';

/** A chapter in the output folder that the service does not list, and of which a new release is. */
export interface EarlierUpload {
  readonly archive: FoundChapter;
  /** What its file says of it; not readable on the service. */
  readonly release: Chapter;
  /** Whether the owner changed its number in the file. */
  readonly hasOwnNumber: boolean;
  /** Whether the service deleted the chapter; otherwise its list lacks it for another reason, such as its language. */
  readonly isDeleted: boolean;
}

/** Two chapters without a number and a title may be of different stories. */
export function hasName({ number, title = '' }: Chapter): boolean {
  return number !== undefined || title !== '';
}

/** What to do with a release of a chapter that a file has. */
export type UploadDecision =
  | { readonly kind: 'kept'; readonly reason: UploadSkipReason; readonly by: EarlierUpload }
  | { readonly kind: 'replaces'; readonly archive: FoundChapter };

/** `already-there`: in a release that is not worse, and that cannot be taken for another chapter. */
export type UploadSkipReason =
  'already-there' | 'uploaded-again' | 'older-upload-kept' | 'other-release-saved' | 'fixed-book';

type Selection = Pick<SelectionOptions, 'languages' | 'groups' | 'allReleases'>;

export interface ReplaceRules {
  readonly selection: Selection;
  /** What a better release replaces: nothing, files of deleted chapters, or also those of other releases. */
  readonly replaces: 'none' | 'deleted' | 'all';
  /** Whether the owner asked for a release in place of a deleted one, so that it replaces that whatever the rest says. */
  readonly isOwnersChoice: (chapter: Chapter, saved: Chapter) => boolean;
  readonly keys: Pick<ChapterKeys, 'keyOf'>;
}

/** Undefined for a release of a chapter that no file has. */
export function decideUpload(
  chapter: Chapter,
  uploads: readonly EarlierUpload[],
  rules: ReplaceRules,
): UploadDecision | undefined {
  const { selection, keys } = rules;
  const key = keys.keyOf(chapter);
  const same = uploads.filter(
    ({ release }) => keys.keyOf(release) === key && isAlternative(chapter, release, selection),
  );
  const by = same.find(({ isDeleted }) => isDeleted) ?? same[0];
  if (!by) return undefined;
  const reason = whyKept(chapter, by, rules);
  return reason ? { kind: 'kept', reason, by } : { kind: 'replaces', archive: by.archive };
}

/** Undefined if the chapter replaces the file. */
function whyKept(
  chapter: Chapter,
  { archive, release, isDeleted }: EarlierUpload,
  { selection, replaces, isOwnersChoice, keys }: ReplaceRules,
): UploadSkipReason | undefined {
  const { file, isBound, ownership } = archive;
  const isChosen = isDeleted && isOwnersChoice(chapter, release);
  const isReplacing = isChosen || replaces === 'all' || (replaces === 'deleted' && isDeleted);
  if (isDeleted && !isChosen && !isNotOlder(chapter, release, selection))
    return mayBeTwo(chapter, release) ? 'other-release-saved' : 'already-there';
  if (!mayReplace(release, chapter, keys)) return 'other-release-saved';
  if (!isDeleted && (!isReplacing || compareRanks(chapter, release, selection) >= 0))
    return 'other-release-saved';
  if (ownership !== 'own') return 'older-upload-kept';
  if (!isReplacing) return 'uploaded-again';
  return isBound && !isReadableBook(file) ? 'fixed-book' : undefined;
}

/** Whether only one of the two would be selected. A saved release in a language that is not requested any more counts. */
function isAlternative(
  chapter: Chapter,
  earlier: Chapter,
  { languages, allReleases = false }: Selection,
): boolean {
  if (allReleases && groupsOf(chapter) !== groupsOf(earlier)) return false;
  return (languages.length > 0 && !allReleases) || chapter.language === earlier.language;
}

/** Equal for chapters of the same groups. */
function groupsOf({ groups }: Chapter): string {
  return groups
    .map(({ name }) => name)
    .sort()
    .join('\n');
}

const DAY_MS = 86_400_000;

/** Whether the chapter is of a better language or group, or of the same and not older. A file has only the day of publication. */
function isNotOlder(chapter: Chapter, earlier: Chapter, selection: Selection): boolean {
  const difference = compareRanks(chapter, earlier, selection);
  if (difference !== 0) return difference < 0;
  const date = chapter.publishAt ?? chapter.readableAt ?? chapter.createdAt;
  const day = Math.floor((date?.getTime() ?? Number.POSITIVE_INFINITY) / DAY_MS);
  return day >= Math.floor((earlier.publishAt?.getTime() ?? 0) / DAY_MS);
}

/** By language, then by group; negative if the first one is better. */
function compareRanks(a: Chapter, b: Chapter, selection: Selection): number {
  const [first, second] = [rankOf(a, selection), rankOf(b, selection)];
  return first.language - second.language || first.group - second.group;
}

/** A saved chapter that gets other metadata, or other pages. */
export interface ChangedChapter {
  readonly chapter: Chapter;
  readonly archive: FoundChapter;
  /** What its file says. */
  readonly archived: ReadChapter | undefined;
}

/** The files of deleted chapters whose number changed ones get now, by the ids of these: otherwise two of one number were left. */
export function findSuperseded(
  changed: readonly ChangedChapter[],
  uploads: readonly EarlierUpload[],
  { selection, keys }: Pick<ReplaceRules, 'selection' | 'keys'>,
): ReadonlyMap<string, FoundChapter> {
  const found = new Map<string, FoundChapter>();
  const free = new Set(uploads);
  for (const each of changed) {
    const { chapter } = each;
    const old = [...free].find((upload) => maySupersede(chapter, upload, { selection, keys }));
    if (!old || !hasNewNumber(each, old)) continue;
    found.set(chapter.id, old.archive);
    free.delete(old);
  }
  return found;
}

/** Whether the number of a changed chapter may make the file go, by what the service says. A number that its owner gave it stays with it. */
export function maySupersede(
  chapter: Chapter,
  { archive, release, isDeleted, hasOwnNumber }: EarlierUpload,
  { selection, keys }: Pick<ReplaceRules, 'selection' | 'keys'>,
): boolean {
  return (
    isDeleted &&
    !hasOwnNumber &&
    isOwnChapter(archive) &&
    mayReplace(release, chapter, keys) &&
    release.language === chapter.language &&
    isAlternative(chapter, release, selection) &&
    rankOf(chapter, selection).group <= rankOf(release, selection).group
  );
}

/** A file that was saved without metadata could not take over the edits of the other one. */
function hasNewNumber({ chapter, archive, archived }: ChangedChapter, old: EarlierUpload): boolean {
  if (archived?.metadata.series === undefined) return false;
  return isNamedBeside(archive.file, chapter, old) || isRenumbered(archived, chapter);
}

/** Whether `retag` gave the file the number, and the name with the id of the chapter, since the other one had the plain name. */
function isNamedBeside(file: string, chapter: Chapter, { archive, release: old }: EarlierUpload) {
  const isBeside = isShortIdPath(file, { chapterId: chapter.id, path: archive.file });
  return isBeside && groupsOf(chapter) === groupsOf(old);
}

/** Whether its file has another number or volume, which the owner did not change. */
function isRenumbered({ metadata, written = metadata }: ReadChapter, chapter: Chapter) {
  const { number, volume } = written;
  if (metadata.number !== number) return false;
  return (
    numberKey(number) !== numberKey(chapter.number) ||
    haveOtherVolumes({ volume, title: undefined }, chapter)
  );
}
