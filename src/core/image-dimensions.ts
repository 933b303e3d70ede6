/** Reads the width and height of an image from its first bytes, without decoding it. */

/** In pixels. */
export interface ImageDimensions {
  readonly width: number;
  readonly height: number;
}

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

function isValidSide(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels > 0 && pixels <= MAX_PIXELS_PER_SIDE;
}
