/** Temporary files of processes that were killed, and of those that run. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileCredentialStore } from '../../../src/service/login/file-credential-store.js';
import { systemKeychains } from '../../../src/service/keychain.js';
import { openHookKeys } from '../../../src/service/login/hook-keys.js';
import { systemClock } from '../../../src/core/clock.js';
import { temporaryName, writeFileAtomic } from '../../../src/core/files.js';
import { someTokens } from '../../support/auth/context.js';
import { leftFile } from '../../support/left-file.js';

const THREE_DAYS_S = 3 * 24 * 3_600;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-leftovers-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function put(path: string, ageS = 0): string {
  writeFileSync(path, 'incomplete', { mode: 0o600 });
  const atS = Date.now() / 1_000 - ageS;
  utimesSync(path, atS, atS);
  return path;
}

/** The name that a process on another machine, or in another container, gives. */
const onOtherMachine = (path: string) => path.replace(/\.[0-9a-f]{8}-(?=[^/]*$)/, '.00000000-');

test('writing a file removes what killed processes left in its folder, and nothing else', async () => {
  const file = join(folder, 'report.html');
  put(leftFile(file));
  put(leftFile(join(folder, 'cover')));
  put(onOtherMachine(leftFile(file)), THREE_DAYS_S);
  const kept = [
    put(temporaryName(file)),
    put(onOtherMachine(leftFile(file)), 60),
    put(join(folder, '.notes.tmp'), THREE_DAYS_S),
    put(join(folder, 'report.html.tmp'), THREE_DAYS_S),
  ];
  await writeFileAtomic(file, 'whole');
  const names = readdirSync(folder).map((name) => join(folder, name));
  expect(names.sort()).toEqual([...kept, file].sort());
});

test('a process looks for leftovers at the first file that it writes into a folder, not at each', async () => {
  const file = join(folder, 'title.json');
  await writeFileAtomic(file, 'first');
  const leftover = put(leftFile(file));
  await writeFileAtomic(file, 'second');
  await writeFileAtomic(join(folder, 'other.json'), 'first');
  expect(existsSync(leftover)).toBe(true);
});

test.each(['write', 'clear'] as const)('%s of the login removes copies of it', async (method) => {
  const file = join(folder, 'credentials', 'login.json');
  mkdirSync(join(folder, 'credentials'), { mode: 0o700 });
  const leftover = put(leftFile(file));
  await fileCredentialStore(file)[method]({
    username: 'reader',
    clientId: 'personal-client-1',
    clientSecret: 'secret',
    tokens: someTokens(),
  });
  expect(existsSync(leftover)).toBe(false);
});

test('each write of a login removes copies of it, also in a run that goes on for months', async () => {
  const keys = openHookKeys(folder, systemKeychains(systemClock));
  await keys.write('komga', 'one', 'file');
  const leftover = put(leftFile(join(folder, 'hook-keys.json')));
  await keys.write('komga', 'two', 'file');
  expect(existsSync(leftover)).toBe(false);
});

test('storing a key removes copies of the others', async () => {
  const leftover = put(leftFile(join(folder, 'hook-keys.json')));
  const keys = openHookKeys(folder, systemKeychains(systemClock));
  await Promise.all([keys.write('komga', 'one', 'file'), keys.write('kavita', 'two', 'file')]);
  expect(existsSync(leftover)).toBe(false);
  expect([await keys.read('komga'), await keys.read('kavita')]).toEqual(['one', 'two']);
});
