/** A login in the keychain, laid out as keychain-layout.ts says. */
import { AuthError } from '../core/errors.js';
import type { CredentialStore } from './credential-store.js';
import type { Keychain } from './keychain.js';
import {
  allPartEntryNames,
  HEADER_ENTRY,
  encodeHeader,
  joinValue,
  MAX_PARTS,
  partEntryName,
  decodeHeader,
  SECRET_NAMES,
  splitValue,
  checksum,
  type KeychainHeader,
  type SecretName,
  type SecretLocation,
} from './keychain-layout.js';
import { parseLogin, type Login } from './login-record.js';

/** Nothing secret; it shows whether the keychain takes an entry at all. */
const TRIAL_ENTRY = 'trial';
/** A reader that meets a writer looks again; this often means that nobody is writing. */
const MOST_LOOKS = 4;

export function keychainCredentialStore(keychain: Keychain): CredentialStore {
  return new KeychainStore(keychain);
}

class KeychainStore implements CredentialStore {
  readonly kind = 'keychain';

  constructor(private readonly keychain: Keychain) {}

  get description(): string {
    return `the operating system’s keychain, as "${this.keychain.service}"`;
  }

  async checkWritable(): Promise<void> {
    await this.keychain.set(TRIAL_ENTRY, Buffer.from('trial'));
    await this.keychain.delete(TRIAL_ENTRY);
  }

  async read(): Promise<Login | undefined> {
    let seen: string | undefined;
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      const bytes = await this.keychain.get(HEADER_ENTRY);
      if (!bytes) return undefined;
      const head = decodeHeader(bytes);
      const login = head && parseLogin(await this.#record(head));
      if (login) return login;
      // The head may have been switched while the parts were read; the same head twice is no such chance.
      const text = Buffer.from(bytes).toString('utf8');
      if (text === seen) break;
      seen = text;
    }
    throw new AuthError(
      'credentials-damaged',
      'The login in the keychain is not what was written: an entry is missing or changed.',
    );
  }

  async write(login: Login): Promise<void> {
    const bytes = await this.keychain.get(HEADER_ENTRY);
    const before = bytes && decodeHeader(bytes)?.secrets;
    const secrets: Partial<Record<SecretName, SecretLocation>> = {};
    for (const [name, value] of secretsOf(login)) {
      const old = before?.[name];
      const kept = old?.check === checksum(value) && (await this.#value(name, old)) === value;
      secrets[name] = kept ? old : await this.#put(name, value, old);
    }
    const { username, clientId, apiOrigin, tokens } = login;
    const head: KeychainHeader = {
      username,
      clientId,
      ...(apiOrigin !== undefined && { apiOrigin }),
      ...(tokens && { times: timesOf(login) }),
      secrets,
    };
    await this.keychain.set(HEADER_ENTRY, encodeHeader(head));
    for (const name of SECRET_NAMES) {
      const old = before?.[name];
      if (old && old.slot !== secrets[name]?.slot) await this.#drop(name, old);
    }
  }

  async clear(): Promise<boolean> {
    // The head first: from then on nobody is logged in, however far the rest gets.
    const hadHead = await this.keychain.delete(HEADER_ENTRY);
    const names = [...allPartEntryNames(), TRIAL_ENTRY];
    const had = await Promise.all(names.map((name) => this.keychain.delete(name)));
    return hadHead || had.includes(true);
  }

  /** The login as a record, with those secrets that are whole. */
  async #record(head: KeychainHeader): Promise<unknown> {
    const values = await Promise.all(
      SECRET_NAMES.map(async (name) => {
        const whereabouts = head.secrets[name];
        return whereabouts && this.#value(name, whereabouts);
      }),
    );
    const [clientSecret, accessToken, refreshToken] = values;
    const { username, clientId, apiOrigin, times } = head;
    const tokens = times && { ...times, accessToken, refreshToken };
    return { username, clientId, apiOrigin, clientSecret, ...(tokens && { tokens }) };
  }

  async #value(name: SecretName, at: SecretLocation): Promise<string | undefined> {
    const entries = Array.from({ length: at.parts }, (_, index) =>
      partEntryName(name, at.slot, index + 1),
    );
    const parts = await Promise.all(entries.map((entry) => this.keychain.get(entry)));
    if (!parts.every((part) => part !== undefined)) return undefined;
    return joinValue(parts, at.check);
  }

  /** Writes into the slot that is not in use, and takes away what a longer value left there. */
  async #put(name: SecretName, value: string, old?: SecretLocation): Promise<SecretLocation> {
    const slot = old?.slot === 'a' ? 'b' : 'a';
    const parts = splitValue(value);
    for (const [index, part] of parts.entries()) {
      await this.keychain.set(partEntryName(name, slot, index + 1), part);
    }
    for (let part = parts.length + 1; part <= MAX_PARTS; part += 1) {
      if (!(await this.keychain.delete(partEntryName(name, slot, part)))) break;
    }
    return { slot, parts: parts.length, check: checksum(value) };
  }

  async #drop(name: SecretName, { slot, parts }: SecretLocation): Promise<void> {
    for (let part = parts; part >= 1; part -= 1) {
      await this.keychain.delete(partEntryName(name, slot, part));
    }
  }
}

function secretsOf({ clientSecret, tokens }: Login): readonly (readonly [SecretName, string])[] {
  const client = ['client-secret', clientSecret] as const;
  if (!tokens) return [client];
  return [
    client,
    ['refresh-token', tokens.refreshToken],
    ['access-token', tokens.accessToken],
  ] as const;
}

function timesOf({ tokens }: Login): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tokens ?? {}).filter(([, value]) => typeof value === 'number'),
  );
}
