/**
 * What kind of picture a file is, told from its first bytes and never from its name: names lie, and a node
 * may send an error page under the name of a page.
 */

export type ImageExtension = 'jpg' | 'png' | 'gif' | 'webp' | 'avif';

/** So many first bytes are enough to tell; fewer may do. An AVIF lists its brands within them. */
export const SIGNATURE_BYTES = 256;

/** The extension of the picture that begins with these bytes; undefined where they begin none that we know. */
export function imageExtension(firstBytes: Uint8Array): ImageExtension | undefined {
  const bytes = Buffer.from(firstBytes.buffer, firstBytes.byteOffset, firstBytes.byteLength);
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return 'jpg';
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'png';
  const text = (from: number, to: number) => bytes.toString('latin1', from, to);
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'gif';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'webp';
  if (text(4, 8) === 'ftyp' && brands(bytes).some((brand) => AVIF_BRANDS.has(brand))) return 'avif';
  return undefined;
}

/** A still picture and a sequence (AV1 Image File Format, section 8). */
const AVIF_BRANDS: ReadonlySet<string> = new Set(['avif', 'avis']);
const BRANDS_AT = 8;
const BRAND_BYTES = 4;
/** Between the major brand and the compatible ones stands a version number, which is no brand. */
const MINOR_VERSION_AT = 12;

/** The major and the compatible brands of an ISO base media file, as far as the bytes go. */
function brands(bytes: Buffer): string[] {
  if (bytes.length < BRANDS_AT + BRAND_BYTES) return [];
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, SIGNATURE_BYTES);
  const found: string[] = [];
  for (let at = BRANDS_AT; at + BRAND_BYTES <= end; at += BRAND_BYTES) {
    if (at !== MINOR_VERSION_AT) found.push(bytes.toString('latin1', at, at + BRAND_BYTES));
  }
  return found;
}

function startsWith(bytes: Buffer, beginning: readonly number[]): boolean {
  return beginning.every((byte, at) => bytes[at] === byte);
}
