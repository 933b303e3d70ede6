/**
 * Makes untrusted text (headers, certificates, titles, file names) safe for a terminal: without escape sequences,
 * hidden text and characters that change the direction of reading.
 */

/** Control characters, lone surrogates, line separators, and format characters (also bidirectional) except joiners. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu;
const KEPT = new Set(['\n', '\t']);

/** Removes unprintable characters except line feeds and tabs. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (mark) => (KEPT.has(mark) ? mark : ''));
}

/** The text on one line of at most `maxLength` UTF-16 units. */
export function printableLine(text: string, maxLength = Infinity): string {
  // Shortened first, since the text may be megabytes long.
  const line = text
    .slice(0, 2 * maxLength)
    .replace(UNPRINTABLE, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

/** An equivalent JSON text with the unprintable characters of its strings escaped. */
export function printableJson(json: string): string {
  return json.replace(UNPRINTABLE, (mark) =>
    KEPT.has(mark)
      ? mark
      : [...Array(mark.length).keys()]
          .map((index) => `\\u${mark.charCodeAt(index).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}
