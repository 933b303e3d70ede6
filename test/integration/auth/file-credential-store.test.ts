import {
  chmodSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileCredentialStore } from '../../../src/auth/file-credential-store.js';
import type { Login } from '../../../src/auth/login-record.js';
import { newFolder } from '../../support/auth/harness.js';
import { someTokens } from '../../support/auth/context.js';
import { posixTest } from '../../support/platform.js';

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

posixTest.each([
  ['the file', 0o640, 0o700],
  ['the file', 0o604, 0o700],
  ['the folder', 0o600, 0o750],
  ['the folder', 0o600, 0o701],
])('where others have rights on %s (%o in %o) it is refused', async (_, fileMode, folderMode) => {
  await fileCredentialStore(file).write(login);
  chmodSync(file, fileMode);
  chmodSync(join(folder, 'credentials'), folderMode);
  await expect(fileCredentialStore(file).read()).rejects.toMatchObject({
    code: 'credentials-exposed',
    exitCode: 7,
  });
  await fileCredentialStore(file).write(login);
  expect(await fileCredentialStore(file).read()).toEqual(login);
});

posixTest('a link in place of the file is not followed', async () => {
  await fileCredentialStore(file).write(login);
  renameSync(file, join(folder, 'elsewhere'));
  symlinkSync(join(folder, 'elsewhere'), file);
  await expect(fileCredentialStore(file).read()).rejects.toMatchObject({
    code: 'credentials-exposed',
  });
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
