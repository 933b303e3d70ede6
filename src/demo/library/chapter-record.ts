/** Makes a chapter's record from what is special about it; all else is as usual. */
import { hashOf, madeChapter } from './made-chapter.js';
import { drawnPages, type Drawing, type PageKeeper } from './drawn-chapter.js';
import type { ChapterAttributes, LibraryChapter, LibraryGroup } from './records.js';

export interface ChapterFacts extends Partial<Omit<ChapterAttributes, 'pages'>> {
  readonly id: string;
  readonly titleId: string;
  readonly groups: readonly LibraryGroup[];
  /** When it was uploaded, published and made readable, where nothing else is said: `2024-01-05T12:00:00+00:00`. */
  readonly at: string;
}

function recordOf(
  facts: ChapterFacts,
  pages: number,
  read: LibraryChapter['pages'],
): LibraryChapter {
  const { id, titleId, groups, at, ...special } = facts;
  const gone = pages === 0 || special.isUnavailable === true;
  return {
    id,
    hash: hashOf('chapter', id),
    titleId,
    groups,
    attributes: {
      volume: null,
      chapter: null,
      title: null,
      translatedLanguage: 'en',
      externalUrl: null,
      isUnavailable: false,
      publishAt: at,
      readableAt: special.publishAt ?? at,
      createdAt: at,
      updatedAt: at,
      version: 1,
      ...special,
      pages,
    },
    pages: (quality) => (gone ? [] : read(quality)),
  };
}

/** A chapter of drawn pages. */
export function drawnChapter(
  facts: ChapterFacts,
  drawing: Drawing,
  keeper: PageKeeper,
): LibraryChapter {
  const drawn = new Map<string, ReturnType<LibraryChapter['pages']>>();
  return recordOf(facts, drawing.pages, (quality) => {
    const pages = drawn.get(quality) ?? drawnPages(facts.id, drawing, quality, keeper);
    drawn.set(quality, pages);
    return pages;
  });
}

/** A chapter of small noise pictures, for titles with very many; 0 pages for one that is hosted elsewhere. */
export function plainChapter(facts: ChapterFacts, pages: number): LibraryChapter {
  const seed = Number.parseInt(facts.id.slice(0, 7), 16);
  let made: LibraryChapter | undefined;
  return recordOf(facts, pages, (quality) => {
    made ??= madeChapter({ id: facts.id, pages, bytesPerPage: 6_000, seed });
    return made.pages(quality);
  });
}
