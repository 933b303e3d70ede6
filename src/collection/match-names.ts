/** Which chapter of the service a file is, by its name, its ComicInfo.xml and its number of pages. Pure. */
import { groupBy } from '../core/group-by.js';
import { letterKey } from '../core/name-keys.js';
import { createHash } from 'node:crypto';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { guessName } from '../books/guess-name.js';
import { leadingNumber } from '../config/ranges.js';
import { numberKey } from '../selection/reading-order.js';
import { namedRuns } from '../selection/same-chapter.js';
import type { AdoptableFile } from './adoptable-files.js';
import type { Evidence, UnrecognizedReason } from '../events/reasons.js';

/** What the files of a title are compared with: a title may have thousands of releases, and as many files. */
export interface TitleReleases {
  readonly title: Title;
  /** The names of the title, by their letterKey. */
  readonly names: ReadonlyMap<string, string>;
  /** External releases have no pages that could be in a file. */
  readonly hosted: readonly Chapter[];
  /** By `rangeKey`. */
  readonly byNumber: ReadonlyMap<string, readonly Chapter[]>;
  readonly unnumbered: readonly Chapter[];
  /** There is one chapter, without a number, in one or several languages. */
  readonly isOneChapter: boolean;
  readonly runs: ReturnType<typeof namedRuns>;
}

export interface Candidate {
  readonly chapter: Chapter;
  /** Undefined if the service did not say of which title the chapter is. */
  readonly title: Title | undefined;
}

type NameMatch =
  | { readonly candidate: Candidate; readonly evidence: readonly Evidence[] }
  | {
      readonly reason: UnrecognizedReason;
      /** The chapters that have the number, the most likely ones first. */
      readonly candidates: readonly Candidate[];
    };

/** What a file says of its chapter. */
interface Claim {
  readonly number: string | undefined;
  /** Where the number is not certain. */
  readonly possibleNumbers: readonly string[];
  readonly volume: string | undefined;
  readonly title: string | undefined;
  readonly group: string | undefined;
  /** The file is called as the series, and says nothing else. */
  readonly isSeriesAlone: boolean;
}

export function titleReleases(title: Title, releases: readonly Chapter[]): TitleReleases {
  const hosted = releases.filter(
    ({ externalUrl, pages }) => externalUrl === undefined || pages !== 0,
  );
  const numbered = hosted.filter(({ number }) => number !== undefined);
  return {
    title,
    names: new Map(title.names.map((name) => [letterKey(name), name])),
    hosted,
    byNumber: groupBy(numbered, ({ number = '' }) => rangeKey(number)),
    unnumbered: hosted.filter(({ number }) => number === undefined),
    isOneChapter: isOneChapter(hosted),
    runs: namedRuns(releases, title),
  };
}

/**
 * @param titles those that have the name of the series
 * @param languages if not empty, the chapter must be in one of them
 */
export function matchName(
  file: AdoptableFile,
  titles: readonly TitleReleases[],
  languages: readonly string[],
): NameMatch {
  if (titles.length === 0) return { reason: 'no-title', candidates: [] };
  const claim = claimOf(file, titles);
  const { number, possibleNumbers, volume } = claim;
  const isVolume = number === undefined && possibleNumbers.length === 0 && volume !== undefined;
  if (isVolume) return { reason: 'several-in-file', candidates: [] };
  const numbered = titles.flatMap((each) => withNumber(each, claim));
  const wanted = wantedLanguages(file, titles, languages);
  if (numbered.length > 0) return narrow(file, claim, numbered, wanted);
  const reason = unmatchedReason(claim);
  const possible = titles.flatMap((each) => withPossibleNumber(each, claim));
  if (possible.length === 0) return { reason, candidates: [] };
  const candidates = possible.filter(
    ({ chapter }) => wanted.length === 0 || wanted.includes(chapter.language),
  );
  if (candidates.length === 0) return { reason: 'other-language', candidates: possible };
  return { reason, candidates: likelyFirst(candidates, file) };
}

function unmatchedReason({ number, possibleNumbers }: Claim): UnrecognizedReason {
  if (number === undefined) return possibleNumbers.length > 0 ? 'unclear-number' : 'no-number';
  return number.includes('-') ? 'several-in-file' : 'no-chapter';
}

function claimOf(file: AdoptableFile, titles: readonly TitleReleases[]): Claim {
  const { comicInfo, folder } = file;
  const name = readName(file, titles);
  const { number, lastNumber } = name;
  const range = lastNumber === undefined ? number : `${number ?? ''}-${lastNumber}`;
  const claimed = range === number ? (comicInfo.number ?? number) : range;
  const possibleNumbers = claimed === undefined ? (name.possibleNumbers ?? []) : [];
  const isNumbered = claimed !== undefined || possibleNumbers.length > 0;
  const title = name.title ?? comicInfo.title;
  const volume = comicInfo.volume ?? name.volume ?? (isNumbered ? folder.volume : undefined);
  return {
    number: claimed,
    possibleNumbers,
    volume,
    title,
    isSeriesAlone: isSeries(title, name.series) && volume === undefined && !isNumbered,
    group: name.group ?? comicInfo.translators?.join(' & '),
  };
}

/** Whether a title of a chapter says nothing but the series. */
function isSeries(title: string | undefined, series: string | undefined): boolean {
  if (series === undefined) return false;
  return title === undefined || letterKey(title) === letterKey(series);
}

/** A number in a name of the title is not that of the chapter, as in `Mob 100 7`. */
function readName(
  { name, baseName, folder, comicInfo }: AdoptableFile,
  titles: readonly TitleReleases[],
): AdoptableFile['name'] {
  const series = [folder.series, ...(comicInfo.series === undefined ? [] : [comicInfo.series])];
  const known = series.map(letterKey);
  const text = letterKey(baseName);
  const isNews = (key: string) => text.includes(key) && !known.includes(key);
  const others = titles.flatMap(({ names }) => [...names].filter(([key]) => isNews(key)));
  // To read a name costs more than the rest of the comparison.
  if (others.length === 0) return name;
  return guessName(baseName, [...series, ...others.map(([, each]) => each)]);
}

function withNumber(
  { title, byNumber, unnumbered, isOneChapter, runs }: TitleReleases,
  claim: Claim,
): Candidate[] {
  const key = claim.number === undefined ? undefined : rangeKey(claim.number);
  const volume = claim.volume === undefined ? undefined : numberKey(claim.volume);
  const { runOfVolume, numbersRestart } = runs;
  const run = volume === undefined ? undefined : runOfVolume(volume);
  // Where numbers begin again, the number alone may be that of another chapter.
  const mayBe = (release: Chapter) =>
    !numbersRestart ||
    volume === undefined ||
    (run !== undefined && run === runOfVolume(release.volume ?? ''));
  const found = key === undefined ? [] : (byNumber.get(key) ?? []).filter(mayBe);
  // gallery-dl gives chapters without a number a 0.
  const isUnnumbered = found.length === 0 && (key === undefined || key === '0');
  const isOneshot = claim.isSeriesAlone && isOneChapter;
  const named = isUnnumbered
    ? unnumbered.filter((release) => isOneshot || isNamed(release, claim))
    : [];
  return [...found, ...named].map((chapter) => ({ chapter, title }));
}

/**
 * Where the name does not say the chapter for certain: the chapters that it may be, for their pages to decide. Extras
 * have a number between two others there: `4.extra` is 4.5 as well as 4.1.
 */
function withPossibleNumber({ title, hosted }: TitleReleases, claim: Claim): Candidate[] {
  const { number, possibleNumbers } = claim;
  // `7b` may be 7.5.
  const letter = number !== undefined && /^\d+[a-z]$/i.test(number) ? [number.slice(0, -1)] : [];
  const keys = [...possibleNumbers, ...letter].map(rangeKey);
  const name = number === undefined ? letterKey(claim.title ?? '') : '';
  const mayBe = (release: Chapter): boolean => {
    const whole = String(Math.floor(leadingNumber(release.number) ?? NaN));
    const isNumber = release.number !== undefined && keys.includes(rangeKey(release.number));
    const isExtra = keys.includes(whole);
    return isNumber || isExtra || (name !== '' && letterKey(release.title ?? '') === name);
  };
  return hosted.filter(mayBe).map((chapter) => ({ chapter, title }));
}

function likelyFirst(
  candidates: readonly Candidate[],
  { pages }: AdoptableFile,
): readonly Candidate[] {
  const [same, others] = [true, false].map((isSame) =>
    candidates.filter(({ chapter }) => (chapter.pages === pages) === isSame),
  );
  return [...(same ?? []), ...(others ?? [])];
}

/** `1-8` is `1-8` too; each part as numberKey has it. */
function rangeKey(number: string): string {
  return number.split('-').map(numberKey).join('-');
}

function isOneChapter(releases: readonly Chapter[]): boolean {
  const languages = new Set(releases.map(({ language }) => language));
  return releases.every(({ number }) => number === undefined) && languages.size === releases.length;
}

function isNamed({ number, title = '' }: Chapter, claim: Claim): boolean {
  if (number !== undefined) return false;
  const [name, claimed] = [letterKey(title), letterKey(claim.title ?? '')];
  if (claimed === '' && claim.number === undefined) return false;
  return name === claimed || (claimed === 'oneshot' && (name === '' || name.includes('oneshot')));
}

/** Tranga writes the original language of a title, not that of a chapter. */
function wantedLanguages(
  { name, comicInfo, sourceLanguage }: AdoptableFile,
  titles: readonly TitleReleases[],
  languages: readonly string[],
): readonly string[] {
  const written = comicInfo.language?.toLowerCase();
  const isOriginal = titles.some(({ title }) => title.originalLanguage === written);
  const found = name.language ?? sourceLanguage ?? (isOriginal ? undefined : written);
  return found === undefined ? languages : [found];
}

function narrow(
  file: AdoptableFile,
  claim: Claim,
  numbered: readonly Candidate[],
  languages: readonly string[],
): NameMatch {
  const hasNumber = numbered.some(({ chapter }) => chapter.number !== undefined);
  const evidence: Evidence[] = hasNumber ? ['title', 'number'] : ['title'];
  let candidates = numbered;
  /** Undefined if none is left. */
  const keep = (
    kind: Evidence,
    isKept: (chapter: Chapter) => boolean,
  ): readonly Candidate[] | undefined => {
    const kept = candidates.filter(({ chapter }) => isKept(chapter));
    if (kept.length === 0) return undefined;
    candidates = kept;
    evidence.push(kind);
    return kept;
  };
  const { pathDigest } = file.name;
  if (pathDigest !== undefined) keep('path-digest', ({ id }) => digestOf(id) === pathDigest);
  if (languages.length > 0 && !keep('language', ({ language }) => languages.includes(language)))
    return { reason: 'other-language', candidates };
  const group = groupOf(claim);
  if (group !== undefined && !keep('group', (chapter) => hasGroups(chapter, group)))
    return { reason: 'other-group', candidates };
  const { volume } = claim;
  if (volume !== undefined) keep('volume', (chapter) => isOfVolume(chapter, volume));
  if (!keep('page-count', ({ pages }) => pages === file.pages))
    return { reason: 'other-page-count', candidates };
  const name = letterKey(claim.title ?? '');
  if ((candidates.length > 1 || !hasNumber) && name !== '')
    keep('name', ({ title = '' }) => letterKey(title) === name);
  const [candidate, ...others] = candidates;
  return candidate === undefined || others.length > 0
    ? { reason: 'several-chapters', candidates }
    : { candidate, evidence };
}

function isOfVolume(chapter: Chapter, volume: string): boolean {
  return chapter.volume !== undefined && numberKey(chapter.volume) === numberKey(volume);
}

/** Mihon's names have the MD5 of the chapter's path in its extension. */
function digestOf(chapterId: string): string {
  return createHash('md5').update(`/chapter/${chapterId}`).digest('hex').slice(0, 6);
}

const NO_GROUP = /^(no ?group|uploaded by|user -)/i;

function groupOf({ group }: Claim): string | undefined {
  return group === undefined || NO_GROUP.test(group) || letterKey(group) === '' ? undefined : group;
}

/** mdx names one of several groups, the others all of them. */
function hasGroups({ groups }: Chapter, group: string): boolean {
  const claimed = letterKey(group);
  const names = groups.map(({ name }) => letterKey(name)).filter((name) => name !== '');
  return names.includes(claimed) || (names.length > 0 && names.every((it) => claimed.includes(it)));
}
