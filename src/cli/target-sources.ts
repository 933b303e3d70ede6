/** Where targets are read from: the command line, files, standard input. */
import { readFile } from 'node:fs/promises';
import type { TargetSource } from '../catalogue/target-lines.js';
import { UsageError } from '../kernel/errors.js';
import type { Run } from './run.js';

/** A list of targets is a text that a person or a script wrote; nothing sensible is larger. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Reads one `--from-file`; `-` is standard input. Throws UsageError('bad-input-file'). */
export async function readSource(name: string, run: Pick<Run, 'stdin'>): Promise<TargetSource> {
  if (name === '-') return { name: 'standard input', lines: await readAll(run.stdin) };
  try {
    return { name, lines: await readFile(name, 'utf8') };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError('bad-input-file', `The file of targets cannot be read: ${why}`, { cause });
  }
}

async function readAll(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > MOST_BYTES)
      throw new UsageError('bad-input-file', 'Standard input holds more than any list of targets.');
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
