/** Writes greyscale JPEG files, baseline with Huffman coding (ITU-T T.81), at a chosen quality. */
import { BitWriter, codesOf, type Codes } from './bit-writer.js';
import { transformBlock } from './cosine-transform.js';
import type { GreyPicture } from './grey-picture.js';
import { AC_TABLE, DC_TABLE, LUMINANCE_STEPS, ZIGZAG } from './jpeg-tables.js';

/** Taken out once: in the inner loops a module's own name is found faster than a global's member. */
const { ceil, clz32, floor, max, min, round } = Math;

const BLOCK = 8;

/** Where in a block each frequency stands, in the order of writing. */
const PLACES = Uint8Array.from(ZIGZAG);

/** The quantisation table of a quality from 1 to 100, scaled as the common encoders do. */
function stepsFor(quality: number): number[] {
  const scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return LUMINANCE_STEPS.map((step) => max(1, min(255, floor((step * scale + 50) / 100))));
}

/** How many bits the number has, whatever its sign. */
const bitsOf = (value: number): number => 32 - clz32(value < 0 ? -value : value);

/** A number as its size tells how to read it: negative ones are written one less (F.1.2.1). */
const amplitude = (value: number, bits: number): number =>
  value < 0 ? value + (1 << bits) - 1 : value;

/** The picture in whole blocks: beyond its right and lower edges the edge goes on. */
function inBlocks(picture: GreyPicture): GreyPicture {
  const width = ceil(picture.width / BLOCK) * BLOCK;
  const height = ceil(picture.height / BLOCK) * BLOCK;
  if (width === picture.width && height === picture.height) {
    return picture;
  }
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const start = min(y, picture.height - 1) * picture.width;
    const row = picture.pixels.subarray(start, start + picture.width);
    pixels.set(row, y * width);
    pixels.fill(row.at(-1) ?? 0, y * width + picture.width, (y + 1) * width);
  }
  return { width, height, pixels };
}

/** The pixels of the block that begins at `at`, around zero. Says whether all are the same. */
function readBlock({ width, pixels }: GreyPicture, at: number, into: Float64Array): boolean {
  const first = pixels[at] ?? 0;
  let differing = 0;
  for (let y = 0; y < BLOCK; y += 1) {
    const row = at + y * width;
    for (let x = 0; x < BLOCK; x += 1) {
      const shade = pixels[row + x] ?? 0;
      differing |= shade ^ first;
      into[y * BLOCK + x] = shade - 128;
    }
  }
  return differing === 0;
}

/** The frequencies of a block in the order of writing, each in steps of its own. Gives the last that is not 0. */
function readFrequencies(block: Float64Array, shares: Float64Array, into: Int16Array): number {
  transformBlock(block);
  let last = 0;
  for (let index = 0; index < 64; index += 1) {
    const place = PLACES[index] ?? 0;
    const share = (block[place] ?? 0) * (shares[place] ?? 0);
    const value = (share < 0 ? share - 0.5 : share + 0.5) | 0;
    into[index] = value;
    last = value === 0 ? last : index;
  }
  return last;
}

/** What writes the blocks of a scan one after the other. */
interface BlockWriter {
  writeBlock(at: number): void;
  ended(): Uint8Array;
}

function blockWriter(picture: GreyPicture, steps: readonly number[]): BlockWriter {
  const writer = new BitWriter((picture.width * picture.height) >> 3);
  const dcCodes = codesOf(DC_TABLE);
  const acCodes = codesOf(AC_TABLE);
  const block = new Float64Array(64);
  const values = new Int16Array(64);
  const shares = Float64Array.from(steps, (step) => 1 / step);
  const flatShare = BLOCK / (steps[0] ?? 1);
  let mean = 0;
  return {
    writeBlock(at) {
      let last = 0;
      if (readBlock(picture, at, block)) {
        values[0] = round((block[0] ?? 0) * flatShare);
      } else {
        last = readFrequencies(block, shares, values);
      }
      const difference = (values[0] ?? 0) - mean;
      mean += difference;
      const size = bitsOf(difference);
      writer.put(dcCodes, size);
      writer.write(amplitude(difference, size), size);
      writeFrequencies(values, last, writer, acCodes);
    },
    ended: () => writer.ended(),
  };
}

function scan(picture: GreyPicture, steps: readonly number[]): Uint8Array {
  const { width, height } = picture;
  const writer = blockWriter(picture, steps);
  for (let top = 0; top < height; top += BLOCK) {
    for (let left = 0; left < width; left += BLOCK) {
      writer.writeBlock(top * width + left);
    }
  }
  return writer.ended();
}

/** The other frequencies of a block up to the last: runs of zeros, and what ends each run (F.1.2.2). */
function writeFrequencies(values: Int16Array, last: number, writer: BitWriter, codes: Codes): void {
  let zeros = 0;
  for (let index = 1; index <= last; index += 1) {
    const value = values[index] ?? 0;
    if (value === 0) {
      zeros += 1;
      continue;
    }
    for (; zeros > 15; zeros -= 16) {
      writer.put(codes, 0xf0);
    }
    const size = bitsOf(value);
    writer.put(codes, (zeros << 4) | size);
    writer.write(amplitude(value, size), size);
    zeros = 0;
  }
  if (last < 63) {
    writer.put(codes, 0);
  }
}

function segment(marker: number, content: readonly number[]): Buffer {
  const length = content.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 0xff, ...content]);
}

/** The whole file. `quality` goes from 1 to 100; 75 is common, 40 shows its blocks. */
export function encodeJpeg(picture: GreyPicture, quality: number): Buffer {
  const { width, height } = picture;
  const steps = stepsFor(quality);
  const size = [height >> 8, height & 0xff, width >> 8, width & 0xff];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, [...Buffer.from('JFIF\0', 'latin1'), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    segment(0xdb, [0, ...ZIGZAG.map((place) => steps[place] ?? 1)]),
    segment(0xc0, [8, ...size, 1, 1, 0x11, 0]),
    segment(0xc4, [0x00, ...DC_TABLE.counts, ...DC_TABLE.symbols]),
    segment(0xc4, [0x10, ...AC_TABLE.counts, ...AC_TABLE.symbols]),
    segment(0xda, [1, 1, 0x00, 0, 63, 0]),
    scan(inBlocks(picture), steps),
    Buffer.from([0xff, 0xd9]),
  ]);
}
