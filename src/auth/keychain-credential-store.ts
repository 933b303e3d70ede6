/** A login in the keychain, in the layout that keychain-layout.ts describes. */
import { AuthError } from '../core/errors.js';
import type { CredentialStore } from './credential-store.js';
import type { Keychain } from './keychain.js';
import {
  allPartEntryNames,
  checksum,
  HEADER_ENTRY,
  joinValue,
  MAX_PARTS,
  partEntryName,
  SECRET_NAMES,
  splitValue,
  type KeychainHeader,
  type SecretLocation,
  type SecretName,
} from './keychain-layout.js';
import { FORMAT, type Login } from './login-record.js';

/** Written and deleted to find out whether the keychain accepts entries. Holds no secret. */
const TRIAL_ENTRY = 'trial';
/** A reader that meets a writer tries again. */
const MAX_READS = 4;

export class KeychainCredentialStore implements CredentialStore {
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
    let last: string | undefined;
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      const bytes = await this.keychain.get(HEADER_ENTRY);
      if (!bytes) return undefined;
      const { decodeHeader, parseLogin } = await import('./login-schema.js');
      const header = decodeHeader(bytes);
      const login = header && parseLogin(await this.#record(header));
      if (login) return login;
      // A writer may have switched the header while the parts were read; it has not if the header is the same.
      const text = Buffer.from(bytes).toString('utf8');
      if (text === last) break;
      last = text;
    }
    throw new AuthError(
      'credentials-damaged',
      'The login in the keychain is damaged: an entry is missing or was changed.',
    );
  }

  async write(login: Login): Promise<void> {
    const { decodeHeader, encodeHeader } = await import('./login-schema.js');
    const bytes = await this.keychain.get(HEADER_ENTRY);
    const before = bytes && decodeHeader(bytes)?.secrets;
    const secrets: Partial<Record<SecretName, SecretLocation>> = {};
    for (const [name, value] of secretsOf(login)) {
      const old = before?.[name];
      const isStored = old?.check === checksum(value) && (await this.#value(name, old)) === value;
      secrets[name] = isStored ? old : await this.#put(name, value, old);
    }
    const { username, clientId, apiOrigin } = login;
    const times = timesOf(login);
    const header = { format: FORMAT, username, clientId, apiOrigin, times, secrets } as const;
    await this.keychain.set(HEADER_ENTRY, encodeHeader(header));
    for (const name of SECRET_NAMES) {
      const old = before?.[name];
      if (old && old.slot !== secrets[name]?.slot) await this.#delete(name, old);
    }
  }

  async clear(): Promise<boolean> {
    // The header first: without it there is no login, even if the rest cannot be deleted.
    const hadHeader = await this.keychain.delete(HEADER_ENTRY);
    const names = [...allPartEntryNames(), TRIAL_ENTRY];
    const had = await Promise.all(names.map((name) => this.keychain.delete(name)));
    return hadHeader || had.includes(true);
  }

  /** The login as an unchecked record, with the secrets that are intact. */
  async #record({ secrets, times, ...owner }: KeychainHeader): Promise<unknown> {
    const values = await Promise.all(
      SECRET_NAMES.map(async (name) => {
        const location = secrets[name];
        return location && this.#value(name, location);
      }),
    );
    const [clientSecret, accessToken, refreshToken] = values;
    return { ...owner, clientSecret, tokens: times && { ...times, accessToken, refreshToken } };
  }

  async #value(name: SecretName, location: SecretLocation): Promise<string | undefined> {
    const entries = Array.from({ length: location.parts }, (_, index) =>
      partEntryName(name, location.slot, index + 1),
    );
    const parts = await Promise.all(entries.map((entry) => this.keychain.get(entry)));
    if (!parts.every((part) => part !== undefined)) return undefined;
    return joinValue(parts, location.check);
  }

  /** Writes to the unused slot, and deletes the parts that a longer value left there. */
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

  async #delete(name: SecretName, { slot, parts }: SecretLocation): Promise<void> {
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

function timesOf({ tokens }: Login): Record<string, unknown> | undefined {
  return tokens && { ...tokens, accessToken: undefined, refreshToken: undefined };
}
