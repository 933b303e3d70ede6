import fc from 'fast-check';
import { keychainCredentialStore } from '../../../src/auth/keychain-credential-store.js';
import { MAX_ENTRY_BYTES, type Keychain } from '../../../src/auth/keychain.js';
import {
  MAX_FIELD_BYTES,
  MAX_TOKEN_BYTES,
  type CredentialStore,
  type Login,
} from '../../../src/auth/login-record.js';
import { parseHeader, parseLogin } from '../../../src/auth/login-schema.js';
import { someTokens } from '../../support/auth/context.js';

/** A keychain in memory; the process is "killed" before a given change of it. */
class MemoryKeychain implements Keychain {
  readonly service = 'tankobon';
  readonly entries = new Map<string, Uint8Array>();
  changesLeft = Infinity;

  get(entry: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.entries.get(entry));
  }

  set(entry: string, value: Uint8Array): Promise<void> {
    this.#change();
    if (value.length > MAX_ENTRY_BYTES) throw new Error('too long for an entry');
    this.entries.set(entry, value);
    return Promise.resolve();
  }

  delete(entry: string): Promise<boolean> {
    if (!this.entries.has(entry)) return Promise.resolve(false);
    this.#change();
    return Promise.resolve(this.entries.delete(entry));
  }

  #change(): void {
    if (this.changesLeft === 0) throw new Error('killed');
    this.changesLeft -= 1;
  }
}

const first: Login = {
  username: 'reader',
  clientId: 'personal-client-1',
  clientSecret: 'secret-1',
  tokens: someTokens({ accessToken: 'a'.repeat(6_000), refreshToken: 'r'.repeat(3_000) }),
};
const second: Login = {
  ...first,
  tokens: someTokens({ accessToken: 'b'.repeat(3_000), refreshToken: 's'.repeat(6_000) }),
};
const other: Login = { ...second, username: 'another', clientSecret: 'secret-2' };
const withoutTokens: Login = {
  username: first.username,
  clientId: first.clientId,
  clientSecret: first.clientSecret,
};

/** Runs `change` again and again, killed before its 1st, 2nd, … change of the keychain, until it gets through. */
async function killedAtEveryWrite(
  before: readonly Login[],
  change: (store: CredentialStore) => Promise<unknown>,
  check: (keychain: MemoryKeychain, got: Login | undefined) => Promise<void> | void,
): Promise<number> {
  for (let changes = 0; ; changes += 1) {
    const keychain = new MemoryKeychain();
    for (const login of before) await keychainCredentialStore(keychain).write(login);
    keychain.changesLeft = changes;
    const wasKilled = await change(keychainCredentialStore(keychain)).then(
      () => false,
      () => true,
    );
    keychain.changesLeft = Infinity;
    await check(keychain, await keychainCredentialStore(keychain).read());
    if (!wasKilled) return changes;
  }
}

test.each([
  ['a first login', [], first],
  ['a renewal', [first], second],
  ['a renewal after a renewal', [first, second], first],
  ['a login of another account', [first], other],
  ['the end of a session', [first], withoutTokens],
] as const)(
  'killed at any write of %s, the old or the new login is complete',
  async (_, before, next) => {
    const old = before.at(-1);
    const kills = await killedAtEveryWrite(
      before,
      (store) => store.write(next),
      async (keychain, got) => {
        expect([old, next]).toContainEqual(got);
        // What the kill left does no harm.
        await keychainCredentialStore(keychain).write(other);
        expect(await keychainCredentialStore(keychain).read()).toEqual(other);
        await keychainCredentialStore(keychain).clear();
        expect([...keychain.entries.keys()]).toEqual([]);
      },
    );
    expect(kills).toBeGreaterThan(3);
  },
);

test('killed at any write of a logout, the login is complete or gone, and the next logout removes the rest', async () => {
  const kills = await killedAtEveryWrite(
    [first, second],
    (store) => store.clear(),
    async (keychain, got) => {
      expect([second, undefined]).toContainEqual(got);
      await keychainCredentialStore(keychain).clear();
      expect([...keychain.entries.keys()]).toEqual([]);
    },
  );
  expect(kills).toBeGreaterThan(3);
});

test('a renewal leaves no unused entries', async () => {
  const keychain = new MemoryKeychain();
  const store = keychainCredentialStore(keychain);
  for (const login of [first, second, first, second]) await store.write(login);
  const once = new MemoryKeychain();
  await keychainCredentialStore(once).write(second);
  expect(keychain.entries.size).toBe(once.entries.size);
});

test('a missing or changed entry is a damaged login, not a missing one', async () => {
  const keychain = new MemoryKeychain();
  const store = keychainCredentialStore(keychain);
  expect(await store.read()).toBeUndefined();
  await store.write(first);
  for (const [entry, value] of [...keychain.entries]) {
    if (entry !== 'login') {
      keychain.entries.delete(entry);
      await expect(store.read()).rejects.toMatchObject({ code: 'credentials-damaged' });
    }
    keychain.entries.set(entry, Buffer.concat([value, Buffer.from('x')]));
    await expect(store.read()).rejects.toMatchObject({ code: 'credentials-damaged' });
    keychain.entries.set(entry, value);
  }
  expect(await store.read()).toEqual(first);
});

test('a damaged login can be replaced', async () => {
  const keychain = new MemoryKeychain();
  const store = keychainCredentialStore(keychain);
  await store.write(first);
  for (const entry of [...keychain.entries.keys()]) {
    keychain.entries.set(entry, Buffer.from('damaged'));
    await store.write(first);
    expect(await store.read()).toEqual(first);
  }
});

test('concurrent readers see the old or the new login, never a mix', async () => {
  const keychain = new MemoryKeychain();
  const store = keychainCredentialStore(keychain);
  await store.write(first);
  for (let time = 0; time < 50; time += 1) {
    // One write at a time: a reader that meets several in a row gives up.
    const writing = store.write(time % 2 === 0 ? second : first);
    for (let reads = 0; reads < 4; reads += 1)
      expect([first, second]).toContainEqual(await store.read());
    await writing;
  }
});

test('any login is read back as it was written, also with tokens of several entries', async () => {
  const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
  const token = fc.string({ unit: character, minLength: 1, maxLength: 3 * MAX_ENTRY_BYTES });
  await fc.assert(
    fc.asyncProperty(token, token, async (accessToken, refreshToken) => {
      const store = keychainCredentialStore(new MemoryKeychain());
      const login = { ...first, tokens: someTokens({ accessToken, refreshToken }) };
      await store.write(login);
      expect(await store.read()).toEqual(login);
    }),
    { numRuns: 30 },
  );
});

test('2,560 bytes are one entry, 2,561 bytes two', async () => {
  const keychain = new MemoryKeychain();
  const accessToken = 'x'.repeat(2_560);
  const tokens = someTokens({ accessToken, refreshToken: `${accessToken}x` });
  await keychainCredentialStore(keychain).write({ ...first, tokens });
  const bytes = (name: string) =>
    [...keychain.entries]
      .filter(([entry]) => entry.startsWith(name))
      .map(([, { length }]) => length);
  expect(bytes('access-token')).toEqual([2_560]);
  expect(bytes('refresh-token')).toEqual([2_560, 1]);
});

test('the longest login fits into its entries, and is read back', async () => {
  const login: Login = {
    username: '"'.repeat(MAX_FIELD_BYTES),
    clientId: '\\'.repeat(MAX_FIELD_BYTES),
    clientSecret: '"'.repeat(MAX_FIELD_BYTES),
    tokens: {
      accessToken: 'a'.repeat(MAX_TOKEN_BYTES),
      refreshToken: 'r'.repeat(MAX_TOKEN_BYTES),
      obtainedAtMs: 4e15,
      accessLastsMs: 4e15,
      refreshObtainedAtMs: 4e15,
      refreshLastsMs: 4e15,
    },
  };
  const store = keychainCredentialStore(new MemoryKeychain());
  await store.write(login);
  expect(await store.read()).toEqual(login);
});

test('exchanged parts are a damaged login', async () => {
  const keychain = new MemoryKeychain();
  const tokens = someTokens({ accessToken: 'a'.repeat(2_560) + 'b'.repeat(2_560) });
  const store = keychainCredentialStore(keychain);
  await store.write({ ...first, tokens });
  const [one, two] = ['access-token.a.1', 'access-token.a.2'] as const;
  const value = keychain.entries.get(one);
  keychain.entries.set(one, keychain.entries.get(two) ?? Buffer.alloc(0));
  keychain.entries.set(two, value ?? Buffer.alloc(0));
  await expect(store.read()).rejects.toMatchObject({ code: 'credentials-damaged' });
});

test('parsing a header and a login never throws, whatever the input', () => {
  fc.assert(
    fc.property(fc.json(), fc.string(), fc.anything(), (json, text, value) => {
      parseHeader(json);
      expect(parseHeader(text)).toBeUndefined();
      parseLogin(value);
    }),
  );
});
