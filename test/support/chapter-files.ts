/** Chapter files as tankobon writes them, for tests of what reads them. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { comicInfoXml, type ComicMetadata } from '../../src/library/comic-info.js';
import { writeCbz } from '../../src/library/cbz-writer.js';
import { formatIdentityComment } from '../../src/library/mark.js';

export interface ChapterFile extends Partial<Omit<ComicMetadata, 'pages'>> {
  /** The id of the identity; without it, the archive has no comment. */
  readonly id?: string;
  readonly version?: number;
  readonly images: readonly Buffer[];
  /** The content of `META-INF/tankobon.json`. */
  readonly record?: string | undefined;
}

/** Writes a CBZ with these images and ComicInfo.xml. */
export async function writeChapterFile(file: string, chapter: ChapterFile): Promise<string> {
  const { id, version, images, record, ...metadata } = chapter;
  await mkdir(dirname(file), { recursive: true });
  const folder = `${file}.pages`;
  await mkdir(folder);
  const pages = [];
  for (const [index, image] of images.entries()) {
    const page = join(folder, String(index));
    await writeFile(page, image);
    pages.push({ file: page, bytes: image.length });
  }
  const comicInfo = await comicInfoXml({
    series: 'Lighthouse',
    language: 'en',
    originalLanguage: 'ja',
    web: id === undefined ? undefined : `https://mangadex.org/chapter/${id}`,
    ...metadata,
    pages: images.map(({ length }) => ({ bytes: length })),
  });
  const comment =
    id === undefined
      ? undefined
      : formatIdentityComment({ chapterId: id, version, quality: 'data' });
  await writeCbz({ file, pages, comicInfo, comment, record });
  await rm(folder, { recursive: true });
  return file;
}

/** A different id for each number. */
export function chapterId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

const images = new Map<string, Promise<Buffer>>();

/** An image with its own pixels for each seed. Each call resolves with bytes of its own, which a test may change. */
export async function testImage(
  format: 'jpeg' | 'png' | 'gif' | 'webp' | 'avif',
  seed = 1,
  { width = 60, height = 90, alpha = false } = {},
): Promise<Buffer> {
  const key = [format, seed, width, height, alpha].join();
  const image = images.get(key) ?? encodeImage(format, seed, width, height, alpha);
  images.set(key, image);
  return Buffer.from(await image);
}

function encodeImage(
  format: 'jpeg' | 'png' | 'gif' | 'webp' | 'avif',
  seed: number,
  width: number,
  height: number,
  alpha: boolean,
): Promise<Buffer> {
  const channels = alpha ? 4 : 3;
  const pixels = Buffer.alloc(width * height * channels);
  for (let index = 0; index < pixels.length; index += 1)
    pixels[index] = (index * seed + (index >> 5) * 7) % 251;
  return sharp(pixels, { raw: { width, height, channels } }).toFormat(format).toBuffer();
}
