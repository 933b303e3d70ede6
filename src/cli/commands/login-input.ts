/**
 * The values of a login from options (never a secret: other users can read command lines), standard input and the
 * environment. An error names the value that is wrong and never repeats its text.
 */
import * as z from 'zod';
import {
  checkField,
  FIELD_NAMES,
  fieldInEnvironment,
  fieldValue,
  type GivenFields,
  type LoginField,
} from '../../config/login-fields.js';
import type { GivenOptions } from '../../config/options.js';
import { AuthError } from '../../core/errors.js';
import { parseJson } from '../../core/json.js';
import type { CommandContext } from '../command-context.js';
import { readBytes, textOf } from '../read-input.js';

/** The values given without a prompt: an option overrides standard input, which overrides the environment. */
export async function givenFields(
  flags: GivenOptions,
  { env, stdin, signal }: Pick<CommandContext, 'env' | 'stdin' | 'signal'>,
): Promise<GivenFields> {
  const piped = flags.stdin ? fieldsInJson(await readStdin({ stdin, signal })) : {};
  const given: Partial<Record<LoginField, string>> = {};
  for (const name of FIELD_NAMES) {
    const flag = name === 'username' || name === 'clientId' ? flags[name] : undefined;
    const text = flag ?? piped[name];
    const value = text === undefined ? await fieldInEnvironment(name, env) : fieldValue(name, text);
    if (value === undefined || value === '') continue;
    checkField(name, value);
    given[name] = value;
  }
  return given;
}

const MAX_STDIN_BYTES = 64 * 1024;

/** Throws AuthError('bad-login-input') for a terminal, and for more than a login can have. */
export async function readStdin({
  stdin,
  signal,
}: Pick<CommandContext, 'stdin' | 'signal'>): Promise<string> {
  if (stdin.isTTY) {
    throw new AuthError(
      'bad-login-input',
      'Standard input is a terminal, which would show the secrets.',
      { hint: 'Run tankobon login without --stdin to be asked, or pipe a JSON object into it.' },
    );
  }
  const bytes = await readBytes(stdin, MAX_STDIN_BYTES, signal);
  if (bytes) return textOf(bytes);
  throw new AuthError('bad-login-input', `Standard input is larger than ${MAX_STDIN_BYTES} bytes.`);
}

const text = z.string().optional();
const INPUT = z.strictObject({
  username: text,
  password: text,
  clientId: text,
  clientSecret: text,
  client_id: text,
  client_secret: text,
});

/** The fields of a JSON object, named as here or as in the token request (spec 4.1). */
export function fieldsInJson(json: string): GivenFields {
  // The cause is left out: the message of a parser quotes its input.
  const input = INPUT.safeParse(parseJson(json));
  if (!input.success) {
    throw new AuthError(
      'bad-login-input',
      'Standard input is not a JSON object with only the strings username, password, clientId and clientSecret.',
    );
  }
  const { username, password, clientId, clientSecret, client_id, client_secret } = input.data;
  return {
    username,
    password,
    clientId: clientId ?? client_id,
    clientSecret: clientSecret ?? client_secret,
  };
}
