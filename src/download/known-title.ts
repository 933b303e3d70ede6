/**
 * What is known of the releases of a title: what the service lists now, what it listed before, and what the files in the
 * output folder say of chapters that it does not list. From all of them follows which releases are of one chapter.
 */
import { dirname } from 'node:path';
import type { Chapter } from '../service/chapters.js';
import { groupBy } from '../core/group-by.js';
import type { Title } from '../service/titles.js';
import { readFileChapters, type FoundChapter } from '../library/file.js';
import { languageTag, type ChapterMetadata } from '../library/comic-info.js';
import type { LibraryIndex } from '../library/scan.js';
import { plainTitle } from '../config/names.js';
import { NONE_MOVED, type MovedChapters } from '../plan/change.js';
import { chapterKeys, type ChapterKeys } from '../selection/same-chapter.js';
import { fetchTitleIfAvailable, isTolerable } from '../selection/title-loader.js';
import type { ServiceSession } from './download-session.js';
import {
  isRecent,
  ListingCache,
  mergeListing,
  type CachedListing,
} from '../selection/listing-cache.js';
import { folderKey } from '../core/name-keys.js';

/** A chapter in the output folder that the service does not list. */
export interface UnlistedChapter {
  readonly archive: FoundChapter;
  /** What its file says of it; not readable on the service. */
  readonly release: Chapter;
  /** Whether the owner changed its number in the file. */
  readonly hasOwnNumber: boolean;
}

export interface KnownTitle {
  readonly keys: ChapterKeys;
  readonly unlisted: readonly UnlistedChapter[];
  /** Releases that the service listed before, and does not list any more. */
  readonly earlier: readonly Chapter[];
  readonly moved: MovedChapters;
}

export type KnownTitles = ReadonlyMap<string, KnownTitle>;

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
  if (!known.keys.areRunsGuessed || isComplete || (kept && isRecent(kept, nowMs))) return known;
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
  const before = await cache.read(titleId);
  if (!title) return { kept: before, moved: NONE_MOVED };
  const isUpdated = !isPartial && (isKept || before !== undefined);
  const updated = isUpdated ? mergeListing(title, listed, languages, before) : before;
  const known = before?.formerIds ?? [];
  const { formerIds, moved } = await findOtherTitles(listedTitle, known, library, deps);
  const now = formerIds.length > 0 ? await cache.joinFormer(title, updated, formerIds) : updated;
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
    else if (title?.id === id) moved = [...moved, ...archives];
  }
  const isOfThis = (archive: FoundChapter) =>
    archive.titleId === titleId || [...known, ...found].includes(archive.titleId ?? '');
  const left = moved.filter(({ chapterId }) => !library.copiesOf(chapterId).some(isOfThis));
  const chapterIds = new Set(left.map(({ chapterId }) => chapterId));
  const files = new Set(moved.map(({ file }) => file));
  return { formerIds: found, moved: { chapterIds, files } };
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
  const isRead = ({ language }: Chapter) =>
    !isPartial && (languages.length === 0 || languages.includes(language));
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
  return { keys: chapterKeys(all, { numbersRestart, nowMs }), unlisted, earlier, moved };
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
    const known = await readFileChapters(archive.file);
    const found = known.find(({ chapterId }) => chapterId === archive.chapterId);
    // A number that the owner edited is not the service's.
    const metadata = found?.written ?? found?.metadata;
    if (metadata?.series === undefined) continue;
    if (archive.titleId === undefined && !titleKeys.includes(folderKey(metadata.series))) continue;
    const release = toRelease(archive.chapterId, metadata, [...listed.values()]);
    const hasOwnNumber = found?.metadata.number !== metadata.number;
    unlisted.push({ archive, release, hasOwnNumber });
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
    language: sameLanguage?.language ?? language.toLowerCase(),
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
