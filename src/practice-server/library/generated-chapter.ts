/** Chapters with a given number and size of pages. Pages are generated on demand and not kept. */
import { hashOf, nameWithDigest, uuidOf } from './digests.js';
import { noisePages } from './noise-pages.js';
import type { LibraryChapter, LibraryPage, Quality } from './records.js';
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
