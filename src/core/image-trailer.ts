/**
 * Detects truncated images by following their structure to the trailer, since nodes serve truncated copies with a
 * matching Content-Length. Bytes after the trailer are allowed: real files have padding or appended data there.
 */
import type { ImageExtension } from './image-format.js';
import { gifStructure } from './gif.js';

/** @param bytes the whole file */
export function hasValidTrailer(extension: ImageExtension, bytes: Buffer): boolean {
  return TRAILER_CHECKS[extension](bytes);
}

const TRAILER_CHECKS: Readonly<Record<ImageExtension, (bytes: Buffer) => boolean>> = {
  jpg: hasJpegTrailer,
  png: hasPngTrailer,
  gif: (bytes) => gifStructure(bytes)?.hasTrailer === true,
  webp: hasWebpTrailer,
  avif: hasAvifTrailer,
};

/** Looks for the EOI marker (ITU-T T.81, annex B). Skips segments, since a thumbnail in one has its own EOI. */
function hasJpegTrailer(bytes: Buffer): boolean {
  let offset = 0;
  for (;;) {
    offset = bytes.indexOf(0xff, offset);
    const marker = offset < 0 ? undefined : bytes[offset + 1];
    if (marker === undefined) return false;
    if (marker === 0xd9) return true;
    if (marker === 0xff) offset += 1;
    // A stuffed zero in the scan, or a marker without a segment: TEM, RST0 to RST7, SOI.
    else if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) offset += 2;
    else if (offset + 4 > bytes.length) return false;
    else offset += 2 + bytes.readUInt16BE(offset + 2);
  }
}

const PNG_SIGNATURE_BYTES = 8;
/** Length, type and checksum. */
const PNG_CHUNK_OVERHEAD_BYTES = 12;
const PNG_END = Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);

function hasPngTrailer(bytes: Buffer): boolean {
  let offset = PNG_SIGNATURE_BYTES;
  while (offset + PNG_CHUNK_OVERHEAD_BYTES <= bytes.length) {
    if (bytes.subarray(offset, offset + PNG_END.length).equals(PNG_END)) return true;
    offset += PNG_CHUNK_OVERHEAD_BYTES + bytes.readUInt32BE(offset);
  }
  return false;
}

const RIFF_HEADER_BYTES = 8;

/** WebP has no trailer; its header contains the file length. */
function hasWebpTrailer(bytes: Buffer): boolean {
  return (
    bytes.length >= RIFF_HEADER_BYTES && bytes.readUInt32LE(4) + RIFF_HEADER_BYTES <= bytes.length
  );
}

const BOX_HEADER_BYTES = 8;
const LARGE_BOX_HEADER_BYTES = 16;

/** AVIF has no trailer; its boxes fill the file, one of them with the image data (ISO/IEC 14496-12, section 4.2). */
function hasAvifTrailer(bytes: Buffer): boolean {
  let hasData = false;
  let offset = 0;
  while (offset + BOX_HEADER_BYTES <= bytes.length) {
    hasData ||= bytes.toString('latin1', offset + 4, offset + 8) === 'mdat';
    const length = boxBytes(bytes, offset);
    // A box of length 0 extends to the end of the file.
    if (length === 0) return hasData;
    if (length < BOX_HEADER_BYTES) return false;
    offset += length;
  }
  return hasData && offset === bytes.length;
}

function boxBytes(bytes: Buffer, offset: number): number {
  const length = bytes.readUInt32BE(offset);
  if (length !== 1) return length;
  if (offset + LARGE_BOX_HEADER_BYTES > bytes.length) return Infinity;
  return Number(bytes.readBigUInt64BE(offset + BOX_HEADER_BYTES));
}
