/** Converts the first frame of a GIF to a PNG with the same pixels, for formats that cannot contain a GIF. */
import { deflateSync } from 'node:zlib';
import { PNG_SIGNATURE, pngChunk, pngHeader } from '../core/png.js';

/** Throws Error for a damaged GIF. */
export async function gifToPng(gif: Buffer): Promise<Buffer> {
  const { GifReader } = await import('omggif');
  const reader = new GifReader(gif);
  const { width, height } = reader;
  const rgba = Buffer.alloc(width * height * 4);
  reader.decodeAndBlitFrameRGBA(0, rgba);
  const isOpaque = everyAlpha(rgba);
  const rows = scanlines(rgba, width, height, isOpaque ? 3 : 4);
  return Buffer.concat([
    PNG_SIGNATURE,
    pngHeader(width, height, isOpaque ? 'rgb' : 'rgba'),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function everyAlpha(rgba: Buffer): boolean {
  for (let offset = 3; offset < rgba.length; offset += 4) if (rgba[offset] !== 255) return false;
  return true;
}

/** Each row begins with its filter type, 0 for none. */
function scanlines(rgba: Buffer, width: number, height: number, samples: number): Buffer {
  const rowBytes = 1 + width * samples;
  const rows = Buffer.alloc(rowBytes * height);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const row = Math.floor(pixel / width);
    const target = row * rowBytes + 1 + (pixel - row * width) * samples;
    rgba.copy(rows, target, pixel * 4, pixel * 4 + samples);
  }
  return rows;
}
