/** The titles of chapters in searched folders, as subscriptions: each with its folder and its languages. */
import { relative, sep } from 'node:path';

interface AdoptedTitle {
  /** May be empty. */
  readonly name: string;
  /** The folder, of those that were searched, that its chapters are in. */
  readonly output: string;
  /** Empty if no file says one. */
  readonly languages: Set<string>;
}

/** By id. Holds nothing of a chapter but its language: the lists of thousands of titles would fill the memory. */
export type AdoptedTitles = Map<string, AdoptedTitle>;

/** A file whose chapter has a title on MangaDex. */
export interface TitleFile {
  readonly file: string;
  /** Undefined if it is not known. */
  readonly titleId: string | undefined;
  readonly titleName: string | undefined;
  readonly language: string | undefined;
}

/** @param folders those that were searched */
export function addAdopted(
  titles: AdoptedTitles,
  { file, titleId, titleName = '', language }: TitleFile,
  folders: readonly string[],
): void {
  if (titleId === undefined) return;
  const isBelow = (folder: string) => {
    const path = relative(folder, file);
    return path !== '..' && !path.startsWith(`..${sep}`);
  };
  const known = titles.get(titleId) ?? {
    name: titleName,
    output: folders.find(isBelow) ?? '.',
    languages: new Set<string>(),
  };
  if (language !== undefined) known.languages.add(language);
  titles.set(titleId, known);
}
