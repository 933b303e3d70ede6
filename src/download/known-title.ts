/**
 * What a decision on a title depends on: what the service lists now, what it listed before, and what the files in the
 * output folder say of their chapters, also of those that it does not list. From all of them follows which releases are of
 * one chapter.
 */
import { dirname } from 'node:path';
import { fetchChapters, type Chapter } from '../service/chapters.js';
import { groupBy } from '../core/group-by.js';
import type { Title } from '../service/titles.js';
import {
  readFileChapters,
  readLibraryFile,
  type FoundChapter,
  type ReadChapter,
} from '../library/file.js';
import { languageTag, type ChapterMetadata } from '../library/comic-info.js';
import { mayBeRewritten } from '../library/ownership.js';
import type { ChapterRecord } from '../library/record.js';
import type { LibraryIndex } from '../library/scan.js';
import { serviceCode } from '../config/language-codes.js';
import { plainTitle } from '../config/names.js';
import type { SkipReason } from '../events/reasons.js';
import {
  replacedRelease,
  type KnownFile,
  type Release,
  type UnnamedWrite,
} from '../plan/change.js';
import { isMovedTo } from '../plan/chapter-changes.js';
import {
  decide,
  savedState,
  writesOf,
  type Decided,
  type KnownFiles,
  type DecisionOptions,
} from '../plan/decide.js';
import { hasName, maySupersede } from '../plan/replacement.js';
import { chapterKeys } from '../selection/same-chapter.js';
import { isInLanguages, unavailableReason } from '../selection/exclusions.js';
import { fetchTitleIfAvailable, isTolerable } from '../selection/title-loader.js';
import type { ServiceSession } from './download-session.js';
import { ListingCache, mergeListing, type CachedListing } from '../selection/listing-cache.js';
import { folderKey } from '../core/name-keys.js';

type Requested = Parameters<typeof decide>[0];
type SelectedTitle = Requested['titles'][number];
type EarlierUpload = SelectedTitle['uploads'][number];
/** A chapter in the output folder that the service does not list. */
type UnlistedChapter = Omit<EarlierUpload, 'isDeleted'>;

interface MovedChapters extends Pick<SelectedTitle, 'movedIds'> {
  /** All files that name the other titles, also of chapters that another file has as chapters of this one. */
  readonly movedFiles: readonly string[];
}

export interface KnownTitle extends Pick<SelectedTitle, 'keys' | 'earlier'>, MovedChapters {
  readonly unlisted: readonly UnlistedChapter[];
}

export type KnownTitles = ReadonlyMap<string, KnownTitle>;

/** A title of which no file was read for the decision. */
export type UnreadTitle = KnownTitle & Pick<SelectedTitle, 'releases' | 'selected' | 'excluded'>;

/** The releases of a title, as the service lists them in the requested languages. */
interface ListedTitle {
  readonly titleId: string;
  readonly title: Title | undefined;
  readonly listed: readonly Chapter[];
  /** Only some of them: those of a group, or the latest. */
  readonly isPartial?: boolean | undefined;
  readonly languages: readonly string[];
  /** Titles that are known to be merged into this one; see findOtherTitles for others. */
  readonly formerIds?: readonly string[] | undefined;
  /** Whether the list is kept for later runs also if no earlier one kept it. */
  readonly isKept?: boolean | undefined;
}

type Library = Pick<LibraryIndex, 'ofTitle' | 'copiesOf' | 'inFolder'>;
type Deps = Pick<ServiceSession, 'client' | 'warn' | 'context' | 'signal'>;
type FoundFiles = KnownFiles & { readonly library: LibraryIndex };

/** By the ids of the titles. */
export async function readKnownTitles(
  titles: readonly ListedTitle[],
  library: Library,
  deps: Deps,
): Promise<KnownTitles> {
  const known = new Map<string, KnownTitle>();
  for (const listedTitle of titles)
    known.set(listedTitle.titleId, await readKnownTitle(listedTitle, library, deps));
  return known;
}

/**
 * Where the requested languages do not show which releases are of one chapter, those of all are read, once a week: one
 * more request.
 */
export async function readKnownTitle(
  listedTitle: ListedTitle,
  library: Library,
  { client, warn, context, signal }: Deps,
): Promise<KnownTitle> {
  const { titleId, title, languages, isPartial = false } = listedTitle;
  const cache = new ListingCache(context.paths.state);
  const nowMs = context.clock.wallMs();
  const { kept, moved } = await readKept(listedTitle, library, { cache, client, signal });
  const known = await combine(listedTitle, library, { kept, moved, nowMs, signal });
  const isComplete = languages.length === 0 && !isPartial;
  if (!known.keys.areRunsGuessed || isComplete || (kept && ListingCache.isRecent(kept, nowMs)))
    return known;
  if (!title) return known;
  try {
    const inAll = await ListingCache.fetch(title, kept, { client, nowMs, warn, signal });
    await cache.writeIfPossible(titleId, inAll);
    return await combine(listedTitle, library, { kept: inAll, moved, nowMs, signal });
  } catch (error) {
    if (isTolerable(error)) return known;
    throw error;
  }
}

interface KeptDeps extends Pick<Deps, 'client' | 'signal'> {
  readonly cache: ListingCache;
}

/**
 * The list that earlier runs kept, with those of titles that were merged into this one. It is brought up to date: edits on
 * the service do not make it due.
 */
async function readKept(
  listedTitle: ListedTitle,
  library: Library,
  { cache, ...deps }: KeptDeps,
): Promise<{ readonly kept: CachedListing | undefined; readonly moved: MovedChapters }> {
  const { titleId, title, listed, languages, isPartial = false, isKept = false } = listedTitle;
  const before = cache.read(titleId);
  if (!title) return { kept: before, moved: { movedIds: new Set(), movedFiles: [] } };
  const isUpdated = !isPartial && (isKept || before !== undefined);
  const updated = isUpdated ? mergeListing(title, listed, languages, before) : before;
  const known = before?.formerIds ?? [];
  const { formerIds, moved } = await findOtherTitles(listedTitle, known, library, deps);
  const now = formerIds.length > 0 ? cache.joinFormer(title, updated, formerIds) : updated;
  if (now && now !== before) await cache.writeIfPossible(titleId, now);
  return { kept: now, moved };
}

/** Files may name any title: only those that most files name are looked up. Larger merges are not known to exist. */
const MAX_NAMED_TITLES = 10;

/**
 * Titles that were merged into this one, besides those in its list, and the chapters that were moved here from titles
 * that still exist. A file of one of its chapters that names another title shows one or the other: one request for
 * each such title.
 */
async function findOtherTitles(
  { titleId, listed, formerIds = [] }: ListedTitle,
  known: readonly string[],
  library: Library,
  { client, signal }: Pick<Deps, 'client' | 'signal'>,
): Promise<{ readonly formerIds: readonly string[]; readonly moved: MovedChapters }> {
  const found = formerIds.filter((id) => !known.includes(id));
  const settled = new Set([titleId, ...known, ...found]);
  const others = listed
    .flatMap(({ id }) => library.copiesOf(id))
    .filter((archive) => archive.titleId !== undefined && !settled.has(archive.titleId));
  const mostNamed = [...groupBy(others, (archive) => archive.titleId ?? '')]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, MAX_NAMED_TITLES);
  let moved: readonly FoundChapter[] = [];
  for (const [id, archives] of mostNamed) {
    const title = await fetchTitleIfAvailable(client, id, signal);
    if (title?.id === titleId) found.push(id);
    else if (isMovedTo(titleId, id, () => title?.id)) moved = [...moved, ...archives];
  }
  const isOfThis = (archive: FoundChapter) =>
    archive.titleId === titleId || [...known, ...found].includes(archive.titleId ?? '');
  const left = moved.filter(({ chapterId }) => !library.copiesOf(chapterId).some(isOfThis));
  const movedIds = new Set(left.map(({ chapterId }) => chapterId));
  return { formerIds: found, moved: { movedIds, movedFiles: moved.map(({ file }) => file) } };
}

interface CombineOptions {
  readonly kept: CachedListing | undefined;
  readonly moved: MovedChapters;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Opens only the files of chapters that the service does not list. */
async function combine(
  { titleId, title, listed, languages, isPartial = false }: ListedTitle,
  library: Library,
  { kept, moved, nowMs, signal }: CombineOptions,
): Promise<KnownTitle> {
  const byId = new Map(listed.map((chapter) => [chapter.id, chapter]));
  const isRead = (chapter: Chapter) => !isPartial && isInLanguages(chapter, languages);
  const before = (kept?.releases ?? []).filter(({ id }) => !byId.has(id));
  const notRead = before.filter((release) => !isRead(release));
  const earlier = [...before.filter(isRead), ...(kept?.earlier ?? [])]
    .filter(({ id }) => !byId.has(id))
    .map((release) => ({ ...release, isUnavailable: true }));
  const names = title?.names ?? [];
  const titleIds = [titleId, ...(kept?.formerIds ?? [])];
  const unlisted = await readUnlisted({ titleIds, names, listed: byId }, library, signal);
  const { numbersRestart = false } = title ?? {};
  const inFiles = unlisted.map(({ release }) => release);
  const all = [...listed, ...notRead, ...earlier, ...inFiles];
  return { keys: chapterKeys(all, { numbersRestart, nowMs }), unlisted, earlier, ...moved };
}

interface UnlistedOptions {
  /** The id of the title, and of each that was merged into it. */
  readonly titleIds: readonly string[];
  readonly names: readonly string[];
  readonly listed: ReadonlyMap<string, Chapter>;
}

async function readUnlisted(
  options: UnlistedOptions,
  library: Library,
  signal: AbortSignal,
): Promise<readonly UnlistedChapter[]> {
  const { listed, names } = options;
  const titleKeys = names.map(folderKey);
  const unlisted: UnlistedChapter[] = [];
  for (const archive of archivesOf(options, library)) {
    if (listed.has(archive.chapterId)) continue;
    signal.throwIfAborted();
    const found = await readRelease(archive, [...listed.values()]);
    if (found?.series === undefined) continue;
    if (archive.titleId === undefined && !titleKeys.includes(folderKey(found.series))) continue;
    unlisted.push({ archive, ...found });
  }
  return unlisted;
}

/** Older archives do not name their title: of these, the ones beside archives of the title are looked at. */
function archivesOf(
  { titleIds, listed }: UnlistedOptions,
  library: Library,
): readonly FoundChapter[] {
  const own = new Set([
    ...titleIds.flatMap((titleId) => library.ofTitle(titleId)),
    ...[...listed.keys()].flatMap((chapterId) => library.copiesOf(chapterId)),
  ]);
  const folders = new Set([...own].map(({ file }) => dirname(file)));
  const beside = [...folders].flatMap((folder) => library.inFolder(folder));
  return [...new Set([...own, ...beside.filter((archive) => archive.titleId === undefined)])];
}

/** What the file of a chapter says of it; undefined if it does not name the chapter any more. */
async function readChapter({ file, chapterId }: FoundChapter): Promise<ReadChapter | undefined> {
  return (await readFileChapters(file)).find((each) => each.chapterId === chapterId);
}

/** What its file says of a chapter, as a release. A number that the owner edited is not the service's. */
export async function readRelease(archive: FoundChapter, listed: readonly Chapter[]) {
  const found = await readChapter(archive);
  if (!found) return undefined;
  const { metadata, written = metadata } = found;
  return {
    series: written.series,
    release: toRelease(archive.chapterId, written, listed),
    hasOwnNumber: metadata.number !== written.number,
  };
}

/** What a file says of a chapter, as a release that the service does not deliver. */
export function toRelease(
  id: string,
  metadata: Pick<
    ChapterMetadata,
    'number' | 'volume' | 'title' | 'language' | 'publishedAt' | 'translators'
  >,
  listed: readonly Chapter[],
): Chapter {
  const { number, volume, title, language = '', publishedAt, translators = [] } = metadata;
  const sameLanguage = listed.find((chapter) => languageTag(chapter.language) === language);
  const groups = new Map(listed.flatMap((chapter) => chapter.groups.map((one) => [one.name, one])));
  return {
    id,
    number,
    volume,
    title: plainTitle(title),
    language: sameLanguage?.language ?? serviceCode(language.toLowerCase()),
    pages: undefined,
    externalUrl: undefined,
    isUnavailable: true,
    version: 1,
    publishAt: publishedAt,
    readableAt: undefined,
    createdAt: undefined,
    groups: translators.map((name) => groups.get(name) ?? { id: '', name }),
    titleId: undefined,
    partialTitle: undefined,
  };
}

/** One request for each title of which a file has a chapter that the service does not list, if a new release is of it. */
export async function decideChanges(
  {
    named,
    titles,
  }: { readonly named: Requested['named']; readonly titles: readonly UnreadTitle[] },
  options: DecisionOptions,
  found: FoundFiles,
  deps: Pick<Deps, 'client' | 'signal'>,
): Promise<Decided> {
  const unread = { named, titles: titles.map((title) => ({ ...title, uploads: [] })) };
  const first = decide(unread, options, found);
  const isUnread = options.update === true && !found.saved;
  const files = isUnread
    ? { ...found, saved: await readRecords(first, titles, found, deps) }
    : found;
  const second = isUnread ? decide(unread, options, files) : first;
  const namedIds = new Set(named.map(({ id }) => id));
  const mayBeNew = ({ id }: Release) => found.history?.has(id) !== true && !namedIds.has(id);
  const concerned = new Map(
    writesOf(second.changes).flatMap((change) => {
      const isNew = change.kind === 'save' && !change.betterThan && mayBeNew(change.release);
      const isChanged = typeof options.force === 'boolean' && isOfSaved(change);
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
  if (read.every(({ uploads }) => uploads.length === 0)) return second;
  const changed = new Set(
    [...concerned.values()].filter(isOfSaved).map(({ release }) => release.id),
  );
  const archived = await readArchived(read, changed, options, found);
  return decide({ named, titles: read }, options, { ...files, archived });
}

/** Whether a file has the release itself. */
function isOfSaved(change: UnnamedWrite): boolean {
  return change.kind !== 'save' && replacedRelease(change) === undefined;
}

/** Why a release is skipped that a file has. */
const SAVED_REASONS: readonly SkipReason[] = ['already-there', 'newer-version', 'fixed-book'];

/** The chapters among these that changed on the service since their files were saved, and what the files say. */
export async function readOutdated(
  { releases, movedIds }: Pick<UnreadTitle, 'releases' | 'movedIds'>,
  library: LibraryIndex,
  nowMs: number,
  signal: AbortSignal,
): Promise<{ readonly outdated: readonly Chapter[]; readonly saved: KnownFiles['saved'] }> {
  const saved = await readSaved(releases, movedIds, library, signal);
  const outdated = releases.filter((chapter) => {
    if (!saved.has(chapter.id)) return false;
    const now = savedState(chapter, { library, saved }, movedIds);
    return now.state === 'saved' && now.outdated && !unavailableReason(chapter, nowMs);
  });
  return { outdated, saved };
}

/** What the files say of their chapters that stay, or are compared with the service. */
async function readRecords(
  { changes }: Decided,
  titles: readonly UnreadTitle[],
  { library }: FoundFiles,
  { signal }: Pick<Deps, 'signal'>,
): Promise<KnownFiles['saved']> {
  const listed = new Map(titles.flatMap(({ releases }) => releases.map((each) => [each.id, each])));
  const ids = changes.flatMap((change) => {
    if (change.kind === 'skip') return SAVED_REASONS.includes(change.reason) ? change.id : [];
    return 'release' in change ? change.release.id : [];
  });
  const releases = ids.map((id) => listed.get(id) ?? { id });
  const movedIds = new Set(titles.flatMap((title) => [...title.movedIds]));
  return readSaved(releases, movedIds, library, signal);
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
  { client, signal }: Pick<Deps, 'client' | 'signal'>,
): Promise<readonly EarlierUpload[]> {
  const addedKeys = new Set(added.map(keys.keyOf));
  const uploads = unlisted.filter(
    ({ release }) => addedKeys.has(keys.keyOf(release)) && hasName(release),
  );
  const isRead = (chapter: Chapter) => isInLanguages(chapter, languages);
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
      const found = await readChapter(archive);
      if (found) read.set(chapter.id, found);
    }
  return read;
}

/** What is known of the service's entry. */
type ListedRelease = Partial<Chapter> & Pick<Chapter, 'id'>;

/**
 * What the files say, by the ids of the chapters. Files of other programs and links are left out. A file is opened if its
 * chapter may have changed: its pages are compared then.
 */
async function readSaved(
  releases: readonly ListedRelease[],
  movedIds: ReadonlySet<string>,
  library: LibraryIndex,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, KnownFile['saved']>> {
  const books = new Map<string, Promise<readonly (ChapterRecord | undefined)[]>>();
  const saved = new Map<string, KnownFile['saved']>();
  for (const release of releases) {
    const archive = library.find(release.id);
    if (!archive || !mayBeRewritten(archive.ownership)) continue;
    const { chapterId, file, isBound, version, quality } = archive;
    signal.throwIfAborted();
    if (isBound && !books.has(file)) books.set(file, recordsOfBook(file));
    const record = isBound
      ? (await books.get(file))?.find((each) => each?.chapterId === chapterId)
      : ((await unchangedRecord(release, archive, movedIds, library)) ??
        (await recordOfFile(file)));
    // The comment of an older archive has less.
    const known = Object.entries<unknown>(record ?? {}).filter(([, value]) => value !== undefined);
    saved.set(chapterId, { version, quality, ...Object.fromEntries(known) });
  }
  return saved;
}

/** What the index knows of a chapter that is as the service lists it. */
async function unchangedRecord(
  release: ListedRelease,
  archive: FoundChapter,
  movedIds: ReadonlySet<string>,
  library: LibraryIndex,
): Promise<KnownFile['saved'] | undefined> {
  const { record, quality, savedPages } = (await library.scannedRecord(archive)) ?? {};
  if (record?.version === undefined || release.version === undefined) return undefined;
  const { version, updatedAt } = record;
  const pages = savedPages === undefined ? undefined : { length: savedPages };
  const saved = new Map([[archive.chapterId, { ...record, pages }]]);
  const now = savedState(release, { library, saved }, movedIds);
  return now.state === 'saved' && !now.outdated ? { version, updatedAt, quality } : undefined;
}

/** Undefined without a record, and for a file that cannot be read: its pages are compared, and then differ. */
async function recordOfFile(file: string): Promise<ChapterRecord | undefined> {
  return (await readFileChapters(file))[0]?.record;
}

/** A PDF or a folder has no records of pages. */
async function recordsOfBook(file: string): Promise<readonly (ChapterRecord | undefined)[]> {
  const book = await readLibraryFile(file);
  const isWhole = book.kind === 'book' && book.damage === undefined && book.hasReadablePages;
  return isWhole ? book.chapters.map(({ record }) => record) : [];
}
