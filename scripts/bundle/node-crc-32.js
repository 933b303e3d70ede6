/** Replaces crc-32 in archiver by Node's own. */
import { crc32 } from 'node:zlib';

const buf = (bytes, seed) => crc32(bytes, seed);

export default { buf };
