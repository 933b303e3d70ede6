/** Creates titles and chapters of drawn pages from what differs from the defaults. */
import { hashOf } from './digests.js';
import type {
  ChapterAttributes,
  LibraryChapter,
  LibraryGroup,
  LibraryPage,
  LibraryTitle,
  Quality,
  TitleAttributes,
} from '../records.js';
import { pageCount, storyPages, type Story } from './story-pages.js';

type TitleOptions = Pick<LibraryTitle, 'id'> &
  Pick<TitleAttributes, 'title' | 'createdAt' | 'updatedAt'> &
  Partial<TitleAttributes> &
  Partial<Omit<LibraryTitle, 'attributes'>>;

export function createTitle(options: TitleOptions): LibraryTitle {
  const { id, tags = [], authors = [], artists = [], covers = [], malform, ...special } = options;
  const attributes: TitleAttributes = {
    altTitles: [],
    description: {},
    originalLanguage: 'ja',
    lastVolume: '',
    lastChapter: '',
    publicationDemographic: null,
    status: 'ongoing',
    year: null,
    contentRating: 'safe',
    version: 1,
    ...special,
  };
  return { id, attributes, tags, authors, artists, covers, malform };
}

/** The attributes of an English chapter without volume, number and title, uploaded and published at `at`. */
export const defaultAttributes = (at: string, pages: number): ChapterAttributes => ({
  volume: null,
  chapter: null,
  title: null,
  translatedLanguage: 'en',
  externalUrl: null,
  isUnavailable: false,
  publishAt: at,
  readableAt: at,
  createdAt: at,
  updatedAt: at,
  pages,
  version: 1,
});

export interface ChapterOptions extends Partial<Omit<ChapterAttributes, 'pages'>> {
  readonly id: string;
  readonly titleId: string;
  readonly groups: readonly LibraryGroup[];
  /** The default of all times: `2024-01-05T12:00:00+00:00`. */
  readonly at: string;
}

/** A chapter of drawn pages; with 0 pages, one that is hosted elsewhere. */
export function storyChapter(
  { id, titleId, groups, at, ...special }: ChapterOptions,
  story: Story,
  pages = pageCount(story),
): LibraryChapter {
  const cache = new Map<Quality, LibraryPage[]>();
  return {
    id,
    hash: hashOf('chapter', id),
    titleId,
    groups,
    attributes: {
      ...defaultAttributes(at, pages),
      readableAt: special.publishAt ?? at,
      ...special,
    },
    pages(quality) {
      const read = cache.get(quality) ?? storyPages(story, id, pages, quality);
      cache.set(quality, read);
      return read;
    },
  };
}

/** A chapter for a title without its own story. */
export const plainChapter = (options: ChapterOptions, pages: number): LibraryChapter =>
  storyChapter(options, 'stairs', pages);
