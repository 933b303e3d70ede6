/**
 * The shapes of what the practice service has on its shelves: titles, chapters, pages, groups, people, tags,
 * covers and lists. They are records of the service's own words, not of the wire: the catalogue dresses them
 * up as answers. Times are written as the service writes them, `2024-01-05T12:00:00+00:00`.
 */

export type Quality = 'data' | 'data-saver';

export interface LibraryPage {
  /** `1-<64 hex>.png`, the digits being the sha256 of the bytes, or a plain `1.png`. */
  readonly fileName: string;
  /** `image/png` or `image/jpeg`. */
  readonly mediaType: string;
  /** The image, drawn anew at each call and not kept. The same bytes each time. */
  bytes(): Buffer;
}

export interface ChapterAttributes {
  readonly volume: string | null;
  readonly chapter: string | null;
  readonly title: string | null;
  readonly translatedLanguage: string;
  readonly externalUrl: string | null;
  readonly isUnavailable: boolean;
  readonly publishAt: string;
  readonly readableAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** How many pages are here; 0 where the chapter is hosted elsewhere. */
  readonly pages: number;
  /** Counts the re-uploads, from 1. */
  readonly version: number;
}

export interface LibraryGroup {
  readonly id: string;
  readonly name: string;
}

/** An entity as it goes over the wire. */
interface AnsweredEntity {
  readonly id: string;
  readonly attributes: object;
  readonly relationships: readonly object[];
}

/** What the service answers in place of a well-formed entity, for clients to cope with. */
export type Malform = (entity: AnsweredEntity) => unknown;

export interface LibraryChapter {
  readonly id: string;
  /** The path segment of its page addresses. */
  readonly hash: string;
  readonly titleId: string | null;
  readonly attributes: ChapterAttributes;
  readonly groups: readonly LibraryGroup[];
  readonly malform?: Malform;
  /** The pages in reading order; none where the chapter is hosted elsewhere or unavailable. */
  pages(quality: Quality): readonly LibraryPage[];
}

export type ContentRating = 'safe' | 'suggestive' | 'erotica' | 'pornographic';

/** A text by language code, such as `{ en: '…', 'ja-ro': '…' }`. */
type TextByLanguage = Readonly<Record<string, string>>;

export interface LibraryPerson {
  readonly id: string;
  readonly name: string;
}

export interface LibraryTag {
  readonly id: string;
  readonly name: string;
  readonly group: 'genre' | 'theme' | 'format' | 'content';
}

export interface LibraryCover {
  readonly id: string;
  readonly fileName: string;
  readonly volume: string | null;
  readonly locale: string;
  readonly createdAt: string;
  /** The image; `width` in pixels gives the thumbnail of that width. */
  image(width?: 256 | 512): { readonly mediaType: string; readonly bytes: Buffer };
}

interface TitleAttributes {
  readonly title: TextByLanguage;
  readonly altTitles: readonly TextByLanguage[];
  readonly description: TextByLanguage;
  readonly originalLanguage: string;
  readonly lastVolume: string;
  readonly lastChapter: string;
  readonly publicationDemographic: 'shounen' | 'shoujo' | 'josei' | 'seinen' | null;
  readonly status: 'ongoing' | 'completed' | 'hiatus' | 'cancelled';
  readonly year: number | null;
  readonly contentRating: ContentRating;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface LibraryTitle {
  readonly id: string;
  readonly attributes: TitleAttributes;
  readonly tags: readonly LibraryTag[];
  readonly authors: readonly LibraryPerson[];
  readonly artists: readonly LibraryPerson[];
  /** The first is the main cover, the one that a title's relationships name. */
  readonly covers: readonly LibraryCover[];
  readonly malform?: Malform;
}

export interface LibraryList {
  readonly id: string;
  readonly name: string;
  readonly visibility: 'public' | 'private';
  readonly titleIds: readonly string[];
}

export interface Library {
  chapter(id: string): LibraryChapter | undefined;
  title(id: string): LibraryTitle | undefined;
  list(id: string): LibraryList | undefined;
  chapters(): readonly LibraryChapter[];
  titles(): readonly LibraryTitle[];
  lists(): readonly LibraryList[];
  /** The titles that the practice service's one reader follows. */
  followedTitleIds(): readonly string[];
}
