/** Reads lists of targets from files and standard input. */
import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import type { GivenOptions } from '../config/options/options.js';
import { hasCode, UsageError } from '../core/errors.js';
import { isSystemError, systemReason } from '../core/system-errors.js';
import { parseTargets, type ParsedTargets, type TargetSource } from '../selection/target-list.js';
import type { CommandContext } from './command-context.js';
import { readText, UNREADABLE_HINT } from './read-text.js';

const MAX_BYTES = 16 * 1024 * 1024;

/** From the arguments and the files of `--from-file`. Throws UsageError if none is given. */
export async function readTargets(
  targets: readonly string[],
  { fromFile = [] }: GivenOptions,
  context: CommandContext,
): Promise<ParsedTargets> {
  const sources: TargetSource[] = [{ name: 'command line', lines: targets }];
  for (const name of fromFile) sources.push(await readSource(name, context));
  const parsed = parseTargets(sources, [new URL(context.settings.apiUrl).hostname]);
  if (parsed.targets.length + parsed.invalid.length === 0) {
    if (fromFile.length > 0)
      throw new UsageError(
        'bad-input-file',
        `No targets in: ${sources
          .slice(1)
          .map(({ name }) => name)
          .join(', ')}`,
      );
    throw new UsageError('bad-target', 'No chapter, title or list to download.', {
      hint: 'Say what to download: a MangaDex URL, or: tankobon search WORDS',
    });
  }
  return parsed;
}

/**
 * Reads the value of one `--from-file`: a file, a named pipe such as that of a process substitution, or `-` for
 * standard input. Throws UsageError('bad-input-file').
 */
async function readSource(
  name: string,
  { stdin, signal }: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<TargetSource> {
  if (name === '-')
    return { name: 'standard input', lines: await readLimited(stdin, 'standard input', signal) };
  try {
    return { name, lines: await readLimited(openSource(name), name, signal) };
  } catch (cause) {
    signal.throwIfAborted();
    if (hasCode(cause)) throw cause;
    const reason = isSystemError(cause, 'EISDIR') ? 'it is a folder' : systemReason(cause);
    const message = `The target file cannot be read, ${reason}: ${name}`;
    throw new UsageError('bad-input-file', message, { cause, hint: UNREADABLE_HINT });
  }
}

async function readLimited(stream: Readable, name: string, signal: AbortSignal): Promise<string> {
  const text = await readText(stream, MAX_BYTES, signal);
  if (text === undefined)
    throw new UsageError('bad-input-file', `Larger than ${MAX_BYTES} bytes: ${name}`);
  // grep and git detect binary files in this way.
  if (text.includes('\0')) throw new UsageError('bad-input-file', `Not a text file: ${name}`);
  return text;
}

/**
 * Opens the file without waiting for the writer of a named pipe, and reads pipes and terminals by events: a thread
 * blocked on either would keep an interrupted process from ending.
 */
function openSource(name: string): Readable {
  if (process.platform === 'win32') return createReadStream(name);
  const fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  if (isatty(fd)) return new ReadStream(fd);
  return fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: true, writable: false })
    : createReadStream(name, { fd });
}
