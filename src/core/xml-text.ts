/** Text from outside in XML and HTML documents. */

/** Not allowed by XML 1.0 (section 2.2): most control characters, lone surrogates, U+FFFE and U+FFFF. */
const INVALID = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

export function removeInvalidXml(text: string): string {
  return text.replace(INVALID, '');
}

/** For text between tags, and in attributes in double quotes. */
export function escapeXml(text: string): string {
  return removeInvalidXml(text).replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}
