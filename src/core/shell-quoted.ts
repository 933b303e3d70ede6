/** Characters that a terminal does not show, or that look as another one does. Unicode classes take a millisecond to load. */
const invisible = () => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/u;
const invisibleOrMark = () => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\p{M}\u2800]|(?! )\p{Zs}/gu;

/** The word as a POSIX shell reads it back. */
export function shellQuoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (invisible().test(word) || word !== word.normalize('NFC')) return escaped(word);
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Each word of a text, as a POSIX shell reads it back. */
export function shellQuotedWords(text: string): string {
  return text.split(/\s+/).map(shellQuoted).join(' ');
}

/** The path that a terminal inserts for a file that is dragged into it: in quotes, or with backslashes. */
export function shellUnquoted(text: string, platform: NodeJS.Platform = process.platform): string {
  const path = text.trim();
  const isWindows = platform === 'win32';
  const [, single, double] = /^(?:'(.*)'|"(.*)")$/s.exec(path) ?? [];
  if (single !== undefined) return single.replaceAll("'\\''", "'");
  if (double !== undefined) return isWindows ? double : double.replace(/\\(["\\$`])/g, '$1');
  return isWindows ? path : path.replace(/\\(.)/gs, '$1');
}

/** Invisible characters and combining marks as bytes in `$'…'` (POSIX.1-2024): the command names exactly this word. */
function escaped(word: string): string {
  const text = word
    .replace(/[\\']/g, '\\$&')
    .replace(invisibleOrMark(), (mark) =>
      [...Buffer.from(mark)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
    );
  return `$'${text}'`;
}
