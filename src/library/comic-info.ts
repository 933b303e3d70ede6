/**
 * Creates `ComicInfo.xml`, the metadata of a CBZ. The elements are in the schema's order (ComicInfo 2.1 is an
 * `xs:sequence`), unknown values are left out, and characters that XML 1.0 does not allow are removed.
 */
import { removeInvalidXml } from '../core/xml-text.js';
import type { ImageDimensions } from '../core/image-dimensions.js';

export const COMIC_INFO_NAME = 'ComicInfo.xml';
/** A larger one is not read. */
export const MAX_COMIC_INFO_BYTES = 2 ** 20;

/** The strictest last. */
export const AGE_RATINGS = ['Everyone', 'Teen', 'Mature 17+', 'X18+'] as const;
export type AgeRating = (typeof AGE_RATINGS)[number];

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

/** The metadata of a chapter or a volume; everything but the pages may be unknown. */
export interface ComicMetadata {
  readonly title?: string;
  readonly series?: string;
  /** The series' name in its original language. Not in the schema, but Kavita reads it. */
  readonly localizedSeries?: string | undefined;
  /** The service's text, such as `10.5`. Written only if it is a single number. */
  readonly number?: string;
  /** How many books the series has. */
  readonly count?: number;
  /** Written only if it is an integer, since readers reject other values. */
  readonly volume?: string;
  readonly summary?: string;
  /** What the reader should know of the metadata. */
  readonly notes?: string;
  /** Written as a day in UTC. */
  readonly publishedAt?: Date;
  readonly writers?: readonly string[];
  readonly pencillers?: readonly string[];
  /** The scanlation groups, which the service asks to credit. */
  readonly translators?: readonly string[];
  readonly genres?: readonly string[];
  readonly tags?: readonly string[];
  /** A single address: some readers split this field at spaces, others at commas. */
  readonly web?: string;
  /** The chapter's language, as the service's code. */
  readonly language?: string;
  /** The series' original language, as the service's code; determines the reading direction. */
  readonly originalLanguage?: string;
  /** The reading direction, if it is known itself. */
  readonly direction?: 'rtl' | 'ltr';
  readonly ageRating?: AgeRating;
  readonly pages: readonly ComicPage[];
}

/** The same metadata always gives the same text. */
export async function comicInfoXml(metadata: ComicMetadata): Promise<string> {
  const { default: Builder } = await import('fast-xml-builder');
  const builder = new Builder({
    format: true,
    ignoreAttributes: false,
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
  });
  return builder.build({
    '?xml': { '@_version': '1.0', '@_encoding': 'utf-8' },
    ComicInfo: comicInfoElements(metadata),
  });
}

/** The values of the elements, before they are escaped. */
export function comicInfoElements(metadata: ComicMetadata): Record<string, unknown> {
  const date = validDate(metadata.publishedAt);
  return withoutEmpty({
    Title: singleLine(metadata.title),
    Series: singleLine(metadata.series),
    LocalizedSeries: singleLine(metadata.localizedSeries),
    Number: plainNumber(metadata.number),
    Count: metadata.count,
    Volume: wholeNumber(metadata.volume),
    Summary: paragraphs(metadata.summary),
    Notes: singleLine(metadata.notes),
    Year: date?.getUTCFullYear(),
    Month: date && date.getUTCMonth() + 1,
    Day: date?.getUTCDate(),
    Writer: list(metadata.writers),
    Penciller: list(metadata.pencillers),
    Translator: list(metadata.translators),
    Genre: list(metadata.genres),
    Tags: list(metadata.tags),
    Web: address(metadata.web),
    PageCount: metadata.pages.length,
    LanguageISO: metadata.language && languageTag(metadata.language),
    Manga: mangaElement(metadata),
    AgeRating: metadata.ageRating,
    Pages: metadata.pages.length > 0 ? { Page: metadata.pages.map(pageElement) } : undefined,
  });
}

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

function singleLine(text: string | undefined): string | undefined {
  return text === undefined ? undefined : removeInvalidXml(text).replace(/\s+/gu, ' ').trim();
}

/** Normalises line endings and removes repeated empty lines. */
function paragraphs(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return removeInvalidXml(text)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+$/gmu, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Joined by commas, so commas within a name are removed. */
function list(values: readonly string[] | undefined): string | undefined {
  const named = (values ?? []).map((value) => singleLine(value.replaceAll(',', ' ')) ?? '');
  return [...new Set(named.filter((value) => value !== ''))].join(', ');
}

function plainNumber(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{1,9}(\.\d{1,9})?[a-z]?$/i.test(text) ? text : undefined;
}

const MAX_INT = 2 ** 31 - 1;

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  return Number(text) <= MAX_INT ? Number(text) : undefined;
}

function validDate(date: Date | undefined): Date | undefined {
  const year = date?.getUTCFullYear() ?? Number.NaN;
  return year >= 1 && year <= 9999 ? date : undefined;
}

/** Without spaces, and with commas and control characters escaped. */
function address(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  return new URL(text).href.replaceAll(',', '%2C');
}

/** Komga reads the direction only from `YesAndRightToLeft`. */
function mangaElement({ direction, originalLanguage }: ComicMetadata): string | undefined {
  if (direction) return direction === 'rtl' ? 'YesAndRightToLeft' : 'No';
  if (originalLanguage === undefined || languageTag(originalLanguage) === undefined)
    return undefined;
  return /^ja(-|$)/i.test(originalLanguage) ? 'YesAndRightToLeft' : 'No';
}

/** Language codes of the service that mean something else in BCP 47, whatever the region. */
const SERVICE_LANGUAGES: Readonly<Record<string, string>> = {
  'es-la': 'es-419',
  zh: 'zh-Hans',
  'zh-hk': 'zh-Hant',
};
/** The service's suffix for a text in Latin letters. */
const ROMANISED = /^([a-z]{2,3})-ro$/;
/** Excludes `null`, `unknown` and the like, which are well-formed tags. */
const LANGUAGE = /^[a-z]{2,3}(-|$)/;

/** Converts the service's code to BCP 47, such as `pt-br` to `pt-BR`; undefined if it is not a language. */
export function languageTag(serviceCode: string): string | undefined {
  const code = serviceCode.toLowerCase();
  if (!LANGUAGE.test(code)) return undefined;
  try {
    const tag = SERVICE_LANGUAGES[code] ?? code.replace(ROMANISED, '$1-Latn');
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}
