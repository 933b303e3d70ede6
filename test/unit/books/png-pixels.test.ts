/** PNGs as the PDF writer reads them: the same pixels as sharp decodes, in steps, and no more than the file has. */
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { PNG_SIGNATURE, pngChunk } from '../../../src/core/png.js';
import { openPng } from '../../../src/books/pdf-image.js';
import { readPixels, readPng } from '../../../src/books/png-pixels.js';

const signal = new AbortController().signal;
const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

interface Sample {
  readonly width: number;
  readonly height: number;
  readonly bits?: number;
  readonly colorType: keyof typeof CHANNELS;
  readonly isInterlaced?: boolean;
  /** The filter of each row; by default all five in turn. */
  readonly filter?: number;
  readonly extra?: readonly Buffer[];
}

/** Any bytes are pixels, whatever the filter. */
function samplePng({ width, height, bits = 8, colorType, ...options }: Sample): Buffer {
  const { isInterlaced = false, filter, extra = [] } = options;
  const rows: Buffer[] = [];
  for (const [left, top, columnStep, rowStep] of isInterlaced ? ADAM7 : [[0, 0, 1, 1] as const]) {
    const columns = Math.max(0, Math.ceil((width - left) / columnStep));
    const count = columns === 0 ? 0 : Math.max(0, Math.ceil((height - top) / rowStep));
    const bytes = Math.ceil((columns * bits * CHANNELS[colorType]) / 8);
    for (let row = 0; row < count; row += 1) {
      const content = Buffer.alloc(1 + bytes);
      for (let at = 1; at <= bytes; at += 1) content[at] = (at * 31 + row * 17 + (at >> 4)) % 251;
      content[0] = filter ?? row % 5;
      rows.push(content);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bits, colorType, 0, 0, isInterlaced ? 1 : 0], 8);
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    ...extra,
    pngChunk('IDAT', deflateSync(Buffer.concat(rows), { level: 1 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const SIZES = [
  { width: 37, height: 41 },
  { width: 1, height: 1 },
  { width: 3, height: 9 },
];

describe.each(SIZES)('%j', (size) => {
  test.each([false, true])('interlaced: %s: the same pixels as sharp', async (isInterlaced) => {
    for (const colorType of [0, 2, 6] as const) {
      const file = samplePng({ ...size, colorType, isInterlaced });
      const pixels = await readPixels(readPng(file), signal);
      const space = colorType === 0 ? 'b-w' : 'srgb';
      const data = await sharp(file).toColourspace(space).raw().toBuffer();
      expect({ colorType, isSame: pixels.equals(data) }).toEqual({ colorType, isSame: true });
    }
  });
});

test('16 bits: the same pixels as sharp', async () => {
  const file = samplePng({ width: 37, height: 41, bits: 16, colorType: 6 });
  const pixels = await readPixels(readPng(file), signal);
  const data = await sharp(file).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
  expect(pixels.swap16().equals(data)).toBe(true);
});

test('a large image is read in steps', async () => {
  const file = samplePng({ width: 2_048, height: 2_048, colorType: 6, filter: 4 });
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await readPixels(readPng(file), signal);
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(4);
});

test('an interruption ends it between two steps', async () => {
  const abort = new AbortController();
  abort.abort(new Error('interrupted'));
  const file = samplePng({ width: 2_048, height: 2_048, colorType: 6 });
  await expect(readPixels(readPng(file), abort.signal)).rejects.toThrow('interrupted');
});

describe('a damaged PNG is an error', () => {
  const small = { width: 4, height: 4, colorType: 6 } as const;
  const withLength = (type: string, length: number) => {
    const file = samplePng({ ...small, extra: [pngChunk(type, Buffer.alloc(8))] });
    file.writeUInt32BE(length, file.indexOf(type) - 4);
    return file;
  };

  test.each([
    ['a chunk whose length is negative as a signed number', withLength('teST', 0xfffffff0)],
    ['a palette of 2 GB', withLength('PLTE', 0x7fffffff)],
    ['no end', samplePng(small).subarray(0, -12)],
  ])('%s', async (_, file) => {
    await expect(openPng(file, signal)).rejects.toThrow('truncated');
  });

  test('an unknown filter', async () => {
    await expect(openPng(samplePng({ ...small, filter: 9 }), signal)).rejects.toThrow('filter');
  });

  test('one bit a pixel, but more pixels than may be decoded', async () => {
    const extra = [pngChunk('PLTE', Buffer.alloc(6)), pngChunk('tRNS', Buffer.from([0]))];
    const file = samplePng({ width: 8, height: 8, bits: 1, colorType: 3, extra });
    const header = file.subarray(8, 33);
    header.writeUInt32BE(46_000, 8);
    header.writeUInt32BE(46_000, 12);
    await expect(openPng(file, signal)).rejects.toThrow('pixels');
  });
});

test.each([
  ['cut off', (png: Buffer) => png.subarray(0, Math.floor(png.length / 2))],
  ['without its checksum', (png: Buffer) => png.subarray(0, png.length - 14)],
  ['of other bytes', (png: Buffer) => Buffer.from(png).fill(0xff, png.length / 2)],
])('of a broken PNG, what can be read is there: %s', async (_, broken) => {
  const file = samplePng({ width: 500, height: 500, colorType: 2 });
  const whole = await readPixels(readPng(file), signal);
  const pixels = await readPixels(readPng(broken(file), { isBroken: true }), signal, {
    isBroken: true,
  });
  expect(pixels.length).toBe(whole.length);
  const start = Math.floor(whole.length / 5);
  expect(pixels.subarray(0, start).equals(whole.subarray(0, start))).toBe(true);
  await expect(openPng(broken(file), signal, { isBroken: true })).resolves.toMatchObject({
    width: 500,
  });
});
