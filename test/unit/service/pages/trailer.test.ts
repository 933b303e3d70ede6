/** Truncated images are detected at every length. */
import fc from 'fast-check';
import { hasValidTrailer } from '../../../../src/core/image-trailer.js';
import type { ImageExtension } from '../../../../src/core/image-format.js';
import { generateChapter } from '../../../../src/practice-server/library/library.js';
import { SAMPLE_IMAGES } from '../../../support/sample-images.js';

const chapter = generateChapter({ pages: 1, bytesPerPage: 20_000 });
const pageBytes = (quality: 'data' | 'data-saver') =>
  chapter.pages(quality)[0]?.bytes() ?? Buffer.alloc(0);

/** A JPEG whose APP1 segment contains a thumbnail, a complete JPEG with its own EOI marker. */
function withThumbnail(jpeg: Buffer, thumbnail: Buffer): Buffer {
  const segment = Buffer.alloc(4);
  segment.writeUInt16BE(0xffe1, 0);
  segment.writeUInt16BE(2 + thumbnail.length, 2);
  return Buffer.concat([jpeg.subarray(0, 2), segment, thumbnail, jpeg.subarray(2)]);
}

const IMAGES: readonly (readonly [string, ImageExtension, Buffer])[] = [
  ...Object.entries(SAMPLE_IMAGES).map(
    ([type, bytes]) => [`a small ${type}`, type as ImageExtension, bytes] as const,
  ),
  ['a page in PNG', 'png', pageBytes('data')],
  ['a JPEG with a thumbnail', 'jpg', withThumbnail(SAMPLE_IMAGES.jpg, SAMPLE_IMAGES.jpg)],
  ['a JPEG with fill bytes', 'jpg', withFillBytes(SAMPLE_IMAGES.jpg)],
];

/** The end marker may be preceded by any number of 0xFF. */
function withFillBytes(jpeg: Buffer): Buffer {
  return Buffer.concat([jpeg.subarray(0, -2), Buffer.from([0xff, 0xff]), jpeg.subarray(-2)]);
}

describe.each(IMAGES)('%s', (_, type, bytes) => {
  test('is complete', () => {
    expect(hasValidTrailer(type, bytes)).toBe(true);
  });

  test('is incomplete if truncated anywhere', () => {
    const step = Math.max(1, Math.floor(bytes.length / 500));
    const complete: number[] = [];
    for (let length = 0; length < bytes.length; length += step)
      if (hasValidTrailer(type, bytes.subarray(0, length))) complete.push(length);
    expect(complete).toEqual([]);
  });
});

test.each(IMAGES.filter(([, type]) => type !== 'avif'))(
  '%s with padding or other data after its end is complete',
  (_, type, bytes) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (appended) => {
        expect(hasValidTrailer(type, Buffer.concat([bytes, appended]))).toBe(true);
      }),
    );
  },
);

test('an AVIF box of length 0 extends to the end of the file', () => {
  const bytes = Buffer.from(SAMPLE_IMAGES.avif);
  bytes.writeUInt32BE(0, bytes.indexOf('mdat') - 4);
  expect(hasValidTrailer('avif', bytes)).toBe(true);
});

test('never throws, and takes bounded time for any bytes', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...IMAGES),
      fc.uint8Array({ maxLength: 400 }),
      fc.nat(),
      ([, type, image], noise, place) => {
        const at = place % image.length;
        const damaged = Buffer.concat([image.subarray(0, at), noise, image.subarray(at)]);
        expect(typeof hasValidTrailer(type, damaged)).toBe('boolean');
        expect(typeof hasValidTrailer(type, Buffer.from(noise))).toBe('boolean');
      },
    ),
  );
});
