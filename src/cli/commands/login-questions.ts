/**
 * Asks at the terminal for what a login still lacks, on standard error; secrets are not shown while typed. The
 * terminal echoes nothing from the first question to the last: between two prompts it would otherwise show
 * whatever is typed faster than the next one comes up.
 */
import { PassThrough } from 'node:stream';
import { interruption } from '../../core/errors.js';
import { printableLine } from '../../core/printable.js';
import type { PasswordGrant } from '../../auth/token-endpoint.js';
import type { CommandContext } from '../command-context.js';
import {
  FIELD_NAMES,
  fieldProblem,
  LOGIN_FIELDS,
  type GivenFields,
  type LoginField,
} from './login-input.js';
import { rawStream } from '../output/safe-stream.js';

/** @param usernameBefore the name offered to whoever just presses Enter */
export async function askForFields(
  given: GivenFields,
  usernameBefore: string | undefined,
  run: Pick<CommandContext, 'stdin' | 'stderr' | 'signal'>,
): Promise<PasswordGrant> {
  const { input, password } = await import('@inquirer/prompts');
  const keyboard = silentKeyboard(run.stdin);
  const context = { input: keyboard.keys, output: rawStream(run.stderr), signal: run.signal };
  const ask = async (name: LoginField): Promise<string> => {
    const { words } = LOGIN_FIELDS[name];
    const message = `${words.charAt(0).toUpperCase()}${words.slice(1)}:`;
    const validate = (value: string) => fieldProblem(name, value) ?? true;
    if (name === 'password' || name === 'clientSecret') {
      return password({ message, validate }, context);
    }
    const offered =
      name === 'username' && usernameBefore ? { default: printableLine(usernameBefore) } : {};
    return input({ message, validate, ...offered }, context);
  };
  const answers: Record<LoginField, string> = {
    username: '',
    password: '',
    clientId: '',
    clientSecret: '',
  };
  try {
    for (const name of FIELD_NAMES) answers[name] = given[name] ?? (await ask(name));
  } catch (error) {
    run.signal.throwIfAborted();
    if (error instanceof Error && error.name === 'ExitPromptError') throw interruption();
    throw error;
  } finally {
    keyboard.release();
  }
  return answers;
}

/** What is typed, without the terminal's echo; a Ctrl-C comes as a key and is the prompt's to notice. */
function silentKeyboard(stdin: CommandContext['stdin']): {
  readonly keys: PassThrough;
  release(): void;
} {
  const keys = new PassThrough();
  const pass = (typed: Buffer) => void keys.write(typed);
  stdin.setRawMode(true);
  stdin.on('data', pass);
  return {
    keys,
    release() {
      stdin.off('data', pass);
      stdin.pause();
      stdin.setRawMode(false);
      keys.end();
    },
  };
}
