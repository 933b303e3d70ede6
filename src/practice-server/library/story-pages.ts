/**
 * Pages and covers drawn by scripts/practice-pages. Chapters share them: a comment with the chapter's id makes each
 * page's bytes, and so its sha256, its own.
 */
import { readFileSync } from 'node:fs';
import { nameWithDigest, uuidOf } from './generated-chapter.js';
import { PNG_SIGNATURE, pngChunk, pngHeader } from './png.js';
import type { LibraryCover, LibraryPage, Quality } from './records.js';

/** Beside `library` in the source, and beside the bundled program in the package. */
const FIXTURES = new URL('../fixtures/', import.meta.url);

const PAGE_COUNTS = { lighthouse: 12, starlight: 5, stairs: 2 } as const;
export type Story = keyof typeof PAGE_COUNTS;

export const pageCount = (story: Story): number => PAGE_COUNTS[story];

const fixture = (name: string): Buffer => readFileSync(new URL(name, FIXTURES));

const PNG_HEADER_END = PNG_SIGNATURE.length + pngHeader(0, 0).length;
const JPEG_START_BYTES = 2;

/** The PNG with a tEXt chunk after its header. */
function commentedPng(file: Buffer, comment: string): Buffer {
  const chunk = pngChunk('tEXt', Buffer.from(`Comment\0${comment}`, 'latin1'));
  return Buffer.concat([file.subarray(0, PNG_HEADER_END), chunk, file.subarray(PNG_HEADER_END)]);
}

/** The JPEG with a comment segment after its start marker. */
function commentedJpeg(file: Buffer, comment: string): Buffer {
  const segment = Buffer.from(`\xff\xfe\0\0${comment}`, 'latin1');
  segment.writeUInt16BE(segment.length - 2, 2);
  return Buffer.concat([
    file.subarray(0, JPEG_START_BYTES),
    segment,
    file.subarray(JPEG_START_BYTES),
  ]);
}

/** The pages of a chapter in one quality; a chapter longer than its story begins it again. */
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

/** The cover of one volume. Its file name is a UUID with an extension, as the live service has it. */
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
