/** Texts in several languages, by the codes of these. */

/** The text in the first available of these languages, otherwise in any language. */
export function preferredText(
  texts: Readonly<Record<string, string>>,
  languages: readonly string[],
): string | undefined {
  // A service may call a language `toString`.
  const known = languages.filter((code) => Object.hasOwn(texts, code));
  const ordered = [...known.map((code) => texts[code]), ...Object.values(texts)];
  return ordered.find((text) => text !== undefined && text.trim() !== '')?.trim();
}
