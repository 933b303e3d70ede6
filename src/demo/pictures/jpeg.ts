/** Writes greyscale JPEG files, baseline with Huffman coding (ITU-T T.81), at a chosen quality. */
import { AC_TABLE, DC_TABLE, LUMINANCE_STEPS, ZIGZAG, type HuffmanTable } from './jpeg-tables.js';

/** Taken out once: in the inner loops a module's own name is found faster than a global's member. */
const { abs, clz32, cos, floor, max, min, round, sqrt } = Math;

export interface GreyPicture {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** One byte a pixel, row by row: a shade from 0 (black) to 255. */
  readonly pixels: Uint8Array;
}

const BLOCK = 8;

/** `COSINES[frequency * 8 + place]`, with the factors of the discrete cosine transform (A.3.3). */
const COSINES = Float64Array.from({ length: 64 }, (_, at) => {
  const [frequency, place] = [floor(at / BLOCK), at % BLOCK];
  const scale = frequency === 0 ? sqrt(1 / BLOCK) : sqrt(2 / BLOCK);
  return scale * cos(((2 * place + 1) * frequency * Math.PI) / 16);
});

/** The quantisation table of a quality from 1 to 100, scaled as the common encoders do. */
function stepsFor(quality: number): number[] {
  const scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return LUMINANCE_STEPS.map((step) => max(1, min(255, floor((step * scale + 50) / 100))));
}

/** The code of each symbol, and its length in bits (annex C). */
interface Codes {
  readonly code: Uint16Array;
  readonly length: Uint8Array;
}

function codesOf({ counts, symbols }: HuffmanTable): Codes {
  const codes = { code: new Uint16Array(256), length: new Uint8Array(256) };
  let code = 0;
  let next = 0;
  for (const [index, count] of counts.entries()) {
    for (const symbol of symbols.slice(next, next + count)) {
      codes.code[symbol] = code;
      codes.length[symbol] = index + 1;
      code += 1;
    }
    next += count;
    code <<= 1;
  }
  return codes;
}

/** Gathers bits into bytes; a byte of ones is followed by one of zeros, so that it is no marker (F.1.2.3). */
class BitWriter {
  readonly #bytes: number[] = [];
  #held = 0;
  #count = 0;

  /** At most 16 bits. */
  write(bits: number, length: number): void {
    this.#held = (this.#held << length) | bits;
    this.#count += length;
    while (this.#count >= 8) {
      this.#count -= 8;
      const byte = (this.#held >> this.#count) & 0xff;
      this.#bytes.push(byte);
      if (byte === 0xff) {
        this.#bytes.push(0);
      }
    }
    this.#held &= (1 << this.#count) - 1;
  }

  put(codes: Codes, symbol: number): void {
    this.write(codes.code[symbol] ?? 0, codes.length[symbol] ?? 0);
  }

  /** Fills the last byte with ones, and gives all. */
  ended(): Buffer {
    if (this.#count > 0) {
      this.write(0xff >> this.#count, 8 - this.#count);
    }
    return Buffer.from(this.#bytes);
  }
}

const bitsOf = (value: number): number => 32 - clz32(abs(value));

/** A number as its size tells how to read it: negative ones are written one less (F.1.2.1). */
const amplitude = (value: number, bits: number): number =>
  value < 0 ? value + 2 ** bits - 1 : value;

/** One block's pixels around zero; beyond the picture its edge goes on. */
function readBlock(picture: GreyPicture, left: number, top: number, into: Float64Array): void {
  for (let y = 0; y < BLOCK; y += 1) {
    const row = min(picture.height - 1, top + y) * picture.width;
    for (let x = 0; x < BLOCK; x += 1) {
      const at = row + min(picture.width - 1, left + x);
      into[y * BLOCK + x] = (picture.pixels[at] ?? 0) - 128;
    }
  }
}

/**
 * The transform along rows; the result is turned, so that twice gives the whole. A cosine of even frequency is
 * the same from both ends of a row and one of odd frequency its opposite, so half the products do.
 */
function transformRows(from: Float64Array, into: Float64Array, sums: Float64Array): void {
  const half = BLOCK / 2;
  for (let row = 0; row < BLOCK; row += 1) {
    for (let place = 0; place < half; place += 1) {
      const near = from[row * BLOCK + place] ?? 0;
      const far = from[row * BLOCK + BLOCK - 1 - place] ?? 0;
      sums[place] = near + far;
      sums[half + place] = near - far;
    }
    for (let frequency = 0; frequency < BLOCK; frequency += 1) {
      const first = frequency % 2 === 0 ? 0 : half;
      let sum = 0;
      for (let place = 0; place < half; place += 1) {
        sum += (sums[first + place] ?? 0) * (COSINES[frequency * BLOCK + place] ?? 0);
      }
      into[frequency * BLOCK + row] = sum;
    }
  }
}

function scan(picture: GreyPicture, steps: readonly number[]): Buffer {
  const writer = new BitWriter();
  const [dcCodes, acCodes] = [codesOf(DC_TABLE), codesOf(AC_TABLE)];
  const block = new Float64Array(64);
  const turned = new Float64Array(64);
  const values = new Int16Array(64);
  const sums = new Float64Array(BLOCK);
  const divisors = Float64Array.from(steps);
  let mean = 0;
  for (let top = 0; top < picture.height; top += BLOCK) {
    for (let left = 0; left < picture.width; left += BLOCK) {
      readBlock(picture, left, top, block);
      transformRows(block, turned, sums);
      transformRows(turned, block, sums);
      for (let index = 0; index < 64; index += 1) {
        const place = ZIGZAG[index] ?? 0;
        values[index] = round((block[place] ?? 0) / (divisors[place] ?? 1));
      }
      const difference = (values[0] ?? 0) - mean;
      mean += difference;
      const size = bitsOf(difference);
      writer.put(dcCodes, size);
      writer.write(amplitude(difference, size), size);
      writeFrequencies(values, writer, acCodes);
    }
  }
  return writer.ended();
}

/** The 63 frequencies of a block: runs of zeros, and what ends each run (F.1.2.2). */
function writeFrequencies(values: Int16Array, writer: BitWriter, codes: Codes): void {
  let zeros = 0;
  for (let index = 1; index < values.length; index += 1) {
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
  if (zeros > 0) {
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
    scan(picture, steps),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** The picture at another width, each new pixel the mean of those that it covers. */
export function resized(picture: GreyPicture, width: number): GreyPicture {
  const { width: fullWidth, pixels: full } = picture;
  const scale = fullWidth / width;
  const height = round(picture.height / scale);
  const pixels = new Uint8Array(width * height);
  const from = (place: number): number => floor(place * scale);
  const columns = Uint32Array.from({ length: width + 1 }, (_, x) => min(from(x), fullWidth));
  for (let y = 0; y < height; y += 1) {
    const bottom = min(max(from(y) + 1, from(y + 1)), picture.height);
    for (let x = 0; x < width; x += 1) {
      const left = columns[x] ?? 0;
      const right = max(left + 1, columns[x + 1] ?? 0);
      let sum = 0;
      for (let row = from(y); row < bottom; row += 1) {
        const start = row * fullWidth;
        for (let column = left; column < right; column += 1) {
          sum += full[start + column] ?? 255;
        }
      }
      pixels[y * width + x] = sum / ((bottom - from(y)) * (right - left)) + 0.5;
    }
  }
  return { width, height, pixels };
}
