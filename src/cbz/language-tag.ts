/**
 * The service's language codes as BCP 47 tags, which is what readers of ComicInfo want. The service has codes
 * of its own: `es-la` for the Spanish of Latin America, plain `zh` for simplified and `zh-hk` for traditional
 * Chinese whatever the place, and `-ro` for a text in Latin letters.
 */
const OWN_CODES: Readonly<Record<string, string>> = {
  'es-la': 'es-419',
  zh: 'zh-Hans',
  'zh-hk': 'zh-Hant',
};
const ROMANISED = /^([a-z]{2,3})-ro$/;
/** `null`, `unknown` and their like are well-formed to the letter, but name no language. */
const LANGUAGE = /^[a-z]{2,3}(-|$)/;

/** The tag, such as `pt-BR` for `pt-br`; undefined where the code is no language. */
export function languageTag(code: string): string | undefined {
  const own = code.toLowerCase();
  const romanised = ROMANISED.exec(own)?.[1];
  if (!LANGUAGE.test(own)) return undefined;
  try {
    const known = OWN_CODES[own] ?? (romanised === undefined ? own : `${romanised}-Latn`);
    return Intl.getCanonicalLocales(known)[0];
  } catch {
    return undefined;
  }
}
