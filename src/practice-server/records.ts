/**
 * The practice server's records: titles, chapters, pages, groups, people, tags, covers and lists, from which the
 * catalogue creates the entities of its responses. Times have the service's form, `2024-01-05T12:00:00+00:00`.
 */

export type Quality = 'data' | 'data-saver';

export interface LibraryPage {
  /** `1-<sha256 of the bytes>.png`, or `1.png`. */
  readonly fileName: string;
  /** `image/png` or `image/jpeg`. */
  readonly mediaType: string;
  /** The image: read or generated at each call, always the same bytes. */
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
  /** 0 for a chapter that is hosted elsewhere. */
  readonly pages: number;
  /** Counts the edits, from 1. */
  readonly version: number;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

export type LibraryGroup = Named;
export type LibraryPerson = Named;

export interface LibraryTag extends Named {
  readonly group: 'genre' | 'theme' | 'format' | 'content';
}

interface ResponseEntity {
  readonly id: string;
  readonly attributes: object;
  readonly relationships: readonly object[];
}

/** Returns what the service sends instead of a well-formed entity, for clients to handle. */
export type Malform = (entity: ResponseEntity) => unknown;

export interface LibraryChapter {
  readonly id: string;
  /** The path segment of its page URLs. */
  readonly hash: string;
  readonly titleId: string | null;
  readonly attributes: ChapterAttributes;
  readonly groups: readonly LibraryGroup[];
  /** The user who uploaded it, if it is another one than that of all others. */
  readonly uploaderId?: string;
  readonly malform?: Malform;
  /** In reading order; empty for a chapter that is hosted elsewhere. */
  pages(quality: Quality): readonly LibraryPage[];
}

export type ContentRating = 'safe' | 'suggestive' | 'erotica' | 'pornographic';

/** By language code, such as `{ en: '…', 'ja-ro': '…' }`. */
type TextByLanguage = Readonly<Record<string, string>>;

export interface LibraryCover {
  readonly id: string;
  readonly fileName: string;
  readonly volume: string | null;
  readonly locale: string;
  readonly createdAt: string;
  /** The full-size image, or the thumbnail of the given width in pixels. */
  image(width?: 256 | 512): { readonly mediaType: string; readonly bytes: Buffer };
}

export interface TitleAttributes {
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
  /** False by default. */
  readonly chapterNumbersResetOnNewVolume?: boolean;
  /** Ids and addresses on other sites, such as `mal`; none by default. */
  readonly links?: Readonly<Record<string, string>>;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Counts the edits, from 1. */
  readonly version: number;
}

export interface LibraryTitle {
  readonly id: string;
  readonly attributes: TitleAttributes;
  readonly tags: readonly LibraryTag[];
  readonly authors: readonly LibraryPerson[];
  readonly artists: readonly LibraryPerson[];
  /** The first is the main cover. */
  readonly covers: readonly LibraryCover[];
  readonly malform?: Malform;
}

export interface LibraryList extends Named {
  readonly visibility: 'public' | 'private';
  readonly titleIds: readonly string[];
}

/** What a reader does with a title. */
export type ReadingStatus =
  'reading' | 'on_hold' | 'plan_to_read' | 'dropped' | 're_reading' | 'completed';

export interface Library {
  chapter(id: string): LibraryChapter | undefined;
  title(id: string): LibraryTitle | undefined;
  list(id: string): LibraryList | undefined;
  chapters(): readonly LibraryChapter[];
  chaptersOf(titleId: string): readonly LibraryChapter[];
  titles(): readonly LibraryTitle[];
  lists(): readonly LibraryList[];
  /** The titles that the practice account follows. */
  followedTitleIds(): readonly string[];
  /** The practice account's, by title; also of titles that it does not follow. */
  readingStatuses(): ReadonlyMap<string, ReadingStatus>;
  /** The id of the title into which this one was merged, or its own. */
  currentId(titleId: string): string;
  /** Adds a chapter to a running server, as an upload does, or replaces the one with its id. */
  putChapter(chapter: LibraryChapter): void;
  /** A chapter that is uploaded again after this has another id. */
  removeChapter(id: string): void;
  /** The practice account follows this title from now on. */
  follow(titleId: string): void;
  unfollow(titleId: string): void;
  /** Adds a title, or replaces the one with its id. */
  putTitle(title: LibraryTitle): void;
  /** Moves the chapters of a title to another one, which replaces it. */
  mergeTitle(oldId: string, newId: string): void;
}
