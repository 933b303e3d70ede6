/**
 * Separates the transparency of a PNG for a PDF, where pdfkit would block the process for seconds, and end it if the data
 * is damaged. Works in steps, so that an interruption is noticed in between.
 */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';

/** What pdfkit keeps of an opened image until it is written; not in its types. */
export interface OpenedImage {
  readonly image?: PngData | null;
  imgData?: Buffer;
  alphaChannel?: Buffer;
  loadIndexedAlphaChannel?: () => void;
  splitAlphaChannel?: () => void;
  decodeData?: () => void;
  readonly finalize?: () => void;
}
interface PngData {
  readonly width: number;
  readonly height: number;
  readonly hasAlphaChannel: boolean;
  readonly interlaceMethod: number;
  readonly imgData: Uint8Array;
  readonly bits: number;
  readonly colors: number;
  readonly transparency: { readonly indexed?: readonly number[] };
  /** Passes the rows without their filters. */
  readonly decodePixels: (callback: (pixels: Uint8Array) => void) => void;
}

/** What the PDF gets of an image; without `imgData` it keeps the compressed data of the PNG. */
interface PdfImageData {
  readonly imgData?: Buffer;
  readonly alphaChannel?: Buffer;
}

/** A step takes a few milliseconds. */
const STEP_PIXELS = 2 ** 20;
const deflateAsync = promisify(deflate);
const inflateAsync = promisify(inflate);

/**
 * To be called before pdfkit writes the image. Resolves with undefined for one that is stored as it is; `done` resolves
 * when another one is written. Throws for damaged data.
 */
export async function whenWritten(
  opened: OpenedImage,
  signal: AbortSignal,
): Promise<{ readonly done: Promise<void> } | undefined> {
  const { image } = opened;
  if (!image) return undefined;
  const { width, height, hasAlphaChannel, interlaceMethod, transparency, imgData } = image;
  if (!hasAlphaChannel && interlaceMethod === 0 && !transparency.indexed) return undefined;
  // At most 8 bytes for a pixel, and one for its row.
  await inflateAsync(imgData, { maxOutputLength: 9 * width * height });
  const done = new Promise<void>((resolve, reject) => {
    const replaceWith = (convert: (pixels: Uint8Array) => Promise<PdfImageData>) => () => {
      image.decodePixels((pixels) => {
        convert(pixels).then((data) => {
          Object.assign(opened, data);
          opened.finalize?.();
          resolve();
        }, reject);
      });
    };
    opened.splitAlphaChannel = replaceWith((pixels) => splitAlpha(image, pixels, signal));
    opened.loadIndexedAlphaChannel = replaceWith((pixels) => indexedData(image, pixels, signal));
    opened.decodeData = replaceWith(async (pixels) => ({ imgData: await deflateAsync(pixels) }));
  });
  return { done };
}

async function pause(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

/** Of a sample of 16 bits, the PDF gets the first 8. */
async function splitAlpha(
  { width, height, colors, bits }: PngData,
  pixels: Uint8Array,
  signal: AbortSignal,
): Promise<PdfImageData> {
  const sampleBytes = bits / 8;
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
  return { imgData: await deflateAsync(color), alphaChannel: await deflateAsync(alpha) };
}

/** The transparency of each pixel of an indexed PNG; with fewer than 8 bits, a byte has several pixels. */
async function indexedData(
  { width, height, bits, interlaceMethod, transparency: { indexed = [] } }: PngData,
  pixels: Uint8Array,
  signal: AbortSignal,
): Promise<PdfImageData> {
  const rowBytes = Math.ceil((width * bits) / 8);
  const alpha = Buffer.alloc(width * height);
  for (let pixel = 0; pixel < alpha.length; pixel += 1) {
    const row = Math.floor(pixel / width);
    const bit = (pixel - row * width) * bits;
    const byte = pixels[row * rowBytes + (bit >> 3)] ?? 0;
    const index = (byte >> (8 - bits - (bit & 7))) & (2 ** bits - 1);
    alpha[pixel] = indexed[index] ?? 255;
    if (pixel % STEP_PIXELS === 0) await pause(signal);
  }
  const alphaChannel = await deflateAsync(alpha);
  return interlaceMethod === 1
    ? { imgData: await deflateAsync(pixels), alphaChannel }
    : { alphaChannel };
}
