/** Paths below a folder, and the folders in them. */
import { relative, sep } from 'node:path';

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
