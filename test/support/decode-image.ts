import sharp from 'sharp';

/** Decodes the whole image; rejects if anything about it is wrong, such as a chunk's CRC. */
export async function decodeImage(bytes: Buffer) {
  const { data, info } = await sharp(bytes, { failOn: 'warning' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height };
}
