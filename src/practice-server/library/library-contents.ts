/** Puts titles, chapters and lists on a shelf, where each is found by its id. */
import type { Library, LibraryChapter, LibraryList, LibraryTitle } from './records.js';

export interface LibraryContents {
  readonly titles: readonly LibraryTitle[];
  readonly chapters: readonly LibraryChapter[];
  readonly lists: readonly LibraryList[];
  readonly followedTitleIds?: readonly string[];
}

/** Whether a chapter can be read by now. */
export function isPublished({ attributes }: LibraryChapter, nowMs: number): boolean {
  return !attributes.isUnavailable && Date.parse(attributes.readableAt) <= nowMs;
}

const byId = <T extends { readonly id: string }>(things: readonly T[]): ReadonlyMap<string, T> =>
  new Map(things.map((thing) => [thing.id, thing]));

/** A library of these; ids are found in small or capital letters. */
export function createLibrary(contents: LibraryContents): Library {
  const titles = byId(contents.titles);
  const chapters = byId(contents.chapters);
  const lists = byId(contents.lists);
  return {
    chapter: (id) => chapters.get(id.toLowerCase()),
    title: (id) => titles.get(id.toLowerCase()),
    list: (id) => lists.get(id.toLowerCase()),
    chapters: () => contents.chapters,
    titles: () => contents.titles,
    lists: () => contents.lists,
    followedTitleIds: () => contents.followedTitleIds ?? [],
  };
}

/** One library that holds what several hold. */
export function mergeLibraries(...libraries: readonly Library[]): Library {
  return createLibrary({
    titles: libraries.flatMap((library) => library.titles()),
    chapters: libraries.flatMap((library) => library.chapters()),
    lists: libraries.flatMap((library) => library.lists()),
    followedTitleIds: libraries.flatMap((library) => library.followedTitleIds()),
  });
}
