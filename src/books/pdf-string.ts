/** The literal strings of a PDF, without their parentheses; a character stands for each byte. Pure. */

const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
  '(': '\\(',
  ')': '\\)',
  '\\': '\\\\',
};
const UNESCAPED = new Map(Object.entries(ESCAPES).map(([character, text]) => [text, character]));
const BYTE_ORDER_MARK = '\xfe\xff';

/** A literal string of ASCII, or of UTF-16 with a byte order mark. */
export function decodeString(text: string): string {
  const bytes = text.replace(/\\./gs, (escape) => UNESCAPED.get(escape) ?? escape);
  if (!bytes.startsWith(BYTE_ORDER_MARK)) return bytes;
  const units = Buffer.from(bytes.slice(BYTE_ORDER_MARK.length), 'latin1');
  return units
    .subarray(0, units.length - (units.length % 2))
    .swap16()
    .toString('utf16le');
}

export function encodeString(text: string): string {
  const isAscii = Buffer.from(text, 'ascii').toString('ascii') === text;
  const units = Buffer.from(text, 'utf16le').swap16().toString('latin1');
  const bytes = isAscii ? text : BYTE_ORDER_MARK + units;
  return Array.from(bytes, (character) => ESCAPES[character] ?? character).join('');
}
