/** The titles of adopted chapters, as subscriptions: each with its folder and its languages. Pure. */
import { relative, sep } from 'node:path';
import { groupBy } from '../core/group-by.js';
import type { Recognized } from './recognize-files.js';

export interface AdoptedTitle {
  readonly id: string;
  /** May be empty. */
  readonly name: string;
  /** The folder of `folders` that its chapters are in. */
  readonly output: string;
  readonly language: readonly string[];
}

/** @param folders those that were searched */
export function adoptedTitles(
  adopted: readonly Recognized[],
  folders: readonly string[],
): readonly AdoptedTitle[] {
  const byTitle = groupBy(adopted, ({ chapter, title }) => title?.id ?? chapter.titleId);
  return [...byTitle].flatMap(([id, chapters]) => {
    const [first] = chapters;
    if (id === undefined || !first) return [];
    const isBelow = (folder: string) => {
      const path = relative(folder, first.file.file);
      return path !== '..' && !path.startsWith(`..${sep}`);
    };
    return {
      id,
      name: first.title?.name ?? '',
      output: folders.find(isBelow) ?? '.',
      language: [...new Set(chapters.map(({ chapter }) => chapter.language))].sort(),
    };
  });
}
