/**
 * Chapters in the output folder whose number a new chapter has, since the service deleted or renumbered them: without
 * a look at the files, two files of one number would be left.
 */
import { dirname } from 'node:path';
import { fetchChapters, type Chapter } from '../api/chapters.js';
import type { Title } from '../api/titles.js';
import { readArchivedChapters } from '../cbz/archived-chapters.js';
import { languageTag } from '../cbz/comic-info.js';
import type { ChapterMetadata } from '../cbz/comic-info-reader.js';
import { isReadableBook, type ExistingArchive, type LibraryIndex } from '../cbz/library-index.js';
import { plainTitle } from '../cbz/numbered-title.js';
import { chapterKey } from '../selection/reading-order.js';
import { rankOf, type SelectionOptions } from '../selection/select-chapters.js';
import { isTolerable } from '../selection/title-loader.js';
import type { ServiceSession } from './download-session.js';
import { nameKey } from './title-home.js';

export interface EarlierUpload {
  readonly archive: ExistingArchive;
  /** Whether the service renumbered the chapter; otherwise it deleted it. */
  readonly isRenumbered: boolean;
  /** Whether the service does not deliver the chapter any more: an update leaves its file as it is. */
  readonly isUnavailable: boolean;
  /** Whether the owner changed its number in the file. */
  readonly hasOwnNumber: boolean;
  /** What its file says of it. */
  readonly chapter: Chapter;
}

export interface UploadsOptions {
  readonly title: Pick<Title, 'id' | 'names' | 'numbersRestart'>;
  /** Chapters to download. */
  readonly added: readonly Chapter[];
  /** All releases of the title in the requested languages. */
  readonly listed: readonly Chapter[];
  readonly library: Pick<LibraryIndex, 'ofTitle' | 'copiesOf' | 'inFolder'>;
}

/** Reads only files that may be such, and asks the service whether it has deleted them: one request, if there are any. */
export async function readEarlierUploads(
  { title, added, listed, library }: UploadsOptions,
  { client, signal }: Pick<ServiceSession, 'client' | 'signal'>,
): Promise<readonly EarlierUpload[]> {
  if (added.length === 0) return [];
  const byId = new Map(listed.map((chapter) => [chapter.id, chapter]));
  const keyOf = (chapter: Chapter): string => chapterKey(chapter, title.numbersRestart);
  const addedKeys = new Set(added.map(keyOf));
  const titleKeys = title.names.map(nameKey);
  const uploads: EarlierUpload[] = [];
  for (const archive of archivesOf(title, byId, library)) {
    const now = byId.get(archive.chapterId);
    // A new number is an edit, which the version counts.
    if (now && archive.version === now.version) continue;
    signal.throwIfAborted();
    const known = await readArchivedChapters(archive.file);
    const found = known.find(({ chapterId }) => chapterId === archive.chapterId);
    // A number that the owner edited is not the service's.
    const metadata = found?.written ?? found?.metadata;
    if (metadata?.series === undefined) continue;
    const isUnknown = archive.titleId === undefined && !now;
    if (isUnknown && !titleKeys.includes(nameKey(metadata.series))) continue;
    // Two chapters without a number and a title may be of different stories.
    if (metadata.number === undefined && (metadata.title ?? '') === '') continue;
    const chapter = toChapter(archive.chapterId, metadata, listed);
    const isSame = now !== undefined && keyOf(now) === keyOf(chapter);
    if (isSame || !addedKeys.has(keyOf(chapter))) continue;
    const hasOwnNumber = found?.metadata.number !== metadata.number;
    const { isUnavailable = false } = now ?? {};
    const isRenumbered = now !== undefined;
    uploads.push({ archive, chapter, hasOwnNumber, isRenumbered, isUnavailable });
  }
  const gone = uploads.filter(({ isRenumbered }) => !isRenumbered);
  if (gone.length === 0) return uploads;
  // The list may lack a chapter for other reasons.
  const ids = gone.map(({ chapter }) => chapter.id);
  const existing = await fetchChapters(client, ids, { signal }).catch((error: unknown) => {
    if (!isTolerable(error)) throw error;
    return new Map(ids.map((id) => [id, undefined]));
  });
  return uploads.filter(({ chapter, isRenumbered }) => isRenumbered || !existing.has(chapter.id));
}

/** Older archives do not name their title: of these, the ones beside archives of the title are looked at. */
function archivesOf(
  { id }: UploadsOptions['title'],
  listed: ReadonlyMap<string, Chapter>,
  library: UploadsOptions['library'],
): readonly ExistingArchive[] {
  const own = new Set([
    ...library.ofTitle(id),
    ...[...listed.keys()].flatMap((chapterId) => library.copiesOf(chapterId)),
  ]);
  const folders = new Set([...own].map(({ file }) => dirname(file)));
  const beside = [...folders].flatMap((folder) => library.inFolder(folder));
  return [...new Set([...own, ...beside.filter(({ titleId }) => titleId === undefined)])];
}

function toChapter(id: string, metadata: ChapterMetadata, listed: readonly Chapter[]): Chapter {
  const { number, volume, title, language = '', publishedAt, translators = [] } = metadata;
  const sameLanguage = listed.find((chapter) => languageTag(chapter.language) === language);
  const groups = new Map(listed.flatMap((chapter) => chapter.groups.map((one) => [one.name, one])));
  return {
    id,
    number,
    volume,
    title: plainTitle(title),
    language: sameLanguage?.language ?? language.toLowerCase(),
    pages: undefined,
    externalUrl: undefined,
    isUnavailable: false,
    version: 1,
    publishAt: publishedAt,
    readableAt: undefined,
    createdAt: undefined,
    groups: translators.map((name) => groups.get(name) ?? { id: '', name }),
    titleId: undefined,
    partialTitle: undefined,
  };
}

/** What to do with a chapter whose number a file has. */
export type UploadDecision =
  | { readonly kind: 'skipped'; readonly reason: UploadSkipReason; readonly file: string }
  | { readonly kind: 'replaces'; readonly archive: ExistingArchive };

/** `already-there`: in a release that is not worse. */
export type UploadSkipReason = 'already-there' | 'uploaded-again' | 'fixed-book' | 'number-in-use';

export interface UploadRules {
  readonly selection: Pick<SelectionOptions, 'languages' | 'groups' | 'allReleases'>;
  /** Whether files are replaced, and get their new numbers. */
  readonly isReplacing: boolean;
  readonly numbersRestart: boolean;
}

/** Undefined for a chapter whose number no file has, or that an update takes from its file. Pure. */
export function decideUpload(
  chapter: Chapter,
  uploads: readonly EarlierUpload[],
  { selection, isReplacing, numbersRestart }: UploadRules,
): UploadDecision | undefined {
  const key = chapterKey(chapter, numbersRestart);
  const same = uploads.filter(
    (upload) =>
      chapterKey(upload.chapter, numbersRestart) === key &&
      isAlternative(chapter, upload, selection),
  );
  const deleted = same.find(({ isRenumbered }) => !isRenumbered);
  if (!deleted) {
    const [first] = same;
    const fixed = same.find(({ isUnavailable }) => isUnavailable);
    if (!first || (isReplacing && !fixed)) return undefined;
    return { kind: 'skipped', reason: 'number-in-use', file: (fixed ?? first).archive.file };
  }
  const { archive } = deleted;
  const { file, isBound = false, ownership } = archive;
  const reason = !isSuccessor(chapter, deleted.chapter, selection)
    ? ('already-there' as const)
    : !isReplacing || ownership !== 'own'
      ? ('uploaded-again' as const)
      : isBound && !isReadableBook(file) && ('fixed-book' as const);
  return reason ? { kind: 'skipped', reason, file } : { kind: 'replaces', archive };
}

/** Whether only one of the two would be selected. */
export function isAlternative(
  chapter: Chapter,
  { chapter: earlier }: Pick<EarlierUpload, 'chapter'>,
  { languages, allReleases = false }: Pick<SelectionOptions, 'languages' | 'allReleases'>,
): boolean {
  if (allReleases && groupsOf(chapter) !== groupsOf(earlier)) return false;
  const sharesLanguages = languages.length > 0 && !allReleases;
  return sharesLanguages
    ? languages.includes(earlier.language)
    : chapter.language === earlier.language;
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
  selection: Pick<SelectionOptions, 'languages' | 'groups'>,
): boolean {
  const [rank, earlierRank] = [rankOf(chapter, selection), rankOf(earlier, selection)];
  const difference = rank.language - earlierRank.language || rank.group - earlierRank.group;
  if (difference !== 0) return difference < 0;
  const date = chapter.publishAt ?? chapter.readableAt ?? chapter.createdAt;
  const day = Math.floor((date?.getTime() ?? Number.POSITIVE_INFINITY) / DAY_MS);
  return day >= Math.floor((earlier.publishAt?.getTime() ?? 0) / DAY_MS);
}
