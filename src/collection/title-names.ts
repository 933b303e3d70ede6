/** The names that titles have in a folder, and those that they get where the service renamed them. */
import type { Chapter } from '../service/chapters.js';
import { readFileChapters } from '../library/file.js';
import type { ExistingArchive } from '../library/scan.js';
import type { BookOfTitle } from '../books/rename-book.js';
import { nameCandidates, nameKey, type NamedTitle } from '../download/title-home.js';

/** The names of series in files, by the id of their title. */
export class UsedNames {
  readonly #names = new Map<string, Set<string>>();

  add(titleId: string, name: string): void {
    this.#names.set(titleId, (this.#names.get(titleId) ?? new Set()).add(name));
  }

  addBooks(books: readonly Pick<BookOfTitle, 'titleId' | 'usedName'>[]): this {
    for (const { titleId, usedName } of books)
      if (usedName !== undefined) this.add(titleId, usedName);
    return this;
  }

  of(titleId: string): readonly string[] {
    return [...(this.#names.get(titleId) ?? [])];
  }
}

/** Reads the names as tankobon wrote them, or, in older archives, as they are. */
export async function addUsedNames(
  names: UsedNames,
  archives: readonly ExistingArchive[],
  chapters: ReadonlyMap<string, Pick<Chapter, 'titleId'>>,
): Promise<void> {
  for (const { file, chapterId } of archives) {
    const titleId = chapters.get(chapterId)?.titleId;
    const [found] = titleId === undefined ? [] : await readFileChapters(file);
    const name = found?.written?.series ?? found?.metadata.series;
    if (titleId !== undefined && name !== undefined) names.add(titleId, name);
  }
}

/** By id, those of titles that are called otherwise by now. Two titles of one name get two names. Pure. */
export function newTitleNames(
  titles: ReadonlyMap<string, NamedTitle>,
  usedNames: UsedNames,
): ReadonlyMap<string, string> {
  const isRenamed = (title: NamedTitle): boolean => {
    const [used, ...others] = usedNames.of(title.id);
    if (used === undefined || title.name === '') return false;
    return others.length > 0 || !nameCandidates(title).includes(used);
  };
  const all = [...titles.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const kept = all.filter((title) => !isRenamed(title));
  const taken = new Set(kept.flatMap(({ id }) => usedNames.of(id).map(nameKey)));
  const names = new Map<string, string>();
  for (const title of all.filter(isRenamed)) {
    const candidates = nameCandidates(title);
    const free = candidates.find((name) => !taken.has(nameKey(name)));
    const name = free ?? candidates.at(-1) ?? title.name;
    taken.add(nameKey(name));
    names.set(title.id, name);
  }
  return names;
}
