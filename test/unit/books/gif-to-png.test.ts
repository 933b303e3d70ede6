/** GIFs as PNGs: the same pixels as omggif and sharp decode. */
import { GifReader } from 'omggif';
import sharp from 'sharp';
import { gifToPng } from '../../../src/books/gif-to-png.js';
import { testImage } from '../../support/chapter-files.js';

const signal = new AbortController().signal;

test.each([
  ['opaque', { width: 61, height: 90 }, {}],
  ['with transparency', { width: 61, height: 90, alpha: true }, {}],
  ['interlaced', { width: 61, height: 93 }, { progressive: true }],
  ['with few colors', { width: 61, height: 90 }, { colours: 4 }],
  ['larger than a step', { width: 1100, height: 1000 }, {}],
])('%s: the same pixels', async (_, size, options) => {
  const gif = await sharp(await testImage('png', 5, size))
    .gif(options)
    .toBuffer();
  const reader = new GifReader(gif);
  const expected = Buffer.alloc(size.width * size.height * 4);
  reader.decodeAndBlitFrameRGBA(0, expected);
  const png = await gifToPng(gif, signal);
  const decoded = await sharp(png).ensureAlpha().raw().toBuffer();
  expect(decoded.equals(expected)).toBe(true);
});

test.each([
  ['a code that does not exist yet', '0207ff00'],
  ['codes of 12 bits at the start', '0c0244010000'],
])('%s is an error', async (_, data) => {
  const header = '474946383961020002008000000000000000ff2c000000000200020000';
  await expect(gifToPng(Buffer.from(`${header}${data}3b`, 'hex'), signal)).rejects.toThrow(/^its /);
});
