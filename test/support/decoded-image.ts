import { createRequire } from 'node:module';

interface Decoder {
  raw(): Decoder;
  toBuffer(options: {
    resolveWithObject: true;
  }): Promise<{ data: Buffer; info: { width: number; height: number } }>;
}

const sharp = createRequire(import.meta.url)('sharp') as (
  bytes: Buffer,
  options: { failOn: 'warning' },
) => Decoder;

/** Decodes the whole image; rejects where anything about it is wrong, such as a chunk's CRC. */
export async function decoded(bytes: Buffer) {
  const { data, info } = await sharp(bytes, { failOn: 'warning' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height };
}
