/**
 * A PNG as pdfkit embeds it, with its transparency separated. pdfkit itself would block the process for seconds, end it
 * if the data is damaged, and believe the lengths of the chunks. Works in steps, so that an interruption is noticed in
 * between.
 */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { MAX_DECODED_BYTES } from '../core/decoded-size.js';
import { readPixels, readPng, type Png } from './png-pixels.js';

/** pdfkit's; its types lack the data. */
interface Reference {
  readonly data: Record<string, unknown>;
  readonly end: (content?: Buffer) => void;
}
interface Document {
  readonly ref: (data: Readonly<Record<string, unknown>>) => Reference;
}

/** An image that pdfkit draws. It calls `embed` first, which writes the image. */
export interface PdfImage {
  readonly width: number;
  readonly height: number;
  /** The name of the image on its page. */
  readonly label: string;
  obj: Reference | null;
  readonly embed: (document: Document) => void;
}

/** Without `color`, the PDF gets the compressed data of the PNG. */
interface SeparatedData {
  readonly color?: Buffer;
  readonly alpha?: Buffer;
}

/** A step takes a few milliseconds. */
const STEP_PIXELS = 2 ** 20;
const deflateAsync = promisify(deflate);

/**
 * For a page with this image only. Throws Error for a damaged PNG, unless `isBroken`: then the image has what can be read of
 * it; and the signal's reason.
 */
export async function openPng(
  file: Buffer,
  signal: AbortSignal,
  { isBroken = false } = {},
): Promise<PdfImage> {
  const png = readPng(file, { isBroken });
  const separated = await separate(png, signal, isBroken);
  const image: PdfImage = {
    width: png.width,
    height: png.height,
    label: 'I1',
    obj: null,
    embed: (document) => {
      image.obj = embed(png, separated, document);
    },
  };
  return image;
}

async function separate(png: Png, signal: AbortSignal, isBroken: boolean): Promise<SeparatedData> {
  const { width, height, hasAlpha, isInterlaced, palette, transparency } = png;
  const hasIndexedAlpha = palette !== undefined && transparency !== undefined;
  if (!hasAlpha && !hasIndexedAlpha && !isInterlaced && !isBroken) return {};
  // The transparency has a byte for each pixel, whatever the depth of the image.
  if (width * height > MAX_DECODED_BYTES) throw new Error(`it has ${width * height} pixels`);
  const pixels = await readPixels(png, signal, { isBroken });
  if (hasAlpha) return splitAlpha(png, pixels, signal);
  const alpha = hasIndexedAlpha ? await indexedAlpha(png, transparency, pixels, signal) : undefined;
  return { color: isInterlaced || isBroken ? await deflateAsync(pixels) : undefined, alpha };
}

async function pause(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

/** The PDF gets the first 8 bits of a sample of 16. */
async function splitAlpha(
  { width, height, channels, bits }: Png,
  pixels: Buffer,
  signal: AbortSignal,
): Promise<SeparatedData> {
  const sampleBytes = bits / 8;
  const colors = channels - 1;
  const color = Buffer.alloc(width * height * colors);
  const alpha = Buffer.alloc(width * height);
  let source = 0;
  for (let pixel = 0; pixel < alpha.length; pixel += 1) {
    for (let sample = 0; sample < colors; sample += 1, source += sampleBytes)
      color[pixel * colors + sample] = pixels[source] ?? 0;
    alpha[pixel] = pixels[source] ?? 0;
    source += sampleBytes;
    if (pixel % STEP_PIXELS === 0) await pause(signal);
  }
  return { color: await deflateAsync(color), alpha: await deflateAsync(alpha) };
}

/** The transparency of each pixel of an indexed PNG; with fewer than 8 bits, a byte has several pixels. */
async function indexedAlpha(
  { width, height, bits }: Png,
  transparency: Buffer,
  pixels: Buffer,
  signal: AbortSignal,
): Promise<Buffer> {
  const rowBytes = Math.ceil((width * bits) / 8);
  const alpha = Buffer.alloc(width * height);
  for (let pixel = 0; pixel < alpha.length; pixel += 1) {
    const row = Math.floor(pixel / width);
    const bit = (pixel - row * width) * bits;
    const byte = pixels[row * rowBytes + (bit >> 3)] ?? 0;
    const index = (byte >> (8 - bits - (bit & 7))) & (2 ** bits - 1);
    alpha[pixel] = transparency[index] ?? 255;
    if (pixel % STEP_PIXELS === 0) await pause(signal);
  }
  return deflateAsync(alpha);
}

/** PDF 1.7, sections 8.9.5 and 7.4.4.4. */
function embed(png: Png, { color, alpha }: SeparatedData, document: Document): Reference {
  const { width, height, bits, channels, hasAlpha, palette, transparency } = png;
  const size = { Type: 'XObject', Subtype: 'Image', Width: width, Height: height };
  const colors = hasAlpha ? channels - 1 : channels;
  const BitsPerComponent = hasAlpha ? 8 : bits;
  const image = document.ref({ ...size, BitsPerComponent, Filter: 'FlateDecode' });
  if (!color)
    image.data['DecodeParms'] = {
      Predictor: 15,
      Colors: colors,
      BitsPerComponent,
      Columns: width,
    };
  if (palette) {
    const table = document.ref({});
    table.end(palette);
    image.data['ColorSpace'] = ['Indexed', 'DeviceRGB', Math.floor(palette.length / 3) - 1, table];
  } else {
    image.data['ColorSpace'] = colors === 1 ? 'DeviceGray' : 'DeviceRGB';
    // One transparent color, as the range of each of its samples.
    if (!hasAlpha && transparency && transparency.length >= 2 * colors)
      image.data['Mask'] = Array.from({ length: 2 * colors }, (_, index) =>
        transparency.readUInt16BE(2 * (index >> 1)),
      );
  }
  if (alpha) {
    const Filter = 'FlateDecode';
    const mask = document.ref({ ...size, BitsPerComponent: 8, Filter, ColorSpace: 'DeviceGray' });
    mask.end(alpha);
    image.data['SMask'] = mask;
  }
  image.end(color ?? png.data);
  return image;
}
