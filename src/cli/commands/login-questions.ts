/** Asks at the terminal for what a login still lacks, on standard error; secrets are not shown while typed. */
import { interruption } from '../../kernel/errors.js';
import type { PasswordGrant } from '../../auth/grants.js';
import type { Run } from '../run.js';
import {
  FIELD_NAMES,
  fieldProblem,
  LOGIN_FIELDS,
  type GivenFields,
  type LoginField,
} from './login-input.js';

/** @param usernameBefore the name offered to whoever just presses Enter */
export async function askForFields(
  given: GivenFields,
  usernameBefore: string | undefined,
  run: Pick<Run, 'stdin' | 'stderr' | 'signal'>,
): Promise<PasswordGrant> {
  const { input, password } = await import('@inquirer/prompts');
  const context = { input: run.stdin, output: run.stderr, signal: run.signal };
  const ask = async (name: LoginField): Promise<string> => {
    const { words } = LOGIN_FIELDS[name];
    const message = `${words.charAt(0).toUpperCase()}${words.slice(1)}:`;
    const validate = (value: string) => fieldProblem(name, value) ?? true;
    if (name === 'password' || name === 'clientSecret') {
      return password({ message, validate }, context);
    }
    const offered = name === 'username' && usernameBefore ? { default: usernameBefore } : {};
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
  }
  return answers;
}
