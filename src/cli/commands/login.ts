/** `tankobon login`: the password grant (spec 4.1), once, and its tokens into the keychain. The password goes nowhere else. */
import { grantByPassword, type PasswordGrant } from '../../auth/token-endpoint.js';
import type { Credentials } from '../../auth/credentials.js';
import type { CredentialStore } from '../../auth/credential-store.js';
import type { Login } from '../../auth/login-record.js';
import { AuthError, hasCode } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { withService } from '../with-service.js';
import { credentialsOf } from '../../app/login.js';
import type { CommandContext } from '../command-context.js';
import {
  FIELD_NAMES,
  givenFields,
  LOGIN_FIELDS,
  type GivenFields,
  type LoginFlags,
} from './login-input.js';
import { accessTokenLine } from './token-lines.js';

export interface LoginOptions extends LoginFlags {
  /** Store in a 0600 file instead of the keychain. */
  readonly insecureStorage?: boolean;
}

export async function login(options: LoginOptions, run: CommandContext): Promise<ExitCode> {
  const credentials = credentialsOf(run);
  const given = await givenFields(options, run);
  const kept = await keptLogin(credentials, given);
  const fields = withKeptClient(given, kept);
  const missing = FIELD_NAMES.filter((name) => fields[name] === undefined);
  const mayAsk = options.stdin !== true && run.stdin.isTTY && run.stderr.isTTY;
  if (missing.length > 0 && !mayAsk) {
    const named = missing.map((name) => `${LOGIN_FIELDS[name].words} (${LOGIN_FIELDS[name].env})`);
    throw new AuthError('login-incomplete', `For a login this is missing: ${named.join(', ')}.`);
  }
  const store = await usableStore(options, credentials);
  const grant = await completed(fields, kept, run);
  run.redactor.add(grant.password);
  run.redactor.add(grant.clientSecret);
  const usesKeptSecret = given.clientSecret === undefined && fields.clientSecret !== undefined;
  const tokens = await withService(run, (service) =>
    grantByPassword(service.anonymous, grant, run.clock.wallMs(), run.signal),
  ).catch((error: unknown) => {
    throw usesKeptSecret && hasCode(error, 'wrong-client') ? forgetFirst(error) : error;
  });
  const { username, clientId, clientSecret } = grant;
  const lock = await credentials.lock(run.signal);
  try {
    await credentials.save({ username, clientId, clientSecret, tokens }, store.kind);
  } finally {
    lock.release();
  }
  run.stdout.write(`Logged in as ${username}. Stored in ${store.description}.\n`);
  run.stdout.write(`${accessTokenLine(tokens, run.clock.wallMs())}\n`);
  return EXIT.done;
}

/** The login from before, whose client may serve again. One that cannot be read is about to be replaced. */
async function keptLogin(credentials: Credentials, given: GivenFields): Promise<Login | undefined> {
  if (given.clientId !== undefined && given.clientSecret !== undefined) return undefined;
  try {
    return (await credentials.read())?.login;
  } catch (error) {
    if (error instanceof AuthError) return undefined;
    throw error;
  }
}

function withKeptClient(given: GivenFields, kept: Login | undefined): GivenFields {
  if (kept === undefined) return given;
  const { clientId, clientSecret } = kept;
  return given.clientId === undefined || given.clientId === clientId
    ? { clientId, clientSecret, ...given }
    : given;
}

/** The store asked for, once it says that it would take a login. */
async function usableStore(
  options: LoginOptions,
  credentials: Credentials,
): Promise<CredentialStore> {
  const store = credentials.store(options.insecureStorage === true ? 'file' : 'keychain');
  try {
    await store.checkWritable();
    return store;
  } catch (error) {
    // Where there is no keychain, whoever chose the file before need not do so again.
    const inUse = hasCode(error, 'no-keychain') ? await credentials.currentStore() : undefined;
    if (inUse?.kind !== 'file') throw error;
    await inUse.checkWritable();
    return inUse;
  }
}

async function completed(
  fields: GivenFields,
  kept: Login | undefined,
  run: CommandContext,
): Promise<PasswordGrant> {
  const { username, password, clientId, clientSecret } = fields;
  if (
    username !== undefined &&
    password !== undefined &&
    clientId !== undefined &&
    clientSecret !== undefined
  ) {
    return { username, password, clientId, clientSecret };
  }
  const { askForFields } = await import('./login-questions.js');
  return askForFields(fields, kept?.username, run);
}

function forgetFirst(cause: Error): AuthError {
  return new AuthError('wrong-client', cause.message, {
    cause,
    hint: 'The client from the last login was used. To give another, type: tankobon logout, then: tankobon login',
  });
}
