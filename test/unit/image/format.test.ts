import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { imageExtension, SIGNATURE_BYTES } from '../../../src/image/format.js';
import { imageDimensions } from '../../../src/image/dimensions.js';
import { SAMPLE_HEIGHT, SAMPLE_IMAGES, SAMPLE_WIDTH } from '../../support/sample-images.js';

describe('the kind of a picture', () => {
  test.each(Object.entries(SAMPLE_IMAGES))('a %s is known by its first bytes', (kind, bytes) => {
    expect(imageExtension(bytes)).toBe(kind);
    expect(imageExtension(bytes.subarray(0, SIGNATURE_BYTES))).toBe(kind);
  });

  test('an AVIF is known by a compatible brand too', () => {
    const bytes = Buffer.from(SAMPLE_IMAGES.avif);
    bytes.write('mif1', 8, 'latin1');
    bytes.write('mif1', 16, 'latin1');
    expect(imageExtension(bytes)).toBeUndefined();
    bytes.write('avif', 20, 'latin1');
    expect(imageExtension(bytes)).toBe('avif');
  });

  test("a brand's letters in the version number, or behind the list, are no brand", () => {
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
  ])('%s is no picture', (_, text) => {
    expect(imageExtension(Buffer.from(text, 'latin1'))).toBeUndefined();
  });

  test('any bytes are told without a throw, also as part of a larger buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const within = new Uint8Array(bytes.length + 9);
        within.set(bytes, 9);
        expect(imageExtension(within.subarray(9))).toBe(imageExtension(bytes));
      }),
    );
  });
});

describe('the size of a picture', () => {
  test.each(Object.entries(SAMPLE_IMAGES))('of a %s is read', async (_, bytes) => {
    expect(await imageDimensions(bytes)).toEqual({ width: SAMPLE_WIDTH, height: SAMPLE_HEIGHT });
  });

  test('is unknown, not an error, where the file is cut or garbled', async () => {
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
