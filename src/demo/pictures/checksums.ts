/** The two checksums that a PNG carries: CRC-32 over each chunk and Adler-32 over the picture's own bytes. */

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) {
    value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return value;
});

/** So many bytes are gone through at a time: loops that are called often run faster than one long one. */
const RUN = 3_800;

/** The CRC-32 of the PNG specification (annex D), unsigned. */
export function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (let from = 0; from < bytes.length; from += RUN) {
    crc = crcOfRun(bytes, from, Math.min(bytes.length, from + RUN), crc);
  }
  return (crc ^ -1) >>> 0;
}

function crcOfRun(bytes: Uint8Array, from: number, to: number, start: number): number {
  let crc = start;
  for (let at = from; at < to; at += 1) {
    crc = (CRC_TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return crc;
}

const ADLER_BASE = 65_521;
/** So many bytes can be added up before the sums must be brought back under the base (RFC 1950 9). */
const ADLER_RUN = 3_800;

/** The Adler-32 of RFC 1950, going on from `start`, the checksum of what went before. */
export function adler32(bytes: Uint8Array, start = 1): number {
  let low = start & 0xffff;
  let high = start >>> 16;
  for (let from = 0; from < bytes.length; from += ADLER_RUN) {
    for (const byte of bytes.subarray(from, from + ADLER_RUN)) {
      low += byte;
      high += low;
    }
    low %= ADLER_BASE;
    high %= ADLER_BASE;
  }
  return ((high << 16) | low) >>> 0;
}

/** The Adler-32 of two texts one after the other, from that of each, and the second one's length in bytes. */
export function joinedAdler32(first: number, second: number, secondBytes: number): number {
  const low = ((first & 0xffff) + (second & 0xffff) + ADLER_BASE - 1) % ADLER_BASE;
  const shifted = ((secondBytes % ADLER_BASE) * ((first & 0xffff) + ADLER_BASE - 1)) % ADLER_BASE;
  const high = ((first >>> 16) + (second >>> 16) + shifted) % ADLER_BASE;
  return ((high << 16) | low) >>> 0;
}
