import {
  chmodSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileCredentialStore } from '../../../../src/service/login/file-credential-store.js';
import type { Login } from '../../../../src/service/login/login-record.js';
import { newFolder } from '../../../support/auth/harness.js';
import { someTokens } from '../../../support/auth/context.js';
import { posixTest } from '../../../support/platform.js';

const login: Login = {
  username: 'reader',
  clientId: 'personal-client-1',
  clientSecret: 'secret',
  tokens: someTokens(),
};
let folder: string;
let file: string;
beforeEach(() => {
  folder = newFolder();
  file = join(folder, 'credentials', 'login.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

posixTest('the file and its folder are private from the start', async () => {
  const umask = process.umask(0);
  try {
    await fileCredentialStore(file).write(login);
  } finally {
    process.umask(umask);
  }
  expect(modeOf(file)).toBe(0o600);
  expect(modeOf(join(folder, 'credentials'))).toBe(0o700);
  expect(readdirSync(join(folder, 'credentials'))).toEqual(['login.json']);
  expect(await fileCredentialStore(file).read()).toEqual(login);
});

posixTest('the content of the state folder is trusted: modes and links do not matter', async () => {
  await fileCredentialStore(file).write(login);
  chmodSync(file, 0o644);
  renameSync(file, join(folder, 'elsewhere'));
  symlinkSync(join(folder, 'elsewhere'), file);
  expect(await fileCredentialStore(file).read()).toEqual(login);
  await fileCredentialStore(file).write(login);
  expect([lstatSync(file).isFile(), modeOf(file)]).toEqual([true, 0o600]);
});

test('a missing login is undefined, an invalid one is an error', async () => {
  const store = fileCredentialStore(file);
  expect(await store.read()).toBeUndefined();
  await store.write(login);
  for (const text of [
    '',
    '{',
    'null',
    '{"format":1}',
    '{"format":2,"login":{}}',
    'x'.repeat(300_000),
  ]) {
    writeFileSync(file, text);
    await expect(store.read()).rejects.toMatchObject({ code: 'credentials-damaged', exitCode: 4 });
  }
  expect(await store.clear()).toBe(true);
  expect(await store.clear()).toBe(false);
  expect(await store.read()).toBeUndefined();
});
