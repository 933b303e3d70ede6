/**
 * Reads what the name of a file or folder says of a chapter, as downloaders write names: for archives without ComicInfo.
 * The forms of each program, and where its code has them, are in the tests. Pure.
 */
import { maxOf, minOf } from '../core/extremes.js';
import { UUID_PATTERN } from '../core/uuid.js';

export interface GuessedName {
  readonly series?: string | undefined;
  readonly volume?: string | undefined;
  /** The chapter, or the first of several. */
  readonly number?: string | undefined;
  /** The last chapter of a range, such as `8` in `c001-008`. */
  readonly lastNumber?: string | undefined;
  /** The title of the chapter; of a name without numbers, all of it. */
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
const NUMBER = String.raw`0*(\d{1,4}(?:\.\d{1,3})?[a-z]?)`;
const BEFORE = String.raw`(?:^|[\s_.\-(\[|])`;
const AFTER = '(?![a-z0-9])';
const VOLUME = new RegExp(
  String.raw`${BEFORE}v(?:ol(?:ume)?[\s._\-]*|[\s._]*)${NUMBER}${AFTER}`,
  'i',
);
/** `c001-008`, and `Ch. 1 - Ch. 8`: a number after a dash with spaces may begin the chapter's title. */
const CHAPTER_WORD = String.raw`c(?:h(?:ap(?:ter)?)?)?[\s._]*`;
const CHAPTER = new RegExp(
  String.raw`${BEFORE}${CHAPTER_WORD}${NUMBER}(?:(?:-| - (?:vol[\s._]*\d{1,4} )?${CHAPTER_WORD})${NUMBER})?${AFTER}`,
  'i',
);
/** Before a chapter that has no volume: `Series vol.  ch. 2`, `Series Vol.TBD Ch.002`. */
const EMPTY_VOLUME = /\bvol\.\s*(?:tbd\s*)?$/i;
/** A number at the end, or before a dash or a bracket, as in `Series 012 [Group]`. */
const BARE = new RegExp(String.raw`[\s_#]${NUMBER}\s*(?:$|[-–(\[])`, 'i');

const UUID = new RegExp(`(?<![0-9a-f-])${UUID_PATTERN}(?![0-9a-f-])`, 'i');
/** `Group_Vol.1 Ch.2 - Title_0123ab`: the group comes first, and the series is the folder. */
const GROUP_FIRST = /^(?:(.*?)_)?((?:Vol\.\d\S* )?Ch\.\d.*|.*(?=_[0-9a-f]{6}$))/;
const PATH_DIGEST = /_([0-9a-f]{6})$/;
const LEADING_BRACKET = /^\s*\[([^\]]*)\][\s_]*/;
const TRAILING_BRACKET = /\s*\[([^[\]]*)\]\s*$/;
/** Given to a file where another one has its name. */
const COPY = /\s\(\d{1,2}\)$/;
const TRAILING_LANGUAGE = /\s*\(([a-z]{2}(?:-[a-z]{2,3})?)\)\s*$/;
/** `[en Group] Series vol. 1 ch. 2`. */
const LANGUAGE_FIRST = /^([a-z]{2}(?:-[a-z]{2,3})?)(?:\s+(.*))?$/;
const LANGUAGE_FIRST_REST = /[^\s_].*[\s_]ch\. /;

/**
 * Understands names such as `Series Vol.02 Ch.010.5 - Title [Group]`, `Series_v02_c010[Group]` and `Series 012`. What
 * comes before the first number is the series.
 * @param name without folders and extension
 */
export function guessName(name: string): GuessedName {
  const uuid = UUID.exec(name)?.[0];
  const text = name.slice(0, MAX_NAME_LENGTH).replace(UUID, ' ').trim();
  const head = readHead(text);
  const tail = readTail(head.rest);
  const numbers = readNumbers(tail.rest);
  const found: GuessedName = {
    series: head.isSeriesElsewhere ? undefined : tidy(numbers.before),
    volume: numbers.volume,
    number: numbers.number,
    lastNumber: numbers.lastNumber,
    title: tidy(numbers.after),
    language: head.language ?? tail.language,
    group: head.group ?? tail.group,
    uuid: uuid?.toLowerCase(),
    pathDigest: head.pathDigest,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

interface NameHead {
  readonly rest: string;
  readonly group?: string | undefined;
  readonly language?: string | undefined;
  readonly pathDigest?: string | undefined;
  readonly isSeriesElsewhere?: boolean;
}

/** What programs write before the series or the numbers. */
function readHead(name: string): NameHead {
  const [, group, rest] = GROUP_FIRST.exec(name) ?? [];
  const pathDigest = PATH_DIGEST.exec(name)?.[1];
  if (rest !== undefined && (group !== undefined || pathDigest !== undefined))
    return {
      rest: rest.replace(PATH_DIGEST, ''),
      group: tidy(group ?? ''),
      pathDigest,
      isSeriesElsewhere: true,
    };
  const groups: string[] = [];
  let language: string | undefined;
  let text = name;
  for (let found = LEADING_BRACKET.exec(text); found; found = LEADING_BRACKET.exec(text)) {
    const [all, content = ''] = found;
    text = text.slice(all.length);
    const isLanguageFirst = LANGUAGE_FIRST_REST.test(text);
    const [, code, others = ''] = (isLanguageFirst ? LANGUAGE_FIRST.exec(content) : null) ?? [];
    language ??= code;
    // Some number their files in brackets.
    if (!/^\d+$/.test(content)) groups.push(code === undefined ? content : others);
  }
  return { rest: text, language, group: tidy(groups.join(' ')) };
}

/** What programs write after the title of the chapter. */
function readTail(name: string) {
  const original = name.replace(COPY, '');
  const [bracket = '', content = ''] = TRAILING_BRACKET.exec(original) ?? [];
  const withoutGroup = original.slice(0, original.length - bracket.length);
  const [parenthesis = '', language] = TRAILING_LANGUAGE.exec(withoutGroup) ?? [];
  const rest = withoutGroup.slice(0, withoutGroup.length - parenthesis.length);
  return { rest, language, group: tidy(content) };
}

function readNumbers(name: string) {
  const volume = VOLUME.exec(name);
  const chapter = CHAPTER.exec(name) ?? (volume ? null : BARE.exec(name));
  const found = [volume, chapter].filter((match) => match !== null);
  const start = minOf([name.length, ...found.map(({ index }) => index)]);
  const end = maxOf([0, ...found.map((match) => match.index + match[0].length)]);
  return {
    before: found.length > 0 ? name.slice(0, start).replace(EMPTY_VOLUME, '') : '',
    after: name.slice(end),
    volume: volume?.[1],
    number: chapter?.[1],
    lastNumber: chapter?.[2],
  };
}

/** Undefined for a text without words. */
function tidy(text: string): string | undefined {
  const tidied = text
    .replaceAll('_', ' ')
    .replace(/^[\s.\-–:|]+|[\s.\-–:|]+$/g, '')
    .trim();
  return tidied === '' ? undefined : tidied;
}
