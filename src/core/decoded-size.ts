/** How much memory an image needs once it is decoded, which is checked before it is. */
import { gifStructure } from './gif.js';
import { imageDimensions } from './image-dimensions.js';
import { imageExtension } from './image-format.js';

/** The largest decoded image, or frame of one. */
export const MAX_DECODED_BYTES = 256 * 2 ** 20;

/**
 * How many bytes the pixels of this image need: those of a PNG by its depth and channels, of a GIF those of its largest
 * frame, which may be larger than its screen. Undefined if the image does not say it. Decodes nothing.
 *
 * @param image the whole file
 */
export async function decodedBytes(image: Buffer): Promise<number | undefined> {
  switch (imageExtension(image)) {
    case 'png':
      return pngBytes(image);
    case 'gif':
      return gifBytes(image);
    case 'jpg':
      return pixelBytes(image, jpegChannels(image));
    case 'webp':
    case 'avif':
      return pixelBytes(image, RGBA);
    case undefined:
      return undefined;
  }
}

const RGBA = 4;

async function pixelBytes(image: Buffer, channels: number): Promise<number | undefined> {
  const dimensions = await imageDimensions(image);
  return dimensions && dimensions.width * dimensions.height * channels;
}

/** IHDR is always the first chunk (PNG specification, section 11.2.1). */
const PNG_IHDR_END = 33;
const PNG_CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

function pngBytes(image: Buffer): number | undefined {
  if (image.length < PNG_IHDR_END) return undefined;
  const channels = PNG_CHANNELS[image.readUInt8(25)];
  if (channels === undefined) return undefined;
  const bitsPerRow = image.readUInt32BE(16) * channels * image.readUInt8(24);
  return Math.ceil(bitsPerRow / 8) * image.readUInt32BE(20);
}

const JPEG_MIN_CHANNELS = 3;

/** Four for CMYK, as a frame header says (ITU-T T.81, section B.2.2); decoders give at least RGB. */
function jpegChannels(image: Buffer): number {
  for (let offset = 2; offset + 10 <= image.length && image[offset] === 0xff;) {
    const marker = image.readUInt8(offset + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return Math.max(JPEG_MIN_CHANNELS, image.readUInt8(offset + 9));
    offset += marker === 0xff ? 1 : 2 + image.readUInt16BE(offset + 2);
  }
  return RGBA;
}

function gifBytes(image: Buffer): number | undefined {
  const gif = gifStructure(image);
  return gif && gif.pixels * RGBA;
}
