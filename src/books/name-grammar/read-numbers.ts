/** Decides which of the numbers in a name are those of its chapter and its volume, or that this is not certain. Pure. */
import { minOf } from '../../core/extremes.js';
import { isExtraName, isExtraWord, isSideStory } from './words.js';
import { findNumbers, isClosing, skipSpaces, type FoundNumber } from './found-numbers.js';
import type { Token } from './tokens.js';

export interface NameNumbers {
  readonly volume?: FoundNumber | undefined;
  readonly chapter?: FoundNumber | undefined;
  /** Where a part of the chapter belongs, such as `3.2`. The service may list the part as 3. */
  readonly partNumber?: string | undefined;
  /** Where the chapter is not certain: the numbers that it may have, the most likely ones first. */
  readonly possible: readonly string[];
  /** Where the first of them begins in the text. */
  readonly possibleStart?: number | undefined;
}

const MAX_POSSIBLE = 4;

/**
 * @param from where the name of the series ends
 * @param isSeriesKnown whether the name begins with the series
 */
export function readNumbers(
  tokens: readonly Token[],
  from: number,
  isSeriesKnown: boolean,
): NameNumbers {
  const found = findNumbers(tokens, from);
  const name = { tokens, found, from, isSeriesKnown };
  const chapters = found.filter(({ role }) => role === 'chapter');
  const [chapter] = chapters;
  const volume = findVolume(name, chapter);
  const claim =
    (chapter && labelledClaim(name, chapter, chapters)) ??
    episodeClaim(name) ??
    bareClaim(name, volume);
  const { sure } = claim;
  const isMain = sure && !isOfLaterSeason(found, sure) && !isExtra(name, sure);
  if (isMain && !sure.isUnclear) return { volume, chapter: sure, possible: [] };
  const partNumber = sure && numberOfPart(sure);
  if (isMain && partNumber !== undefined)
    return { volume, chapter: sure, partNumber, possible: [partNumber, sure.value] };
  const numbers = possibleNumbers(sure ? [sure] : claim.possible, found, volume);
  const texts = numbers.flatMap(({ value, last }) =>
    last === undefined ? [value] : [value, `${value}-${last}`],
  );
  return {
    volume,
    possible: [...new Set(texts)].slice(0, MAX_POSSIBLE),
    possibleStart: numbers.length > 0 ? minOf(numbers.map(({ start }) => start)) : undefined,
  };
}

/** `3.2` for `3 part 2`: parts are often numbered so, and follow each other. */
function numberOfPart({ value, part, last }: FoundNumber): string | undefined {
  const isOne = /^\d+$/.test(value) && last === undefined;
  return isOne && part !== undefined && part > 0 && part < 10 ? `${value}.${part}` : undefined;
}

/** `S3 - Chapter 20`: some count on from the season before, others begin at 1. */
function isOfLaterSeason(found: readonly FoundNumber[], { start }: FoundNumber): boolean {
  return found.some((each) => each.role === 'season' && each.start < start && each.value !== '1');
}

/** `Side Story Chapter 5`, and `Sea - Extra Chapter 5`; but `Special A 005` is of a series. */
function isExtra({ tokens, from, isSeriesKnown }: ReadName, { start }: FoundNumber): boolean {
  const words = tokens.filter((each) => each.start >= from && each.start < start);
  const texts = words.flatMap(({ kind, text }) => (kind === 'word' ? [text] : []));
  return isSeriesKnown ? texts.some(isExtraWord) || isSideStory(texts) : isExtraName(texts);
}

interface ReadName {
  readonly tokens: readonly Token[];
  readonly found: readonly FoundNumber[];
  readonly from: number;
  readonly isSeriesKnown: boolean;
}

interface Claim {
  readonly sure?: FoundNumber | undefined;
  readonly possible: readonly FoundNumber[];
}

const UNKNOWN: Claim = { possible: [] };

/** Without any, those that words make unlikely; a volume needs none. */
function possibleNumbers(
  possible: readonly FoundNumber[],
  found: readonly FoundNumber[],
  volume: FoundNumber | undefined,
): readonly FoundNumber[] {
  const unlikely = found.filter(({ role }) => !['aside', 'page', 'volume'].includes(role));
  return possible.length > 0 || volume ? possible : unlikely;
}

/** The first one; after the chapter only right after it, as in `c001 (v02)`: `Ch. 5 - Volume 3 Extras` is a title. */
function findVolume(
  { tokens, found }: ReadName,
  chapter: FoundNumber | undefined,
): FoundNumber | undefined {
  return found.find((each) => {
    if (each.role !== 'volume' || isVersion(each, found)) return false;
    if (chapter === undefined || each.start < chapter.start) return true;
    return isRightAfter(tokens, chapter, each);
  });
}

/** The `v2` of `Ch. 7 [v2]`, but not the `v02` of `c007 (v02)`. */
function isVersion(
  { label, isPadded, value, start }: FoundNumber,
  found: readonly FoundNumber[],
): boolean {
  if (label.toLowerCase() !== 'v' || isPadded || value.length > 1) return false;
  return found.some((each) => each.role === 'chapter' && each.start < start);
}

/** Only spaces, marks and brackets with neither words nor numbers are between, or a year. */
function isRightAfter(tokens: readonly Token[], first: FoundNumber, second: FoundNumber): boolean {
  const between = tokens.slice(first.lastToken + 1, second.firstToken);
  const text = between.map((token) => token.text).join('');
  return /^[\s_.,]*(\((19|20)\d\d\))?[\s_.,]*[([]?$/.test(text);
}

/** A number with the word for chapter is certain at the start, and elsewhere unless another one may be meant. */
function labelledClaim(
  name: ReadName,
  chapter: FoundNumber,
  chapters: readonly FoundNumber[],
): Claim {
  if (isDirect(name, chapter)) return { sure: chapter, possible: [] };
  const rivals = [
    ...chapters.filter((each) => each.value !== chapter.value || each.last !== chapter.last),
    ...name.found.filter((each) => isEarlierRival(name, chapter, each)),
  ];
  const [rival] = rivals;
  if (rival === undefined) return { sure: chapter, possible: [] };
  if (rival.role === 'bare' && name.isSeriesKnown && isDirect(name, rival))
    return { sure: rival, possible: [] };
  return { possible: [chapter, ...rivals] };
}

/** `Episode 3 - Fog #02` and `027: Part 002: Chapter 001`, but not `Sea 2 - Ch.3` and `1. Sea #2`. */
function isEarlierRival({ tokens }: ReadName, chapter: FoundNumber, each: FoundNumber): boolean {
  if (each.start > chapter.start || each.value === chapter.value) return false;
  if (each.role === 'episode') return /^(ep.*|n)$/i.test(each.label);
  if (each.role !== 'bare' || !isClosing(tokens, each.lastToken)) return false;
  const between = tokens.slice(each.lastToken + 1, chapter.firstToken);
  const words = between.filter(({ kind }) => kind === 'word');
  return words.length > 0 && hasDelimiter(tokens, each.lastToken, chapter.firstToken);
}

/** A colon, a dash with spaces, or a comma. */
function hasDelimiter(tokens: readonly Token[], first: number, last: number): boolean {
  const text = tokens
    .slice(first + 1, last)
    .map((token) => token.text)
    .join('');
  return /[\s_]-+[\s_]|[:,;]/.test(text);
}

/** At the start, or right after the series, with only volumes, years and marks between. */
function isDirect({ tokens, found, from }: ReadName, number: FoundNumber): boolean {
  const before = tokens.filter(({ start }) => start >= from && start < number.start);
  const known = found.filter(({ role }) => role === 'volume');
  return before.every(
    ({ kind, text, start }) =>
      (kind !== 'word' && kind !== 'number') ||
      known.some((each) => start >= each.start && start < each.end) ||
      /^(19|20)\d\d$/.test(text) ||
      /^(vol|volume|tbd)$/i.test(text),
  );
}

function episodeClaim(name: ReadName): Claim | undefined {
  const episodes = name.found.filter(({ role }) => role === 'episode');
  const [episode, ...others] = episodes;
  if (episode === undefined) return undefined;
  const bare = bareNumbers(name);
  const padded = onlyPadded(bare);
  if (/^n/i.test(episode.label)) {
    if (padded !== undefined) return { sure: padded, possible: [] };
    return { possible: [...bare, ...episodes] };
  }
  return others.length === 0 && bare.every(({ start }) => start > episode.start)
    ? { sure: episode, possible: [] }
    : { possible: [...episodes, ...bare] };
}

function bareClaim(name: ReadName, volume: FoundNumber | undefined): Claim {
  const bare = bareNumbers(name);
  const [first, ...others] = bare;
  if (first === undefined) return UNKNOWN;
  const isSure =
    others.length === 0
      ? isSureAlone(name, first, volume)
      : isDirect(name, first) && name.isSeriesKnown && !isBesideOther(name, first);
  if (isSure) return { sure: first, possible: [] };
  const padded = volume === undefined ? onlyPadded(bare) : undefined;
  return padded ? { sure: padded, possible: [] } : { possible: likelyFirst(bare) };
}

/** Before the first dash or colon that follows a number: what comes after it is the title of the chapter, unless it is `007`. */
function bareNumbers({ tokens, found }: ReadName): readonly FoundNumber[] {
  const bare = found.filter(({ role }) => role === 'bare');
  const [first] = bare;
  return bare.filter(
    (each) =>
      first === each ||
      (first &&
        (!hasDelimiter(tokens, first.lastToken, each.firstToken) ||
          isWholeTitle(tokens, first, each))),
  );
}

/** `Golgo 13 - 007`: nothing but a number with zeros is between the dash and the end, or a bracket. */
function isWholeTitle(tokens: readonly Token[], first: FoundNumber, each: FoundNumber): boolean {
  const between = tokens.slice(first.lastToken + 1, each.firstToken);
  const text = between.map((token) => token.text).join('');
  return each.isPadded && /^[\s_]+-+[\s_]+$/.test(text) && isClosing(tokens, each.lastToken);
}

/** In `Team 7 008`, the zeros show which number is that of the file. */
function onlyPadded(bare: readonly FoundNumber[]): FoundNumber | undefined {
  const padded = bare.filter(({ isPadded }) => isPadded);
  return padded.length === 1 && bare.at(-1) === padded[0] ? padded[0] : undefined;
}

function likelyFirst(bare: readonly FoundNumber[]): readonly FoundNumber[] {
  return [...bare].reverse().sort((a, b) => Number(b.isPadded) - Number(a.isPadded));
}

function isSureAlone(
  name: ReadName,
  number: FoundNumber,
  volume: FoundNumber | undefined,
): boolean {
  const { tokens, isSeriesKnown, from } = name;
  if (volume && mayBeLastVolume(tokens, volume, number)) return false;
  const isKnown = isSeriesKnown && isDirect(name, number);
  if (isKnown) return !isMinus(tokens, number);
  if (isGluedToWord(tokens, number)) return false;
  const isFirst = tokens[skipSpaces(tokens, 0)]?.start === number.start && from === 0;
  if (isFirst) return number.isPadded || isClosing(tokens, number.lastToken);
  if (volume === undefined) return isClosing(tokens, number.lastToken) || number.isPadded;
  const isAfterVolume = volume.start < number.start;
  if (isAfterVolume && hasWords(tokens, volume, number)) return false;
  return number.isPadded || (isAfterVolume && isClosing(tokens, number.lastToken));
}

/** `Vol. 1 - 3`: three volumes, or the third chapter. */
function mayBeLastVolume(
  tokens: readonly Token[],
  volume: FoundNumber,
  number: FoundNumber,
): boolean {
  const between = tokens.slice(volume.lastToken + 1, number.firstToken);
  const text = between.map((token) => token.text).join('');
  const isRising = Number(number.value) > Number(volume.value);
  const isRange = /^[\s_]+-[\s_]+$/.test(text) && isRising && isClosing(tokens, number.lastToken);
  const [last, first] = [tokens[number.lastToken], tokens[volume.lastToken]];
  return isRange && (!number.isPadded || last?.text.length === first?.text.length);
}

/** `-001`, or `panic-9`: a word with a number in it. */
function isGluedToWord(tokens: readonly Token[], { firstToken }: FoundNumber): boolean {
  return tokens[firstToken - 1]?.text === '-' && tokens[firstToken - 2]?.kind !== 'number';
}

function isMinus(tokens: readonly Token[], { firstToken }: FoundNumber): boolean {
  return tokens[firstToken - 1]?.text === '-' && tokens[firstToken - 2]?.kind === 'space';
}

function hasWords(tokens: readonly Token[], first: FoundNumber, second: FoundNumber): boolean {
  return tokens
    .slice(first.lastToken + 1, second.firstToken)
    .some(({ kind }) => kind === 'word' || kind === 'number');
}

/** `Area 51 3`: the series may go on. */
function isBesideOther({ tokens, found }: ReadName, first: FoundNumber): boolean {
  const next = skipSpaces(tokens, first.lastToken + 1);
  return found.some(({ role, firstToken }) => role === 'bare' && firstToken === next);
}
