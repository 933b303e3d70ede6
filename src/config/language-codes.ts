/** Language codes as MangaDex writes them: `en`, `pt-br`, `zh-hk`. A name such as `english` is refused with its code. */
import { UsageError } from '../core/errors.js';

/** Instead of codes: every language, without being asked. */
const ALL_LANGUAGES = 'all';

const CODE = /^[a-z]{2,3}(-[a-z0-9]{2,8})?$/;

/** The codes whose names are recognised. */
const NAMED_CODES = (
  'af ar az be bg bn ca cs cv da de el en eo es es-la et eu fa fi fr ga he hi hr hu id it ja jv ka kk ko la lt mn ms ' +
  'my ne nl no pl pt pt-br ro ru sk sl sq sr sv ta te th tl tr uk ur uz vi zh zh-hk'
).split(' ');

/** Codes of other programs for languages of MangaDex. */
const OTHER_CODES: Readonly<Record<string, string>> = {
  'es-419': 'es-la',
  'zh-hans': 'zh',
  'zh-cn': 'zh',
  'zh-hant': 'zh-hk',
  'zh-tw': 'zh-hk',
};

/** Where the name of the region differs from that of the code. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'brazilian portuguese': 'pt-br',
  'latin american spanish': 'es-la',
  chinese: 'zh',
  'simplified chinese': 'zh',
  'traditional chinese': 'zh-hk',
  filipino: 'tl',
  tagalog: 'tl',
  jp: 'ja',
};

/**
 * The codes of MangaDex in lower case; `all` alone gives none, which means every language. Throws UsageError
 * `bad-option` for a text that is not a code.
 *
 * @param source the option or setting, for the message
 */
export function parseLanguages(codes: readonly string[], source: string): readonly string[] {
  const lowerCase = codes.map(writtenCode);
  if (lowerCase.length === 1 && lowerCase[0] === ALL_LANGUAGES) return [];
  if (lowerCase.includes(ALL_LANGUAGES)) {
    throw new UsageError(
      'bad-option',
      `"${ALL_LANGUAGES}" cannot be combined with other languages in ${source}: "${lowerCase.join(',').slice(0, 80)}"`,
      { hint: 'Use all alone, or codes such as en,pt-br.' },
    );
  }
  for (const code of lowerCase)
    checkCode(code, source, 'Use codes separated by commas, such as en,pt-br, or all.');
  return lowerCase;
}

/** The same where `all` is not a choice. */
export function parseLanguageCodes(codes: readonly string[], source: string): readonly string[] {
  const lowerCase = codes.map(writtenCode);
  for (const code of lowerCase)
    checkCode(code, source, 'Use codes separated by commas, such as en,ja-ro,ja.');
  return lowerCase;
}

/** Locales have an underscore: `pt_BR`. */
function writtenCode(text: string): string {
  return serviceCode(text.trim().toLowerCase().replace('_', '-'));
}

function checkCode(code: string, source: string, hint: string): void {
  const suggestion = codeOfName(code);
  const isCode = CODE.test(code) && code !== ALL_LANGUAGES;
  if (isCode && suggestion === undefined) return;
  throw new UsageError('bad-option', `Not a language code in ${source}: "${code.slice(0, 80)}"`, {
    hint: suggestion === undefined ? hint : `Did you mean ${suggestion}?`,
  });
}

/** The code of MangaDex for one in lower case. */
export function serviceCode(code: string): string {
  return (Object.hasOwn(OTHER_CODES, code) ? OTHER_CODES[code] : undefined) ?? code;
}

/** The code of MangaDex for a code in lower case of a language whose name is known; undefined for other texts. */
export function knownCode(text: string): string | undefined {
  const code = serviceCode(text);
  return NAMED_CODES.includes(code) ? code : codeOfName(code);
}

/** The code of MangaDex for a name in lower case (`english`, `deutsch`), or for a code of three letters (`eng`). */
export function codeOfName(text: string): string | undefined {
  const other = Object.hasOwn(OTHER_NAMES, text) ? OTHER_NAMES[text] : undefined;
  if (other !== undefined) return other;
  if (/^[a-z]{3}$/.test(text)) {
    const [canonical = text] = Intl.getCanonicalLocales(text);
    return canonical.length === 2 ? canonical : undefined;
  }
  return text.length < 4 ? undefined : codesByName().get(text);
}

let foundCodes: ReadonlyMap<string, string> | undefined;

/** Made on first use: the names of all codes take some milliseconds. Of several codes, the first one has the name. */
function codesByName(): ReadonlyMap<string, string> {
  foundCodes ??= new Map(
    NAMED_CODES.toReversed().flatMap((code) => namesOf(code).map((name) => [name, code] as const)),
  );
  return foundCodes;
}

/** The names in English and in the language itself. */
function namesOf(code: string): readonly string[] {
  return ['en', code].map((locale) =>
    (new Intl.DisplayNames([locale], { type: 'language' }).of(code) ?? '').toLowerCase(),
  );
}
