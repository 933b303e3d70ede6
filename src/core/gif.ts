/** The structure of a GIF, read from block to block without decoding any (GIF89a, sections 18, 20 and 27). */
const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const DESCRIPTOR_BYTES = 10;
const TRAILER = 0x3b;

interface GifStructure {
  /** The size of the screen, or of the largest frame, which may be larger: a decoder allocates both by their own sizes. */
  readonly pixels: number;
  readonly hasTrailer: boolean;
}

/** Undefined for a file without a whole header. */
export function gifStructure(bytes: Buffer): GifStructure | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  let pixels = bytes.readUInt16LE(6) * bytes.readUInt16LE(8);
  let offset = HEADER_BYTES + colorTableBytes(bytes[10]);
  for (;;) {
    const block = bytes[offset];
    if (block === EXTENSION) offset = afterSubBlocks(bytes, offset + 2);
    else if (block === IMAGE && offset + DESCRIPTOR_BYTES <= bytes.length) {
      pixels = Math.max(pixels, bytes.readUInt16LE(offset + 5) * bytes.readUInt16LE(offset + 7));
      // The image data follows the descriptor, its color table and the code size.
      const dataOffset = offset + DESCRIPTOR_BYTES + colorTableBytes(bytes[offset + 9]) + 1;
      offset = afterSubBlocks(bytes, dataOffset);
    }
    // Some encoders write a zero byte between two blocks.
    else if (block === 0) offset += 1;
    else return { pixels, hasTrailer: block === TRAILER };
  }
}

function colorTableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

function afterSubBlocks(bytes: Buffer, start: number): number {
  let offset = start;
  for (let length = bytes[offset]; length !== undefined && length > 0; length = bytes[offset])
    offset += 1 + length;
  return offset + 1;
}
