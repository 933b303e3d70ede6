/**
 * A login in the keychain, in two entries. `login` has everything that a renewal needs, and its write is the commit: a
 * process that is killed before it leaves the old login, and one that is killed after it the new one. `access-token` is
 * written afterwards, and names its account; without it, or with one of another account, the token is renewed.
 *
 * Entries are accessed one after the other: gnome-keyring 42 crashes when a process reads several at once while another
 * process deletes some.
 */
import { AuthError } from '../../core/errors.js';
import type { Keychain } from '../../config/context.js';
import { deleteValue, readValue, writeValue } from './keychain-value.js';
import { LOGIN_FORMAT, type CredentialStore, type Login } from './login-record.js';

const LOGIN_ENTRY = 'login';
const ACCESS_ENTRY = 'access-token';
/** Written and deleted again by a check; one that a killed process left is deleted by the next. */
const CHECK_ENTRY = 'check';

export function keychainCredentialStore(keychain: Keychain): CredentialStore {
  return {
    kind: 'keychain',
    description: `the operating system’s keychain, as "${keychain.service}"`,
    async checkWritable() {
      // A locked or missing keyring shows only when something is written.
      await keychain.set(CHECK_ENTRY, Buffer.from('{}'));
      await keychain.delete(CHECK_ENTRY);
    },
    read: () => readLogin(keychain),
    async write({ tokens, ...owner }) {
      const { accessToken, obtainedAtMs, accessLastsMs, ...refresh } = tokens ?? {};
      const record = { format: LOGIN_FORMAT, owner, refresh: tokens && refresh };
      await writeValue(keychain, LOGIN_ENTRY, JSON.stringify(record));
      if (!tokens) {
        await deleteValue(keychain, ACCESS_ENTRY);
        return;
      }
      const access = { accessToken, obtainedAtMs, accessLastsMs };
      const text = JSON.stringify({ account: accountOf(owner), access });
      await writeValue(keychain, ACCESS_ENTRY, text);
    },
    async clear() {
      // Without this entry there is no login, even if the other cannot be deleted.
      const existed = await deleteValue(keychain, LOGIN_ENTRY);
      await keychain.delete(CHECK_ENTRY);
      return (await deleteValue(keychain, ACCESS_ENTRY)) || existed;
    },
  };
}

async function readLogin(keychain: Keychain): Promise<Login | undefined> {
  const text = await readValue(keychain, LOGIN_ENTRY);
  if (text === undefined) return undefined;
  const { parseAccess, parseRecord } = await import('./login-schema.js');
  const record = text && parseRecord(text);
  if (!record) {
    throw new AuthError(
      'credentials-damaged',
      'The login in the keychain is damaged: an entry is missing or was changed.',
    );
  }
  const { owner, refresh } = record;
  if (!refresh) return owner;
  const stored = parseAccess((await readValue(keychain, ACCESS_ENTRY)) ?? '');
  const access =
    stored?.account === accountOf(owner)
      ? stored.access
      : { accessToken: '', obtainedAtMs: refresh.refreshObtainedAtMs, accessLastsMs: 0 };
  return { ...owner, tokens: { ...refresh, ...access } };
}

/** An access token is for one user, and may be sent to one API. */
function accountOf({ username, clientId, apiOrigin }: Omit<Login, 'tokens'>): string {
  return JSON.stringify([username, clientId, apiOrigin]);
}
