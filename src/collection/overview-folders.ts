/**
 * What a collection has and lacks: the chapters in its files against the service's list of each title. Titles are asked
 * for by the hundred; the list of a title is read if it has a new chapter or was not read for a week.
 */
import { realpath } from 'node:fs/promises';
import { fetchChapters } from '../service/chapters.js';
import type { ServiceClient } from '../service/client.js';
import { fetchTitle, fetchTitles, type Title } from '../service/titles.js';
import { readFileChapters, readSeries, type FoundChapter } from '../library/file.js';
import { scanLibrary } from '../library/scan.js';
import type { StorageError } from '../core/errors.js';
import { ifMissing } from '../core/files.js';
import { groupBy } from '../core/group-by.js';
import { pluralize } from '../core/human-format.js';
import { outermostFolders } from '../core/same-file.js';
import { shellQuoted } from '../core/shell-quoted.js';
import { minTimeMs } from '../service/estimate.js';
import { toRelease } from '../download/known-title.js';
import { bookPath } from '../books/rename-book.js';
import { isMovedTo } from '../plan/chapter-changes.js';
import { distinctNames } from '../plan/title-names.js';
import { describeMerge, isTolerable } from '../selection/title-loader.js';
import { ListingCache, type CachedListing } from '../selection/listing-cache.js';
import { assertReadableFolder, linksHint, noChapters } from './readable-folder.js';
import { NO_RULE, overviewOf, type OwnedChapter, type TitleRule } from './title-overview.js';
import type { OverviewEvent } from '../events/overview-events.js';

interface OverviewRequest {
  readonly folders: readonly string[];
  /** Empty: all; undefined: those of the files. */
  readonly languages: readonly string[] | undefined;
}

interface OverviewDeps {
  /** Undefined: only what earlier runs were answered is used. */
  readonly client: ServiceClient | undefined;
  /** Returns a title under the name that its owner chose. */
  readonly nameTitle: (title: Title) => Title;
  readonly cache: ListingCache;
  /** Whether a history of these folders has the chapter. */
  readonly wasSaved: (chapterId: string) => boolean;
  /** By the id of a title; undefined without subscriptions. */
  readonly ruleOf: ((titleId: string) => TitleRule) | undefined;
  /** Has the index of each folder. */
  readonly stateFolder: string;
  readonly nowMs: number;
  /** `files`: those of the title. */
  readonly observe: (event: OverviewEvent, files?: readonly string[]) => void;
  /** Called before the lists of this many titles are read, with the time that it takes at least. */
  readonly onReading: (titles: number, leastMs: number) => void;
  readonly warn: (message: string, hint?: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Resolves with the number of files of other programs. Throws UsageError `nothing-to-bind` for folders without chapters,
 * and errors of the service.
 */
export async function overview(request: OverviewRequest, deps: OverviewDeps): Promise<number> {
  const { cache, nowMs, observe, signal } = deps;
  const { archives, damagedIds, otherFiles } = await scan(request.folders, deps);
  // Its owner did not remove a chapter whose file is damaged.
  const wasSaved = (id: string): boolean => !damagedIds.has(id) && deps.wasSaved(id);
  const titleIds = await titlesOf(archives, deps);
  const known = await updateListings(titleIds, deps);
  // Titles to which chapters were moved may have no other file.
  const moved = await updateListings(known.movedTo, deps);
  const names = new Map([...known.names, ...moved.names]);
  const byTitle = groupBy(archives, ({ chapterId }) => {
    const to = known.movedTo.get(chapterId);
    if (to !== undefined) return moved.currentIds.get(to) ?? to;
    const id = titleIds.get(chapterId);
    return id === undefined ? undefined : (known.currentIds.get(id) ?? id);
  });
  const unknown = (byTitle.get(undefined)?.length ?? 0) + otherFiles;
  byTitle.delete(undefined);
  const ids = [...byTitle.keys()].filter((id) => id !== undefined);
  let [have, notDownloaded, removed, leftOut] = [0, 0, 0, 0];
  const named = await withDistinctNames(ids, names, byTitle);
  for (const { id, name } of named.sort((a, b) => a.name.localeCompare(b.name, 'en'))) {
    signal.throwIfAborted();
    const listing = readComplete(id, cache);
    const files = byTitle.get(id) ?? [];
    const rule = deps.ruleOf?.(id) ?? NO_RULE;
    const present = await ownedChapters(files, listing);
    const languages = languagesOf(request.languages ?? rule.languages, present, listing);
    // Files in other languages count, unless these are asked for.
    const owned =
      request.languages === undefined ? present : inLanguages(present, languages, listing);
    const isHere = new Set(present.map(({ chapterId }) => chapterId));
    const rules = {
      languages,
      wasSaved: (chapterId: string) => !isHere.has(chapterId) && wasSaved(chapterId),
      rule,
    };
    const title = overviewOf(listing, owned, rules, nowMs);
    const missing = groupBy(title.missing, ({ reason }) => reason);
    have += title.have;
    notDownloaded += missing.get('not-downloaded')?.length ?? 0;
    removed += missing.get('removed')?.length ?? 0;
    leftOut += missing.get('left-out')?.length ?? 0;
    const event = {
      type: 'title-overview' as const,
      title: id,
      name,
      languages,
      ...title,
      completedBy:
        request.languages === undefined && (rule.isSynced || missing.has('left-out'))
          ? ('sync' as const)
          : ('download' as const),
      ...(listing?.status !== undefined && { status: listing.status }),
      ...(listing && { checkedAt: new Date(listing.checkedAtMs).toISOString() }),
    };
    observe(event, [...new Set(files.map(({ file }) => file))]);
  }
  const counts = { have, notDownloaded, removed, leftOut, unknown };
  observe({ type: 'overview-summary', titles: ids.length, ...counts });
  return otherFiles;
}

/** Two titles of one name are called as in their files, and those of which nothing else is known. */
async function withDistinctNames(
  ids: readonly string[],
  names: ReadonlyMap<string, string>,
  files: ReadonlyMap<string | undefined, readonly FoundChapter[]>,
): Promise<{ id: string; name: string }[]> {
  const seriesOf = async ({ id }: { readonly id: string }): Promise<string | undefined> => {
    const [first] = files.get(id) ?? [];
    return first && readSeries(first.file);
  };
  const titles: { id: string; name: string; year: undefined }[] = [];
  for (const id of ids) {
    const name = names.get(id) ?? (await seriesOf({ id })) ?? id;
    titles.push({ id, name, year: undefined });
  }
  const distinct = await distinctNames(titles, seriesOf);
  return titles.map(({ id, name }) => ({ id, name: distinct.get(id) ?? name }));
}

interface ScannedFolders {
  readonly archives: readonly FoundChapter[];
  /** The chapters of damaged files, as far as they are known. */
  readonly damagedIds: ReadonlySet<string>;
  readonly otherFiles: number;
}

async function scan(
  folders: readonly string[],
  { stateFolder, signal, warn }: OverviewDeps,
): Promise<ScannedFolders> {
  const hint = 'Pass folders with chapters of MangaDex.';
  for (const folder of folders) await assertReadableFolder(folder, hint);
  const archives: FoundChapter[] = [];
  const damaged: string[] = [];
  const damagedIds = new Set<string>();
  const linkedFolders: string[] = [];
  let otherFiles = 0;
  const onUnreadableFolder = (_: string, { message }: StorageError): void => {
    warn(message);
  };
  const allLinks = new Set<string>();
  for (const folder of await outermostFolders(folders)) {
    const library = await scanLibrary(folder, { stateFolder, signal, onUnreadableFolder });
    for (const archive of library.archives) archives.push(archive);
    for (const link of library.links) allLinks.add(link);
    otherFiles += library.unidentified.length;
    const links = new Set(library.links);
    for (const { file, lostMark } of library.damaged) {
      if (!links.delete(file)) damaged.push(file);
      if (lostMark) damagedIds.add(lostMark.chapterId);
    }
    for (const { file } of library.archives) links.delete(file);
    for (const file of library.unidentified) links.delete(file);
    for (const folder of links) linkedFolders.push(folder);
  }
  if (damaged.length > 0) {
    const command = `tankobon verify ${folders.map(shellQuoted).join(' ')}`;
    warn(`Cannot be read, and not counted: ${firstOf(damaged)}`, `Run: ${command}`);
  }
  if (archives.length === 0)
    throw noChapters(folders, { files: otherFiles, links: linkedFolders.length }, hint);
  if (linkedFolders.length > 0)
    warn(`Not counted: ${firstOf(linkedFolders)}`, linksHint(linkedFolders.length));
  return { archives: await withoutLinksToOthers(archives, allLinks), damagedIds, otherFiles };
}

/**
 * Links that lead to the same file as another of these paths are left out: their owner may delete all but one of several
 * files of a chapter, and the link that is kept would lead nowhere.
 */
async function withoutLinksToOthers(
  archives: readonly FoundChapter[],
  links: ReadonlySet<string>,
): Promise<readonly FoundChapter[]> {
  const linked = archives.filter(({ file }) => links.has(file));
  const chapterIds = new Set(linked.map(({ chapterId }) => chapterId));
  const realPaths = new Set<string>();
  for (const { file, chapterId } of archives) {
    if (!chapterIds.has(chapterId) || links.has(file)) continue;
    const real = await realpath(file).catch(ifMissing);
    if (real !== undefined) realPaths.add(real);
  }
  const leftOut = new Set<string>();
  for (const file of new Set(linked.map((each) => each.file))) {
    const real = await realpath(file).catch(ifMissing);
    if (real === undefined) continue;
    if (realPaths.has(real)) leftOut.add(file);
    else realPaths.add(real);
  }
  return archives.filter(({ file }) => !leftOut.has(file));
}

/** Such as `Alpha/Alpha Ch.001.cbz and 2 others`. */
function firstOf([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${pluralize(others.length, 'other')}`;
}

/** The id of each chapter's title; the service is asked for those that the files do not name. */
async function titlesOf(
  archives: readonly FoundChapter[],
  { client, warn, signal }: OverviewDeps,
): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  const unnamed: FoundChapter[] = [];
  for (const archive of archives)
    if (archive.titleId === undefined) unnamed.push(archive);
    else known.set(archive.chapterId, archive.titleId);
  if (!client || unnamed.length === 0) return known;
  const ids = unnamed.map(({ chapterId }) => chapterId);
  for (const [id, { titleId }] of await fetchChapters(client, ids, { signal, warn }))
    if (titleId !== undefined) known.set(id, titleId);
  return known;
}

interface Listings {
  /** The names of the titles that are known. */
  readonly names: ReadonlyMap<string, string>;
  /** The ids of the titles into which others were merged, by the ids of these. */
  readonly currentIds: ReadonlyMap<string, string>;
  /** The ids of the titles to which the service moved chapters, by the ids of the chapters. */
  readonly movedTo: ReadonlyMap<string, string>;
}

/**
 * Reads the lists that are due into the cache, one at a time: those of thousands of titles would fill the memory.
 *
 * @param titleIds by the ids of the chapters that are here
 */
async function updateListings(
  titleIds: ReadonlyMap<string, string>,
  { client, onReading, ...deps }: OverviewDeps,
): Promise<Listings> {
  const { cache, nowMs, warn, signal, nameTitle } = deps;
  const chapterIds = groupBy([...titleIds.keys()], (chapterId) => titleIds.get(chapterId) ?? '');
  const known = new Map<string, Pick<CachedListing, 'checkedAtMs' | 'latestChapterId'>>();
  const names = new Map<string, string>();
  const currentIds = new Map<string, string>();
  const movedTo = new Map<string, string>();
  const unlisted = new Map<string, readonly string[]>();
  for (const [id, owned] of chapterIds) {
    const { id: current, listing } = cache.readCurrent(id);
    currentIds.set(id, current);
    if (!listing) continue;
    const { name, checkedAtMs, latestChapterId, titlesOfUnlisted } = listing;
    known.set(current, { checkedAtMs, latestChapterId });
    names.set(current, name);
    const others = notIn(listing, owned);
    for (const chapterId of others) {
      const to = titlesOfUnlisted[chapterId];
      if (to !== undefined && isMovedTo(to, current, sameId)) movedTo.set(chapterId, to);
    }
    const unasked = others.filter((chapterId) => !(chapterId in titlesOfUnlisted));
    unlisted.set(current, [...(unlisted.get(current) ?? []), ...unasked]);
  }
  if (!client) return { names, currentIds, movedTo };
  const wanted = [...new Set(currentIds.values())];
  const { titles, skipped } = await fetchTitles(client, wanted, { signal, warn });
  const current = new Map([...titles].map(([id, title]) => [id, nameTitle(title)]));
  // An invalid entry may be any of the missing ones.
  const missing = skipped > 0 ? [] : wanted.filter((id) => !titles.has(id));
  for (const id of missing) {
    const found = await fetchTitle(client, id, signal).catch(undefinedIfTolerable);
    if (!found) continue;
    const title = nameTitle(found);
    current.set(title.id, title);
    if (title.id === id) continue;
    warn(describeMerge(id, names.get(id), title));
    await cache.writeMerged(id, title);
    known.delete(title.id);
    for (const [old, now] of currentIds) if (now === id) currentIds.set(old, title.id);
  }
  for (const { id, name } of current.values()) names.set(id, name);
  const due = [...current.values()].filter((title) =>
    ListingCache.isDue(title, known.get(title.id), nowMs),
  );
  if (due.length > 0) onReading(due.length, minTimeMs(due.length, 'lists'));
  const idsOf = groupBy([...currentIds], ([, now]) => now);
  for (const title of due) {
    const listing = await cache.current(title, { client, nowMs, warn, signal });
    names.set(title.id, listing.name);
    const owned = (idsOf.get(title.id) ?? []).flatMap(([id]) => chapterIds.get(id) ?? []);
    for (const chapterId of owned) movedTo.delete(chapterId);
    unlisted.set(title.id, notIn(listing, owned));
  }
  const found = await findMoved(unlisted, { ...deps, client });
  return { names, currentIds, movedTo: new Map([...movedTo, ...found]) };
}

/** The list of a title that was merged is kept under its present id. */
const sameId = (id: string): string => id;

function notIn({ releases }: CachedListing, chapterIds: readonly string[]): readonly string[] {
  const listed = new Set(releases.map(({ id }) => id));
  return chapterIds.filter((id) => !listed.has(id));
}

/**
 * The titles to which the service moved chapters that the lists of their titles lack: one request for each hundred. The
 * lists keep what it said until they are read again.
 */
async function findMoved(
  unlisted: ReadonlyMap<string, readonly string[]>,
  {
    client,
    cache,
    warn,
    signal,
  }: Pick<OverviewDeps, 'cache' | 'warn' | 'signal'> & { readonly client: ServiceClient },
): Promise<ReadonlyMap<string, string>> {
  const all = [...unlisted.values()].flat();
  const moved = new Map<string, string>();
  if (all.length === 0) return moved;
  const chapters = await fetchChapters(client, all, { signal, warn });
  for (const [titleId, ids] of unlisted) {
    const listing = ids.length > 0 ? cache.read(titleId) : undefined;
    const asked = ids.map((id) => [id, chapters.get(id)?.titleId ?? titleId] as const);
    for (const [id, to] of asked) if (isMovedTo(to, titleId, sameId)) moved.set(id, to);
    if (!listing) continue;
    const titlesOfUnlisted = { ...listing.titlesOfUnlisted, ...Object.fromEntries(asked) };
    await cache.write(titleId, { ...listing, titlesOfUnlisted });
  }
  return moved;
}

/** A sync keeps the releases of its languages there, without the others. */
function readComplete(id: string, cache: ListingCache): CachedListing | undefined {
  const listing = cache.read(id);
  return listing && listing.checkedAtMs > 0 ? listing : undefined;
}

function undefinedIfTolerable(error: unknown): undefined {
  if (!isTolerable(error)) throw error;
}

/** A file is read once, and only if the service does not list one of its chapters any more. */
async function ownedChapters(
  archives: readonly FoundChapter[],
  listing: CachedListing | undefined,
): Promise<readonly OwnedChapter[]> {
  const listed = new Set(listing?.releases.map(({ id }) => id));
  const owned: OwnedChapter[] = [];
  for (const [file, chapters] of groupBy(archives, (archive) => archive.file)) {
    const isListed = chapters.every(({ chapterId }) => listed.has(chapterId));
    const archived = isListed ? [] : await readFileChapters(file);
    const inFile = new Map(archived.map(({ chapterId, metadata }) => [chapterId, metadata]));
    for (const archive of chapters) {
      const { chapterId } = archive;
      const metadata = inFile.get(chapterId);
      const release =
        metadata && !listed.has(chapterId)
          ? toRelease(chapterId, metadata, listing?.releases ?? [])
          : undefined;
      owned.push({ ...archive, file: bookPath(file), release });
    }
  }
  return owned;
}

/** A file whose language is not known counts. */
function inLanguages(
  owned: readonly OwnedChapter[],
  languages: readonly string[],
  listing: CachedListing | undefined,
): readonly OwnedChapter[] {
  const listed = new Map(listing?.releases.map(({ id, language }) => [id, language]));
  return owned.filter(({ chapterId, release }) => {
    const language = listed.get(chapterId) ?? release?.language;
    return language === undefined || languages.includes(language);
  });
}

function languagesOf(
  wanted: readonly string[] | undefined,
  owned: readonly OwnedChapter[],
  listing: CachedListing | undefined,
): readonly string[] {
  if (wanted !== undefined && wanted.length > 0) return wanted;
  const ids = new Set(owned.map(({ chapterId }) => chapterId));
  const releases = listing?.releases.filter(({ id }) => wanted !== undefined || ids.has(id)) ?? [];
  return [...new Set(releases.map(({ language }) => language))].sort();
}
