/** Command contexts and tokens for the tests of the login. */
import { PassThrough, Readable } from 'node:stream';
import { systemKeychains } from '../../../src/service/keychain.js';
import { pathsFrom } from '../../../src/config/paths.js';
import type { CommandContext } from '../../../src/cli/command-context.js';
import { loadSettings } from '../../../src/config/settings.js';
import { systemClock, type Clock } from '../../../src/core/clock.js';
import type { Tokens } from '../../../src/service/login/login-record.js';
import type { Env } from './harness.js';
import { Redactor } from '../../../src/core/redactor.js';

/** A command context whose output is discarded; `input` is its standard input. */
export async function runWith(
  env: Env,
  clock: Clock = systemClock,
  input = '',
): Promise<CommandContext> {
  const paths = pathsFrom(env);
  const settings = await loadSettings(env, paths.config);
  const stdin = Readable.from([Buffer.from(input)]) as unknown as CommandContext['stdin'];
  const stdout = new PassThrough().resume() as unknown as CommandContext['stdout'];
  const stderr = new PassThrough().resume() as unknown as CommandContext['stderr'];
  return {
    env,
    stdin,
    stdout,
    stderr,
    clock,
    signal: new AbortController().signal,
    settings,
    paths,
    redactor: new Redactor(),
    openKeychain: systemKeychains(systemClock),
  };
}

/** Tokens as of now. */
export function someTokens(changes: Partial<Tokens> = {}): Tokens {
  return {
    accessToken: 'access-0',
    refreshToken: 'refresh-0',
    obtainedAtMs: Date.now(),
    accessLastsMs: 900_000,
    refreshObtainedAtMs: Date.now(),
    ...changes,
  };
}
