/** The titles of adopted chapters, as subscriptions: each with its folder and its languages. Pure. */
import { relative, sep } from 'node:path';
import { groupBy } from '../core/group-by.js';
import type { Recognized } from './recognize-files.js';

interface AdoptedTitle {
  readonly id: string;
  /** May be empty. */
  readonly name: string;
  /** The folder of `folders` that its chapters are in. */
  readonly output: string;
  readonly language: readonly string[];
}

/** What a subscription needs of a chapter: the lists of thousands of titles would fill the memory. */
export interface AdoptedChapter {
  readonly file: string;
  readonly titleId: string | undefined;
  /** May be empty. */
  readonly titleName: string;
  readonly language: string;
}

export function adoptedChapter({ file, chapter, title }: Recognized): AdoptedChapter {
  const titleId = title?.id ?? chapter.titleId;
  return { file: file.file, titleId, titleName: title?.name ?? '', language: chapter.language };
}

/** @param folders those that were searched */
export function adoptedTitles(
  adopted: readonly AdoptedChapter[],
  folders: readonly string[],
): readonly AdoptedTitle[] {
  const byTitle = groupBy(adopted, ({ titleId }) => titleId);
  return [...byTitle].flatMap(([id, chapters]) => {
    const [first] = chapters;
    if (id === undefined || !first) return [];
    const isBelow = (folder: string) => {
      const path = relative(folder, first.file);
      return path !== '..' && !path.startsWith(`..${sep}`);
    };
    return {
      id,
      name: first.titleName,
      output: folders.find(isBelow) ?? '.',
      language: [...new Set(chapters.map(({ language }) => language))].sort(),
    };
  });
}
