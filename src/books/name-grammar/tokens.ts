/** Divides a name into words, numbers and marks, in one pass. Pure. */
import { COUNTERS, KANJI_NUMBER, kanjiValue } from './words.js';

export type Token =
  | { readonly kind: 'word' | 'mark' | 'space'; readonly text: string; readonly start: number }
  | NumberToken;

export interface NumberToken {
  readonly kind: 'number';
  readonly text: string;
  readonly start: number;
  /** Without zeros before it, with a dot: `7`, `10.5`. */
  readonly value: string;
  /** It has zeros before it, as numbers of files have and numbers in titles hardly ever. */
  readonly isPadded: boolean;
}

/** Marks that differ by language or keyboard, as the one that the grammar knows. Each is one UTF-16 unit long. */
const MARKS: Readonly<Record<string, string>> = {
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '−': '-',
  '：': ':',
  '【': '[',
  '】': ']',
  '［': '[',
  '］': ']',
  '（': '(',
  '）': ')',
  '＃': '#',
  '\u3000': ' ',
};

const BEFORE_JOINT = `(?<=\\d[${COUNTERS}]?\\s?)`;
const AFTER_JOINT = '(?=\\s?(?:[第제#]|(?:ch?|chap|chapter|v|vol|volume|t|tome|ep)\\.?\\s?)?\\d)';
/** Marks of East Asian texts between two numbers, also where a word that counts is beside each: `第1話～第3話`. */
const JOINTS = [
  [new RegExp(`${BEFORE_JOINT}[~～〜]${AFTER_JOINT}`, 'giu'), '-'],
  [new RegExp(`${BEFORE_JOINT}[・、＆＋]${AFTER_JOINT}`, 'giu'), '&'],
] as const;

/** The text with the same length, and one form of each mark and digit. */
export function plainMarks(text: string): string {
  const plain = text
    .replace(/[‐‑‒–—−：【】［］（）＃\u3000]/g, (mark) => MARKS[mark] ?? mark)
    .replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0));
  return JOINTS.reduce((joined, [mark, plainMark]) => joined.replace(mark, plainMark), plain);
}

/** `c2c` says that a scan has both covers. More digits than four are not the number of a chapter. */
const tokenPattern = (letter: string): RegExp =>
  new RegExp(
    String.raw`(?<word>c2c(?![\p{L}\p{N}])|(?:${letter})+)|(?<half>\d{0,4} ?½)|(?<number>\d+(?:\.\d+|,\d{1,2}(?!\d)|,(?=0)\d{3}(?!\d))?)|(?<space>[\s_]+)|(?<mark>.)`,
    'gsu',
  );
const LETTER = String.raw`[\p{L}\p{M}]`;
const TOKEN = tokenPattern(LETTER);
const TOKEN_WITH_KANJI = new RegExp(
  `(?<kanji>${KANJI_NUMBER})|${tokenPattern(`(?!${KANJI_NUMBER})${LETTER}`).source}`,
  'gsu',
);
const MAX_DIGITS = 4;
const MAX_DECIMALS = 3;

/** @param text with plain marks */
export function tokensOf(text: string): readonly Token[] {
  // To look for them in every name would take longer than all the rest.
  const pattern = text.includes('第') ? TOKEN_WITH_KANJI : TOKEN;
  return [...text.matchAll(pattern)].map(({ 0: found, index: start, groups = {} }) => {
    const { kanji, word, half, number, space } = groups;
    if (kanji !== undefined) return readNumber(found, start, String(kanjiValue(found)));
    if (word !== undefined) return { kind: 'word', text: found, start };
    if (space !== undefined) return { kind: 'space', text: found, start };
    if (half !== undefined) return numberToken(found, start, `${parseInt(found, 10) || 0}.5`);
    if (number !== undefined) return readNumber(found, start);
    return { kind: 'mark', text: found, start };
  });
}

function readNumber(text: string, start: number, digits = text): Token {
  const [whole = '', decimals = ''] = digits.split(/[.,]/);
  if (whole.length > MAX_DIGITS || decimals.length > MAX_DECIMALS)
    return { kind: 'mark', text, start };
  const value = String(Number(whole)) + (Number(decimals) === 0 ? '' : `.${decimals}`);
  return numberToken(text, start, value);
}

function numberToken(text: string, start: number, value: string): NumberToken {
  return { kind: 'number', text, start, value, isPadded: /^0\d/.test(text) };
}

export function endOf({ start, text }: Token): number {
  return start + text.length;
}
