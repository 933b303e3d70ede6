/** Makes a chapter's record from what is special about it; all else is as usual. */
import { hashOf, usualAttributes } from './generated-chapter.js';
import type { ChapterAttributes, LibraryChapter, LibraryGroup, Quality } from './records.js';
import { pageCount, storyPages, type Story } from './story-pages.js';

export interface ChapterOptions extends Partial<Omit<ChapterAttributes, 'pages'>> {
  readonly id: string;
  readonly titleId: string;
  readonly groups: readonly LibraryGroup[];
  /** When it was uploaded, published and made readable, where nothing else is said: `2024-01-05T12:00:00+00:00`. */
  readonly at: string;
}

/** A chapter of drawn pages; 0 pages for one that is hosted elsewhere. */
export function storyChapter(
  options: ChapterOptions,
  story: Story,
  pages = pageCount(story),
): LibraryChapter {
  const { id, titleId, groups, at, ...special } = options;
  const unavailable = pages === 0 || special.isUnavailable === true;
  const read = new Map<Quality, ReturnType<LibraryChapter['pages']>>();
  return {
    id,
    hash: hashOf('chapter', id),
    titleId,
    groups,
    attributes: {
      ...usualAttributes(at, pages),
      readableAt: special.publishAt ?? at,
      ...special,
      pages,
    },
    pages(quality) {
      if (unavailable) return [];
      const known = read.get(quality) ?? storyPages(story, id, pages, quality);
      read.set(quality, known);
      return known;
    },
  };
}

/** A chapter for a title without a story of its own. */
export const plainChapter = (options: ChapterOptions, pages: number): LibraryChapter =>
  storyChapter(options, 'stairs', pages);
