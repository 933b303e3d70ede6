/**
 * Where the four things that a login takes come from: a flag (names alone, never a secret, since every user of
 * the machine can read another's command line), standard input, the environment. What is wrong with one of them
 * is told by its name; its text is never repeated.
 */
import { addAbortSignal } from 'node:stream';
import * as z from 'zod';
import { CLIENT_ID_PREFIX, isValidField } from '../../auth/login-record.js';
import type { PasswordGrant } from '../../auth/token-endpoint.js';
import { AuthError } from '../../core/errors.js';
import type { CommandContext } from '../command-context.js';

export type LoginField = keyof PasswordGrant;
export type GivenFields = Readonly<Partial<PasswordGrant>>;

export interface LoginFlags {
  readonly username?: string;
  readonly clientId?: string;
  /** Read a JSON object from standard input. */
  readonly stdin?: boolean;
}

interface FieldFacts {
  readonly words: string;
  readonly env: string;
}

/** In the order in which they are asked for. */
export const LOGIN_FIELDS: Readonly<Record<LoginField, FieldFacts>> = {
  username: { words: 'username', env: 'TANKOBON_USERNAME' },
  password: { words: 'password', env: 'TANKOBON_PASSWORD' },
  clientId: { words: 'client id', env: 'TANKOBON_CLIENT_ID' },
  clientSecret: { words: 'client secret', env: 'TANKOBON_CLIENT_SECRET' },
};
export const FIELD_NAMES = Object.keys(LOGIN_FIELDS) as readonly LoginField[];

/** What was given without asking anybody: flag before standard input before environment. */
export async function givenFields(
  flags: LoginFlags,
  { env, stdin, signal }: Pick<CommandContext, 'env' | 'stdin' | 'signal'>,
): Promise<GivenFields> {
  const piped = flags.stdin === true ? await fieldsFromStdin(stdin, signal) : {};
  const given: Partial<Record<LoginField, string>> = {};
  for (const name of FIELD_NAMES) {
    const flag = name === 'username' || name === 'clientId' ? flags[name] : undefined;
    const value = flag ?? piped[name] ?? env[LOGIN_FIELDS[name].env];
    if (value !== undefined && value !== '') given[name] = checkedField(name, value);
  }
  return given;
}

/** The field's value. Throws where it can be none, before anything is sent (spec 2.1). */
export function checkedField(name: LoginField, value: string): string {
  const problem = fieldProblem(name, value);
  if (problem === undefined) return value;
  throw new AuthError(name === 'clientId' ? 'bad-client-id' : 'bad-login-input', problem);
}

/** Why the value cannot be this field's; undefined where it can. */
export function fieldProblem(name: LoginField, value: string): string | undefined {
  const { words } = LOGIN_FIELDS[name];
  if (!isValidField(value)) {
    return `The ${words} is empty, too long, or holds characters that no keyboard types.`;
  }
  if (name === 'clientId' && !value.startsWith(CLIENT_ID_PREFIX)) {
    return `The client id does not begin with ${CLIENT_ID_PREFIX}`;
  }
  return undefined;
}

const MOST_STDIN_BYTES = 64 * 1024;

async function fieldsFromStdin(
  stdin: CommandContext['stdin'],
  signal: AbortSignal,
): Promise<GivenFields> {
  if (stdin.isTTY) {
    throw new AuthError(
      'bad-login-input',
      'Standard input is a terminal, which would show what is typed.',
      { hint: 'Type: tankobon login, and it asks without showing; or pipe a JSON object into it.' },
    );
  }
  return fieldsInJson(await wholeText(stdin, signal));
}

async function wholeText(stdin: CommandContext['stdin'], signal: AbortSignal): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of addAbortSignal(signal, stdin)) {
      pieces.push(Buffer.from(piece as Uint8Array));
      bytes += pieces.at(-1)?.length ?? 0;
      if (bytes > MOST_STDIN_BYTES) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  if (bytes > MOST_STDIN_BYTES) {
    throw new AuthError(
      'bad-login-input',
      `Standard input holds more than ${MOST_STDIN_BYTES} bytes.`,
    );
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The fields in a JSON object, each by our name for it or by that of the grant's form (spec 4.1). */
export function fieldsInJson(text: string): GivenFields {
  const field = z.string().optional();
  const shape = z.strictObject({
    username: field,
    password: field,
    clientId: field,
    clientSecret: field,
    client_id: field,
    client_secret: field,
  });
  // Neither error goes on as a cause: a parser's message quotes what it could not read.
  const read = shape.safeParse(parsedOrNothing(text));
  if (!read.success) {
    throw new AuthError(
      'bad-login-input',
      'Standard input holds no JSON object with the texts username, password, clientId and clientSecret, and those alone.',
    );
  }
  const { username, password, client_id, client_secret } = read.data;
  const clientId = read.data.clientId ?? client_id;
  const clientSecret = read.data.clientSecret ?? client_secret;
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
  };
}

function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch {
    return undefined;
  }
}
