/** Finds the numbers in a name, with what the words and marks beside each say of it. Pure. */
import { endOf, type NumberToken, type Token } from './tokens.js';
import { COUNTERS, isExtraWord, labelAfter, labelBefore, type Label } from './words.js';

/** `bare`: nothing is beside it. `year`: a year, or a special that is numbered like one. `aside`: never the chapter. */
export type Role = Label | 'bare' | 'year' | 'aside';

export interface FoundNumber {
  readonly role: Role;
  /** The word before it, such as `#` and `ch`; empty if there is none. */
  readonly label: string;
  readonly value: string;
  /** The end of a range. */
  readonly last?: string | undefined;
  /** The part of the chapter with this number: `2` in `3 part 2`. */
  readonly part?: number | undefined;
  readonly isPadded: boolean;
  /** The chapter may be one between this number and the next, or the range may be none. */
  readonly isUnclear: boolean;
  /** Where the label begins, and where what belongs to the number ends, in the text. */
  readonly start: number;
  readonly end: number;
  /** The first and the last of its tokens. */
  readonly firstToken: number;
  readonly lastToken: number;
}

/** @param from where the name of the series ends */
export function findNumbers(tokens: readonly Token[], from: number): readonly FoundNumber[] {
  const dates = dateTokens(tokens);
  const depths = bracketDepths(tokens);
  const found: FoundNumber[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token?.kind !== 'number' || token.start < from || dates.has(index)) continue;
    const number = readNumber(tokens, index, token, (depths[index] ?? 0) > 0);
    found.push(number);
    index = Math.max(index, number.lastToken);
  }
  return found;
}

function readNumber(
  tokens: readonly Token[],
  index: number,
  token: NumberToken,
  isInBrackets: boolean,
): FoundNumber {
  const before = wordBefore(tokens, index);
  const suffix = readSuffix(tokens, index);
  const range = readRange(tokens, index + suffix.tokens, token, before);
  const ofNumber = index + suffix.tokens + range.tokens;
  const after = before ? undefined : wordAfter(tokens, ofNumber);
  const role = isTotal(tokens, index) ? 'aside' : (before?.role ?? after?.role);
  const part = readPart(tokens, ofNumber, token, before?.label ?? '');
  const extra = part.tokens || readExtra(tokens, ofNumber);
  const lastToken = ofNumber + (extra > 0 ? extra : versionTokens(tokens, ofNumber));
  const firstToken = before?.index ?? index;
  return {
    role: role ?? bareRole(tokens, { index, lastToken: ofNumber }, token, isInBrackets),
    label: before?.label ?? '',
    value: token.value + suffix.letter,
    last: range.last,
    part: part.part,
    isPadded: token.isPadded,
    isUnclear: range.isUnclear || extra > 0,
    start: startOf(tokens, firstToken, token),
    end: Math.max(endOf(tokens[lastToken] ?? token), after?.end ?? 0),
    firstToken,
    lastToken,
  };
}

/** `全7話`: seven in all. */
function isTotal(tokens: readonly Token[], index: number): boolean {
  return tokens[index - 1]?.text.endsWith('全') === true;
}

/** With the mark of an ordinal, as in `第7話`. */
function startOf(tokens: readonly Token[], firstToken: number, token: NumberToken): number {
  const isOrdinal = /[第제]$/u.test(tokens[firstToken - 1]?.text ?? '');
  return (tokens[firstToken] ?? token).start - (isOrdinal ? 1 : 0);
}

const MAX_BETWEEN = 3;

/** The word that belongs to the number: `Ch. 7`, `vol-7`, `Issues #7`. */
function wordBefore(tokens: readonly Token[], index: number) {
  let between = '';
  for (let at = index - 1; at >= 0 && index - at <= MAX_BETWEEN + 1; at -= 1) {
    const token = tokens[at];
    if (token?.kind === 'mark' && (token.text === '#' || token.text === '№'))
      return { role: 'chapter' as const, label: '#', index: at };
    if (token?.kind === 'word') {
      const role = labelBefore(token.text);
      const isJoined = isLabelSeparator(between, token.text) && !isGluedToNumber(tokens, at);
      return role !== undefined && isJoined ? { role, label: token.text, index: at } : undefined;
    }
    if (token === undefined || !/^[\s_.,:-]+$/.test(token.text)) return undefined;
    between = token.text + between;
  }
  return undefined;
}

/** A dash with spaces ends a name, a single letter needs its number near it, and `V 003` has a Roman numeral. */
function isLabelSeparator(between: string, word: string): boolean {
  if (word === 'V' && /^[\s_]/.test(between)) return false;
  // `T01` is a volume in French.
  if (/^t$/i.test(word)) return between === '';
  if (/^[\s_.]*$/.test(between)) return true;
  if (/^[:.,-]$/.test(between)) return word.length > 1;
  return /^[.:] ?$/.test(between);
}

/** The letter in `7b` is of the number before it, that in `v2c6` of the one after it. */
function isGluedToNumber(tokens: readonly Token[], at: number): boolean {
  const [word, before] = [tokens[at], tokens[at - 1]];
  return before?.kind === 'number' && !/^[cv]/i.test(word?.text ?? '');
}

/** `7b`. Other letters are of a word, and `7v2` is the second version. */
function readSuffix(tokens: readonly Token[], index: number) {
  const [word, next] = [tokens[index + 1], tokens[index + 2]];
  const isLetter = word?.kind === 'word' && /^[a-z]$/i.test(word.text);
  if (!isLetter || /^[pst]$/i.test(word.text)) return { letter: '', tokens: 0 };
  const isBeforeNumber =
    next?.kind === 'number' || (next?.text === '.' && tokens[index + 3]?.kind === 'number');
  if (isBeforeNumber && /^[cvx]$/i.test(word.text)) return { letter: '', tokens: 0 };
  return { letter: word.text.toLowerCase(), tokens: 1 };
}

const NO_RANGE = { last: undefined, tokens: 0, isUnclear: false };

/**
 * `1-8`, `c01-c08`, `Ch. 1 - Ch. 8`, `#1 – 8`, `1+2` and `第1話～第3話`: elsewhere a number after a dash with spaces may
 * begin the chapter's title.
 */
function readRange(
  tokens: readonly Token[],
  at: number,
  first: NumberToken,
  { label = '', role }: { readonly label?: string; readonly role?: Label } = {},
) {
  const dash = skipSpaces(tokens, at + 1);
  if (tokens[dash]?.text !== '-')
    return readPair(tokens, at, first, label) ?? readCountedEnd(tokens, at, first);
  const afterDash = skipSpaces(tokens, dash + 1);
  const isGlued = afterDash === at + 2;
  const hasSpaces = dash > at + 1 && afterDash > dash + 1;
  if (!isGlued && !hasSpaces) return NO_RANGE;
  const second = tokens[afterDash];
  if (second?.kind !== 'number')
    return label !== '' ? readLabelledEnd(tokens, at, afterDash, { first, label, role }) : NO_RANGE;
  const suffix = readSuffix(tokens, afterDash);
  const lastToken = afterDash + suffix.tokens;
  const isRising = Number(second.value) > Number(first.value);
  const range = {
    last: second.value + suffix.letter,
    tokens: lastToken - at,
    isUnclear: false,
  };
  if (isGlued && isRising) {
    const isUnclear = hasFurther(tokens, lastToken);
    return { ...range, tokens: range.tokens + extraPages(tokens, lastToken), isUnclear };
  }
  if (isGlued) return { ...range, last: undefined, isUnclear: true };
  // The number after the dash may be that of the chapter.
  if (role === 'volume') return NO_RANGE;
  const isAtEnd = isClosing(tokens, lastToken) && isRising && sameWidth(first, second);
  if (!isAtEnd) return NO_RANGE;
  return { ...range, isUnclear: label !== '#' && !/^(books?)$/i.test(label) };
}

/**
 * `1+2`, `Ch. 1 & 2`, `v01 & v02` and `第1話&第2話`: numbers that follow each other, with nothing after them that would make
 * the last one a title.
 */
function readPair(tokens: readonly Token[], at: number, first: NumberToken, label: string) {
  let [last, lastToken] = [first, at];
  for (;;) {
    const mark = skipSpaces(tokens, afterCounter(tokens, lastToken));
    if (!/^[+&]$/.test(tokens[mark]?.text ?? '')) break;
    const next = afterLabel(tokens, skipSpaces(tokens, mark + 1), label);
    const number = tokens[next];
    if (number?.kind !== 'number' || Number(number.value) !== Number(last.value) + 1) break;
    [last, lastToken] = [number, next];
  }
  const isCounted = afterCounter(tokens, lastToken) > lastToken + 1;
  if (lastToken === at || !(isCounted || isClosing(tokens, lastToken))) return undefined;
  // Without a word, they may be of the series: `Cage 1 & 2`.
  const isUnclear = hasFurther(tokens, lastToken) || (label === '' && !isCounted);
  return { last: last.value, tokens: lastToken - at, isUnclear };
}

/** The index after the number at this one, and after its counter, such as `話`. */
function afterCounter(tokens: readonly Token[], index: number): number {
  const { text = '' } = tokens[index + 1] ?? {};
  return index + (text.length === 1 && COUNTERS.includes(text) ? 2 : 1);
}

/** The index of the number after the word that the first number has, or after the mark of an ordinal. */
function afterLabel(tokens: readonly Token[], index: number, label: string): number {
  const word = tokens[index];
  if (word?.kind === 'word' && /^[第제]$/u.test(word.text)) return index + 1;
  if (label === '' || word?.text.toLowerCase() !== label.toLowerCase()) return index;
  return skipSpaces(tokens, index + (tokens[index + 1]?.text === '.' ? 2 : 1));
}

/** Another number is joined to the range: `1-4 & 6`, `1-2-3`. */
function hasFurther(tokens: readonly Token[], index: number): boolean {
  const mark = skipSpaces(tokens, index + 1);
  if (/^[+&]$/.test(tokens[mark]?.text ?? ''))
    return tokens[skipSpaces(tokens, mark + 1)]?.kind === 'number';
  return /^[+-]$/.test(tokens[index + 1]?.text ?? '') && tokens[index + 2]?.kind === 'number';
}

/** `第1話-第3話`: both numbers have the same counter. */
function readCountedEnd(tokens: readonly Token[], at: number, first: NumberToken) {
  const dash = afterCounter(tokens, at);
  const next = afterLabel(tokens, dash + 1, '');
  const second = tokens[next];
  if (tokens[dash]?.text !== '-' || second?.kind !== 'number') return NO_RANGE;
  const isCounted = dash > at + 1 && tokens[next + 1]?.text === tokens[at + 1]?.text;
  if (!isCounted || Number(second.value) <= Number(first.value)) return NO_RANGE;
  return { last: second.value, tokens: next - at, isUnclear: false };
}

/** `Vol. 1 Ch. 1 - Vol. 2 Ch. 8`. */
function readLabelledEnd(
  tokens: readonly Token[],
  at: number,
  afterDash: number,
  {
    first,
    label,
    role,
  }: { readonly first: NumberToken; readonly label: string; readonly role: Label | undefined },
) {
  for (let index = afterDash; index < Math.min(tokens.length, afterDash + 10); index += 1) {
    const token = tokens[index];
    if (token?.kind === 'word' && labelBefore(token.text) === undefined) return NO_RANGE;
    if (token?.kind !== 'number') continue;
    const second = wordBefore(tokens, index);
    if (second?.role === 'volume' && role === 'chapter') continue;
    const isRange =
      second?.label.toLowerCase() === label.toLowerCase() &&
      Number(token.value) > Number(first.value);
    if (!isRange || !isClosing(tokens, index)) return NO_RANGE;
    return { last: token.value, tokens: index - at, isUnclear: false };
  }
  return NO_RANGE;
}

/** `001-006x1` has an extra chapter beside its range. */
function extraPages(tokens: readonly Token[], index: number): number {
  return tokens[index + 1]?.text === 'x' && tokens[index + 2]?.kind === 'number' ? 2 : 0;
}

function sameWidth(a: NumberToken, b: NumberToken): boolean {
  return (!a.isPadded && a.text.length < 3) || a.text.length === b.text.length;
}

/** `4.extra`, `122-a`, `300,a`, `404 extravol002`. */
function readExtra(tokens: readonly Token[], index: number): number {
  const [mark, word] = [tokens[index + 1], tokens[index + 2]];
  if (mark === undefined || word?.kind !== 'word') return 0;
  const isNear = /^[.,-]$/.test(mark.text);
  const isLetter = isNear && /^[a-e]$/i.test(word.text);
  const isExtra = (isNear || mark.kind === 'space') && isExtraWord(word.text);
  return isLetter || isExtra ? 2 : 0;
}

const NO_PART = { part: undefined, tokens: 0 };
const MAX_PART_TOKENS = 8;
const PART =
  /^(?:_([1-9])(?![\d.\p{L}])|[\s_]*[([]?(?:part|pt)\b[\s_.]*(\d+)|[\s_]*[([]?(\d{1,3})[\s_]*of[\s_]*\d{1,3}(?!\d))[)\]]?/iu;

/** `3 part 2`, `Ch. 3 (2of2)`, `10_5`. In `3 (3 of 12)` and `3 (of 12)`, the issues of a series are counted. */
function readPart(tokens: readonly Token[], index: number, { value }: NumberToken, label: string) {
  const texts = tokens.slice(index + 1, index + 1 + MAX_PART_TOKENS).map(({ text }) => text);
  const [found, afterMark, afterWord, counted] = PART.exec(texts.join('')) ?? [];
  const part = Number(afterMark ?? afterWord ?? counted);
  const isIssue = counted !== undefined && /^#?$/.test(label) && part === Number(value);
  if (found === undefined || isIssue) return NO_PART;
  let length = 0;
  const last = texts.findIndex((text) => (length += text.length) >= found.length);
  return { part, tokens: last + 1 };
}

/** `07v2`, `5v.2`. */
function versionTokens(tokens: readonly Token[], index: number): number {
  if (!/^v(er)?$/i.test(tokens[index + 1]?.text ?? '')) return 0;
  if (tokens[index + 2]?.kind === 'number') return 2;
  return tokens[index + 2]?.text === '.' && tokens[index + 3]?.kind === 'number' ? 3 : 0;
}

/** The word that the number is before: `7話`, `2 Глава`. The end is where the word's own part ends. */
function wordAfter(tokens: readonly Token[], index: number) {
  const next = tokens[index + 1];
  const word = next?.kind === 'space' ? tokens[index + 2] : next;
  if (word?.kind !== 'word') return undefined;
  const role = seasonAfter(tokens, index) ?? labelAfter(word.text, word === next);
  if (role === undefined) return undefined;
  const isCounter = /^[^\p{sc=Latin}\p{sc=Cyrillic}]/u.test(word.text);
  return { role, end: isCounter ? word.start + 1 : endOf(word) };
}

/** `2nd Season`. */
function seasonAfter(tokens: readonly Token[], index: number): 'season' | undefined {
  const text = tokens.slice(index + 1, index + 4).map((token) => token.text);
  return /^(st|nd|rd|th)[\s_]+season$/i.test(text.join('')) ? 'season' : undefined;
}

const YEAR = /^(19|20)\d\d$/;

/** The role of a number without a word of its own. */
function bareRole(
  tokens: readonly Token[],
  { index, lastToken }: { readonly index: number; readonly lastToken: number },
  { text }: NumberToken,
  isInBrackets: boolean,
): Role {
  const [before, after] = [tokens[index - 1], tokens[lastToken + 1]];
  if (isInBrackets || /^['’"]$/.test(before?.text ?? '')) return 'aside';
  if (before?.kind === 'word' || before?.kind === 'number') return 'other';
  if (after?.kind === 'word' && !/^[cvx]/i.test(after.text)) return 'aside';
  return YEAR.test(text) ? 'year' : 'bare';
}

/** The tokens of dates such as `2021-08-04`, `08-1948`, `1991-1992` and, in brackets, of years. */
function dateTokens(tokens: readonly Token[]): ReadonlySet<number> {
  const found = new Set<number>();
  const depths = bracketDepths(tokens);
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'number' || found.has(index)) continue;
    const parts = [index];
    for (let at = index; tokens[at + 1]?.text === '-' && tokens[at + 2]?.kind === 'number'; at += 2)
      parts.push(at + 2);
    const years = parts.filter((at) => YEAR.test(tokens[at]?.text ?? ''));
    const isInBrackets = (depths[index] ?? 0) > 0;
    const others = parts.length - years.length;
    const areDays = parts.every((at) => /^(\d\d?|(19|20)\d\d)$/.test(tokens[at]?.text ?? ''));
    const isDate = areDays && years.length === 1 && others > 0 && others < 3;
    if (years.length > 0 && (isDate || isInBrackets || (years.length === 2 && others === 0)))
      for (const at of parts) found.add(at);
  }
  return found;
}

/** How many brackets are open at each token. */
function bracketDepths(tokens: readonly Token[]): readonly number[] {
  let depth = 0;
  return tokens.map(({ text }) => {
    if (/^[([{]$/.test(text)) depth += 1;
    else if (/^[)\]}]$/.test(text)) depth = Math.max(0, depth - 1);
    return depth;
  });
}

/** Whether the name of the series and the number end here: what follows is not a word of it. */
export function isClosing(tokens: readonly Token[], index: number): boolean {
  const next = tokens[skipSpaces(tokens, index + 1)];
  return next === undefined || /^[([{\-:)\]};+#]$/.test(next.text);
}

export function skipSpaces(tokens: readonly Token[], index: number): number {
  return tokens[index]?.kind === 'space' ? index + 1 : index;
}
