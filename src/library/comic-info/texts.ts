/** The texts of elements: single lines, paragraphs, lists and numbers as readers of comics accept them. Pure. */
import { removeInvalidXml } from '../../core/xml-text.js';

export function singleLine(text: string | undefined): string | undefined {
  return text === undefined ? undefined : removeInvalidXml(text).replace(/\s+/gu, ' ').trim();
}

/** Normalises line endings and removes repeated empty lines. */
export function paragraphs(text: string): string {
  return removeInvalidXml(text)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+$/gmu, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Joined by commas, so commas within a name are removed. */
export function joined(values: readonly string[]): string {
  const named = values.map((value) => singleLine(value.replaceAll(',', ' ')) ?? '');
  return [...new Set(named.filter((value) => value !== ''))].join(', ');
}

export function plainNumber(text: string): string | undefined {
  return /^\d{1,9}(\.\d{1,9})?[a-z]?$/i.test(text) ? text : undefined;
}

const MAX_INT = 2 ** 31 - 1;

/** Readers reject other values. */
export function wholeNumber(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) && Number(text) <= MAX_INT ? Number(text) : undefined;
}

/** Year, month and day in UTC; none of a date that ComicInfo cannot have. */
export function dayOf(date: Date): readonly number[] {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? [year, date.getUTCMonth() + 1, date.getUTCDate()] : [];
}

export function toDate(year?: string, month = '1', day = '1'): Date | undefined {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Without spaces, and with commas and control characters escaped. */
export function address(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).href.replaceAll(',', '%2C') : undefined;
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
