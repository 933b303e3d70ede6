/** Reads `ComicInfo.xml`, of tankobon and of other programs: what is unknown or invalid is left out. */
import { isRecord } from '../core/json.js';
import { AGE_RATINGS, comicInfoElements, type ComicMetadata } from './comic-info.js';

/** Everything about a chapter but its pages; languages are BCP 47 tags. */
export type ChapterMetadata = Omit<ComicMetadata, 'pages'>;

/** What is read; the count of books is only written. */
export type ReadField = Exclude<keyof ChapterMetadata, 'count' | 'originalLanguage'>;

/** The elements of each field. */
export const ELEMENTS: Readonly<Record<ReadField, readonly string[]>> = {
  title: ['Title'],
  series: ['Series'],
  localizedSeries: ['LocalizedSeries'],
  number: ['Number'],
  volume: ['Volume'],
  summary: ['Summary'],
  notes: ['Notes'],
  publishedAt: ['Year', 'Month', 'Day'],
  writers: ['Writer'],
  pencillers: ['Penciller'],
  translators: ['Translator'],
  genres: ['Genre'],
  tags: ['Tags'],
  web: ['Web'],
  language: ['LanguageISO'],
  direction: ['Manga'],
  ageRating: ['AgeRating'],
};

/** Empty for a text that is not ComicInfo. */
export async function readComicInfo(xml: string): Promise<ChapterMetadata> {
  return (await readValidComicInfo(xml)) ?? {};
}

/** Undefined for a text that is not ComicInfo. */
export async function readValidComicInfo(xml: string): Promise<ChapterMetadata | undefined> {
  const { XMLParser } = await import('fast-xml-parser');
  const parser = new XMLParser({ parseTagValue: false, ignoreAttributes: true });
  let root: unknown;
  try {
    root = (parser.parse(xml) as Record<string, unknown>)['ComicInfo'];
  } catch {
    return undefined;
  }
  // An element without content is a text.
  if (root === '') return {};
  return isRecord(root) ? toChapterMetadata(root) : undefined;
}

/** What readComicInfo gives for the ComicInfo.xml of this metadata. */
export function writtenMetadata(metadata: ComicMetadata): ChapterMetadata {
  return toChapterMetadata(comicInfoElements(metadata));
}

function toChapterMetadata(elements: Readonly<Record<string, unknown>>): ChapterMetadata {
  const text = (name: string): string | undefined => {
    const value = elements[name];
    if (typeof value === 'number') return String(value);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const list = (name: string): string[] | undefined =>
    text(name)
      ?.split(',')
      .map((value) => value.trim())
      .filter((value) => value !== '');
  return {
    title: text('Title'),
    series: text('Series'),
    localizedSeries: text('LocalizedSeries'),
    number: text('Number'),
    volume: text('Volume'),
    summary: text('Summary'),
    notes: text('Notes'),
    publishedAt: toDate(text('Year'), text('Month'), text('Day')),
    writers: list('Writer'),
    pencillers: list('Penciller'),
    translators: list('Translator'),
    genres: list('Genre'),
    tags: list('Tags'),
    web: text('Web'),
    language: text('LanguageISO'),
    direction: toDirection(text('Manga')),
    ageRating: AGE_RATINGS.find((rating) => rating === text('AgeRating')),
  };
}

function toDate(year?: string, month = '1', day = '1'): Date | undefined {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function toDirection(manga: string | undefined): ComicMetadata['direction'] {
  if (manga === 'YesAndRightToLeft') return 'rtl';
  return manga === 'No' ? 'ltr' : undefined;
}
