/** Converts images losslessly to PNG with sharp, which users install themselves: it is native, and large. */
import { MAX_DECODED_BYTES } from '../cbz/decode-limits.js';
import { UsageError } from '../core/errors.js';

/** Throws UsageError `no-converter` without sharp. */
export async function assertConverter(): Promise<void> {
  await importSharp();
}

/** sharp itself decodes to at least RGB. */
const MAX_DECODED_PIXELS = Math.floor(MAX_DECODED_BYTES / 3);

/** Throws UsageError `no-converter`, and sharp's error for a damaged image. */
export async function convertToPng(image: Buffer): Promise<Buffer> {
  const sharp = await importSharp();
  return sharp(image, { limitInputPixels: MAX_DECODED_PIXELS }).png().toBuffer();
}

async function importSharp() {
  try {
    const { default: sharp } = await import('sharp');
    return sharp;
  } catch (cause) {
    const message = 'Images cannot be converted: the package sharp is not installed.';
    throw new UsageError('no-converter', message, { cause });
  }
}
