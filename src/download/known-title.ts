/**
 * What is known of the releases of a title: what the service lists now, what it listed before, and what the files in the
 * output folder say of chapters that it does not list. From all of them follows which releases are of one chapter.
 */
import { dirname } from 'node:path';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { readFileChapters } from '../library/file.js';
import { languageTag, type ChapterMetadata } from '../library/comic-info.js';
import type { ExistingArchive, LibraryIndex } from '../library/scan.js';
import { plainTitle } from '../library/names.js';
import { chapterKeys, type ChapterKeys } from '../selection/same-chapter.js';
import { isTolerable } from '../selection/title-loader.js';
import type { ServiceSession } from './download-session.js';
import {
  isRecent,
  ListingCache,
  mergeListing,
  readListing,
  type TitleListing,
} from './listing-cache.js';
import { nameKey } from './title-home.js';

/** A chapter in the output folder that the service does not list. */
export interface UnlistedChapter {
  readonly archive: ExistingArchive;
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
}

type Library = Pick<LibraryIndex, 'ofTitle' | 'copiesOf' | 'inFolder'>;
type Deps = Pick<ServiceSession, 'client' | 'warn' | 'context' | 'signal'>;

/** By the ids of the titles. Lists that `overview` or `sync` keeps are brought up to date: edits do not make them due. */
export async function readKnownTitles(
  titles: readonly ListedTitle[],
  library: Library,
  deps: Deps,
): Promise<KnownTitles> {
  const cache = new ListingCache(deps.context.paths.state);
  const known = new Map<string, KnownTitle>();
  for (const listedTitle of titles) {
    const { titleId, title, listed, languages, isPartial = false } = listedTitle;
    const kept = title && !isPartial ? await cache.read(titleId) : undefined;
    if (kept && title)
      await cache.writeIfPossible(titleId, mergeListing(title, listed, languages, kept));
    known.set(titleId, await readKnownTitle(listedTitle, library, deps));
  }
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
  const kept = await cache.read(titleId);
  const known = await combine(listedTitle, library, { kept, nowMs, signal });
  const isComplete = languages.length === 0 && !isPartial;
  if (!known.keys.areRunsGuessed || isComplete || (kept && isRecent(kept, nowMs))) return known;
  if (!title) return known;
  try {
    const inAll = await readListing(title, { client, cache, nowMs, warn, signal });
    await cache.writeIfPossible(titleId, inAll);
    return await combine(listedTitle, library, { kept: inAll, nowMs, signal });
  } catch (error) {
    if (isTolerable(error)) return known;
    throw error;
  }
}

interface CombineOptions {
  readonly kept: TitleListing | undefined;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Opens only the files of chapters that the service does not list. */
async function combine(
  { titleId, title, listed, languages, isPartial = false }: ListedTitle,
  library: Library,
  { kept, nowMs, signal }: CombineOptions,
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
  const unlisted = await readUnlisted({ titleId, names, listed: byId }, library, signal);
  const { numbersRestart = false } = title ?? {};
  const inFiles = unlisted.map(({ release }) => release);
  const all = [...listed, ...notRead, ...earlier, ...inFiles];
  return { keys: chapterKeys(all, { numbersRestart, nowMs }), unlisted, earlier };
}

interface UnlistedOptions {
  readonly titleId: string;
  readonly names: readonly string[];
  readonly listed: ReadonlyMap<string, Chapter>;
}

async function readUnlisted(
  options: UnlistedOptions,
  library: Library,
  signal: AbortSignal,
): Promise<readonly UnlistedChapter[]> {
  const { listed, names } = options;
  const titleKeys = names.map(nameKey);
  const unlisted: UnlistedChapter[] = [];
  for (const archive of archivesOf(options, library)) {
    if (listed.has(archive.chapterId)) continue;
    signal.throwIfAborted();
    const known = await readFileChapters(archive.file);
    const found = known.find(({ identity }) => identity?.chapterId === archive.chapterId);
    // A number that the owner edited is not the service's.
    const metadata = found?.written ?? found?.metadata;
    if (metadata?.series === undefined) continue;
    if (archive.titleId === undefined && !titleKeys.includes(nameKey(metadata.series))) continue;
    const release = toRelease(archive.chapterId, metadata, [...listed.values()]);
    const hasOwnNumber = found?.metadata.number !== metadata.number;
    unlisted.push({ archive, release, hasOwnNumber });
  }
  return unlisted;
}

/** Older archives do not name their title: of these, the ones beside archives of the title are looked at. */
function archivesOf(
  { titleId, listed }: UnlistedOptions,
  library: Library,
): readonly ExistingArchive[] {
  const own = new Set([
    ...library.ofTitle(titleId),
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
