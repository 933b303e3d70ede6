/**
 * The CRC-32 of an entry's bytes, for archiver in the bundle, in place of crc-32 (scripts/bundle/node-crc-32.js): one that
 * is known is not computed again. A wrong one would not get far: the bytes are read back from the file and compared.
 */
import { crc32 } from 'node:zlib';

const known = new WeakMap<Uint8Array, number>();

/** To be called each time that `data` is appended, since its memory may be reused. */
export function rememberChecksum(data: Uint8Array, checksum: number): void {
  known.set(data, checksum);
}

export function checksumOf(data: Uint8Array, seed?: number): number {
  return (seed === undefined ? known.get(data) : undefined) ?? crc32(data, seed);
}
