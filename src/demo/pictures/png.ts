/**
 * Writes PNG files (ISO/IEC 15948): the signature, and chunks of length, name, content and CRC. Pictures are
 * greyscale, or sixteen shades of a colour.
 */
import { deflateSync } from 'node:zlib';
import { crc32 } from './checksums.js';

export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** One chunk, ready to stand in the file. */
export function pngChunk(name: string, content: Uint8Array): Buffer {
  const chunk = Buffer.alloc(content.length + 12);
  chunk.writeUInt32BE(content.length, 0);
  chunk.write(name, 4, 'latin1');
  chunk.set(content, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, content.length + 8)), content.length + 8);
  return chunk;
}

/** The first chunk: greyscale of 8 or 4 bits a pixel, or an index of 4 bits into a palette; not interlaced. */
export function pngHeader(
  width: number,
  height: number,
  kind: 'grey-8' | 'grey-4' | 'palette-4',
): Buffer {
  const content = Buffer.alloc(13);
  content.writeUInt32BE(width, 0);
  content.writeUInt32BE(height, 4);
  content[8] = kind === 'grey-8' ? 8 : 4;
  content[9] = kind === 'palette-4' ? 3 : 0;
  return pngChunk('IHDR', content);
}

export interface PngPicture {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** One byte a pixel, row by row: a shade from 0 (black) to 255. */
  readonly pixels: Uint8Array;
  /** What the sixteen shades are printed in, from the darkest: `[red, green, blue]`, 0 to 255 each. */
  readonly palette?: readonly (readonly [number, number, number])[];
}

/** Which of the sixteen shades is nearest. */
const SHADES = Uint8Array.from({ length: 256 }, (_, shade) => Math.round(shade / 17));

/** The whole file, in sixteen shades. Rows are kept unfiltered: flat drawings deflate best so. */
export function encodePng({ width, height, pixels, palette }: PngPicture): Buffer {
  const rowBytes = Math.ceil(width / 2);
  const rows = Buffer.alloc((rowBytes + 1) * height);
  const shade = (at: number): number => SHADES[pixels[at] ?? 0] ?? 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 2) {
      const right = x + 1 < width ? shade(y * width + x + 1) : 0;
      rows[y * (rowBytes + 1) + 1 + x / 2] = (shade(y * width + x) << 4) | right;
    }
  }
  return Buffer.concat([
    PNG_SIGNATURE,
    pngHeader(width, height, palette ? 'palette-4' : 'grey-4'),
    ...(palette ? [pngChunk('PLTE', Uint8Array.from(palette.flat()))] : []),
    pngChunk('IDAT', deflateSync(rows, { level: 6 })),
    pngChunk('IEND', new Uint8Array(0)),
  ]);
}
