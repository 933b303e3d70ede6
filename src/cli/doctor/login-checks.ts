/** Checks of the keychain and of the stored login. They send nothing. */
import { notLoggedIn, credentialsOf } from '../../service/login.js';
import { isKeychainMissing } from '../../service/keychain.js';
import { hasCode } from '../../core/errors.js';
import type { CommandContext } from '../command-context.js';
import { describeRefreshToken } from '../output/token-expiry.js';
import { none, ok, warning } from './run-checks.js';
import type { Finding } from '../../events/doctor-events.js';

/** Writes an entry as `login` does before it asks, and deletes it. Throws the error if the keychain is in use. */
export async function checkKeychain(context: CommandContext): Promise<Finding[]> {
  const credentials = credentialsOf(context);
  const keychain = credentials.store('keychain');
  try {
    await keychain.checkWritable();
  } catch (error) {
    const inUse = (await credentials.currentStore())?.kind;
    if (!(isKeychainMissing(error) || hasCode(error, 'keychain-locked')) || inUse === 'keychain')
      throw error;
    return [
      inUse === 'file'
        ? ok(`${error.message} The login is stored in a file, and does not need it.`)
        : warning(error.message, error.hint),
    ];
  }
  return [ok(keychain.description)];
}

/** @param needsLogin why a login is needed, if it is: `the subscriptions follow your account` */
export async function checkLogin(context: CommandContext, needsLogin?: string): Promise<Finding[]> {
  const stored = await credentialsOf(context).readForApi();
  if (!stored) {
    const { hint } = notLoggedIn();
    if (needsLogin !== undefined)
      return [{ status: 'error', message: `not logged in, but ${needsLogin}`, hint }];
    return [none('not logged in: only follows, read marks and lists of your own need a login')];
  }
  const { login, store, pendingIn } = stored;
  const { username, clientId, tokens } = login;
  if (!tokens) {
    const message = `The session of ${username} has ended`;
    return [
      {
        status: 'error',
        message,
        hint: `Run: tankobon login (the client ${clientId} is kept)`,
      },
    ];
  }
  const expiry = describeRefreshToken(tokens, context.clock.wallMs());
  if (pendingIn !== undefined) {
    const message = `${username}: the keychain did not store the renewed login, which is kept in ${pendingIn}. ${expiry}`;
    return [warning(message, 'Unlock or restart the keychain, then run: tankobon refresh')];
  }
  return [ok(`${username}, in ${store.description}. ${expiry}`)];
}
