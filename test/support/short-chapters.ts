/** The chapters of the example library with two pages each, for tests that download many: most of the time is in pages. */
import { exampleLibrary, type LibraryChapter } from '../../src/practice-server/library/library.js';

const PAGES = 2;

/** For the option `chapters` of a practice service: they replace those of its library. */
export function shortChapters(): readonly LibraryChapter[] {
  return exampleLibrary()
    .chapters()
    .filter(({ attributes }) => attributes.pages > PAGES)
    .map(shortened);
}

const shortened = (chapter: LibraryChapter): LibraryChapter => ({
  ...chapter,
  attributes: { ...chapter.attributes, pages: PAGES },
  pages: (quality) => chapter.pages(quality).slice(0, PAGES),
});
