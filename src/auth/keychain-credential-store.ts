/**
 * A login in the keychain. A secret is stored in one entry, or in several numbered ones if it is too long. Entries
 * cannot be written atomically together, so each secret has two slots: a new value is written to the unused slot, then
 * one write of the header entry switches to it. A process that is killed in between leaves the old login intact. The
 * header also holds a checksum of each secret, which detects incomplete values.
 *
 * Entries are accessed one after the other: gnome-keyring 42 crashes when a process reads several at once while another
 * process deletes some.
 */
import { createHash } from 'node:crypto';
import { AuthError } from '../core/errors.js';
import { MAX_ENTRY_BYTES, MAX_PARTS, type Keychain } from './keychain.js';
import { LOGIN_FORMAT, type CredentialStore, type Login } from './login-record.js';
import type { KeychainHeader } from './login-schema.js';

type Secrets = KeychainHeader['secrets'];
type SecretName = keyof Secrets;
type SecretLocation = NonNullable<Secrets[SecretName]>;

const HEADER_ENTRY = 'login';
const SECRET_NAMES = ['client-secret', 'access-token', 'refresh-token'] as const;
/** Written and deleted to find out whether the keychain accepts entries. Holds no secret. */
const TRIAL_ENTRY = 'trial';
/** A reader that meets a writer tries again. */
const MAX_READS = 4;

export function keychainCredentialStore(keychain: Keychain): CredentialStore {
  return {
    kind: 'keychain',
    description: `the operating system’s keychain, as "${keychain.service}"`,
    async checkWritable() {
      await keychain.set(TRIAL_ENTRY, Buffer.from('trial'));
      await keychain.delete(TRIAL_ENTRY);
    },
    read: () => readLogin(keychain),
    write: (login) => writeLogin(keychain, login),
    async clear() {
      // The header first: without it there is no login, even if the rest cannot be deleted.
      let existed = await keychain.delete(HEADER_ENTRY);
      const entries = SECRET_NAMES.flatMap((name) => [
        ...partEntries(name, 'a', MAX_PARTS),
        ...partEntries(name, 'b', MAX_PARTS),
      ]);
      for (const name of [...entries, TRIAL_ENTRY])
        existed = (await keychain.delete(name)) || existed;
      return existed;
    },
  };
}

async function readLogin(keychain: Keychain): Promise<Login | undefined> {
  let last: string | undefined;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const text = await readHeader(keychain);
    if (text === undefined) return undefined;
    const { parseHeader, parseLogin } = await import('./login-schema.js');
    const header = parseHeader(text);
    const login = header && parseLogin(await readUncheckedLogin(keychain, header));
    if (login) return login;
    // A writer may have switched the header while the parts were read; it has not if the header is the same.
    if (text === last) break;
    last = text;
  }
  throw new AuthError(
    'credentials-damaged',
    'The login in the keychain is damaged: an entry is missing or was changed.',
  );
}

async function writeLogin(keychain: Keychain, login: Login): Promise<void> {
  const { parseHeader } = await import('./login-schema.js');
  const before = parseHeader((await readHeader(keychain)) ?? '')?.secrets;
  const { username, clientId, clientSecret, apiOrigin, tokens } = login;
  const { accessToken, refreshToken, ...times } = tokens ?? {};
  const values = [clientSecret, accessToken, refreshToken];
  const secrets: Secrets = {};
  for (const [index, name] of SECRET_NAMES.entries()) {
    const value = values[index];
    if (value === undefined) continue;
    const old = before?.[name];
    const isStored = old && (await readSecret(keychain, name, old)) === value;
    secrets[name] = isStored ? old : await writeSecret(keychain, name, value, old);
  }
  const header = {
    format: LOGIN_FORMAT,
    username,
    clientId,
    apiOrigin,
    times: tokens && times,
    secrets,
  };
  await keychain.set(HEADER_ENTRY, Buffer.from(JSON.stringify(header)));
  for (const name of SECRET_NAMES) {
    const old = before?.[name];
    if (!old || old.slot === secrets[name]?.slot) continue;
    for (const entry of partEntries(name, old.slot, old.parts).reverse())
      await keychain.delete(entry);
  }
}

async function readHeader(keychain: Keychain): Promise<string | undefined> {
  const bytes = await keychain.get(HEADER_ENTRY);
  return bytes && Buffer.from(bytes).toString('utf8');
}

async function readUncheckedLogin(
  keychain: Keychain,
  { secrets, times, ...owner }: KeychainHeader,
): Promise<unknown> {
  const read = async (name: SecretName) =>
    secrets[name] && readSecret(keychain, name, secrets[name]);
  const clientSecret = await read('client-secret');
  const accessToken = await read('access-token');
  const refreshToken = await read('refresh-token');
  return { ...owner, clientSecret, tokens: times && { ...times, accessToken, refreshToken } };
}

/** Undefined where a part is missing or was changed. */
async function readSecret(
  keychain: Keychain,
  name: SecretName,
  { slot, parts, check }: SecretLocation,
): Promise<string | undefined> {
  const read: Uint8Array[] = [];
  for (const entry of partEntries(name, slot, parts))
    read.push((await keychain.get(entry)) ?? new Uint8Array());
  const value = Buffer.concat(read).toString('utf8');
  return checksum(value) === check ? value : undefined;
}

/** Writes to the unused slot, and deletes the parts that a longer value left there. */
async function writeSecret(
  keychain: Keychain,
  name: SecretName,
  value: string,
  old: SecretLocation | undefined,
): Promise<SecretLocation> {
  const slot = old?.slot === 'a' ? 'b' : 'a';
  const bytes = Buffer.from(value);
  const parts = Math.max(1, Math.ceil(bytes.length / MAX_ENTRY_BYTES));
  for (const [index, entry] of partEntries(name, slot, MAX_PARTS).entries()) {
    const part = bytes.subarray(index * MAX_ENTRY_BYTES, (index + 1) * MAX_ENTRY_BYTES);
    if (index < parts) await keychain.set(entry, part);
    else if (!(await keychain.delete(entry))) break;
  }
  return { slot, parts, check: checksum(value) };
}

function partEntries(name: SecretName, slot: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}.${slot}.${index + 1}`);
}

function checksum(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}
