/** A ZIP file without entries: the end of the central directory, and a comment. */
export function emptyZip(comment: string): Buffer {
  const text = Buffer.from(comment);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(text.length, 20);
  return Buffer.concat([end, text]);
}
