/** The bounds before inflating and decoding: sizes are read from headers, nothing is decoded. */
import fc from 'fast-check';
import { assertNotBomb } from '../../../src/core/zip-file.js';
import { decodedBytes, MAX_DECODED_BYTES } from '../../../src/core/decoded-size.js';
import { testImage } from '../../support/chapter-files.js';
import { SAMPLE_IMAGES } from '../../support/sample-images.js';

const MIB = 2 ** 20;

function png(width: number, height: number, depth: number, colorType: number): Buffer {
  const image = Buffer.alloc(33);
  image.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  image.writeUInt32BE(width, 16);
  image.writeUInt32BE(height, 20);
  image.writeUInt8(depth, 24);
  image.writeUInt8(colorType, 25);
  return image;
}

/** A GIF of 50 bytes or so: a screen of 1 × 1 pixel, and frames of these sizes without data. */
function gif(...frames: readonly (readonly [width: number, height: number])[]): Buffer {
  const header = Buffer.from('GIF89a\x01\0\x01\0\0\0\0!\xf9\x04\0\0\0\0\0\0', 'latin1');
  const images = frames.map(([width, height]) => {
    const image = Buffer.from(',\0\0\0\0\0\0\0\0\0\x02\x00', 'latin1');
    image.writeUInt16LE(width, 5);
    image.writeUInt16LE(height, 7);
    return image;
  });
  return Buffer.concat([header, ...images, Buffer.from(';')]);
}

test.each([
  ['1 bit grey', 0, 1, 13 * 50],
  ['8 bit palette', 3, 8, 100 * 50],
  ['8 bit RGB', 2, 8, 100 * 50 * 3],
  ['16 bit RGB', 2, 16, 100 * 50 * 6],
  ['16 bit RGBA', 6, 16, 100 * 50 * 8],
])('a PNG of %s counts by its depth and channels', async (_, colorType, depth, bytes) => {
  expect(await decodedBytes(png(100, 50, depth, colorType))).toBe(bytes);
});

test('a GIF counts by its largest frame, or by its screen', async () => {
  expect(await decodedBytes(gif([1, 1]))).toBe(4);
  expect(await decodedBytes(gif([1, 1], [65_535, 65_535], [2, 2]))).toBe(65_535 ** 2 * 4);
  const large = await testImage('gif');
  expect(await decodedBytes(large)).toBe(60 * 90 * 4);
});

test.each([
  ['jpeg', 3],
  ['webp', 4],
  ['avif', 4],
  ['png', 3],
] as const)('a real %s counts pixels × %i', async (format, channels) => {
  expect(await decodedBytes(await testImage(format))).toBe(60 * 90 * channels);
});

test('a truncated, damaged or unknown image has a size or none, and never throws', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(SAMPLE_IMAGES), gif([9, 9]), png(3, 3, 8, 2)),
      fc.nat(),
      fc.uint8Array({ maxLength: 40 }),
      async (image, at, bytes) => {
        const damaged = Buffer.from(image);
        damaged.set(bytes.subarray(0, damaged.length), 0);
        for (const each of [damaged, image.subarray(0, at % image.length)]) {
          const decoded = await decodedBytes(each);
          expect(decoded === undefined || decoded >= 0).toBe(true);
        }
      },
    ),
  );
});

test('an archive is refused beyond 256 MiB and beyond 100 times its size, by its directory alone', () => {
  const entries = (...sizes: readonly number[]) => sizes.map((bytes) => ({ bytes }));
  expect(MAX_DECODED_BYTES).toBe(256 * MIB);
  assertNotBomb(entries(128 * MIB, 128 * MIB), 1);
  expect(() => {
    assertNotBomb(entries(128 * MIB, 128 * MIB, 1), 1);
  }).toThrow(`its entries would have ${256 * MIB + 1} bytes`);
  assertNotBomb(entries(400 * MIB), 4 * MIB);
  expect(() => {
    assertNotBomb(entries(400 * MIB, 1), 4 * MIB);
  }).toThrow('its entries');
});
