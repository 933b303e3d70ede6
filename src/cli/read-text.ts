import { addAbortSignal, type Readable } from 'node:stream';
import { decodeText } from '../core/decode-text.js';

/** For a file of targets that cannot be read: the hint of the error's code is about its content. */
export const UNREADABLE_HINT = 'Check the path, and that you may read it.';

/**
 * Reads a stream to its end, as decodeText does, without a byte order mark; undefined if it is larger than `maxBytes`.
 * Throws the signal's reason if aborted.
 */
export async function readText(
  stream: Readable,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const bytes = await readBytes(stream, maxBytes, signal);
  return bytes && decodeText(bytes).replace(/^\uFEFF/, '');
}

/** Reads a stream to its end, as readText does. */
export async function readBytes(
  stream: Readable,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stream) as AsyncIterable<Buffer | string>) {
      const buffer = Buffer.from(chunk as string);
      bytes += buffer.length;
      if (bytes > maxBytes) return undefined;
      chunks.push(buffer);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  return Buffer.concat(chunks);
}
