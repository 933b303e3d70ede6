/**
 * Pages for load tests: valid PNG files of an exact size that do not compress. The noise is made once and shared by
 * all pages; a small private chunk tells them apart. So a page costs little more than copying its bytes.
 */
import { createCipheriv, createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { PNG_SIGNATURE, pngChunk, pngHeader } from './png.js';

const WIDTH = 800;
const ROW_BYTES = WIDTH + 1;
/** Signature, header, chunk frames and the smallest private chunk, with room for what deflate adds. */
const FRAME_BYTES = 150;
/** A private chunk that editors may copy and decoders skip. */
const PRIVATE_CHUNK = 'noIs';
const CHUNK_FRAME_BYTES = 12;

/** The same bytes for the same seed. */
function noise(seed: string, bytes: number): Buffer {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes));
}

/** Makes pages of `bytes` bytes each, at least some 1,000; page numbers and seeds tell them apart. */
export function noisePages(bytes: number, seed: number): (page: number) => Buffer {
  const rows = Math.max(1, Math.floor((bytes * 0.999 - FRAME_BYTES) / ROW_BYTES));
  const pixels = noise(String(seed), rows * ROW_BYTES);
  // Each row begins with its filter: 0 is none.
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
