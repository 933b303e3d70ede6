/**
 * Whether an image file is complete. Its structure is followed to the trailer of its type, so a file that is cut
 * anywhere before it is found out, whatever HTTP said about its length: nodes serve truncated copies. Bytes behind
 * the trailer are allowed: real files carry padding there, or what a camera or an editor appended.
 */
import type { ImageExtension } from './format.js';

/** Whether `bytes`, a whole file of this type, reach the end that its type demands. */
export function hasValidTrailer(extension: ImageExtension, bytes: Buffer): boolean {
  return TRAILER_CHECKS[extension](bytes);
}

const TRAILER_CHECKS: Readonly<Record<ImageExtension, (bytes: Buffer) => boolean>> = {
  jpg: hasJpegEnd,
  png: hasPngEnd,
  gif: hasGifEnd,
  webp: hasWebpEnd,
  avif: hasAvifEnd,
};

/** The "end of image" marker (ITU-T T.81, annex B). Segments are skipped: a thumbnail in one has an end of its own. */
function hasJpegEnd(bytes: Buffer): boolean {
  let at = 0;
  for (;;) {
    at = bytes.indexOf(0xff, at);
    const marker = at < 0 ? undefined : bytes[at + 1];
    if (marker === undefined) return false;
    if (marker === 0xd9) return true;
    if (marker === 0xff) at += 1;
    // A stuffed zero within the scan, or a marker without a segment: TEM, RST0 to RST7, SOI.
    else if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (at + 4 > bytes.length) return false;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
}

const PNG_SIGNATURE_BYTES = 8;
/** A chunk's length, type and checksum. */
const PNG_CHUNK_OVERHEAD_BYTES = 12;
const PNG_END = Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);

function hasPngEnd(bytes: Buffer): boolean {
  let at = PNG_SIGNATURE_BYTES;
  while (at + PNG_CHUNK_OVERHEAD_BYTES <= bytes.length) {
    if (bytes.subarray(at, at + PNG_END.length).equals(PNG_END)) return true;
    at += PNG_CHUNK_OVERHEAD_BYTES + bytes.readUInt32BE(at);
  }
  return false;
}

const GIF_HEADER_BYTES = 13;
const GIF_EXTENSION = 0x21;
const GIF_IMAGE = 0x2c;
const GIF_TRAILER = 0x3b;

/** The trailer of GIF89a, section 27, behind the blocks before it. */
function hasGifEnd(bytes: Buffer): boolean {
  let at = GIF_HEADER_BYTES + colourTableBytes(bytes[10]);
  for (;;) {
    const block = bytes[at];
    if (block === GIF_TRAILER) return true;
    if (block === GIF_EXTENSION) at = afterSubBlocks(bytes, at + 2);
    // The descriptor, its colour table and the code size stand before the image's data.
    else if (block === GIF_IMAGE)
      at = afterSubBlocks(bytes, at + 11 + colourTableBytes(bytes[at + 9]));
    // Some encoders leave an empty byte between two blocks.
    else if (block === 0) at += 1;
    else return false;
  }
}

/** The bytes of the colour table that the flags announce. */
function colourTableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

function afterSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at])
    at += 1 + length;
  return at + 1;
}

const RIFF_HEADER_BYTES = 8;

/** WebP has no trailer: the file's length is in its header. */
function hasWebpEnd(bytes: Buffer): boolean {
  return (
    bytes.length >= RIFF_HEADER_BYTES && bytes.readUInt32LE(4) + RIFF_HEADER_BYTES <= bytes.length
  );
}

const BOX_HEADER_BYTES = 8;
const LARGE_BOX_HEADER_BYTES = 16;

/** AVIF has no trailer: its boxes, with the image's data among them, fill the file (ISO/IEC 14496-12, section 4.2). */
function hasAvifEnd(bytes: Buffer): boolean {
  let hasData = false;
  let at = 0;
  while (at + BOX_HEADER_BYTES <= bytes.length) {
    hasData ||= bytes.toString('latin1', at + 4, at + 8) === 'mdat';
    const length = boxBytes(bytes, at);
    // A box without a length goes on to the end of the file, wherever that is.
    if (length === 0) return hasData;
    if (length < BOX_HEADER_BYTES) return false;
    at += length;
  }
  return hasData && at === bytes.length;
}

function boxBytes(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at);
  if (length !== 1) return length;
  if (at + LARGE_BOX_HEADER_BYTES > bytes.length) return Infinity;
  return Number(bytes.readBigUInt64BE(at + BOX_HEADER_BYTES));
}
