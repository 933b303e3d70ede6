/** SHA-256 digests. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** The digest of bytes, or of a text in UTF-8. */
export function sha256Of(data: Buffer | string, encoding: 'hex' | 'base64url' = 'hex'): string {
  return createHash('sha256').update(data).digest(encoding);
}

const CHUNK_BYTES = 2 ** 20;
/** Some file systems in user space give a file the size 0. */
const MIN_CHUNK_BYTES = 4_096;

/**
 * The digest of all bytes of the file as lower-case hex, through one buffer: the chunks of a stream would accumulate.
 * `expectedBytes`: its size if it is whole, for the buffer.
 */
export async function sha256OfFile(file: FileHandle, expectedBytes: number): Promise<string> {
  const hash = createHash('sha256');
  const chunkBytes = Math.max(MIN_CHUNK_BYTES, Math.min(CHUNK_BYTES, expectedBytes + 1));
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(chunk.subarray(0, bytesRead));
    position += bytesRead;
  }
}
