const UTF16_MARK = Buffer.from([0xff, 0xfe]);

/** The text of a file in UTF-8, or in the UTF-16 that `>` writes in Windows PowerShell. */
export function decodeText(bytes: Buffer): string {
  return bytes.toString(bytes.subarray(0, 2).equals(UTF16_MARK) ? 'utf16le' : 'utf8');
}
