/** Reads what a command line names: standard input, files and named pipes. */
import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { expandHome } from '../core/home-folder.js';
import { decodeText } from '../core/decode-text.js';
import { UsageError } from '../core/errors.js';
import { isSystemError, systemReason } from '../core/system-errors.js';
import type { CommandContext } from './command-context.js';

/** `-` is standard input. */
export const inputName = (name: string): string =>
  name === '-' ? 'standard input' : expandHome(name);

interface InputOptions {
  /** What the message of an error calls it. */
  readonly what: 'file' | 'target file';
  readonly maxBytes: number;
  /** What to do about a file that is too large. */
  readonly hint?: string;
}

/**
 * The bytes of a file, of a named pipe such as that of a process substitution, or for `-` of standard input. Throws
 * UsageError('bad-input-file'), and the signal's reason if aborted.
 */
export async function readInput(
  name: string,
  { what, maxBytes, hint }: InputOptions,
  { stdin, signal }: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<Buffer> {
  let bytes: Buffer | undefined;
  try {
    bytes = await readBytes(name === '-' ? stdin : openInput(expandHome(name)), maxBytes, signal);
  } catch (cause) {
    signal.throwIfAborted();
    const reason = isSystemError(cause, 'EISDIR') ? 'it is a folder' : systemReason(cause);
    const message = `The ${what} cannot be read, ${reason}: ${inputName(name)}`;
    // The hint of the code is about the content.
    throw new UsageError('bad-input-file', message, {
      cause,
      hint: 'Check the path, and that you may read it.',
    });
  }
  if (bytes) return bytes;
  const message = `The ${what} is larger than ${maxBytes / 2 ** 20} MiB: ${inputName(name)}`;
  throw new UsageError('bad-input-file', message, hint === undefined ? {} : { hint });
}

/**
 * Opens the file without waiting for the writer of a named pipe, and reads pipes and terminals by events: a thread
 * blocked on either would keep an interrupted process from ending.
 */
function openInput(name: string): Readable {
  if (process.platform === 'win32') return createReadStream(name);
  const fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  if (isatty(fd)) return new ReadStream(fd);
  return fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: true, writable: false })
    : createReadStream(name, { fd });
}

/** The text in UTF-8 or UTF-16, without a byte order mark. */
export function textOf(bytes: Buffer): string {
  return decodeText(bytes).replace(/^\uFEFF/, '');
}

/** Reads a stream to its end; undefined if it is larger than `maxBytes`. Throws the signal's reason if aborted. */
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
