/**
 * Which chapters of the service files of other programs are: by ids where they are known, otherwise by one search for
 * each series and its list of chapters. Requests are few, and announced.
 */
import { guessName } from '../books/guess-name.js';
import { letterKey } from '../core/name-keys.js';
import { dirname } from 'node:path';
import { fetchChapters, type Chapter } from '../service/chapters.js';
import { fetchTitles, searchTitles, type Title } from '../service/titles.js';
import { groupBy } from '../core/group-by.js';
import { minTimeMs } from '../service/estimate.js';
import type { Quality } from '../config/quality.js';
import type { AdoptableFile } from './adoptable-files.js';
import type { ListingCache } from '../selection/listing-cache.js';
import type { ServiceClient } from '../service/client.js';
import { matchName, titleReleases, type Candidate, type TitleReleases } from './match-names.js';
import type { Evidence, UnrecognizedReason } from '../events/reasons.js';

export interface Recognized extends Candidate {
  readonly file: AdoptableFile;
  readonly evidence: readonly Evidence[];
  /** Known if the pages were compared. */
  readonly quality?: Quality;
  /** The sha256 of each page, if they were read. */
  readonly pages?: readonly string[];
}

export interface Unrecognized {
  readonly file: AdoptableFile;
  readonly reason: UnrecognizedReason;
  /** The most likely ones first. */
  readonly candidates: readonly Candidate[];
}

export interface Recognition {
  readonly recognized: readonly Recognized[];
  readonly left: readonly Unrecognized[];
}

/** What will be asked, and the time that it takes at least. */
export interface RequestPlan {
  readonly requests: number;
  readonly leastMs: number;
}

export interface RecognizeDeps {
  readonly client: ServiceClient;
  readonly cache: ListingCache;
  readonly nowMs: number;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
  /** Called before requests for ids, searches and lists of chapters. */
  readonly onLookup: (plan: RequestPlan) => void;
  /** Called before the names of the pages of this many chapters are requested. */
  readonly onComparison: (plan: RequestPlan) => void;
}

const IDS_PER_REQUEST = 100;

/**
 * By ids, and then by names, one series at a time: lists of thousands of titles would fill the memory, and take minutes.
 * Throws errors of the service.
 */
export async function* recognizeByNames(
  files: readonly AdoptableFile[],
  languages: readonly string[],
  deps: RecognizeDeps,
): AsyncGenerator<Recognition> {
  announce(files, deps);
  const known = await lookUpIds(files, deps);
  const recognized: Recognized[] = [];
  const left: Unrecognized[] = [];
  const unknown: AdoptableFile[] = [];
  for (const file of files) {
    const chapter = known.chapters.get(file.chapterId ?? file.name.uuid ?? '');
    const title = chapter?.partialTitle;
    if (chapter) recognized.push({ file, chapter, title, evidence: idEvidence(file) });
    else if (file.chapterId !== undefined)
      left.push({ file, reason: 'not-listed', candidates: [] });
    else unknown.push(file);
  }
  yield { recognized, left };
  const besides = new Map(recognized.map(({ file, chapter }) => [seriesKey(file), chapter]));
  for (const [key, ofSeries] of groupBy(unknown, seriesKey)) {
    deps.signal.throwIfAborted();
    const titles = await findTitles(ofSeries, besides.get(key)?.partialTitle, known.titles, deps);
    const match = await matchFiles(ofSeries, titles, languages, deps);
    if (mayBeOneshots(ofSeries, titles)) {
      yield { recognized: match.recognized, left: [] };
      for (const each of match.left) yield await recognizeOneshot(each, languages, known, deps);
    } else yield match;
  }
}

/** Names of chapters that many titles have: they say nothing of the title. */
const COMMON_NAMES = new Set(
  [
    ...['oneshot', 'one shot', 'extra', 'extras', 'bonus', 'omake', 'special', 'side story'],
    ...['prologue', 'epilogue', 'afterword', 'notice', 'announcement'],
  ].map(letterKey),
);

/**
 * Whether the folder may be one of oneshots, each of which is a title of its own.
 * @param titles found for the files by the name of the folder, or by an id in one of them
 */
function mayBeOneshots(files: readonly AdoptableFile[], titles: readonly Title[]): boolean {
  const [first] = files;
  const names = first && searchNames(first);
  const isFolderOfTitle = titles.some((title) =>
    title.names.some((it) => names?.has(letterKey(it))),
  );
  return !isFolderOfTitle && files.every(isUnnumbered);
}

function isUnnumbered({ name, comicInfo, folder }: AdoptableFile): boolean {
  const { volume, number, possibleNumbers } = name;
  const numbers = [volume, number, possibleNumbers, folder.volume];
  return [...numbers, comicInfo.number, comicInfo.volume].every((each) => each === undefined);
}

/** Searches MangaDex for the title that has the name of the file. */
async function recognizeOneshot(
  unrecognized: Unrecognized,
  languages: readonly string[],
  { titles: known }: KnownIds,
  deps: RecognizeDeps,
): Promise<Recognition> {
  deps.signal.throwIfAborted();
  const oneshot = inOwnFolder(unrecognized.file);
  const titles = oneshot ? await findTitles([oneshot], undefined, known, deps) : [];
  const found = oneshot && (await matchFiles([oneshot], titles, languages, deps));
  return found && titles.length > 0 ? found : { recognized: [], left: [unrecognized] };
}

/** The file, as if its folder had its name. Undefined for a name that says nothing of a title. */
function inOwnFolder(file: AdoptableFile): AdoptableFile | undefined {
  const { title } = file.name;
  const isOneshot =
    isUnnumbered(file) &&
    file.comicInfo.series === undefined &&
    title !== undefined &&
    !COMMON_NAMES.has(letterKey(title));
  if (!isOneshot) return undefined;
  return { ...file, name: guessName(file.baseName, [title]), folder: { series: title } };
}

async function matchFiles(
  files: readonly AdoptableFile[],
  titles: readonly Title[],
  languages: readonly string[],
  deps: RecognizeDeps,
): Promise<Recognition> {
  const recognized: Recognized[] = [];
  const left: Unrecognized[] = [];
  const listed: TitleReleases[] = [];
  for (const title of titles) listed.push(await listOf(title, deps));
  for (const file of files) {
    const match = matchName(file, listed, languages);
    if ('reason' in match) left.push({ file, ...match });
    else recognized.push({ file, ...match.candidate, evidence: match.evidence });
  }
  return { recognized, left };
}

/** By names, in a title that a person chose. */
export async function recognizeInTitle(
  files: readonly AdoptableFile[],
  titleId: string,
  languages: readonly string[],
  deps: RecognizeDeps,
): Promise<Recognition> {
  const { client, warn, signal } = deps;
  const { titles } = await fetchTitles(client, [titleId], { signal, warn });
  const { recognized, left } = await matchFiles(files, [...titles.values()], languages, deps);
  const chosen = recognized.map((each) => ({
    ...each,
    evidence: [...each.evidence, 'choice' as const],
  }));
  return { recognized: chosen, left };
}

function announce(files: readonly AdoptableFile[], { onLookup }: RecognizeDeps): void {
  const ids = new Set(
    files.flatMap(({ chapterId, titleId, name }) => chapterId ?? titleId ?? name.uuid ?? []),
  );
  const named = files.filter(({ chapterId }) => chapterId === undefined);
  // A search for each name, and a list of chapters.
  const firsts = [...groupBy(named, seriesKey).values()].flatMap((files) => files.slice(0, 1));
  const searched = [...firsts, ...named.flatMap((file) => inOwnFolder(file) ?? [])];
  const ofNames = searched.reduce((sum, file) => sum + searchNames(file).size + 1, 0);
  const requests = Math.ceil(ids.size / IDS_PER_REQUEST) + ofNames;
  if (requests > 0) onLookup({ requests, leastMs: minTimeMs(requests, 'lists') });
}

interface KnownIds {
  readonly chapters: ReadonlyMap<string, Chapter>;
  readonly titles: ReadonlyMap<string, Title>;
}

async function lookUpIds(
  files: readonly AdoptableFile[],
  { client, warn, signal }: RecognizeDeps,
): Promise<KnownIds> {
  const ids = (of: (file: AdoptableFile) => string | undefined) =>
    [...new Set(files.map(of))].filter((id) => id !== undefined);
  const chapterIds = ids(({ chapterId, name }) => chapterId ?? name.uuid);
  const chapters = await fetchChapters(client, chapterIds, { signal, warn });
  // A UUID in a name may be that of the title.
  const inNames = ids(({ name }) => name.uuid).filter((id) => !chapters.has(id));
  const titleIds = [...new Set([...ids(({ titleId }) => titleId), ...inNames])];
  const { titles } = await fetchTitles(client, titleIds, { signal, warn });
  return { chapters, titles };
}

function idEvidence({ chapterId }: AdoptableFile): readonly Evidence[] {
  return [chapterId === undefined ? 'id' : 'address'];
}

function seriesNames({ comicInfo, name, folder }: AdoptableFile): readonly string[] {
  return [comicInfo.series, name.series, folder.series].filter((it) => it !== undefined);
}

/** After the name of a series in folders of Komga, Kavita and Mylar, and of a second title of one name here. */
const YEAR = /[\s_]*\(((?:19|20)\d\d)\)$/;

/** The names to search for the series, in this order, by their letters. That of the folder also without its year. */
function searchNames(file: AdoptableFile): ReadonlyMap<string, string> {
  const all = [...seriesNames(file), file.folder.series.replace(YEAR, '')];
  const names = new Map(all.map((name) => [letterKey(name), name]));
  names.delete('');
  return names;
}

/** Files of one series in one folder. */
function seriesKey(file: AdoptableFile): string {
  return `${letterKey(seriesNames(file)[0] ?? '')} ${dirname(file.file)}`;
}

/** The titles that have the name of the series. */
async function findTitles(
  [file]: readonly AdoptableFile[],
  beside: Title | undefined,
  known: ReadonlyMap<string, Title>,
  { client, warn, signal }: RecognizeDeps,
): Promise<readonly Title[]> {
  if (!file) return [];
  const byId = known.get(file.titleId ?? file.name.uuid ?? '') ?? beside;
  if (byId) return [byId];
  const year = YEAR.exec(file.folder.series)?.[1];
  for (const [key, name] of searchNames(file)) {
    const words = name.replaceAll('_', ' ');
    const { titles } = await searchTitles(client, words, { signal, warn });
    const named = titles.filter((title) => title.names.some((it) => letterKey(it) === key));
    const ofYear = named.filter((title) => String(title.year) === year);
    if (named.length > 0) return ofYear.length > 0 ? ofYear : named;
  }
  return [];
}

async function listOf(title: Title, deps: RecognizeDeps): Promise<TitleReleases> {
  const { releases } = await deps.cache.current(title, deps);
  return titleReleases(title, releases);
}
