import fc from 'fast-check';
import { imageExtension, SIGNATURE_BYTES } from '../../../../src/core/image-format.js';
import { imageDimensions } from '../../../../src/core/image-dimensions.js';
import { SAMPLE_HEIGHT, SAMPLE_IMAGES, SAMPLE_WIDTH } from '../../../support/sample-images.js';

describe('imageExtension', () => {
  test.each(Object.entries(SAMPLE_IMAGES))('detects %s by its first bytes', (kind, bytes) => {
    expect(imageExtension(bytes)).toBe(kind);
    expect(imageExtension(bytes.subarray(0, SIGNATURE_BYTES))).toBe(kind);
  });

  test('detects an AVIF by a compatible brand', () => {
    const bytes = Buffer.from(SAMPLE_IMAGES.avif);
    bytes.write('mif1', 8, 'latin1');
    bytes.write('mif1', 16, 'latin1');
    expect(imageExtension(bytes)).toBeUndefined();
    bytes.write('avif', 20, 'latin1');
    expect(imageExtension(bytes)).toBe('avif');
  });

  test('ignores a brand in the version number or after the list', () => {
    const bytes = Buffer.alloc(64);
    bytes.writeUInt32BE(20, 0);
    bytes.write('ftypheicavifmif1avif', 4, 'latin1');
    expect(imageExtension(bytes)).toBeUndefined();
  });

  test.each([
    ['nothing', ''],
    ['an HTML page', '<!doctype html><html>'],
    ['a RIFF that is a sound', 'RIFF\x24\0\0\0WAVEfmt '],
    ['half a PNG signature', '\x89PNG'],
  ])('%s is not an image', (_, text) => {
    expect(imageExtension(Buffer.from(text, 'latin1'))).toBeUndefined();
  });

  test('never throws, and works on part of a larger buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const within = new Uint8Array(bytes.length + 9);
        within.set(bytes, 9);
        expect(imageExtension(within.subarray(9))).toBe(imageExtension(bytes));
      }),
    );
  });
});

describe('imageDimensions', () => {
  test.each(Object.entries(SAMPLE_IMAGES))('reads the size of a %s', async (_, bytes) => {
    expect(await imageDimensions(bytes)).toEqual({ width: SAMPLE_WIDTH, height: SAMPLE_HEIGHT });
  });

  test('returns undefined for a truncated or damaged file', async () => {
    const kinds = fc.constantFrom(...Object.values(SAMPLE_IMAGES));
    await fc.assert(
      fc.asyncProperty(kinds, fc.nat(), fc.nat(), fc.nat(255), async (bytes, end, at, value) => {
        const garbled = Buffer.from(bytes.subarray(0, end % (bytes.length + 1)));
        if (garbled.length > 0) garbled[at % garbled.length] = value;
        const size = await imageDimensions(garbled);
        if (size) expect(Math.min(size.width, size.height)).toBeGreaterThan(0);
      }),
    );
  });
});
