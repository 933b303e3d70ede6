/**
 * Reads what the name of a file or folder says of a chapter, as downloaders and people write names: for archives without
 * ComicInfo. One grammar, of which docs/collection.md has a table of examples. Where it is not certain which number is
 * that of the chapter, it says which ones it may be. Pure.
 */
import { basename, dirname } from 'node:path';
import { codeOfName, knownCode } from '../config/language-codes.js';
import { maxOf, minOf } from '../core/extremes.js';
import { letterKey } from '../core/name-keys.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { readNumbers } from './name-grammar/read-numbers.js';
import { isExtraName } from './name-grammar/words.js';
import { plainMarks, tokensOf } from './name-grammar/tokens.js';

export interface GuessedName {
  readonly series?: string | undefined;
  readonly volume?: string | undefined;
  /** The last volume of a range, such as `17` in `v16-17`. */
  readonly lastVolume?: string | undefined;
  /** The chapter, or the first of several. */
  readonly number?: string | undefined;
  /** The last chapter of a range, such as `8` in `c001-008`. */
  readonly lastNumber?: string | undefined;
  /** Where the chapter is not certain: the numbers that it may have, the most likely ones first. */
  readonly possibleNumbers?: readonly string[] | undefined;
  /** Where a part of a chapter belongs: `3.2` for `3 part 2`. The service may list it as 3, or 3.5. */
  readonly partNumber?: string | undefined;
  /** The title of the chapter; of a name without certain numbers, all of it. */
  readonly title?: string | undefined;
  /** MangaDex's code. */
  readonly language?: string | undefined;
  /** One or several groups, as the program joined them. */
  readonly group?: string | undefined;
  /** A UUID in the name: of the chapter, or of its title. */
  readonly uuid?: string | undefined;
  /** The first six digits of the MD5 of the chapter's path, `/chapter/<id>`. */
  readonly pathDigest?: string | undefined;
}

const MAX_NAME_LENGTH = 512;
const UUID = new RegExp(`(?<![0-9a-f-])${UUID_PATTERN}(?![0-9a-f-])`, 'i');
/** `Group_Vol.1 Ch.2 - Title`: the group comes first, and the series is the folder. */
const GROUP_FIRST = /^(?:(.*?)_)?((?:Vol\.\d\S* )?Ch\.\d.*|Oneshot)$/;
/** The same before a digest, as in `Group_Oneshot_0123ab`. */
const GROUP_BEFORE_DIGEST = /^(?:(.*?)_)?(.*)$/;
const PATH_DIGEST = /_([0-9a-f]{6})$/;
const LEADING_BRACKET = /^\s*\[([^\]]*)\][\s_]*/;
const TRAILING_BRACKET = /\s*\[([^[\]]*)\]\s*$/;
/** A number of a file, a chapter, a part or a season, a version, and an extra: not a group. */
const NOT_GROUP =
  /^(\d+([.,]\d+)?|v\d+|(c|ch|chapter|v|vol|volume|part|pt|s|season)[\s_.]*\d.*|extra|omake|special|bonus)$/i;
const SEASON = /^(?:s|season)[\s_.]*(\d{1,2})$/i;
/** Given to a file where another one has its name: a number, or the first digits of its id. */
const COPY = /\s\((?:\d{1,2}|[0-9a-f]{8})\)$/;
const TRAILING_LANGUAGE = /\s*\(([a-z]{2}(?:-[a-z]{2,3})?)\)\s*$/;
/** Only known codes: others are more likely groups. */
const TRAILING_CODE = /\s*[([]([a-z]{2}(?:-[a-z]{2,4})?|[A-Z]{2}(?:-[A-Z]{2,4})?)[)\]]\s*$/;
/** `[en Group] Series vol. 1 ch. 2`. */
const LANGUAGE_FIRST = /^([a-z]{2}(?:-[a-z]{2,3})?)(?:\s+(.*))?$/;
const CHAPTER_AFTER_LANGUAGE = /[\s_]ch\. /;
/** After the series where a chapter has no volume: `Series vol.  ch. 2`, `Series Vol.TBD Ch.002`. */
const EMPTY_VOLUME = /\bvol\.\s*(?:tbd\s*)?$/i;
/** The year of the series, as in `Series (2012)`. */
const TRAILING_YEAR = /[\s_]*\((?:19|20)\d\d[^()]{0,12}\)[\s_-]*$/;

/**
 * Understands names such as `Series Ch.010.5 Vol.02 - Title [Group]`, `Series_v02_c010[Group]`, `012` and `第12話`.
 * @param name without folders and extension
 * @param seriesNames names of the series, such as that of the folder: numbers in them are not those of the chapter
 */
export function guessName(name: string, seriesNames: readonly string[] = []): GuessedName {
  const original = name.slice(0, MAX_NAME_LENGTH).normalize('NFC').slice(0, MAX_NAME_LENGTH);
  const uuid = UUID.exec(original)?.[0];
  const named = original.replace(UUID, ' ').trim();
  const seriesKeys = seriesNames.map(letterKey).filter((key) => key !== '');
  const isSeriesFirst = seriesEnd(named, seriesKeys) > 0;
  const head = (isSeriesFirst ? undefined : readGroupFirst(named)) ?? readHead(named);
  const tail = readTail(head.rest);
  const text = tail.rest;
  const read = readText(text, seriesKeys);
  const numbers = Number(head.season ?? 1) > 1 ? ofLaterSeason(read) : read;
  const isIndexed = numbers.number === undefined && numbers.volume === undefined;
  const found: GuessedName = {
    ...numbers,
    ...(isIndexed && head.index !== undefined && indexNumbers(head.index, numbers)),
    series: head.isSeriesElsewhere ? undefined : numbers.series,
    language: head.language ?? tail.language,
    group: head.group ?? tail.group,
    uuid: uuid?.toLowerCase(),
    pathDigest: head.pathDigest,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** Only the language of guessName, in a tenth of the time. */
export function guessLanguage(name: string): string | undefined {
  const head = readHead(name.slice(0, MAX_NAME_LENGTH));
  return head.language ?? readTail(head.rest).language;
}

export interface GuessedFolder {
  readonly series: string;
  /** The series without the season or the extras that the folder is of. */
  readonly mainSeries?: string | undefined;
  readonly volume?: string | undefined;
  /** MangaDex's code. */
  readonly language?: string | undefined;
}

/** Bounds what is read of a path. */
const MAX_FOLDERS = 5;
/** Names that say nothing of the files, as people sort them. */
const GENERAL_FOLDER =
  /^(?:chapters?|volumes?|mangas?|comics?|cbz|completed?|ongoing|scans?|scanlations?|digital|no[\s_-]*vol(?:ume)?s?|vol(?:ume)?[\s._-]*(?:tb[ad]|none|unknown)|(?:s|season)[\s_.]*0?1)$/i;
const EXTRAS_FOLDER = /^(?:specials?|extras?|omake|bonus|side[\s_-]stor(?:y|ies))$/i;
/** The year, the group and other remarks after a name. */
const REMARKS = /(?:\s*[([][^()[\]]*[)\]])+\s*$/;

/**
 * What an absolute path of a folder says of the files in it: its name is that of the series, or of a part of the series
 * that a folder above names, as in `Series/Vol. 2`, `Series/Series v02 (2021)` and `Series/English/Chapters`. A later
 * season and extras are a series of their own, whose numbers may be those of others.
 */
export function guessFolder(folder: string, levels = MAX_FOLDERS): GuessedFolder {
  const name = basename(folder);
  const own = { series: name };
  const language = codeOfFolder(name);
  const isVolume = guessName(name).volume !== undefined;
  const isPart = EXTRAS_FOLDER.test(name) || Number(SEASON.exec(name)?.[1] ?? 1) > 1;
  const isGeneral = language !== undefined || GENERAL_FOLDER.test(name);
  if (levels <= 1 || !(isVolume || isPart || isGeneral)) return own;
  const above = guessFolder(dirname(folder), levels - 1);
  if (above.series === '') return own;
  if (isVolume) return volumeFolder(name, above) ?? own;
  if (!isPart) return language === undefined ? above : { ...above, language };
  const { series, mainSeries = series } = above;
  return { ...above, series: `${series} ${name}`, mainSeries };
}

/** Undefined for the volume of another series than that of the folder above. */
function volumeFolder(name: string, above: GuessedFolder): GuessedFolder | undefined {
  const names = [above.series, above.series.replace(REMARKS, '')];
  const { series, volume, lastVolume, number } = guessName(name, names);
  // The number in `Sea 2 v01` may be that of another series.
  const isOfSeries = number === undefined && names.map(letterKey).includes(letterKey(series ?? ''));
  if (series !== undefined && !isOfSeries) return undefined;
  return { ...above, volume: lastVolume === undefined ? volume : undefined };
}

/** Codes may be the names of series. */
function codeOfFolder(name: string): string | undefined {
  return name.length > 3 ? codeOfName(name.toLowerCase()) : undefined;
}

/** `[S3] Episode 20`: some count on from the season before, others begin at 1. */
function ofLaterSeason({ number, lastNumber, ...others }: GuessedName): GuessedName {
  const unclear = { ...others, partNumber: undefined };
  if (number === undefined) return unclear;
  const range = lastNumber === undefined ? [] : [`${number}-${lastNumber}`];
  return { ...unclear, possibleNumbers: [number, ...range] };
}

/** An index counts files, so that it may be another number than the chapter's. */
function indexNumbers(index: string, { possibleNumbers = [] }: GuessedName): GuessedName {
  const number = String(Number(index.replace(',', '.')));
  const isIndex = /^\d+$/.test(index);
  return isIndex ? { possibleNumbers: [number, ...possibleNumbers] } : { number };
}

interface NameHead {
  readonly rest: string;
  readonly group?: string | undefined;
  readonly language?: string | undefined;
  readonly pathDigest?: string | undefined;
  readonly isSeriesElsewhere?: boolean;
  /** The number in brackets before the name, as some number their files. */
  readonly index?: string | undefined;
  /** The number of the season in brackets before the name. */
  readonly season?: string | undefined;
}

/** Names are such in Mihon and Suwayomi; undefined for other names. */
function readGroupFirst(name: string): NameHead | undefined {
  const digest = PATH_DIGEST.exec(name)?.[1];
  const isChapter = digest !== undefined && /^c\d{4}/.test(digest) && !/ch\.\d/i.test(name);
  const pathDigest = isChapter ? undefined : digest;
  const [, group, rest = ''] =
    (pathDigest === undefined
      ? GROUP_FIRST.exec(name)
      : GROUP_BEFORE_DIGEST.exec(name.replace(PATH_DIGEST, ''))) ?? [];
  return pathDigest === undefined && group === undefined
    ? undefined
    : { rest, group: tidy(group ?? ''), pathDigest, isSeriesElsewhere: true };
}

/** What programs write before the series or the numbers. */
function readHead(name: string): NameHead {
  const groups: string[] = [];
  let language: string | undefined;
  let index: string | undefined;
  let season: string | undefined;
  let text = name;
  for (let found = LEADING_BRACKET.exec(text); found; found = LEADING_BRACKET.exec(text)) {
    const [all, content = ''] = found;
    if (/^[cv]/i.test(content) && NOT_GROUP.test(content)) break;
    text = text.slice(all.length);
    const chapterStart = text.search(CHAPTER_AFTER_LANGUAGE);
    const isLanguageFirst = chapterStart > 0 && /[^\s_]/.test(text.slice(0, chapterStart));
    const [, code, others = ''] = (isLanguageFirst ? LANGUAGE_FIRST.exec(content) : null) ?? [];
    language ??= code;
    if (/^\d{1,4}([.,]\d{1,3})?$/.test(content)) index = content;
    else if (SEASON.test(content)) season = SEASON.exec(content)?.[1];
    else if (!NOT_GROUP.test(content)) groups.push(code === undefined ? content : others);
  }
  return { rest: text, language, group: tidy(groups.join(' ')), index, season };
}

/** What programs write after the title of the chapter: the group and the language, in any order. */
function readTail(name: string) {
  const last = readLanguage(name.replace(COPY, ''));
  const [bracket = '', content = ''] = TRAILING_BRACKET.exec(last.rest) ?? [];
  const isGroup = bracket !== '' && !NOT_GROUP.test(content);
  const withoutGroup = isGroup ? last.rest.slice(0, -bracket.length) : last.rest;
  const { rest, language } = last.language === undefined ? readLanguage(withoutGroup) : last;
  return {
    rest: last.language === undefined ? rest : withoutGroup,
    language,
    group: isGroup ? tidy(content) : undefined,
  };
}

function readLanguage(name: string) {
  const [bracket = '', code = ''] = TRAILING_CODE.exec(name) ?? [];
  const known = knownCode(code.toLowerCase());
  if (known !== undefined) return { rest: name.slice(0, -bracket.length), language: known };
  const [parenthesis = '', language] = TRAILING_LANGUAGE.exec(name) ?? [];
  return { rest: name.slice(0, name.length - parenthesis.length), language };
}

function readText(text: string, seriesKeys: readonly string[]): GuessedName {
  const plain = plainMarks(text);
  const from = seriesEnd(plain, seriesKeys);
  const numbers = readNumbers(tokensOf(plain), from, from > 0);
  const { volume, chapter, partNumber, possible, possibleStart } = numbers;
  const isSure = chapter !== undefined && partNumber === undefined;
  const found = [volume, chapter].filter((each) => each !== undefined);
  const start = minOf([possibleStart ?? text.length, ...found.map((each) => each.start)]);
  const end = maxOf([from, ...found.map((each) => each.end)]);
  const before = start < text.length ? text.slice(0, start).replace(EMPTY_VOLUME, '') : '';
  const series = tidy(from > 0 ? text.slice(0, from) : before.replace(TRAILING_YEAR, ''));
  const isLabelled = /\p{L}/u.test(chapter?.label ?? '');
  return {
    series: from === 0 && series && isNoSeries(series, isLabelled) ? undefined : series,
    volume: volume?.value,
    lastVolume: volume?.last,
    number: isSure ? chapter.value : undefined,
    lastNumber: isSure ? chapter.last : undefined,
    partNumber,
    possibleNumbers: possible.length > 0 ? possible : undefined,
    title: tidy(text.slice(end)),
  };
}

/** A season, `Extra`, `Copy of` and, in `0_Chapter 1`, an index or a date: the series is the folder. `86 - 05` is of `86`. */
function isNoSeries(text: string, isLabelled: boolean): boolean {
  if (isLabelled && !/\p{L}/u.test(text)) return true;
  return SEASON.test(text) || /^copy of$/i.test(text) || isExtraName(text.split(/\s+/));
}

/** Where the longest of the names ends with which the text begins, by their letterKey; 0 if it begins with none. */
function seriesEnd(text: string, seriesKeys: readonly string[]): number {
  let read = '';
  let end = 0;
  let longest = { key: '', end: 0 };
  for (const character of text) {
    end += character.length;
    read += letterKey(character);
    if (!seriesKeys.some((key) => key.startsWith(read))) break;
    const isWordEnd = !/^[\p{L}\p{N}]/u.test(text.slice(end, end + 2));
    // Marks after the name are not part of it.
    if (isWordEnd && seriesKeys.includes(read) && longest.key !== read)
      longest = { key: read, end };
  }
  return longest.end;
}

/** Undefined for a text without words. A bracket at its start was opened before a number that is not part of it. */
function tidy(text: string): string | undefined {
  const tidied = text
    .replaceAll('_', ' ')
    .replace(/^[\s.\-–:|)\]}]+|[\s.\-–:|]+$/g, '')
    .trim();
  return tidied === '' ? undefined : tidied;
}
