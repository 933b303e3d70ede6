/** Turns the Markdown of a title's description into the plain text of the `Summary` element. */

/** What follows the first such line is links and credits, not the story. */
const SEPARATOR_LINE = /^[ \t]*-{3,}[ \t]*\r?$/m;

/** Each pattern with its replacement, applied in this order. Every repetition is bounded. Made on use: Unicode classes load slowly. */
const markdownPatterns = (): readonly (readonly [RegExp, string])[] => [
  [/<br ?\/?>/gi, '\n'],
  // Headings, quotations, and the code fences around a block.
  [/^[ \t]{0,3}(?:#{1,6}[ \t]+|(?:>[ \t]?){1,9})/gm, ''],
  [/^[ \t]{0,3}(?:```|~~~).{0,99}$/gm, ''],
  [/^([ \t]{0,9})[*+][ \t]+/gm, '$1- '],
  // Images and links become their text.
  [/!?\[([^[\]\n]{0,999})\]\([^()\s]{0,999}(?:[ \t]+"[^"\n]{0,999}")?\)/g, '$1'],
  [/<(https?:\/\/[^<>\s]{1,999})>/g, '$1'],
  // Emphasis: the marks are pairs, at the edges of words.
  [/(?<![\\*])\*{1,3}(?=\S)([^*\n]{1,999}?)(?<=[^\s\\])\*{1,3}/g, '$1'],
  [/(?<![\p{L}\p{N}\\_])_{1,3}(?=\S)([^_\n]{1,999}?)(?<=[^\s\\])_{1,3}(?![\p{L}\p{N}_])/gu, '$1'],
  [/~~(?=\S)([^~\n]{1,999}?)(?<=\S)~~/g, '$1'],
  [/\|\|(?=\S)([^|\n]{1,999}?)(?<=\S)\|\|/g, '$1'],
  [/`([^`\n]{1,999})`/g, '$1'],
  // An escaped mark is the mark itself.
  [/\\([\\`*_{}[\]()#+\-.!~|<>])/g, '$1'],
];

/** Longer descriptions are cut: the service's are at most a few thousand characters long. */
const MAX_LENGTH = 20_000;

export function plainSummary(markdown: string): string {
  const text = markdown.slice(0, MAX_LENGTH);
  const end = SEPARATOR_LINE.exec(text)?.index ?? text.length;
  return markdownPatterns()
    .reduce(
      (plain, [pattern, replacement]) => plain.replace(pattern, replacement),
      text.slice(0, end),
    )
    .trim();
}
