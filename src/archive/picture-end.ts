/**
 * Whether a picture ends as its kind must end. Asked only where HTTP could not tell that a body was cut short: no
 * length and no chunks. A picture that merely ends oddly is not refused for it otherwise.
 */
import type { PictureExtension } from './media-type.js';

/** So many last bytes are enough to tell. */
export const ENDING_BYTES = 64;

const PNG_END = Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);
const JPEG_END = Buffer.from([0xff, 0xd9]);
const GIF_END = 0x3b;
const RIFF_HEADER_BYTES = 8;

/**
 * `first` and `last` are the picture's first and last bytes (at least TELLING_BYTES and ENDING_BYTES of them, or
 * all), `bytes` its whole length. An AVIF says nothing at its end, and passes.
 */
export function endsWell(
  extension: PictureExtension,
  first: Buffer,
  last: Buffer,
  bytes: number,
): boolean {
  switch (extension) {
    case 'png':
      return last.includes(PNG_END);
    case 'jpg':
      return last.includes(JPEG_END);
    case 'gif':
      return last.includes(GIF_END);
    case 'webp':
      return (
        first.length >= RIFF_HEADER_BYTES && first.readUInt32LE(4) + RIFF_HEADER_BYTES <= bytes
      );
    case 'avif':
      return true;
  }
}
