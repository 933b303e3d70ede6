/** `tankobon login`: exchanges the password for tokens (spec 4.1) and stores them. The password is not stored. */
import type { Command } from 'commander';
import type { Credentials } from '../../service/login.js';
import { isKeychainMissing } from '../../service/keychain.js';
import { raceWithSignal } from '../../core/abort.js';
import { AuthError, hasCode } from '../../core/errors.js';
import type { GivenOptions } from '../../config/options.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addOptions } from '../command-options.js';
import { addEnvironment, addExamples } from '../help-format.js';
import { CLIENT_NOTE, LOGIN_VARIABLES, type GivenFields } from '../../config/login-fields.js';
import { checkStoredLogin } from './refresh.js';

type PreviousLogin = NonNullable<Awaited<ReturnType<Credentials['read']>>>['login'];

export function loginCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('login')
    .summary('log in to MangaDex with your personal API client; prompts for missing values')
    .description(
      `log in to MangaDex with your personal API client; prompts for missing values

${CLIENT_NOTE}`,
    )
    .action(({ hookService: service, check, ...options }: GivenOptions) =>
      run(async (context) => {
        if (check) return checkStoredLogin(context);
        try {
          if (service === undefined) await login(options, context);
          else {
            const { storeHookKey } = await import('./login-hook-key.js');
            await storeHookKey(service, options, context);
          }
        } catch (error) {
          throw options.insecureStorage ? withStorageFlag(error) : error;
        }
        return undefined;
      }),
    );
  addExamples(addOptions(command, 'login'), [
    ['tankobon login', 'prompts for all values; secrets are not echoed'],
    ['tankobon login --stdin < login.json', 'for a script; no option takes a secret'],
    ['tankobon login --check', 'exit code 4 if you have to log in again'],
    ['tankobon login --for komga', 'asks for the API key that sync needs, or reads it from a pipe'],
  ]);
  return addEnvironment(command, ...LOGIN_VARIABLES);
}

/** The command of the hint without the flag would need a keychain. */
function withStorageFlag(error: unknown): unknown {
  if (!(error instanceof AuthError)) return error;
  const hint = error.hint.replace(/: tankobon login(?! --insecure)/, '$& --insecure-storage');
  return new AuthError(error.code, error.message, { cause: error, hint });
}

export async function login(options: GivenOptions, context: CommandContext): Promise<undefined> {
  const { prepareStateFolder } = await import('../../config/state-folder.js');
  prepareStateFolder(context);
  const { credentialsOf } = await import('../../service/login.js');
  const { FIELD_NAMES, LOGIN_FIELDS } = await import('../../config/login-fields.js');
  const { givenFields } = await import('./login-input.js');
  const { askForFields } = await import('./login-prompts.js');
  const { describeAccessToken } = await import('../output/token-expiry.js');
  const { stdin, stdout, stderr, signal, clock, redactor } = context;
  const credentials = credentialsOf(context);
  const given = await givenFields(options, context);
  const previous = await raceWithSignal(previousLogin(credentials, given), signal);
  const fields = withPreviousClient(given, previous);
  const missing = FIELD_NAMES.filter((name) => fields[name] === undefined);
  const canAsk = !options.stdin && stdin.isTTY && stderr.isTTY;
  if (missing.length > 0 && !canAsk) {
    const names = missing.map((name) => `${LOGIN_FIELDS[name].label} (${LOGIN_FIELDS[name].env})`);
    throw new AuthError('login-incomplete', `Missing for a login: ${names.join(', ')}.`);
  }
  const store = await raceWithSignal(usableStore(options, credentials), signal);
  const grant =
    missing.length > 0
      ? await askForFields(fields, previous?.username, context)
      : (fields as Required<GivenFields>);
  redactor.add(grant.password);
  redactor.add(grant.clientSecret);
  const usesPreviousClient = given.clientSecret === undefined && fields.clientSecret !== undefined;
  const tokens = await requestTokens(grant, usesPreviousClient, context);
  const { username, clientId, clientSecret } = grant;
  const lock = await credentials.lock(signal);
  try {
    await credentials.save({ username, clientId, clientSecret, tokens }, store.kind);
  } finally {
    lock.release();
  }
  stdout.write(`Logged in as ${username}. Stored in ${store.description}.\n`);
  stdout.write(`${describeAccessToken(tokens, clock.wallMs())}\n`);
}

async function requestTokens(
  grant: Required<GivenFields>,
  usesPreviousClient: boolean,
  context: CommandContext,
) {
  const { grantByPassword } = await import('../../service/login.js');
  const { withService } = await import('../with-service.js');
  try {
    return await withService(context, (service) =>
      grantByPassword(service.anonymous, grant, context.clock.wallMs(), context.signal),
    );
  } catch (cause) {
    if (!usesPreviousClient || !hasCode(cause, 'wrong-client')) throw cause;
    throw new AuthError('wrong-client', cause.message, {
      cause,
      hint: 'The client of the last login was used. To use another, run: tankobon logout, then: tankobon login',
    });
  }
}

/** The stored login, whose client can be used again. An unreadable one is ignored: it is about to be replaced. */
async function previousLogin(
  credentials: Credentials,
  given: GivenFields,
): Promise<PreviousLogin | undefined> {
  if (given.clientId !== undefined && given.clientSecret !== undefined) return undefined;
  try {
    return (await credentials.read())?.login;
  } catch (error) {
    if (error instanceof AuthError) return undefined;
    throw error;
  }
}

function withPreviousClient(given: GivenFields, previous: PreviousLogin | undefined): GivenFields {
  if (previous === undefined) return given;
  const { clientId, clientSecret } = previous;
  return given.clientId === undefined || given.clientId === clientId
    ? { ...given, clientId, clientSecret: given.clientSecret ?? clientSecret }
    : given;
}

/** The requested store, after checking that it can store a login. */
async function usableStore(
  options: GivenOptions,
  credentials: Credentials,
): Promise<ReturnType<Credentials['store']>> {
  const store = credentials.store(options.insecureStorage ? 'file' : 'keychain');
  try {
    await store.checkWritable();
    return store;
  } catch (error) {
    // Without a keychain, a file chosen at the last login is used again.
    const inUse = isKeychainMissing(error) ? await credentials.currentStore() : undefined;
    if (inUse?.kind !== 'file') throw error;
    await inUse.checkWritable();
    return inUse;
  }
}
