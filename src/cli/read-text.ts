import { addAbortSignal, type Readable } from 'node:stream';

const UTF16_MARK = Buffer.from([0xff, 0xfe]);

/**
 * Reads a stream to its end, as UTF-8, or as the UTF-16 that `>` writes in Windows PowerShell; undefined if it is larger
 * than `maxBytes`. Throws the signal's reason if aborted.
 */
export async function readText(
  stream: Readable,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
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
  const whole = Buffer.concat(chunks);
  return whole.toString(whole.subarray(0, 2).equals(UTF16_MARK) ? 'utf16le' : 'utf8');
}
