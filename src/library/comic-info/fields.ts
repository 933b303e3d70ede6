/**
 * The fields of `ComicInfo.xml`, in the order of its schema (ComicInfo 2.1 is an `xs:sequence`). Writing, reading and
 * merging it, the record, the metadata of books and the documentation derive from this table.
 */
import type { ImageDimensions } from '../../core/image-dimensions.js';
import { chapterWebUrl } from '../../config/service-addresses.js';
import type { Chapter } from '../../service/chapters.js';
import type { Title } from '../../service/titles.js';
import { preferredText } from '../../core/preferred-text.js';

import { numberedTitle } from '../../config/names.js';
import { plainSummary } from './plain-summary.js';
import {
  address,
  dayOf,
  joined,
  languageTag,
  paragraphs,
  plainNumber,
  singleLine,
  toDate,
  wholeNumber,
} from './texts.js';

/** The strictest last. */
export const AGE_RATINGS = ['Everyone', 'Teen', 'Mature 17+', 'X18+'] as const;
export type AgeRating = (typeof AGE_RATINGS)[number];

const OF_SERVICE: ReadonlyMap<string | undefined, AgeRating> = new Map([
  ['safe', 'Everyone'],
  ['suggestive', 'Teen'],
  ['erotica', 'Mature 17+'],
  ['pornographic', 'X18+'],
]);

/** What `Volume` has: the volume's number, or nothing; then a book has it in `Number` (docs/readers.md). */
type VolumeField = 'number' | 'none';
/** What `Title` has: the chapter's title, or volume and number before it, see numberedTitle. */
type TitleField = 'plain' | 'numbered';

/** The settings of what is written, by their names in the table of options. */
export interface ComicFields {
  readonly volumeField: VolumeField;
  readonly titleField: TitleField;
  readonly localizedSeries: boolean;
}

export interface ComicPage extends Partial<ImageDimensions> {
  readonly bytes: number;
  readonly isFrontCover?: boolean;
  /** The title of the chapter that begins with this page. */
  readonly bookmark?: string;
}

/** What is written, and never read back. */
interface Unread {
  /** How many books the series has. */
  readonly count?: number | undefined;
  /** The series' original language, as the service's code; determines the reading direction. */
  readonly originalLanguage?: string | undefined;
  readonly pages: readonly ComicPage[];
}

/** Where the metadata of a chapter comes from. */
export interface ComicSource {
  readonly chapter: Pick<Chapter, 'id' | 'language' | 'groups'> & Partial<Chapter>;
  readonly title: Title | undefined;
  /** What `Volume` gets. */
  readonly volume: string | undefined;
  readonly settings: Partial<ComicFields>;
}

type TextOf = (element: string) => string | undefined;

interface ComicField<Value> {
  readonly elements: readonly string[];
  /** How the record keeps it: a text, several, a date, or one of these texts. */
  readonly kind: 'text' | 'texts' | 'date' | readonly string[];
  readonly read: (textOf: TextOf) => Value | undefined;
  /** The values of the elements; those that are missing or empty are left out. */
  readonly write: (value: Value | undefined, unread: Unread) => readonly unknown[];
  readonly from: (source: ComicSource) => Value | undefined;
  /**
   * What a book has: the value of the first chapter that has one, those of all chapters, the one of them that is last in
   * order, or a value of its own.
   */
  readonly inBook: 'first' | 'all' | 'last' | 'own';
  /** In a file it is nearly always the owner's: tankobon writes it only in some. */
  readonly isRare: boolean;
  /** The content, for the documentation. */
  readonly about: string;
}

type Described<Value> = Pick<ComicField<Value>, 'from' | 'inBook' | 'about'> &
  Partial<Pick<ComicField<Value>, 'isRare'>>;

function text(
  element: string,
  row: Described<string> & { readonly format?: (value: string) => unknown },
): ComicField<string> {
  const { format = singleLine } = row;
  return {
    isRare: false,
    ...row,
    elements: [element],
    kind: 'text',
    read: (textOf) => textOf(element),
    write: (value) => [value === undefined ? undefined : format(value)],
  };
}

function texts(element: string, row: Described<readonly string[]>): ComicField<readonly string[]> {
  return {
    isRare: false,
    ...row,
    elements: [element],
    kind: 'texts',
    read: (textOf) =>
      textOf(element)
        ?.split(',')
        .map((value) => value.trim())
        .filter((value) => value !== ''),
    write: (values = []) => [joined(values)],
  };
}

function oneOf<Value extends string>(
  kind: readonly Value[],
  row: Pick<ComicField<Value>, 'elements' | 'read' | 'write'> & Described<Value>,
): ComicField<Value> {
  return { isRare: false, ...row, kind };
}

/** An element that is only written. */
interface UnreadField {
  readonly elements: readonly string[];
  readonly writeUnread: (unread: Unread) => unknown;
  /** It describes the images of the file. */
  readonly isOfPages: boolean;
}

function unread(
  element: string,
  writeUnread: UnreadField['writeUnread'],
  isOfPages = true,
): UnreadField {
  return { elements: [element], writeUnread, isOfPages };
}

/**
 * The name in the original language, in the original script if the service has it, unless the series is called so; undefined
 * if the service has none.
 */
export function originalName({
  localizedNames,
  originalLanguage,
  name,
}: Pick<Title, 'localizedNames' | 'originalLanguage' | 'name'>): string | undefined {
  if (originalLanguage === undefined) return undefined;
  const [code = originalLanguage] = originalLanguage.split('-');
  return [originalLanguage, code, `${originalLanguage}-ro`, `${code}-ro`]
    .flatMap((language) => localizedNames.filter((each) => each.language === language))
    .find((other) => other.name !== name)?.name;
}

/** Written as a note for readers, since ComicInfo has no element for it. */
const INFERENCE_NOTE = 'The volume is inferred from other releases of the chapter.';

export const FIELDS = {
  title: text('Title', {
    about: "the chapter's title; in a book `Volume 3`",
    from: ({ chapter, volume, settings }) =>
      settings.titleField === 'numbered' ? numberedTitle({ ...chapter, volume }) : chapter.title,
    inBook: 'own',
  }),
  series: text('Series', {
    about: "the title's name",
    from: ({ title }) => title?.name,
    inBook: 'own',
  }),
  localizedSeries: text('LocalizedSeries', {
    about: 'the name in the original language, with `--localized-series`; not in the schema',
    from: ({ title, settings }) =>
      settings.localizedSeries && title ? originalName(title) : undefined,
    inBook: 'own',
    isRare: true,
  }),
  number: text('Number', {
    about: "the chapter's number, if it is a single one, such as `10.5`",
    from: ({ chapter }) => chapter.number,
    format: plainNumber,
    inBook: 'own',
  }),
  count: unread('Count', ({ count }) => count, false),
  volume: text('Volume', {
    about: "the volume's number, if it is an integer, unless `volumeField` is `none`",
    from: ({ volume }) => volume,
    format: wholeNumber,
    inBook: 'own',
  }),
  summary: text('Summary', {
    about:
      'the description of the title as plain text, in the language of the chapter or in English',
    from: ({ chapter, title }) =>
      plainSummary(preferredText(title?.description ?? {}, [chapter.language, 'en']) ?? ''),
    format: paragraphs,
    inBook: 'first',
  }),
  notes: text('Notes', {
    about: 'only that a volume is inferred',
    from: ({ chapter }) => (chapter.isVolumeInferred ? INFERENCE_NOTE : undefined),
    inBook: 'own',
    isRare: true,
  }),
  publishedAt: {
    elements: ['Year', 'Month', 'Day'],
    kind: 'date',
    read: (textOf) => toDate(textOf('Year'), textOf('Month'), textOf('Day')),
    write: (value) => (value ? dayOf(value) : []),
    about: 'when the chapter was published, in UTC; in a book the latest',
    from: ({ chapter }) => chapter.publishAt ?? chapter.readableAt ?? chapter.createdAt,
    inBook: 'last',
    isRare: false,
  } satisfies ComicField<Date> as ComicField<Date>,
  writers: texts('Writer', {
    about: 'the authors',
    from: ({ title }) => title?.authors,
    inBook: 'all',
  }),
  pencillers: texts('Penciller', {
    about: 'the artists',
    from: ({ title }) => title?.artists,
    inBook: 'all',
  }),
  translators: texts('Translator', {
    about: 'the scanlation groups, which the service asks to credit',
    from: ({ chapter }) => chapter.groups.map(({ name }) => name),
    inBook: 'all',
  }),
  genres: texts('Genre', {
    about: 'the genres and the demographic',
    from: ({ title }) => [
      ...(title?.genres ?? []),
      ...(title?.demographic === undefined ? [] : [title.demographic]),
    ],
    inBook: 'all',
  }),
  tags: texts('Tags', {
    about: 'the other tags',
    from: ({ title }) => title?.tags,
    inBook: 'all',
  }),
  // Some readers split this field at spaces, others at commas: it has a single address.
  web: text('Web', {
    about: 'the address of the chapter; in a book that of the title',
    from: ({ chapter }) => chapterWebUrl(chapter.id),
    format: address,
    inBook: 'own',
  }),
  pageCount: unread('PageCount', ({ pages }) => pages.length),
  language: text('LanguageISO', {
    about: 'the language of the chapter',
    from: ({ chapter }) => chapter.language,
    format: languageTag,
    inBook: 'own',
  }),
  format: text('Format', {
    about: '`Special` for a chapter without a number',
    from: ({ chapter }) => (chapter.number === undefined ? 'Special' : undefined),
    inBook: 'own',
    isRare: true,
  }),
  direction: oneOf(['rtl', 'ltr'], {
    elements: ['Manga'],
    // Komga reads the direction only from `YesAndRightToLeft`.
    read: (textOf) => {
      const manga = textOf('Manga');
      if (manga === 'YesAndRightToLeft') return 'rtl';
      return manga === 'No' ? 'ltr' : undefined;
    },
    write: (value, { originalLanguage = '' }) => {
      const isLanguage = languageTag(originalLanguage) !== undefined;
      const isJapanese = /^ja(-|$)/i.test(originalLanguage);
      const direction = value ?? (isLanguage ? (isJapanese ? 'rtl' : 'ltr') : undefined);
      return [direction && (direction === 'rtl' ? 'YesAndRightToLeft' : 'No')];
    },
    about: '`YesAndRightToLeft` for Japanese originals, `No` for others',
    // The original language of the title gives it.
    from: () => undefined,
    inBook: 'first',
  }),
  ageRating: oneOf(AGE_RATINGS, {
    elements: ['AgeRating'],
    read: (textOf) => AGE_RATINGS.find((rating) => rating === textOf('AgeRating')),
    write: (value) => [value],
    about: `the content rating: ${AGE_RATINGS.join(', ')}; in a book the strictest`,
    from: ({ title }) => OF_SERVICE.get(title?.contentRating),
    inBook: 'last',
  }),
  pages: unread('Pages', ({ pages }) =>
    pages.length > 0 ? { Page: pages.map(pageElement) } : undefined,
  ),
} as const;

function pageElement(page: ComicPage, index: number): Record<string, unknown> {
  return withoutEmpty({
    '@_Image': index,
    '@_Type': page.isFrontCover ? 'FrontCover' : undefined,
    '@_ImageSize': page.bytes,
    '@_Bookmark': singleLine(page.bookmark),
    '@_ImageWidth': page.width,
    '@_ImageHeight': page.height,
  });
}

function withoutEmpty(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(values);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== ''));
}

type Fields = typeof FIELDS;
/** What is read from ComicInfo.xml; the record keeps each of these. */
export type ReadField = {
  [Name in keyof Fields]: Fields[Name] extends UnreadField ? never : Name;
}[keyof Fields];
type ValueOf<Name extends ReadField> = Fields[Name] extends ComicField<infer Value> ? Value : never;

/** Everything about a chapter but its pages, all of which may be unknown; languages are BCP 47 tags where they were read. */
export type ChapterMetadata = { readonly [Name in ReadField]?: ValueOf<Name> | undefined } & Omit<
  Unread,
  'pages'
>;
/** The metadata of a chapter or a volume. */
export type ComicMetadata = ChapterMetadata & Unread;

/** Any row of the table that is read, without the type of its value. */
type AnyField = ComicField<unknown> & { readonly name: ReadField };

function isRead([, field]: readonly [string, object]): boolean {
  return 'read' in field;
}

/** The fields that are read, in the order of the table. */
export const READ_FIELDS = Object.entries(FIELDS)
  .filter(isRead)
  .map(([name, field]) => ({ ...field, name })) as unknown as readonly AnyField[];

/** The elements that describe the images of the file. */
export const PAGE_ELEMENTS = Object.values(FIELDS).flatMap((field) =>
  'isOfPages' in field && field.isOfPages ? field.elements : [],
);

/** The values of all elements, before they are escaped. */
export function comicInfoElements(metadata: ComicMetadata): Record<string, unknown> {
  const elements: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(FIELDS) as [string, AnyField | UnreadField][]) {
    const values =
      'read' in field
        ? field.write(metadata[name as ReadField], metadata)
        : [field.writeUnread(metadata)];
    for (const [index, element] of field.elements.entries()) elements[element] = values[index];
  }
  return withoutEmpty(elements);
}

/** The schema's default of a number, which programs write that write all fields. */
const UNSET = '-1';
const NUMBERS: readonly string[] = ['Number', 'Volume', 'Year', 'Month', 'Day'];

/** What these elements say; a value that is unknown or invalid is left out. */
export function toChapterMetadata(elements: Readonly<Record<string, unknown>>): ChapterMetadata {
  const textOf: TextOf = (name) => {
    const value = elements[name];
    if (typeof value === 'number') return String(value);
    const given = typeof value === 'string' ? value.trim() : '';
    return given === '' || (given === UNSET && NUMBERS.includes(name)) ? undefined : given;
  };
  return Object.fromEntries(READ_FIELDS.map(({ name, read }) => [name, read(textOf)]));
}

/** The metadata of a chapter of the service. It names the groups, since the service asks to credit them. */
export function comicMetadata(
  chapter: ComicSource['chapter'],
  title: Title | undefined,
  pages: readonly ComicPage[],
  settings: Partial<ComicFields> = {},
): ComicMetadata {
  const volume = settings.volumeField === 'none' ? undefined : chapter.volume;
  const source = { chapter, title, volume, settings };
  const values = Object.fromEntries(READ_FIELDS.map(({ name, from }) => [name, from(source)]));
  return { ...values, originalLanguage: title?.originalLanguage, pages };
}

/** What a book has of the metadata of its chapters; the fields that it has of its own are missing. */
export function mergedMetadata(chapters: readonly ChapterMetadata[]): ChapterMetadata {
  const merged = READ_FIELDS.flatMap(({ name, inBook, kind }) => {
    const values = chapters.map((chapter) => chapter[name]).filter((value) => value !== undefined);
    switch (inBook) {
      case 'own':
        return [];
      case 'first':
        return [[name, values[0]] as const];
      case 'all':
        return [[name, [...new Set(values.flat())]] as const];
      case 'last':
        return [[name, lastOf(values, kind)] as const];
    }
  });
  return Object.fromEntries(merged);
}

function lastOf(values: readonly unknown[], kind: AnyField['kind']): unknown {
  const rank = (value: unknown) =>
    value instanceof Date ? value.getTime() : kind.indexOf(String(value));
  return values.reduce((last, value) => (rank(value) > rank(last) ? value : last), values[0]);
}
