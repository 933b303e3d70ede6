/**
 * `ComicInfo.xml`, which tells a reader what a CBZ is. The order of the elements is the schema's (ComicInfo 2.1
 * is an `xs:sequence`), what is unknown is left out, and every text is cleaned of what XML 1.0 cannot hold.
 */
import { languageTag } from './language-tag.js';

export const COMIC_INFO_NAME = 'ComicInfo.xml';

export type AgeRating = 'Everyone' | 'Teen' | 'Mature 17+' | 'X18+';

export interface ComicPage {
  readonly bytes: number;
  /** Pixels; unknown where the picture does not tell. */
  readonly width?: number;
  readonly height?: number;
}

/** What there is to say about one chapter; all but the pages may be unknown. */
export interface ComicMetadata {
  readonly title?: string;
  readonly series?: string;
  /** The chapter's number as the service writes it, such as `10.5`. Written only where it is one number. */
  readonly number?: string;
  /** Written only where it is a whole number: readers stumble over anything else. */
  readonly volume?: string;
  readonly summary?: string;
  /** When the chapter was published; its day in UTC is written. */
  readonly publishedAt?: Date;
  readonly writers?: readonly string[];
  readonly pencillers?: readonly string[];
  /** The scanlation groups, which the service asks to be credited. */
  readonly translators?: readonly string[];
  readonly genres?: readonly string[];
  readonly tags?: readonly string[];
  /** One address: some readers split this field on spaces, others on commas. */
  readonly web?: string;
  /** The service's code of the language that the chapter is in. */
  readonly language?: string;
  /** The service's code of the language that the series was written in: it decides the direction. */
  readonly originalLanguage?: string;
  readonly ageRating?: AgeRating;
  readonly pages: readonly ComicPage[];
}

/** The file's text, UTF-8. The same facts give the same text, wherever and whenever. */
export async function comicInfoXml(facts: ComicMetadata): Promise<string> {
  const { default: Builder } = await import('fast-xml-builder');
  const builder = new Builder({
    format: true,
    ignoreAttributes: false,
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
  });
  return builder.build({
    '?xml': { '@_version': '1.0', '@_encoding': 'utf-8' },
    ComicInfo: elements(facts),
  });
}

/** The elements in the schema's order; those without a value are not there. */
function elements(facts: ComicMetadata): Record<string, unknown> {
  const date = validDate(facts.publishedAt);
  const all: readonly (readonly [string, unknown])[] = [
    ['Title', line(facts.title)],
    ['Series', line(facts.series)],
    ['Number', plainNumber(facts.number)],
    ['Volume', wholeNumber(facts.volume)],
    ['Summary', paragraphs(facts.summary)],
    ['Year', date?.getUTCFullYear()],
    ['Month', date && date.getUTCMonth() + 1],
    ['Day', date?.getUTCDate()],
    ['Writer', list(facts.writers)],
    ['Penciller', list(facts.pencillers)],
    ['Translator', list(facts.translators)],
    ['Genre', list(facts.genres)],
    ['Tags', list(facts.tags)],
    ['Web', address(facts.web)],
    ['PageCount', facts.pages.length],
    ['LanguageISO', facts.language && languageTag(facts.language)],
    ['Manga', direction(facts.originalLanguage)],
    ['AgeRating', facts.ageRating],
    ['Pages', facts.pages.length > 0 ? { Page: facts.pages.map(pageElement) } : undefined],
  ];
  return Object.fromEntries(all.filter(([, value]) => value !== undefined && value !== ''));
}

function pageElement(page: ComicPage, index: number): Record<string, unknown> {
  return {
    '@_Image': index,
    '@_ImageSize': page.bytes,
    ...(page.width !== undefined && { '@_ImageWidth': page.width }),
    ...(page.height !== undefined && { '@_ImageHeight': page.height }),
  };
}

/** What XML 1.0 (section 2.2) has no place for: most control characters, lone surrogates and two more. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

function line(text: string | undefined): string | undefined {
  return text?.replace(NOT_XML, '').replace(/\s+/gu, ' ').trim();
}

/** A text of several lines, as Windows and everybody else end them, with no more than one empty line between. */
function paragraphs(text: string | undefined): string | undefined {
  return text
    ?.replace(NOT_XML, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+$/gmu, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Readers split these at commas, so a comma within a name goes. */
function list(values: readonly string[] | undefined): string | undefined {
  const named = (values ?? []).map((value) => line(value.replaceAll(',', ' ')) ?? '');
  return [...new Set(named.filter((value) => value !== ''))].join(', ');
}

function plainNumber(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{1,9}(\.\d{1,9})?[a-z]?$/i.test(text) ? text : undefined;
}

const LARGEST_INT = 2 ** 31 - 1;

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  return Number(text) <= LARGEST_INT ? Number(text) : undefined;
}

function validDate(date: Date | undefined): Date | undefined {
  const year = date?.getUTCFullYear() ?? Number.NaN;
  return year >= 1 && year <= 9999 ? date : undefined;
}

/** As the URL parser writes it: without a space, and with commas and controls escaped. */
function address(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  return new URL(text).href.replaceAll(',', '%2C');
}

/** Komga reads the direction from `YesAndRightToLeft` alone. */
function direction(originalLanguage: string | undefined): string | undefined {
  if (originalLanguage === undefined || languageTag(originalLanguage) === undefined)
    return undefined;
  return /^ja(-|$)/i.test(originalLanguage) ? 'YesAndRightToLeft' : 'No';
}
