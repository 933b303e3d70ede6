/** Checks of the login, of the hooks, and with `--online` of the service: requests that the program makes anyway. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { HOOK_KEY_NAMES, HOOK_SERVICES, type HookService } from '../../config/hook-services.js';
import { hasCode } from '../../core/errors.js';
import { pluralize } from '../../core/human-format.js';
import type { Finding } from '../../events/doctor-events.js';
import { isKeychainMissing } from '../../service/keychain.js';
import { credentialsOf, notLoggedIn, openHookKeys, sessionOf } from '../../service/login.js';
import { hasReports, openHealthReports, withService } from '../../service/service.js';
import { searchTitles } from '../../service/titles.js';
import { type HookOptions, needsSecret } from '../../sync/hooks.js';
import type { SubscriptionList } from '../../sync/subscription-list.js';
import type { CommandContext } from '../command-context.js';
import { describeAccessToken, describeRefreshToken } from '../output/token-expiry.js';
import { messagesOf } from '../with-service.js';
import { failure, none, ok, warning } from './run-checks.js';

/** Writes an entry as `login` does before it asks, and deletes it. Throws the error if the keychain is in use. */
export async function checkKeychain(context: CommandContext): Promise<Finding> {
  const credentials = credentialsOf(context);
  const keychain = credentials.store('keychain');
  try {
    await keychain.checkWritable();
  } catch (error) {
    const inUse = (await credentials.currentStore())?.kind;
    if (!(isKeychainMissing(error) || hasCode(error, 'keychain-locked')) || inUse === 'keychain')
      throw error;
    return inUse === 'file'
      ? ok(`${error.message} The login is stored in a file, and does not need it.`)
      : warning(error.message, error.hint);
  }
  return ok(keychain.description);
}

/** @param needsLogin why a login is needed, if it is: `the subscriptions follow your account` */
export async function checkLogin(context: CommandContext, needsLogin?: string): Promise<Finding> {
  const stored = await credentialsOf(context).readForApi();
  if (!stored) {
    const { hint } = notLoggedIn();
    if (needsLogin !== undefined) return failure(`not logged in, but ${needsLogin}`, hint);
    return none('not logged in: only follows, read marks and lists of your own need a login');
  }
  const { login, store, pendingIn } = stored;
  const { username, clientId, tokens } = login;
  if (!tokens) {
    const message = `The session of ${username} has ended`;
    return failure(message, `Run: tankobon login (the client ${clientId} is kept)`);
  }
  const expiry = describeRefreshToken(tokens, context.clock.wallMs());
  if (pendingIn !== undefined) {
    const message = `${username}: the keychain did not store the renewed login, which is kept in ${pendingIn}. ${expiry}`;
    return warning(message, 'Unlock or restart the keychain, then run: tankobon refresh');
  }
  return ok(`${username}, in ${store.description}. ${expiry}`);
}

export async function checkHooks(
  list: SubscriptionList,
  context: CommandContext,
): Promise<Finding[]> {
  const { hooks } = list.subscriptions;
  const services = HOOK_SERVICES.filter((name) => hooks[name] !== undefined);
  const findings = [];
  for (const name of services) findings.push(await checkKey(name, hooks, context));
  if (hooks.exec)
    findings.push(
      await checkProgram(hooks.exec.command[0] ?? '', context.env, list.commandLine('edit')),
    );
  return findings;
}

async function checkKey(
  name: HookService,
  hooks: HookOptions,
  { paths, redactor, openKeychain }: CommandContext,
): Promise<Finding> {
  // A webhook's path may be secret.
  const { host } = new URL(hooks[name]?.url ?? '');
  const isNeeded =
    name === 'komga' ||
    name === 'kavita' ||
    (name === 'webhook' && hooks.webhook !== undefined && needsSecret(hooks.webhook));
  const key = await openHookKeys(join(paths.state, 'credentials'), openKeychain).read(name);
  if (key !== undefined) {
    redactor.add(key);
    return ok(`${name} at ${host}, with a stored key`);
  }
  if (!isNeeded) return ok(`${name} at ${host}, without a key`);
  return failure(
    `${name} at ${host}: no key is stored (${HOOK_KEY_NAMES[name]})`,
    `Run: tankobon login --for ${name}`,
  );
}

async function checkProgram(
  command: string,
  env: Readonly<NodeJS.ProcessEnv>,
  editCommand: string,
): Promise<Finding> {
  const program = await findProgram(command, env);
  if (program !== undefined) return ok(`exec runs ${program}`);
  return failure(
    `exec: no program that can be run: ${command}`,
    `Check its path and its permissions. To edit the hook, run: ${editCommand}`,
  );
}

/** What Windows runs without a shell. */
const WINDOWS_EXTENSIONS = ['', '.exe', '.com'];

/** The path of the file that is run for `command`, as the system looks for it; undefined if there is none. */
export async function findProgram(
  command: string,
  { PATH = '' }: Readonly<NodeJS.ProcessEnv>,
): Promise<string | undefined> {
  const isWindows = process.platform === 'win32';
  const hasFolder = command.includes('/') || (isWindows && command.includes('\\'));
  const folders = hasFolder ? [''] : PATH.split(delimiter);
  for (const folder of folders) {
    for (const extension of isWindows ? WINDOWS_EXTENSIONS : ['']) {
      const path = (hasFolder ? command : join(folder, command)) + extension;
      if (command !== '' && (await isProgram(path))) return path;
    }
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Any title that the search finds, and none, shows that the API answers. */
const WORDS = 'tankobon';

export async function checkApi(context: CommandContext): Promise<Finding> {
  return withService(context, messagesOf(context), async (service) => {
    const { signal } = context;
    await searchTitles(service.anonymous, WORDS, { limit: 1, signal });
    const { host } = service.addresses.apiUrl;
    const wrongClock = service.describeWrongClock();
    if (wrongClock === undefined) return ok(`${host} answers`);
    return warning(
      `${host} answers, but ${wrongClock}`,
      'Set the clock: tokens expire at wrong times.',
    );
  });
}

/** Without a login nothing could be sent but a password. */
export async function checkTokenEndpoint(context: CommandContext): Promise<Finding> {
  const stored = await credentialsOf(context).readForApi();
  if (!stored?.login.tokens) return ok('not contacted: no login can be renewed');
  return withService(context, messagesOf(context), async (service) => {
    const tokens = await sessionOf(context, service).refresh(context.signal);
    const expiry = describeAccessToken(tokens, context.clock.wallMs());
    return ok(`${service.addresses.authUrl.host} renewed the login. ${expiry}`);
  });
}

/** Only reports of loads that happened are sent. */
export async function checkReportHost(context: CommandContext): Promise<Finding> {
  const messages = messagesOf(context);
  return withService(context, messages, async (service) => {
    const { host } = service.addresses.networkUrl;
    if (!context.settings.reports || !(await hasReports(context, service)))
      return ok('not contacted: no health report waits');
    const sender = await openHealthReports(context, service, messages);
    const { sent, givenUp } = await sender.flush(context.signal);
    await sender.finish(0);
    const hint = 'They are sent later. Run: tankobon report-status';
    if (sent + givenUp > 0) return ok(`${host} answers: ${pluralize(sent, 'health report')} sent`);
    return warning(`${host} did not accept the waiting health reports`, hint);
  });
}
