import fc from 'fast-check';
import { keychainCredentialStore } from '../../../../src/service/login/keychain-credential-store.js';
import { writeValue } from '../../../../src/service/login/keychain-value.js';
import { MAX_ENTRY_BYTES } from '../../../../src/service/keychain.js';
import { type Keychain } from '../../../../src/config/context.js';
import {
  MAX_TOKEN_BYTES,
  type CredentialStore,
  type Login,
} from '../../../../src/service/login/login-record.js';
import { MAX_FIELD_BYTES } from '../../../../src/config/login-fields.js';
import {
  parseAccess,
  parseLoginFile,
  parseRecord,
} from '../../../../src/service/login/login-schema.js';
import { someTokens } from '../../../support/auth/context.js';

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
const short: Login = {
  ...first,
  tokens: someTokens({ accessToken: 'a'.repeat(1_000), refreshToken: 'r'.repeat(1_000) }),
};
const shortLater: Login = {
  ...first,
  tokens: someTokens({ accessToken: 'b'.repeat(1_000), refreshToken: 's'.repeat(1_000) }),
};
/** What is read after a kill between the commit and the write of the access token. */
const withoutAccess = ({ tokens, ...owner }: Login): Login => ({
  ...owner,
  ...(tokens && {
    tokens: {
      ...tokens,
      accessToken: '',
      obtainedAtMs: tokens.refreshObtainedAtMs,
      accessLastsMs: 0,
    },
  }),
});
/** The new refresh token with the access token before it, of the same account. */
const withAccessOf = (login: Login, { tokens }: Login): Login => ({
  ...login,
  ...(login.tokens &&
    tokens && {
      tokens: {
        ...login.tokens,
        accessToken: tokens.accessToken,
        obtainedAtMs: tokens.obtainedAtMs,
        accessLastsMs: tokens.accessLastsMs,
      },
    }),
});
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
  ['a renewal with short tokens', [short], shortLater],
  ['a login of another account', [first], other],
  ['a login of another account for another API', [first], { ...other, apiOrigin: 'https://x' }],
  ['the end of a session', [first], withoutTokens],
] as const)(
  'killed at any write of %s, the old or the new refresh token is there, with its client',
  async (_, before, next: Login) => {
    const old = before.at(-1);
    let isCommitted = false;
    const kills = await killedAtEveryWrite(
      before,
      (store) => store.write(next),
      async (keychain, got) => {
        const isSameAccount = old?.username === next.username && old.apiOrigin === next.apiOrigin;
        const committed = [
          next,
          withoutAccess(next),
          ...(isSameAccount ? [withAccessOf(next, old)] : []),
        ];
        expect(isCommitted ? committed : [old, ...committed]).toContainEqual(got);
        isCommitted ||= got?.tokens?.refreshToken === next.tokens?.refreshToken;
        // What the kill left does no harm.
        await keychainCredentialStore(keychain).write(other);
        expect(await keychainCredentialStore(keychain).read()).toEqual(other);
        await keychainCredentialStore(keychain).clear();
        expect([...keychain.entries.keys()]).toEqual([]);
      },
    );
    expect(kills).toBeGreaterThan(1);
  },
);

test('the first write of a renewal commits it, if the refresh token fits into one entry', async () => {
  const keychain = new MemoryKeychain();
  const store = keychainCredentialStore(keychain);
  await store.write(short);
  keychain.changesLeft = 1;
  await expect(store.write(shortLater)).rejects.toThrow('killed');
  const { tokens } = shortLater;
  expect((await store.read())?.tokens).toMatchObject({ refreshToken: tokens?.refreshToken });
});

test('a check of the keychain does not touch the stored login, and leaves nothing', async () => {
  const kills = await killedAtEveryWrite(
    [first],
    (store) => store.checkWritable(),
    async (keychain, got) => {
      expect(got).toEqual(first);
      await keychainCredentialStore(keychain).checkWritable();
      expect(keychain.entries.has('check')).toBe(false);
    },
  );
  expect(kills).toBe(2);
});

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

test('a missing entry of the login is damage; one of the access token costs a renewal', async () => {
  const keychain = new MemoryKeychain();
  const store = keychainCredentialStore(keychain);
  expect(await store.read()).toBeUndefined();
  await store.write(first);
  for (const [entry, value] of [...keychain.entries]) {
    keychain.entries.delete(entry);
    if (entry.startsWith('access-token')) expect(await store.read()).toEqual(withoutAccess(first));
    else if (entry === 'login') expect(await store.read()).toBeUndefined();
    else await expect(store.read()).rejects.toMatchObject({ code: 'credentials-damaged' });
    keychain.entries.set(entry, value);
  }
  keychain.entries.set('login', Buffer.from('damaged'));
  await expect(store.read()).rejects.toMatchObject({ code: 'credentials-damaged' });
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

test('concurrent readers see the old or the new login, and the access token of either', async () => {
  const keychain = new MemoryKeychain();
  const store = keychainCredentialStore(keychain);
  await store.write(first);
  const seen = [first, second, withAccessOf(first, second), withAccessOf(second, first)];
  for (let time = 0; time < 50; time += 1) {
    // One write at a time: a reader that meets several in a row gives up.
    const writing = store.write(time % 2 === 0 ? second : first);
    for (let reads = 0; reads < 4; reads += 1)
      expect([...seen, ...seen.map(withoutAccess)]).toContainEqual(await store.read());
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

test('2,560 bytes are one entry, 2,561 bytes two and the entry that names them', async () => {
  const keychain = new MemoryKeychain();
  const sizes = () => [...keychain.entries].map(([name, { length }]) => [name, length]);
  await writeValue(keychain, 'entry', 'x'.repeat(2_560));
  expect(sizes()).toEqual([['entry', 2_560]]);
  await writeValue(keychain, 'entry', 'x'.repeat(2_561));
  expect(sizes()).toEqual([
    ['entry', 22],
    ['entry.a.1', 2_560],
    ['entry.a.2', 1],
  ]);
  await writeValue(keychain, 'entry', 'y');
  expect(sizes()).toEqual([['entry', 1]]);
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

test('parsing entries and files never throws, whatever the input', () => {
  fc.assert(
    fc.property(fc.json(), fc.string(), (json, text) => {
      for (const parse of [parseRecord, parseAccess, parseLoginFile]) {
        parse(json);
        expect(parse(text)).toBeUndefined();
      }
    }),
  );
});
