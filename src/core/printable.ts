/** Makes untrusted text safe for a terminal: no escape sequences, hidden text or changes of the reading direction. */

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
  if (line.length <= maxLength) return line;
  // Without half of a character at the end.
  return `${line.slice(0, maxLength - 1).replace(/\p{Cs}$/u, '')}…`;
}

/** An equivalent JSON text with the unprintable characters of its strings escaped. */
export function printableJson(json: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(UNPRINTABLE, (mark) =>
    KEPT.has(mark) ? mark : mark.split('').map(escaped).join(''),
  );
}
