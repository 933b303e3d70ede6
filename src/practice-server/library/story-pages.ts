/**
 * The pages and covers drawn in scripts/practice-pages. Chapters share them: a comment with the chapter's id makes
 * the bytes of each page, and so its sha256, unique.
 */
import { nameWithDigest, uuidOf } from './digests.js';
import { readPackageFile } from '../../core/executable.js';
import { PNG_SIGNATURE, pngChunk, pngHeader } from '../../core/png.js';
import type { LibraryCover, LibraryPage, Quality } from '../records.js';

/** One folder up both in the source and in the bundled package. */
const FIXTURES = new URL('../fixtures/', import.meta.url);

const PAGE_COUNTS = { lighthouse: 12, starlight: 5, stairs: 2 } as const;
export type Story = keyof typeof PAGE_COUNTS;

export const pageCount = (story: Story): number => PAGE_COUNTS[story];

const fixture = (name: string): Buffer => readPackageFile(new URL(name, FIXTURES));

const PNG_HEADER_END = PNG_SIGNATURE.length + pngHeader(0, 0).length;
const JPEG_START_BYTES = 2;

/** Inserts a tEXt chunk after the header. */
function commentedPng(file: Buffer, comment: string): Buffer {
  const chunk = pngChunk('tEXt', Buffer.from(`Comment\0${comment}`, 'latin1'));
  return Buffer.concat([file.subarray(0, PNG_HEADER_END), chunk, file.subarray(PNG_HEADER_END)]);
}

/** Inserts a comment segment after the start marker. */
function commentedJpeg(file: Buffer, comment: string): Buffer {
  const segment = Buffer.from(`\xff\xfe\0\0${comment}`, 'latin1');
  segment.writeUInt16BE(segment.length - 2, 2);
  return Buffer.concat([
    file.subarray(0, JPEG_START_BYTES),
    segment,
    file.subarray(JPEG_START_BYTES),
  ]);
}

/** The pages of a chapter in one quality. A chapter longer than its story repeats it. */
export function storyPages(
  story: Story,
  chapterId: string,
  pages: number,
  quality: Quality,
): LibraryPage[] {
  return Array.from({ length: pages }, (_, index) => {
    const name = `${story}-${(index % PAGE_COUNTS[story]) + 1}`;
    const comment = `chapter ${chapterId}, page ${index + 1}`;
    const original = quality === 'data';
    const bytes = (): Buffer =>
      original
        ? commentedPng(fixture(`${name}.png`), comment)
        : commentedJpeg(fixture(`${name}.jpg`), comment);
    return {
      fileName: nameWithDigest(index + 1, bytes(), original ? 'png' : 'jpg'),
      mediaType: original ? 'image/png' : 'image/jpeg',
      bytes,
    };
  });
}

type CoverImage = 'lighthouse-1' | 'lighthouse-cover-2' | 'starlight-1' | 'stairs-cover';

/** The cover of a volume. Its file name is a UUID with an extension, as on the live service. */
export function drawnCover(
  titleId: string,
  volume: string | null,
  image: CoverImage,
): LibraryCover {
  const name = volume ?? 'none';
  return {
    id: uuidOf('cover', titleId, name),
    fileName: `${uuidOf('cover file', titleId, name)}.png`,
    volume,
    locale: 'ja',
    createdAt: '2023-03-01T09:00:00+00:00',
    image: (width) =>
      width === undefined
        ? { mediaType: 'image/png', bytes: fixture(`${image}.png`) }
        : { mediaType: 'image/jpeg', bytes: fixture(`${image}.${width}.jpg`) },
  };
}
