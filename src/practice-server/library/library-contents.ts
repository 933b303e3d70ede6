/** Creates libraries from titles, chapters and lists, finds their records by id, and changes them while a server runs. */
import { groupBy } from '../../core/group-by.js';
import type {
  Library,
  LibraryChapter,
  LibraryList,
  LibraryTitle,
  ReadingStatus,
} from '../records.js';

interface LibraryContents {
  readonly titles?: readonly LibraryTitle[];
  readonly chapters: readonly LibraryChapter[];
  readonly lists?: readonly LibraryList[];
  readonly followedTitleIds?: readonly string[];
  readonly readingStatuses?: ReadonlyMap<string, ReadingStatus>;
}

/** Whether a chapter is readable at `nowMs`. */
export function isPublished({ attributes }: LibraryChapter, nowMs: number): boolean {
  return !attributes.isUnavailable && Date.parse(attributes.readableAt) <= nowMs;
}

const byId = <T extends { readonly id: string }>(items: readonly T[]): Map<string, T> =>
  new Map(items.map((item) => [item.id, item]));

export function createLibrary(contents: LibraryContents): Library {
  const { readingStatuses = new Map<string, ReadingStatus>() } = contents;
  const followed = new Set(contents.followedTitleIds);
  const titles = byId(contents.titles ?? []);
  const lists = byId(contents.lists ?? []);
  const chapters = byId(contents.chapters);
  const mergedInto = new Map<string, string>();
  /** Undefined after a change. */
  let byTitle: Map<string | null, readonly LibraryChapter[]> | undefined;
  const putChapter = (chapter: LibraryChapter): void => {
    chapters.set(chapter.id, chapter);
    byTitle = undefined;
  };
  /** The id after merges. */
  const currentId = (titleId: string): string => mergedInto.get(titleId) ?? titleId;
  const currentIds = (titleIds: Iterable<string>) => [...new Set([...titleIds].map(currentId))];
  const currentList = (list: LibraryList): LibraryList => ({
    ...list,
    titleIds: currentIds(list.titleIds),
  });
  return {
    chapter: (id) => chapters.get(id.toLowerCase()),
    title: (id) => titles.get(id.toLowerCase()),
    list(id) {
      const list = lists.get(id.toLowerCase());
      return list && currentList(list);
    },
    chapters: () => [...chapters.values()],
    chaptersOf(titleId) {
      byTitle ??= groupBy([...chapters.values()], (chapter) => chapter.titleId);
      return byTitle.get(titleId) ?? [];
    },
    titles: () => [...titles.values()],
    lists: () => [...lists.values()].map(currentList),
    followedTitleIds: () => currentIds(followed),
    readingStatuses: () =>
      new Map([...readingStatuses].map(([titleId, status]) => [currentId(titleId), status])),
    currentId: (titleId) => currentId(titleId.toLowerCase()),
    putChapter,
    removeChapter(id) {
      chapters.delete(id);
      byTitle = undefined;
    },
    follow(titleId) {
      followed.add(titleId);
    },
    unfollow(titleId) {
      followed.delete(titleId);
    },
    putTitle(title) {
      titles.set(title.id, title);
    },
    mergeTitle(oldId, newId) {
      titles.delete(oldId);
      for (const [id, target] of mergedInto) if (target === oldId) mergedInto.set(id, newId);
      mergedInto.set(oldId, newId);
      for (const chapter of chapters.values()) {
        if (chapter.titleId === oldId) putChapter({ ...chapter, titleId: newId });
      }
    },
  };
}

export function mergeLibraries(...libraries: readonly Library[]): Library {
  return createLibrary({
    titles: libraries.flatMap((library) => library.titles()),
    chapters: libraries.flatMap((library) => library.chapters()),
    lists: libraries.flatMap((library) => library.lists()),
    followedTitleIds: libraries.flatMap((library) => library.followedTitleIds()),
    readingStatuses: new Map(libraries.flatMap((library) => [...library.readingStatuses()])),
  });
}
