/**
 * The program in the test's process, from the sources: far cheaper than a process of its own. For what does not depend
 * on a process.
 */
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { systemKeychains } from '../../src/service/keychain.js';
import { warnTo } from '../../src/cli/output/error-message.js';
import { redactorFor } from '../../src/config/environment.js';
import { pathsFrom } from '../../src/config/paths.js';
import { safeStream } from '../../src/cli/output/safe-stream.js';
import { runArgs } from '../../src/cli/run-process.js';
import { systemClock, type Clock } from '../../src/core/clock.js';
import type { Finished } from './command.js';
import { assertEventLines } from './event-check.js';

// The keychain's library reads the process's environment. No test asks the user's own keychain.
process.env['DBUS_SESSION_BUS_ADDRESS'] = 'unix:path=/nonexistent/bus';
// commander colors help if the process's output is a terminal.
process.env['NO_COLOR'] = '1';

export async function tankobonHere(
  words: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly input?: string;
    readonly clock?: Clock;
    readonly signal?: AbortSignal;
    /** The width of the terminal that standard output is. By default it is not a terminal. */
    readonly columns?: number;
  },
): Promise<Finished> {
  const { env, input = '', clock = systemClock, columns } = options;
  const { signal = new AbortController().signal } = options;
  const redactor = redactorFor(env);
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const stdout = Object.assign(new PassThrough(), terminal);
  const stderr = new PassThrough();
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await runArgs(words, {
    env,
    stdin: Readable.from([input]) as unknown as NodeJS.ReadStream,
    stdout: safeStream(stdout as unknown as NodeJS.WriteStream),
    stderr: safeStream(stderr as unknown as NodeJS.WriteStream),
    clock,
    signal,
    get paths() {
      return pathsFrom(env);
    },
    redactor,
    openKeychain: systemKeychains(systemClock, warnTo(stderr as unknown as NodeJS.WriteStream)),
  });
  stdout.end();
  stderr.end();
  const [results, messages] = await printed;
  if (words.includes('--json')) assertEventLines(results);
  return { code, signal: null, stdout: results, stderr: messages };
}
