/**
 * Foreign text made fit for a terminal. Headers, certificates, titles and file names may hold what a terminal obeys
 * (escape sequences), what hides text, and what makes it read otherwise than it is written.
 */

/** Control characters, lone surrogates, line separators, and format characters (bidirectional ones too) but joiners. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu;
const KEPT = new Set(['\n', '\t']);

/** The text without unprintable characters; line feeds and tabs stay. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (mark) => (KEPT.has(mark) ? mark : ''));
}

/** The text on one line of at most `maxLength` UTF-16 units. */
export function printableLine(text: string, maxLength = Infinity): string {
  // Cut first, generously: the text may be megabytes long.
  const line = text
    .slice(0, 2 * maxLength)
    .replace(UNPRINTABLE, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

/** A JSON text that stands for the same value, with the unprintable characters of its strings escaped. */
export function printableJson(json: string): string {
  return json.replace(UNPRINTABLE, (mark) =>
    KEPT.has(mark)
      ? mark
      : [...Array(mark.length).keys()]
          .map((index) => `\\u${mark.charCodeAt(index).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}
