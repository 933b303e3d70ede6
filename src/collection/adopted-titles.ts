/** The titles of adopted chapters, as subscriptions: each with its folder and its languages. */
import { relative, sep } from 'node:path';
import type { Recognized } from './recognize-files.js';

interface AdoptedTitle {
  /** May be empty. */
  readonly name: string;
  /** The folder, of those that were searched, that its chapters are in. */
  readonly output: string;
  readonly languages: Set<string>;
}

/** By id. Holds nothing of a chapter but its language: the lists of thousands of titles would fill the memory. */
export type AdoptedTitles = Map<string, AdoptedTitle>;

/** @param folders those that were searched */
export function addAdopted(
  titles: AdoptedTitles,
  { file: { file }, chapter, title }: Recognized,
  folders: readonly string[],
): void {
  const id = title?.id ?? chapter.titleId;
  if (id === undefined) return;
  const isBelow = (folder: string) => {
    const path = relative(folder, file);
    return path !== '..' && !path.startsWith(`..${sep}`);
  };
  const known = titles.get(id) ?? {
    name: title?.name ?? '',
    output: folders.find(isBelow) ?? '.',
    languages: new Set<string>(),
  };
  known.languages.add(chapter.language);
  titles.set(id, known);
}
