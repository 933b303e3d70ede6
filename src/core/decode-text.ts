const UTF16_MARK = Buffer.from([0xff, 0xfe]);

/** The text of a file in UTF-8, or in the UTF-16 that `>` writes in Windows PowerShell. */
export function decodeText(bytes: Buffer): string {
  return bytes.toString(bytes.subarray(0, 2).equals(UTF16_MARK) ? 'utf16le' : 'utf8');
}

/** How each encoding of XML begins: with its mark, or with `<`. */
const XML_STARTS = [
  ['utf-16le', Buffer.from('\uFEFF', 'utf16le')],
  ['utf-16be', Buffer.from('\uFEFF', 'utf16le').swap16()],
  ['utf-16le', Buffer.from('<?', 'utf16le')],
  ['utf-16be', Buffer.from('<?', 'utf16le').swap16()],
  ['utf-8', Buffer.from('\uFEFF')],
] as const;
const DECLARED = /^<\?xml\s[^>]*\bencoding\s*=\s*["']([\w.:-]{1,40})["']/;

/** The text of an XML file in the encoding that its mark or its declaration names, without the mark. */
export function decodeXml(bytes: Buffer): string {
  const start = XML_STARTS.find(([, mark]) => bytes.subarray(0, mark.length).equals(mark));
  const named = start ? undefined : DECLARED.exec(bytes.toString('latin1', 0, 200))?.[1];
  // A declaration that is read as ASCII is not in UTF-16, even if it says so, as programs in .NET write it.
  const declared =
    named !== undefined && /^(utf-?16|ucs|iso-10646)/i.test(named) ? undefined : named;
  try {
    return new TextDecoder(start?.[0] ?? declared).decode(bytes);
  } catch {
    // No program knows the declared encoding.
    return new TextDecoder().decode(bytes);
  }
}
