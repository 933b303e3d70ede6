/**
 * Pictures that are nothing but noise: valid PNG files of about a wanted size which do not compress, for
 * trying how loads behave when pages are large. The noise is made once and shared by all pictures of a
 * sheet; each picture begins with rows of its own. So one costs little more than copying its bytes, and
 * only one is held, whatever their number. The picture's data is stored (RFC 1951 3.2.4), not deflated, so
 * the bytes are the same on every version of zlib.
 */
import { adler32, joinedAdler32 } from './checksums.js';
import { PNG_SIGNATURE, pngChunk, pngHeader } from './png.js';

const WIDTH = 800;
const ROW_BYTES = WIDTH + 1;
const OWN_ROWS = 4;
const STORED_BLOCK_BYTES = 65_535;

/** A repeatable stream of 32-bit numbers from a seed (xorshift32). */
function numbersFrom(seed: number): () => number {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Rows of a picture as a PNG holds them: a filter byte, 0, and a byte a pixel. */
function noiseRows(rows: number, seed: number): Buffer {
  const next = numbersFrom(seed);
  const bytes = Buffer.alloc(Math.ceil((rows * ROW_BYTES) / 4) * 4);
  for (let at = 0; at < bytes.length; at += 4) {
    bytes.writeUInt32LE(next(), at);
  }
  for (let row = 0; row < rows; row += 1) {
    bytes[row * ROW_BYTES] = 0;
  }
  return bytes.subarray(0, rows * ROW_BYTES);
}

/** The bytes as stored blocks. The last block of the whole stream is marked where `ends`. */
function storedBlocks(bytes: Uint8Array, ends: boolean): Buffer {
  const parts: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += STORED_BLOCK_BYTES) {
    const block = bytes.subarray(from, from + STORED_BLOCK_BYTES);
    const head = Buffer.alloc(5);
    head[0] = ends && from + block.length === bytes.length ? 1 : 0;
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(~block.length & 0xffff, 3);
    parts.push(head, block);
  }
  return Buffer.concat(parts);
}

/** What every noise picture has beside its pixels: signature, chunk frames, checksums, block heads. */
const FRAME_BYTES = 8 + 25 + 12 * 4 + 2 + 4 + 10;

export interface NoiseSheet {
  /** The PNG file of the picture with that seed. */
  picture(seed: number): Buffer;
}

/** A sheet whose pictures have about `bytes` bytes each (at least some 4,000). */
export function noiseSheet(options: { bytes: number; seed: number }): NoiseSheet {
  const sharedRows = Math.max(1, Math.round((options.bytes - FRAME_BYTES) / ROW_BYTES) - OWN_ROWS);
  const shared = noiseRows(sharedRows, options.seed);
  const sharedAdler = adler32(shared);
  const sharedChunk = pngChunk('IDAT', storedBlocks(shared, true));
  const header = pngHeader(WIDTH, OWN_ROWS + sharedRows, 'grey-8');
  const end = pngChunk('IEND', new Uint8Array(0));
  return {
    picture(seed) {
      const own = noiseRows(OWN_ROWS, options.seed + Math.imul(seed + 1, 0x2545f491));
      const adler = Buffer.alloc(4);
      adler.writeUInt32BE(joinedAdler32(adler32(own), sharedAdler, shared.length));
      const zlibHeader = Buffer.from([0x78, 0x01]);
      const ownChunk = pngChunk('IDAT', Buffer.concat([zlibHeader, storedBlocks(own, false)]));
      const lastChunk = pngChunk('IDAT', adler);
      return Buffer.concat([PNG_SIGNATURE, header, ownChunk, sharedChunk, lastChunk, end]);
    },
  };
}
