/** The parts of a PNG file (ISO/IEC 15948): a signature, then chunks of length, name, content and CRC. */
import { crc32 } from 'node:zlib';

export const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

export function pngChunk(name: string, content: Uint8Array): Buffer {
  const chunk = Buffer.alloc(content.length + 12);
  chunk.writeUInt32BE(content.length, 0);
  chunk.write(name, 4, 'latin1');
  chunk.set(content, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), content.length + 8);
  return chunk;
}

/** The colour types with 8 bits a sample. */
const PNG_COLORS = { grey: 0, rgb: 2, rgba: 6 } as const;

/** The IHDR chunk of an image with 8 bits a sample, not interlaced. */
export function pngHeader(
  width: number,
  height: number,
  colors: keyof typeof PNG_COLORS = 'grey',
): Buffer {
  const content = Buffer.alloc(13);
  content.writeUInt32BE(width, 0);
  content.writeUInt32BE(height, 4);
  content[8] = 8;
  content[9] = PNG_COLORS[colors];
  return pngChunk('IHDR', content);
}
