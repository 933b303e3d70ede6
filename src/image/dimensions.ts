/** How wide and high a picture is, read from its beginning; the pixels themselves are never decoded. */
import { openRegularFile } from '../core/files.js';

export interface ImageDimensions {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

/** Nearly every picture says its size within so many bytes. */
const FIRST_BYTES = 4 * 1024;
/** A JPEG may carry a thumbnail and a colour profile before it says its size. */
const BEGINNING_BYTES = 512 * 1024;
/** No picture of a page is larger; a number beyond it is a lie of the file. */
const MOST_PIXELS_A_SIDE = 2 ** 20;

/** The size of the picture in `bytes`, of which the first 512 KiB are enough; undefined where they do not tell. */
export async function imageDimensions(bytes: Uint8Array): Promise<ImageDimensions | undefined> {
  const { imageSize } = await import('image-size');
  try {
    const { width, height } = imageSize(bytes);
    return isSide(width) && isSide(height) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

/** The size of the picture in `file`. Rejects only with what the system says of the file. */
export async function imageDimensionsOfFile(file: string): Promise<ImageDimensions | undefined> {
  const handle = await openRegularFile(file);
  try {
    for (const bytes of [FIRST_BYTES, BEGINNING_BYTES]) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
      const size = await imageDimensions(buffer.subarray(0, bytesRead));
      if (size || bytesRead < bytes) return size;
    }
    return undefined;
  } finally {
    await handle.close();
  }
}

function isSide(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels > 0 && pixels <= MOST_PIXELS_A_SIDE;
}
