/** Paths below a folder, and the folders in them. */
import { relative, sep } from 'node:path';
import { cleanSegment } from './path-segment.js';

/** With `/` between folders. */
export function pathBelow(output: string, file: string): string {
  return relative(output, file).split(sep).join('/');
}

/** macOS may return a name in another Unicode form. */
export function isSameName(a: string, b: string): boolean {
  return a.normalize('NFC') === b.normalize('NFC');
}

/** Where a folder is, instead of where a template has it: without what both have at their ends. */
export interface FolderMove {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

export function folderMove(from: readonly string[], to: readonly string[]): FolderMove {
  const shared = sharedEnd(from, to);
  return { from: from.slice(0, from.length - shared), to: to.slice(0, to.length - shared) };
}

/** The folders of a path below these; undefined if it is elsewhere. */
export function foldersBelow(
  above: readonly string[],
  folders: readonly string[],
): readonly string[] | undefined {
  const isBelow = above.every((name, index) => isSameName(name, folders[index] ?? ''));
  return isBelow ? folders.slice(above.length) : undefined;
}

/** The folders as `known` has their names, from the first one on: macOS may have written these in another Unicode form. */
export function inFormOf(known: readonly string[], folders: readonly string[]): readonly string[] {
  const other = folders.findIndex((name, index) => !isSameName(name, known[index] ?? ''));
  const count = other === -1 ? folders.length : other;
  return [...known.slice(0, count), ...folders.slice(count)];
}

export function sharedEnd(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (
    count < Math.min(a.length, b.length) &&
    isSameName(a.at(-1 - count) ?? '', b.at(-1 - count) ?? '')
  )
    count += 1;
  return count;
}

/** The folders of a path with `/` between them. */
export function foldersOf(path: string): readonly string[] {
  return path.split('/').slice(0, -1);
}

/** Whether a file or folder is called by the name, or by more, such as `Name Vol.01.cbz`. */
function isNamedAfter(segment: string, name: string): boolean {
  const cleaned = cleanSegment(name);
  if (cleaned === '' || !segment.startsWith(cleaned)) return false;
  return !/^[\p{L}\p{N}]/u.test(segment.slice(cleaned.length));
}

/**
 * The one of these names that the file of a path begins with, or else that its folder has: the longest one, since a name
 * may begin with another one.
 */
export function nameInPath(path: string, names: readonly string[]): string | undefined {
  const [file = '', folder] = path.normalize('NFC').split('/').reverse();
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  return (
    longestFirst.find((name) => isNamedAfter(file, name)) ??
    longestFirst.find((name) => folder === cleanSegment(name))
  );
}
