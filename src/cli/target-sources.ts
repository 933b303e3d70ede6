/** Where targets are read from: the command line, files, standard input. */
import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import type { TargetSource } from '../catalogue/target-lines.js';
import { UsageError } from '../kernel/errors.js';
import type { Run } from './run.js';

/** A list of targets is a text that a person or a script wrote; nothing sensible is larger. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Reads one `--from-file`; `-` is standard input. Throws UsageError('bad-input-file'). */
export async function readSource(
  name: string,
  run: Pick<Run, 'stdin' | 'signal'>,
): Promise<TargetSource> {
  if (name === '-') return { name: 'standard input', lines: await readAll(run.stdin, run.signal) };
  try {
    return { name, lines: await readFile(name, 'utf8') };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError('bad-input-file', `The file of targets cannot be read: ${why}`, { cause });
  }
}

async function readAll(stream: Run['stdin'], signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stream) as AsyncIterable<Buffer | string>) {
      const buffer = Buffer.from(chunk as string);
      bytes += buffer.length;
      if (bytes > MOST_BYTES) {
        throw new UsageError(
          'bad-input-file',
          'Standard input holds more than any list of targets.',
        );
      }
      chunks.push(buffer);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  return Buffer.concat(chunks).toString('utf8');
}
