/**
 * Chapters with a given number and size of pages, which are valid PNG files that do not compress. All pages share the
 * same noise and differ in a small private chunk, so that a page costs little more than copying its bytes. Pages are
 * generated on demand and not kept.
 */
import { createCipheriv, createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { hashOf, nameWithDigest, uuidOf } from './digests.js';
import { PNG_SIGNATURE, pngChunk, pngHeader } from '../../core/png.js';
import type { LibraryChapter, LibraryPage, Quality } from '../records.js';
import { defaultAttributes } from './story-chapter.js';

export interface GeneratedChapterOptions {
  /** A UUID; derived from the seed by default. */
  readonly id?: string;
  readonly pages: number;
  /** The size of an original page, at least 1,000; data-saver pages have half of it. 20,000 by default. */
  readonly bytesPerPage?: number;
  /** Chapters with different seeds have different pages; 1 by default. */
  readonly seed?: number;
  /** Whether page names contain the sha256 of their bytes; they do by default. */
  readonly pageNames?: 'with-digest' | 'plain';
}

const AT = '2024-01-05T12:00:00+00:00';
const GROUP = { id: '9a0d2f6c-3b61-4a53-8f0e-6f0c5f7f1d21', name: 'Measured Scans' } as const;

const WIDTH = 800;
const ROW_BYTES = WIDTH + 1;
/** Signature, header, chunk frames, the smallest private chunk, and the overhead of deflate. */
const FRAME_BYTES = 150;
/** The case of its letters marks it as private, ancillary and safe to copy. */
const PRIVATE_CHUNK = 'noIs';
const CHUNK_FRAME_BYTES = 12;

/** A seed always gives the same bytes. */
function noise(seed: string, bytes: number): Buffer {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes));
}

/** Pages of exactly `bytes` bytes each, at least about 1,000. They differ by page number and seed. */
function noisePages(bytes: number, seed: number): (page: number) => Buffer {
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

function generatePages(options: GeneratedChapterOptions, quality: Quality): LibraryPage[] {
  const { bytesPerPage = 20_000, seed = 1, pageNames = 'with-digest' } = options;
  let generate: ReturnType<typeof noisePages> | undefined;
  const bytesOf = (index: number): Buffer => {
    generate ??=
      quality === 'data'
        ? noisePages(bytesPerPage, seed)
        : noisePages(Math.ceil(bytesPerPage / 2), ~seed);
    return generate(index);
  };
  return Array.from({ length: options.pages }, (_, index) => ({
    fileName:
      pageNames === 'plain' ? `${index + 1}.png` : nameWithDigest(index + 1, bytesOf(index), 'png'),
    mediaType: 'image/png',
    bytes: () => bytesOf(index),
  }));
}

/** A chapter of noise pages (PNG) without a title. The same options give the same bytes. */
export function generateChapter(options: GeneratedChapterOptions): LibraryChapter {
  const { seed = 1 } = options;
  const id = options.id ?? uuidOf('made chapter', seed, options.pages);
  const cache = new Map<Quality, readonly LibraryPage[]>();
  return {
    id,
    hash: hashOf('made chapter', id, seed),
    titleId: null,
    attributes: { ...defaultAttributes(AT, options.pages), chapter: String(seed) },
    groups: [GROUP],
    pages(quality) {
      const pages = cache.get(quality) ?? generatePages(options, quality);
      cache.set(quality, pages);
      return pages;
    },
  };
}
