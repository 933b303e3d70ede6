/**
 * Reads a PNG: its chunks, and its pixels where they are needed. Works in steps, so that an interruption is noticed in
 * between. Sections are those of the PNG specification.
 */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createInflate, inflate } from 'node:zlib';
import { MAX_DECODED_BYTES } from '../core/decoded-size.js';

export interface Png {
  readonly width: number;
  readonly height: number;
  /** The size of a sample. */
  readonly bits: number;
  /** Samples of a pixel, with that of its transparency. */
  readonly channels: number;
  readonly hasAlpha: boolean;
  readonly isInterlaced: boolean;
  /** RGB; of an indexed image only. */
  readonly palette: Buffer | undefined;
  /** The content of tRNS: of each color of the palette, or the one transparent color. */
  readonly transparency: Buffer | undefined;
  /** The compressed rows with their filters. */
  readonly data: Buffer;
}

const SIGNATURE_BYTES = 8;
const CHUNK_BYTES = 12;
const INDEXED = 3;
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** A step takes a few milliseconds. */
const STEP_BYTES = 2 ** 22;
const inflateAsync = promisify(inflate);

/** Throws Error for a damaged PNG; with `isBroken`, only for one without a header. */
export function readPng(file: Buffer, { isBroken = false } = {}): Png {
  const chunks = readChunks(file, isBroken);
  const header = chunks.get('IHDR')?.[0];
  if (header?.length !== 13) throw new Error('it has no header');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [bits, colorType, interlace] = [header.readUInt8(8), header.readUInt8(9), header[12]];
  const channels = CHANNELS[colorType];
  if (channels === undefined || width === 0 || height === 0 || ![1, 2, 4, 8, 16].includes(bits))
    throw new Error('its header is damaged');
  const palette = colorType === INDEXED ? chunks.get('PLTE')?.[0] : undefined;
  if (colorType === INDEXED && palette === undefined) throw new Error('it has no palette');
  const parts = chunks.get('IDAT') ?? [];
  return {
    width,
    height,
    bits,
    channels,
    hasAlpha: colorType === 4 || colorType === 6,
    isInterlaced: interlace === 1,
    palette,
    transparency: chunks.get('tRNS')?.[0],
    data: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts),
  };
}

/** The contents of the chunks by their type (section 5.3), of a broken file as far as it goes. */
function readChunks(file: Buffer, isBroken: boolean): Map<string, Buffer[]> {
  const chunks = new Map<string, Buffer[]>();
  let offset = SIGNATURE_BYTES;
  while (!chunks.has('IEND')) {
    const length = offset + CHUNK_BYTES <= file.length ? file.readUInt32BE(offset) : Infinity;
    const isCut = offset + CHUNK_BYTES + length > file.length;
    if (isCut && !isBroken) throw new Error('it is truncated');
    const type = file.toString('latin1', offset + 4, offset + 8);
    const content = file.subarray(offset + 8, offset + 8 + length);
    const known = chunks.get(type);
    if (known) known.push(content);
    else chunks.set(type, [content]);
    if (isCut) break;
    offset += CHUNK_BYTES + length;
  }
  return chunks;
}

/**
 * The pixels, in rows that begin with a byte. An interlaced image needs samples of at least 8 bits. Throws Error for
 * damaged data, unless `isBroken`: then the rest is black or transparent; and the signal's reason.
 */
export async function readPixels(
  png: Png,
  signal: AbortSignal,
  { isBroken = false } = {},
): Promise<Buffer> {
  const { width, height, data } = png;
  const passes = passesOf(png);
  let bytes = 0;
  for (const { columns, rows } of passes) bytes += rows * (1 + rowBytes(png, columns));
  // Some images have more data than pixels.
  const maxOutputLength = Math.max(bytes, MAX_DECODED_BYTES);
  const filtered = isBroken
    ? await inflateStart(data, bytes, signal)
    : await inflateAsync(data, { maxOutputLength });
  const pixels = Buffer.alloc(height * rowBytes(png, width));
  const steps = removeFilters(png, passes, filtered, pixels);
  try {
    while (steps.next().done !== true) {
      await setImmediate();
      signal.throwIfAborted();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!isBroken) throw error;
  }
  return pixels;
}

/** What can be inflated of damaged data. */
async function inflateStart(data: Buffer, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const inflater = createInflate();
  inflater.end(data);
  try {
    for await (const part of inflater as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      parts.push(part);
      bytes += part.length;
      if (bytes >= maxBytes) break;
    }
  } catch {
    signal.throwIfAborted();
  }
  return Buffer.concat(parts);
}

function rowBytes({ bits, channels }: Png, columns: number): number {
  return Math.ceil((columns * channels * bits) / 8);
}

interface Pass {
  /** The position of the first pixel. */
  readonly left: number;
  readonly top: number;
  /** From one pixel to the next. */
  readonly columnStep: number;
  readonly rowStep: number;
  readonly columns: number;
  readonly rows: number;
}

/** Section 8.2: left, top, column step, row step. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The passes that have pixels. */
function passesOf({ width, height, isInterlaced }: Png): Pass[] {
  return (isInterlaced ? ADAM7 : ([[0, 0, 1, 1]] as const))
    .map(([left, top, columnStep, rowStep]) => {
      const columns = Math.max(0, Math.ceil((width - left) / columnStep));
      const rows = Math.max(0, Math.ceil((height - top) / rowStep));
      return { left, top, columnStep, rowStep, columns, rows };
    })
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
}

/** Fills `pixels`; missing ones stay 0. Changes `filtered`. Yields after each step. */
function* removeFilters(
  png: Png,
  passes: readonly Pass[],
  filtered: Buffer,
  pixels: Buffer,
): Generator<undefined> {
  const pixelBytes = Math.max(1, (png.bits * png.channels) / 8);
  let [offset, nextPause] = [0, STEP_BYTES];
  for (const { left, top, columnStep, rowStep, columns, rows } of passes) {
    const bytes = rowBytes(png, columns);
    let above: Buffer = Buffer.alloc(bytes);
    for (let number = 0; number < rows && offset + bytes < filtered.length; number += 1) {
      const row = filtered.subarray(offset + 1, offset + 1 + bytes);
      removeFilter(filtered.readUInt8(offset), row, above, pixelBytes);
      let target = (top + number * rowStep) * rowBytes(png, png.width) + left * pixelBytes;
      if (columnStep === 1) row.copy(pixels, target);
      else
        for (let from = 0; from < bytes; from += pixelBytes, target += columnStep * pixelBytes)
          row.copy(pixels, target, from, from + pixelBytes);
      above = row;
      offset += 1 + bytes;
      if (offset < nextPause) continue;
      nextPause = offset + STEP_BYTES;
      yield;
    }
  }
}

/** In place (section 9.2). `above`: the row before, without its filter. */
function removeFilter(type: number, row: Buffer, above: Buffer, pixelBytes: number): void {
  const { length } = row;
  switch (type) {
    case 0:
      return;
    case 1:
      for (let at = pixelBytes; at < length; at += 1)
        row[at] = (row[at] ?? 0) + (row[at - pixelBytes] ?? 0);
      return;
    case 2:
      for (let at = 0; at < length; at += 1) row[at] = (row[at] ?? 0) + (above[at] ?? 0);
      return;
    case 3:
      for (let at = 0; at < length; at += 1) {
        const left = at < pixelBytes ? 0 : (row[at - pixelBytes] ?? 0);
        row[at] = (row[at] ?? 0) + ((left + (above[at] ?? 0)) >> 1);
      }
      return;
    case 4:
      for (let at = 0; at < length; at += 1) {
        const isFirst = at < pixelBytes;
        const left = isFirst ? 0 : (row[at - pixelBytes] ?? 0);
        row[at] =
          (row[at] ?? 0) + paeth(left, above[at] ?? 0, isFirst ? 0 : (above[at - pixelBytes] ?? 0));
      }
      return;
    default:
      throw new Error(`it has a filter of type ${type}`);
  }
}

/** The neighbor that is nearest to left + above - corner (section 9.4). */
function paeth(left: number, above: number, corner: number): number {
  const estimate = left + above - corner;
  const [toLeft, toAbove, toCorner] = [
    Math.abs(estimate - left),
    Math.abs(estimate - above),
    Math.abs(estimate - corner),
  ];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
