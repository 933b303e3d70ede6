/**
 * Changes of records, for tests to put into the library of a running server: `library.putChapter(editChapter(…))`.
 * Times have the service's form. What a chapter's `version` counts: docs/specification.md, section 2.6.
 */
import type {
  ChapterAttributes,
  LibraryChapter,
  LibraryTitle,
  TitleAttributes,
} from '../records.js';

/** An edit at `at`. */
export function editChapter(
  chapter: LibraryChapter,
  at: string,
  change: Partial<ChapterAttributes>,
): LibraryChapter {
  const { attributes } = chapter;
  const edited = { ...attributes, updatedAt: at, version: attributes.version + 1, ...change };
  return { ...chapter, attributes: edited };
}

/** The chapter with the pages of `upload`. An upload is an edit too. */
export function reuploadChapter(
  chapter: LibraryChapter,
  at: string,
  upload: LibraryChapter,
): LibraryChapter {
  const edited = editChapter(chapter, at, { pages: upload.attributes.pages });
  return { ...edited, hash: upload.hash, pages: (quality) => upload.pages(quality) };
}

/** Neither a take-down nor a restoration counts as an edit here: no public source says that it does. */
const withAvailability = (chapter: LibraryChapter, isUnavailable: boolean): LibraryChapter => ({
  ...chapter,
  attributes: { ...chapter.attributes, isUnavailable },
});

export const takeDownChapter = (chapter: LibraryChapter) => withAvailability(chapter, true);
export const restoreChapter = (chapter: LibraryChapter) => withAvailability(chapter, false);

/** An edit at `at`, such as another name. */
export function editTitle(
  title: LibraryTitle,
  at: string,
  change: Partial<TitleAttributes>,
): LibraryTitle {
  const { attributes } = title;
  const edited = { ...attributes, updatedAt: at, version: attributes.version + 1, ...change };
  return { ...title, attributes: edited };
}
