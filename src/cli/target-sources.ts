/** Where targets are read from: the command line, files, standard input. */
import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import type { TargetSource } from '../selection/target-list.js';
import { hasCode, UsageError } from '../core/errors.js';
import type { CommandContext } from './command-context.js';

/** A list of targets is a text that a person or a script wrote; nothing sensible is larger. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Reads one `--from-file`: a file, a named pipe such as a shell's process substitution makes, or `-` for standard
 * input. Throws UsageError('bad-input-file').
 */
export async function readSource(
  name: string,
  run: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<TargetSource> {
  if (name === '-') {
    const source = 'standard input';
    return { name: source, lines: await readAll(run.stdin, source, run.signal) };
  }
  try {
    return { name, lines: await readAll(openSource(name), name, run.signal) };
  } catch (cause) {
    run.signal.throwIfAborted();
    if (hasCode(cause)) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError('bad-input-file', `The file of targets cannot be read: ${why}`, { cause });
  }
}

/**
 * Opens the file without waiting for the writer of a named pipe, and reads pipes and terminals by events: a thread
 * that waits for either would keep the process from ending when it is interrupted.
 */
function openSource(name: string): Readable {
  if (process.platform === 'win32') return createReadStream(name);
  const fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  if (isatty(fd)) return new ReadStream(fd);
  return fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: true, writable: false })
    : createReadStream(name, { fd });
}

async function readAll(stream: Readable, name: string, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stream) as AsyncIterable<Buffer | string>) {
      const buffer = Buffer.from(chunk as string);
      bytes += buffer.length;
      if (bytes > MOST_BYTES) {
        throw new UsageError('bad-input-file', `${name} holds more than any list of targets.`);
      }
      chunks.push(buffer);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  return Buffer.concat(chunks).toString('utf8');
}
