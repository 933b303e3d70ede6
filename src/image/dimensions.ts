/** Reads the width and height of an image from its first bytes, without decoding it. */
import { openRegularFile } from '../core/files.js';

/** In pixels. */
export interface ImageDimensions {
  readonly width: number;
  readonly height: number;
}

/** Enough for most images; a JPEG may have a thumbnail and a colour profile before its size. */
const READ_SIZES = [4 * 1024, 512 * 1024];
/** A larger number in a file is wrong. */
const MAX_PIXELS_PER_SIDE = 2 ** 20;

/** Needs at most the first 512 KiB of the image; returns undefined if its size is not in `bytes`. */
export async function imageDimensions(bytes: Uint8Array): Promise<ImageDimensions | undefined> {
  const { imageSize } = await import('image-size');
  try {
    const { width, height } = imageSize(bytes);
    return isValidSide(width) && isValidSide(height) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects only with the system's error for the file. */
export async function imageDimensionsOfFile(file: string): Promise<ImageDimensions | undefined> {
  const handle = await openRegularFile(file);
  try {
    for (const size of READ_SIZES) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
      const dimensions = await imageDimensions(buffer.subarray(0, bytesRead));
      if (dimensions || bytesRead < size) return dimensions;
    }
    return undefined;
  } finally {
    await handle.close();
  }
}

function isValidSide(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels > 0 && pixels <= MAX_PIXELS_PER_SIDE;
}
