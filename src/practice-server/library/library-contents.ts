/** Creates libraries from titles, chapters and lists, and finds them by id. */
import type {
  Library,
  LibraryChapter,
  LibraryList,
  LibraryTitle,
  ReadingStatus,
} from './records.js';

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

/** Finds by lower-case or upper-case id. */
function finder<T extends { readonly id: string }>(items: readonly T[]) {
  const byId = new Map(items.map((item) => [item.id, item]));
  return (id: string): T | undefined => byId.get(id.toLowerCase());
}

export function createLibrary(contents: LibraryContents): Library {
  const { titles = [], lists = [], followedTitleIds = [] } = contents;
  const { readingStatuses = new Map<string, ReadingStatus>() } = contents;
  const chapters = new Map<string, LibraryChapter>();
  const byTitle = new Map<string | null, LibraryChapter[]>();
  const addChapter = (chapter: LibraryChapter): void => {
    chapters.set(chapter.id, chapter);
    const others = byTitle.get(chapter.titleId) ?? [];
    byTitle.set(chapter.titleId, others);
    others.push(chapter);
  };
  for (const chapter of contents.chapters) addChapter(chapter);
  return {
    chapter: (id) => chapters.get(id.toLowerCase()),
    title: finder(titles),
    list: finder(lists),
    chapters: () => [...chapters.values()],
    chaptersOf: (titleId) => byTitle.get(titleId) ?? [],
    titles: () => titles,
    lists: () => lists,
    followedTitleIds: () => followedTitleIds,
    readingStatuses: () => readingStatuses,
    addChapter,
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
