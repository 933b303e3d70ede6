/** Planted files in the ledger's folder, and its permissions. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAddresses } from '../../../../src/config/service-addresses.js';
import { openLedger } from '../../../../src/service/ledger.js';
import type { RateLedger } from '../../../../src/service/permits/rate-ledger.js';
import { posixDescribe, posixTest } from '../../../support/platform.js';
import { virtualClock } from '../../../support/virtual-clock.js';

const HOST = 'https://api.example.org';
const REQUEST = { method: 'GET', url: new URL('/manga/x', HOST) };
const OK = { status: 200, headers: {} };
const SECRET = 'the private key\n';

let base: string;
let folder: string;
let secret: string;
let warnings: string[];
const open: RateLedger[] = [];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tankobon-ledger-folder-'));
  folder = join(base, 'ledger');
  secret = join(base, 'id_ed25519');
  writeFileSync(secret, SECRET, { mode: 0o600 });
  warnings = [];
});
afterEach(async () => {
  for (const ledger of open.splice(0)) await ledger.close();
  rmSync(base, { recursive: true, force: true });
});

const openOne = async (): Promise<RateLedger> => {
  const ledger = await openLedger({
    location: { folder },
    // A ledger that was replaced counts as used up for the life of a request.
    clock: virtualClock(),
    warn: (text) => warnings.push(text),
    addresses: readAddresses({ apiUrl: HOST, authUrl: HOST, networkUrl: HOST, realm: 'r' }),
    periodScale: { general: 0.02, endpoint: 0.001 },
  });
  open.push(ledger);
  return ledger;
};
const use = async (): Promise<void> => {
  const ledger = await openOne();
  await (await ledger.reserve(REQUEST)).settle(OK);
  await ledger.close();
};
const modeOf = (file: string): number => lstatSync(file).mode & 0o7777;
const makeFolder = (mode: number): void => {
  mkdirSync(folder);
  chmodSync(folder, mode);
};
const expectRefusal = async (code: string, message: RegExp): Promise<void> => {
  const ledger = await openOne();
  const error: unknown = await ledger.reserve(REQUEST).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
};

posixTest('a link in place of the ledger is replaced, never written through', async () => {
  mkdirSync(folder, { mode: 0o700 });
  symlinkSync(secret, join(folder, 'ledger.json'));
  await use();
  expect(lstatSync(join(folder, 'ledger.json')).isFile()).toBe(true);
  expect(readFileSync(secret, 'utf8')).toBe(SECRET);
  expect(modeOf(secret)).toBe(0o600);
});

posixTest('a link in place of the lock is refused, and its target is not created', async () => {
  mkdirSync(folder, { mode: 0o700 });
  symlinkSync(join(base, 'elsewhere'), join(folder, 'ledger.lock'));
  await expectRefusal('unsafe-path', /ledger\.lock is a symbolic link/);
  expect(readdirSync(base).sort()).toEqual(['id_ed25519', 'ledger']);
});

posixTest('a link in place of the folder is refused', async () => {
  mkdirSync(join(base, 'elsewhere'));
  symlinkSync(join(base, 'elsewhere'), folder);
  await expectRefusal('unsafe-path', /is a symbolic link/);
  expect(readdirSync(join(base, 'elsewhere'))).toEqual([]);
});

posixDescribe('permissions', () => {
  test('a new folder is private, for any umask', async () => {
    const before = process.umask(0);
    try {
      await use();
    } finally {
      process.umask(before);
    }
    expect(modeOf(folder)).toBe(0o700);
    expect(readdirSync(folder).map((name) => modeOf(join(folder, name)))).toEqual([0o600, 0o600]);
  });

  test('a folder that others may read is used as it is', async () => {
    makeFolder(0o755);
    await use();
    expect(modeOf(folder)).toBe(0o755);
  });

  test.each([
    ['a group', 0o775],
    ['a group, setgid', 0o2770],
    ['everybody', 0o777],
    ['everybody, sticky', 0o1777],
  ])('one that is writable by %s is exit 2, with a hint that names Redis', async (_, mode) => {
    makeFolder(mode);
    await expectRefusal('unsafe-ledger', /other users can write to it/);
    const error: unknown = await (
      await openOne()
    )
      .reserve(REQUEST)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      exitCode: 2,
      hint: expect.stringMatching(/chmod 700.*TANKOBON_LEDGER=redis:/),
    });
    expect(readdirSync(folder)).toEqual([]);
    expect(modeOf(folder)).toBe(mode);
  });
});
