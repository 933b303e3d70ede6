/**
 * Which files of other programs, whose names have one number, are releases of one chapter: those whose names say the same
 * besides it. `Ch. 5 - Extra` is not a release of `Ch. 5`, whatever it is: both are bound. Pure.
 */
import { basename, extname } from 'node:path';
import { groupBy } from '../core/group-by.js';
import { letterKey, nameKey } from '../core/name-keys.js';
import { guessName } from './guess-name.js';
import type { BookChapter } from './source-chapter.js';

interface NamedRelease {
  readonly chapter: BookChapter;
  readonly group: string;
  /** What the name says besides the number, without marks. */
  readonly rest: string;
}

/**
 * Returns what distinguishes chapters of one number, for those that differ by name. Two groups name a chapter differently, so
 * that names count within a group, and where a file names none. A book keeps all its chapters.
 */
export function distinctNames(chapters: readonly BookChapter[]): ReadonlyMap<BookChapter, string> {
  const found = new Map<BookChapter, string>();
  const others = chapters.filter(({ chapterId }) => chapterId === undefined);
  if (chapters.length < 2 || others.length === 0) return found;
  const known = new Set(chapters.filter(({ chapterId }) => chapterId !== undefined).map(titleOf));
  const bound = others.filter(({ isBound }) => isBound);
  for (const ofBook of groupBy(bound, ({ file }) => file).values())
    for (const [index, chapter] of ofBook.entries())
      if (index > 0) found.set(chapter, `bound ${index}`);
  const files = others.filter(({ isBound }) => !isBound).map(readRelease);
  const haveGroups = known.size === 0 && files.every(({ group }) => group !== '');
  for (const ofGroup of groupBy(files, ({ group }) => (haveGroups ? group : '')).values()) {
    const rests = new Set([...ofGroup.map(({ rest }) => rest), ...known]);
    if (rests.size > 1)
      for (const { chapter, rest } of ofGroup)
        if (rest !== '' && !known.has(rest)) found.set(chapter, rest);
  }
  return found;
}

function titleOf({ metadata: { title = '' } }: BookChapter): string {
  return letterKey(title);
}

/** Scene releases have these, and then say in parentheses only how they were made and by whom. */
const SCENE_TAG = /\((?:(?:19|20)\d\d|digital|web|c2c|hd|f\d?)\b[^()]*\)/i;
const PARENTHESES = /\([^()]*\)/g;
/** `v2`, `(v2)`, `[v2]`: a newer file of the same chapter. */
const VERSION = /(?<![\p{L}\p{N}])v\d{1,2}(?![\p{L}\p{N}])/giu;
/** After a number: `v2` is the volume in `Sea v2 c001`, and the version in `c001v2` and `c001 - Fog (v2)`. */
const LATER_VERSION = /\d.*?(?<!\p{L})v(\d)(?![\p{L}\p{N}])/iu;

/** Groups correct a chapter in a file whose name ends with the version. */
export function fileVersion(file: string): number {
  return Number(LATER_VERSION.exec(basename(file, extname(file)))?.[1] ?? 1);
}

function restOf(title: string): string {
  const text = title.replace(VERSION, ' ');
  return letterKey(SCENE_TAG.test(text) ? text.replace(PARENTHESES, ' ') : text);
}

function readRelease(chapter: BookChapter): NamedRelease {
  const { file, metadata } = chapter;
  const { series } = metadata;
  const name = basename(file, extname(file));
  const { title = '', group = '' } = guessName(name, series === undefined ? [] : [series]);
  return { chapter, group: nameKey(group), rest: restOf(title) };
}
