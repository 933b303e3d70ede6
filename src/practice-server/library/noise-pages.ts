/**
 * Pages for load tests: valid PNG files of an exact size that do not compress. All pages share the same noise and
 * differ in a small private chunk, so that a page costs little more than copying its bytes.
 */
import { createCipheriv, createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { PNG_SIGNATURE, pngChunk, pngHeader } from './png.js';

const WIDTH = 800;
const ROW_BYTES = WIDTH + 1;
/** Signature, header, chunk frames, the smallest private chunk, and the overhead of deflate. */
const FRAME_BYTES = 150;
/** The case of its letters marks it as private, ancillary and safe to copy. */
const PRIVATE_CHUNK = 'noIs';
const CHUNK_FRAME_BYTES = 12;

/** The same bytes for the same seed. */
function noise(seed: string, bytes: number): Buffer {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes));
}

/** Pages of exactly `bytes` bytes each, at least about 1,000. They differ by page number and seed. */
export function noisePages(bytes: number, seed: number): (page: number) => Buffer {
  const rows = Math.max(1, Math.floor((bytes * 0.999 - FRAME_BYTES) / ROW_BYTES));
  const pixels = noise(String(seed), rows * ROW_BYTES);
  // Each row begins with its filter; 0 means none.
  for (let at = 0; at < pixels.length; at += ROW_BYTES) pixels[at] = 0;
  const start = Buffer.concat([PNG_SIGNATURE, pngHeader(WIDTH, rows)]);
  const end = Buffer.concat([
    pngChunk('IDAT', deflateSync(pixels, { level: 0 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
  const restBytes = Math.max(16, bytes - start.length - end.length - CHUNK_FRAME_BYTES);
  return (page) =>
    Buffer.concat([start, pngChunk(PRIVATE_CHUNK, noise(`${seed}/${page}`, restBytes)), end]);
}
