/** The values of a login, and the variables that hold them, or name the files that do. */
import { AuthError } from '../core/errors.js';
import { fileErrorReason, readFileIfExists } from '../core/files.js';
import { expandHome } from '../core/home-folder.js';

/** Spec 2.1. */
export interface PersonalClient {
  /** Begins with `personal-client-`. */
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface PasswordGrant extends PersonalClient {
  readonly username: string;
  readonly password: string;
}

/** Where the client of a login comes from: in help, and before it is asked for. */
export const CLIENT_NOTE =
  'Create a personal client in the API client section of https://mangadex.org/settings. Its approval may take a while; then the section shows its id and its secret.';

const CLIENT_ID_PREFIX = 'personal-client-';
/** The limit of a name, an id or a secret, in UTF-8. */
export const MAX_FIELD_BYTES = 500;

export type LoginField = keyof PasswordGrant;
export type GivenFields = Readonly<Partial<PasswordGrant>>;

/** In the order in which they are asked for. */
export const LOGIN_FIELDS = {
  username: { label: 'username', env: 'TANKOBON_USERNAME' },
  password: { label: 'password', env: 'TANKOBON_PASSWORD' },
  clientId: { label: 'client id', env: 'TANKOBON_CLIENT_ID' },
  clientSecret: { label: 'client secret', env: 'TANKOBON_CLIENT_SECRET' },
} as const satisfies Record<LoginField, { label: string; env: string }>;
export const FIELD_NAMES = Object.keys(LOGIN_FIELDS) as readonly LoginField[];

/** The name of the variable with the path of a file that holds the value of this one. */
const fileVariableOf = (variable: string): string => `${variable}_FILE`;

/** All variables of a login. */
export const LOGIN_VARIABLES: readonly string[] = FIELD_NAMES.flatMap((name) => {
  const { env } = LOGIN_FIELDS[name];
  return [env, fileVariableOf(env)];
});

/** The value of a text that was pasted or piped. Only a password may begin or end with spaces. */
export function fieldValue(name: LoginField, text: string): string {
  return name === 'password' ? withoutLineBreak(text) : text.trim();
}

/** Without the line break that editors and `echo` add at the end. */
export function withoutLineBreak(value: string): string {
  return value.replace(/\r?\n$/, '');
}

/** Whether `text` can be a name or a secret: not empty, not too long, without control characters. */
export function isValidField(text: string): boolean {
  return text !== '' && !/\p{Cc}/u.test(text) && Buffer.byteLength(text) <= MAX_FIELD_BYTES;
}

/** What is wrong with the value (spec 2.1); undefined if nothing is. */
export function fieldProblem(name: LoginField, value: string): string | undefined {
  const { label } = LOGIN_FIELDS[name];
  if (!isValidField(value))
    return `The ${label} is empty, too long, or contains control characters.`;
  if (name === 'clientId' && !value.startsWith(CLIENT_ID_PREFIX))
    return `The client id does not begin with ${CLIENT_ID_PREFIX}`;
  return undefined;
}

/** Throws AuthError `bad-client-id` or `bad-login-input` for an invalid value, which it does not repeat. */
export function checkField(name: LoginField, value: string): void {
  const problem = fieldProblem(name, value);
  if (problem === undefined) return;
  throw new AuthError(name === 'clientId' ? 'bad-client-id' : 'bad-login-input', problem);
}

/** The value of a variable, or of the file that another one names; undefined without both. Throws `bad-login-input`. */
export async function fieldInEnvironment(
  name: LoginField,
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<string | undefined> {
  const { env: variable } = LOGIN_FIELDS[name];
  const fileVariable = fileVariableOf(variable);
  const { [variable]: value, [fileVariable]: file } = env;
  if (!file) return value ? fieldValue(name, value) : undefined;
  if (value)
    throw new AuthError('bad-login-input', `${variable} and ${fileVariable} are both set.`, {
      hint: 'Unset one of them.',
    });
  return fieldValue(name, await readField(expandHome(file), fileVariable));
}

/** All four values, to log in without a question; undefined if one is missing. Throws as fieldInEnvironment does. */
export async function grantInEnvironment(
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<PasswordGrant | undefined> {
  const fields: Partial<Record<LoginField, string>> = {};
  for (const name of FIELD_NAMES) {
    const value = await fieldInEnvironment(name, env);
    if (value === undefined) return undefined;
    checkField(name, value);
    fields[name] = value;
  }
  return fields as PasswordGrant;
}

const MAX_FILE_BYTES = 64 * 1024;

/** A link is followed: secrets of containers are links. */
async function readField(file: string, variable: string): Promise<string> {
  let reason = 'it does not exist';
  try {
    const bytes = await readFileIfExists(file, { maxBytes: MAX_FILE_BYTES });
    if (bytes) return bytes.toString('utf8');
  } catch (error) {
    reason = fileErrorReason(error);
  }
  throw new AuthError(
    'bad-login-input',
    `The file of ${variable} cannot be read (${reason}): ${file}`,
    { hint: `Write the value to this file, or unset ${variable}.` },
  );
}
