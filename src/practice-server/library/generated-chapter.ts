/**
 * Chapters made to measure: so many pages of so many bytes, named as the live service names them or
 * plainly. Everything follows from the seed; nothing is made before it is asked for, and no page is kept.
 */
import { createHash } from 'node:crypto';
import { noisePages } from './noise-pages.js';
import type { ChapterAttributes, LibraryChapter, LibraryPage, Quality } from './records.js';

export interface GeneratedChapterOptions {
  /** A UUID; follows from the seed where none is given. */
  readonly id?: string;
  readonly pages: number;
  /** The size of a page of original quality, at least 1,000; data-saver has half of it. 20,000 where not given. */
  readonly bytesPerPage?: number;
  /** Chapters of different seeds have different pages. 1 where not given. */
  readonly seed?: number;
  /** Whether page names carry the sha256 of their bytes; they do where not given. */
  readonly pageNames?: 'with-digest' | 'plain';
}

const AT = '2024-01-05T12:00:00+00:00';
const GROUP = { id: '9a0d2f6c-3b61-4a53-8f0e-6f0c5f7f1d21', name: 'Measured Scans' } as const;

/** The digest of the words, 32 hex digits. */
export function hashOf(...words: readonly (string | number)[]): string {
  return createHash('sha256').update(words.join('\n')).digest('hex').slice(0, 32);
}

/** A UUID of version 4's form that is always the same for the same words. */
export function uuidOf(...words: readonly (string | number)[]): string {
  const hex = hashOf(...words);
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-');
}

/** `1-<sha256>.png`, as the live service names a page. */
export function nameWithDigest(page: number, bytes: Uint8Array, extension: 'png' | 'jpg'): string {
  return `${page}-${createHash('sha256').update(bytes).digest('hex')}.${extension}`;
}

function madePages(options: GeneratedChapterOptions, quality: Quality): LibraryPage[] {
  const { bytesPerPage = 20_000, seed = 1, pageNames = 'with-digest' } = options;
  const original = quality === 'data';
  let make: ReturnType<typeof noisePages> | undefined;
  const made = (page: number): Buffer => {
    make ??= original
      ? noisePages(bytesPerPage, seed)
      : noisePages(Math.ceil(bytesPerPage / 2), ~seed);
    return make(page);
  };
  return Array.from({ length: options.pages }, (_, index) => ({
    fileName:
      pageNames === 'plain' ? `${index + 1}.png` : nameWithDigest(index + 1, made(index), 'png'),
    mediaType: 'image/png',
    bytes: () => made(index),
  }));
}

/** The attributes of an English chapter without volume, number and name, uploaded and published at `at`. */
export const usualAttributes = (at: string, pages: number): ChapterAttributes => ({
  volume: null,
  chapter: null,
  title: null,
  translatedLanguage: 'en',
  externalUrl: null,
  isUnavailable: false,
  publishAt: at,
  readableAt: at,
  createdAt: at,
  updatedAt: at,
  pages,
  version: 1,
});

/** A chapter of noise pages (PNG), without a title. Repeatable: the same options give the same bytes. */
export function generateChapter(options: GeneratedChapterOptions): LibraryChapter {
  const { seed = 1 } = options;
  const id = options.id ?? uuidOf('made chapter', seed, options.pages);
  const made = new Map<Quality, readonly LibraryPage[]>();
  return {
    id,
    hash: hashOf('made chapter', id, seed),
    titleId: null,
    attributes: { ...usualAttributes(AT, options.pages), chapter: String(seed) },
    groups: [GROUP],
    pages(quality) {
      const pages = made.get(quality) ?? madePages(options, quality);
      made.set(quality, pages);
      return pages;
    },
  };
}
