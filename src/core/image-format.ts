/**
 * Detects an image's format from its first bytes. File names and content types are not used: a node may send an error
 * page under the name of an image.
 */

/** Larger images are neither loaded nor packed, since nothing would read them back. */
export const MAX_IMAGE_BYTES = 256 * 2 ** 20;

export const IMAGE_EXTENSIONS = ['jpg', 'png', 'gif', 'webp', 'avif'] as const;
export type ImageExtension = (typeof IMAGE_EXTENSIONS)[number];

/** The number of first bytes that is always enough, since an AVIF lists its brands in them. */
export const SIGNATURE_BYTES = 256;

/** Still images and image sequences (AV1 Image File Format, section 8). */
const AVIF_BRANDS: ReadonlySet<string> = new Set(['avif', 'avis']);
const BRANDS_OFFSET = 8;
const BRAND_BYTES = 4;
/** The version number between the major brand and the compatible brands. */
const MINOR_VERSION_OFFSET = 12;

/** The file extension for an image with these first bytes; undefined for any other content. */
export function imageExtension(firstBytes: Uint8Array): ImageExtension | undefined {
  const bytes = Buffer.from(firstBytes.buffer, firstBytes.byteOffset, firstBytes.byteLength);
  const text = (from: number, to: number) => bytes.toString('latin1', from, to);
  if (text(0, 3) === '\xff\xd8\xff') return 'jpg';
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'gif';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'webp';
  if (text(4, 8) === 'ftyp' && brands(bytes).some((brand) => AVIF_BRANDS.has(brand))) return 'avif';
  return undefined;
}

/** The major and the compatible brands of an ISO base media file. */
function brands(bytes: Buffer): string[] {
  if (bytes.length < BRANDS_OFFSET + BRAND_BYTES) return [];
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, SIGNATURE_BYTES);
  const found: string[] = [];
  for (let offset = BRANDS_OFFSET; offset + BRAND_BYTES <= end; offset += BRAND_BYTES) {
    if (offset !== MINOR_VERSION_OFFSET)
      found.push(bytes.toString('latin1', offset, offset + BRAND_BYTES));
  }
  return found;
}
