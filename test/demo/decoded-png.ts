/** Reads a PNG without the code that wrote it: checks every chunk's CRC with zlib's own, and inflates the rows. */
import { gzipSync, inflateSync } from 'node:zlib';

export interface DecodedPng {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly chunks: readonly string[];
  /** Row by row, each behind its filter byte. */
  readonly rows: Buffer;
}

/** A gzip file ends with the CRC-32 of what it holds (RFC 1952 2.3.1). */
const crcOf = (bytes: Buffer): number => gzipSync(bytes).readUInt32LE(gzipSync(bytes).length - 8);

export function decodedPng(file: Buffer): DecodedPng {
  if (file.subarray(0, 8).toString('latin1') !== '\x89PNG\r\n\x1a\n') {
    throw new Error('no PNG signature');
  }
  const chunks: { name: string; content: Buffer }[] = [];
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    const named = file.subarray(at + 4, at + 8 + length);
    if (file.readUInt32BE(at + 8 + length) !== crcOf(named)) {
      throw new Error(`wrong CRC at byte ${at}`);
    }
    chunks.push({ name: named.subarray(0, 4).toString('latin1'), content: named.subarray(4) });
    at += length + 12;
  }
  const header = chunks[0]?.content ?? Buffer.alloc(13);
  const data = chunks.filter(({ name }) => name === 'IDAT').map(({ content }) => content);
  return {
    width: header.readUInt32BE(0),
    height: header.readUInt32BE(4),
    bitDepth: header.readUInt8(8),
    chunks: chunks.map(({ name }) => name),
    rows: inflateSync(Buffer.concat(data)),
  };
}
