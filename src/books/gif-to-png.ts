/**
 * Converts the first frame of a GIF to a PNG with the same pixels, for formats that cannot contain a GIF. Works in steps,
 * so that an interruption is noticed in between.
 */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { PNG_SIGNATURE, pngChunk, pngHeader } from '../core/png.js';

interface GifFrame {
  readonly screenWidth: number;
  readonly screenHeight: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly isInterlaced: boolean;
  /** RGB. */
  readonly colors: Buffer;
  readonly transparentIndex: number | undefined;
  readonly codeBits: number;
  readonly data: Buffer;
}

/** A step takes a few milliseconds. */
const STEP_PIXELS = 2 ** 20;
const deflateAsync = promisify(deflate);

/** Throws Error for a damaged GIF, and the signal's reason. */
export async function gifToPng(gif: Buffer, signal: AbortSignal): Promise<Buffer> {
  const frame = readFirstFrame(gif);
  const indexes = Buffer.alloc(frame.width * frame.height);
  for (let step = decodeLzw(frame, indexes); step.next().done !== true;) await pause(signal);
  const { screenWidth: width, screenHeight: height, transparentIndex } = frame;
  const isOpaque =
    indexes.length === width * height &&
    (transparentIndex === undefined || !indexes.includes(transparentIndex));
  const samples = isOpaque ? 3 : 4;
  // Each row begins with its filter type, 0 for none. What no pixel covers is transparent.
  const scanlines = Buffer.alloc((1 + width * samples) * height);
  for (let step = drawFrame(frame, indexes, scanlines, samples); step.next().done !== true;)
    await pause(signal);
  return Buffer.concat([
    PNG_SIGNATURE,
    pngHeader(width, height, isOpaque ? 'rgb' : 'rgba'),
    pngChunk('IDAT', await deflateAsync(scanlines)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

async function pause(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const IMAGE = 0x2c;
const DESCRIPTOR_BYTES = 10;

/** Follows the blocks to the first image (GIF89a, sections 18 to 23). */
function readFirstFrame(gif: Buffer): GifFrame {
  const [screenWidth, screenHeight] = [gif.readUInt16LE(6), gif.readUInt16LE(8)];
  const globalColors = colorTable(gif, HEADER_BYTES, gif.readUInt8(10));
  let offset = HEADER_BYTES + globalColors.length;
  let transparentIndex: number | undefined;
  for (; gif.readUInt8(offset) !== IMAGE; offset = subBlocks(gif, offset + 2).end) {
    if (gif[offset] !== EXTENSION) throw new Error('it has no frame');
    if (gif[offset + 1] !== GRAPHIC_CONTROL) continue;
    const hasTransparency = (gif.readUInt8(offset + 3) & 1) === 1;
    transparentIndex = hasTransparency ? gif.readUInt8(offset + 6) : undefined;
  }
  const [left, top] = [gif.readUInt16LE(offset + 1), gif.readUInt16LE(offset + 3)];
  const [width, height] = [gif.readUInt16LE(offset + 5), gif.readUInt16LE(offset + 7)];
  if (left + width > screenWidth || top + height > screenHeight)
    throw new Error('its first frame is larger than its screen');
  const flags = gif.readUInt8(offset + 9);
  const localColors = colorTable(gif, offset + DESCRIPTOR_BYTES, flags);
  const dataOffset = offset + DESCRIPTOR_BYTES + localColors.length;
  const frame = { screenWidth, screenHeight, left, top, width, height, transparentIndex };
  return {
    ...frame,
    isInterlaced: (flags & 0x40) !== 0,
    colors: localColors.length > 0 ? localColors : globalColors,
    codeBits: gif.readUInt8(dataOffset),
    data: subBlocks(gif, dataOffset + 1).data,
  };
}

/** Empty unless the flags announce it. */
function colorTable(gif: Buffer, offset: number, flags: number): Buffer {
  const bytes = (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
  return gif.subarray(offset, offset + bytes);
}

function subBlocks(gif: Buffer, start: number): { readonly data: Buffer; readonly end: number } {
  const blocks: Buffer[] = [];
  let offset = start;
  for (let length = gif[offset]; length !== undefined && length > 0; length = gif[offset]) {
    blocks.push(gif.subarray(offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return { data: Buffer.concat(blocks), end: offset + 1 };
}

const MAX_CODES = 4096;

/** Fills `pixels`; missing ones stay 0 (GIF89a, appendix F). Yields after each step. */
function* decodeLzw({ codeBits, data }: GifFrame, pixels: Buffer): Generator<undefined> {
  if (codeBits < 1 || codeBits > 8) throw new Error(`its codes have ${codeBits} bits`);
  const clearCode = 1 << codeBits;
  // Each code has the code without its last pixel, that pixel, and a number of pixels.
  const prefixes = new Uint16Array(MAX_CODES);
  const suffixes = new Uint8Array(MAX_CODES);
  const lengths = new Uint16Array(MAX_CODES).fill(1);
  let [nextCode, size, previous] = [clearCode + 2, codeBits + 1, -1];
  let [buffer, bits, written, nextPause] = [0, 0, 0, STEP_PIXELS];
  for (let offset = 0; offset < data.length && written < pixels.length; offset += 1) {
    buffer |= (data[offset] ?? 0) << bits;
    for (bits += 8; bits >= size && written < pixels.length;) {
      const code = buffer & ((1 << size) - 1);
      buffer >>>= size;
      bits -= size;
      if (code === clearCode) {
        [nextCode, size, previous] = [clearCode + 2, codeBits + 1, -1];
        continue;
      }
      if (code === clearCode + 1) return;
      // A code may be used before it is complete: it ends with its own first pixel.
      const isNew = code === nextCode && previous !== -1;
      if (!isNew && (code >= nextCode || (previous === -1 && code > clearCode)))
        throw new Error('its pixels are damaged');
      const known = isNew ? previous : code;
      const length = lengths[known] ?? 1;
      let first = known;
      for (let at = written + length - 1; at > written; at -= 1) {
        if (at < pixels.length) pixels[at] = suffixes[first] ?? 0;
        first = prefixes[first] ?? 0;
      }
      pixels[written] = first;
      written += length;
      if (isNew && written < pixels.length) pixels[written] = first;
      if (isNew) written += 1;
      if (previous !== -1 && nextCode < MAX_CODES) {
        prefixes[nextCode] = previous;
        suffixes[nextCode] = first;
        lengths[nextCode] = (lengths[previous] ?? 1) + 1;
        nextCode += 1;
        if (nextCode === 1 << size && size < 12) size += 1;
      }
      previous = code;
    }
    if (written < nextPause) continue;
    nextPause = written + STEP_PIXELS;
    yield;
  }
}

/** The first row and the distance of the rows in each pass (GIF89a, appendix E). */
const INTERLACED = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const;

/** Yields after each step. */
function* drawFrame(
  { screenWidth, left, top, width, height, isInterlaced, colors, transparentIndex }: GifFrame,
  indexes: Buffer,
  scanlines: Buffer,
  samples: number,
): Generator<undefined> {
  let source = 0;
  let nextPause = STEP_PIXELS;
  for (const [first, distance] of isInterlaced ? INTERLACED : [[0, 1] as const]) {
    for (let row = first; row < height; row += distance) {
      let target = (top + row) * (1 + screenWidth * samples) + 1 + left * samples;
      for (const end = source + width; source < end; source += 1, target += samples) {
        const index = indexes[source] ?? 0;
        if (index === transparentIndex) continue;
        scanlines[target] = colors[index * 3] ?? 0;
        scanlines[target + 1] = colors[index * 3 + 1] ?? 0;
        scanlines[target + 2] = colors[index * 3 + 2] ?? 0;
        if (samples === 4) scanlines[target + 3] = 255;
      }
      if (source < nextPause) continue;
      nextPause = source + STEP_PIXELS;
      yield;
    }
  }
}
