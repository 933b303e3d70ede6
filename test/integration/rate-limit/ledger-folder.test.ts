/** Planted files in the ledger's folder, and its permissions. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../../src/core/clock.js';
import { readAddresses } from '../../../src/rate-limit/service-addresses.js';
import { FileStore } from '../../../src/rate-limit/file-store.js';
import { openLedger, viewLedgerAt } from '../../../src/rate-limit/open-ledger.js';
import type { RateLedger } from '../../../src/rate-limit/rate-ledger.js';
import { posixDescribe, posixTest } from '../../support/platform.js';

const run = promisify(execFile);

const HOST = 'https://api.example.org';
const REQUEST = { method: 'GET', url: new URL('/manga/x', HOST) };
const OK = { status: 200, headers: {} };
const SECRET = 'the private key\n';

let base: string;
let folder: string;
let secret: string;
let warnings: string[];
const open: RateLedger[] = [];
const sockets = createServer();
afterAll(() => {
  sockets.close();
});
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
    clock: systemClock,
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
const expectSecretUntouched = (): void => {
  expect(readFileSync(secret, 'utf8')).toBe(SECRET);
  expect(modeOf(secret)).toBe(0o600);
};

posixDescribe('a link in place of', () => {
  test.each(['ledger.json', 'ledger.json.tmp', 'ledger.damaged.json', 'abc.process'])(
    '%s is not followed: its target is not read, written or chmodded',
    async (name) => {
      mkdirSync(folder, { mode: 0o700 });
      symlinkSync(secret, join(folder, name));
      await use();
      await use();
      expectSecretUntouched();
      expect(lstatSync(join(folder, 'ledger.json')).isFile()).toBe(true);
    },
  );

  test.each(['ledger.json', 'ledger.json.tmp', 'abc.process'])(
    '%s without a target creates nothing there',
    async (name) => {
      mkdirSync(folder, { mode: 0o700 });
      symlinkSync(join(base, 'elsewhere'), join(folder, name));
      await use();
      expect(readdirSync(base).sort()).toEqual(['id_ed25519', 'ledger']);
    },
  );

  test('the lock is refused with its name, and its target is not created', async () => {
    mkdirSync(folder, { mode: 0o700 });
    symlinkSync(join(base, 'elsewhere'), join(folder, 'ledger.lock'));
    await expectRefusal('unsafe-path', /ledger\.lock is a symbolic link/);
    expect(readdirSync(base).sort()).toEqual(['id_ed25519', 'ledger']);
  });

  test('the folder is refused', async () => {
    mkdirSync(join(base, 'elsewhere'));
    symlinkSync(join(base, 'elsewhere'), folder);
    await expectRefusal('unsafe-path', /is a symbolic link/);
    expect(readdirSync(join(base, 'elsewhere'))).toEqual([]);
  });
});

posixTest.each([
  ['hard', linkSync],
  ['symbolic', symlinkSync],
])('%s links that appear during a transaction change no file', async (_, plant) => {
  makeFolder(0o2770);
  const store = new FileStore({ folder, clock: systemClock, warn: () => undefined });
  const names = ['ledger.json', 'ledger.json.tmp'].map((name) => join(folder, name));
  for (const planted of [names, names.slice(0, 1), names.slice(1)]) {
    await store.transaction((state) => {
      state.unknownUse = { atMs: systemClock.monotonicMs() };
      for (const name of names) rmSync(name, { force: true });
      for (const name of planted) plant(secret, name);
      return Promise.resolve();
    });
    expectSecretUntouched();
    expect(lstatSync(join(folder, 'ledger.json')).ino).not.toBe(lstatSync(secret).ino);
  }
});

const PLANTS: readonly (readonly [string, (file: string) => Promise<unknown>])[] = [
  ['a named pipe', (file) => run('mkfifo', [file])],
  ['a folder', (file) => mkdir(file)],
  ['a socket', (file) => once(sockets.listen(file), 'listening')],
  ['too large a file', (file) => writeFile(file, Buffer.alloc(2 ** 21))],
];
posixTest.each(PLANTS)(
  '%s in place of the ledger is moved away at once, and all limits count as used up',
  async (_, plant) => {
    mkdirSync(folder, { mode: 0o700 });
    await plant(join(folder, 'ledger.json'));
    await expect(viewLedgerAt({ location: { folder }, clock: systemClock })).rejects.toThrow(
      /is not used|is not read/,
    );
    await use();
    expect(warnings).toEqual([expect.stringMatching(/damaged.*count as used up/)]);
    expect(lstatSync(join(folder, 'ledger.json')).isFile()).toBe(true);
  },
);

test('folders in place of all its files do not block it', async () => {
  for (const name of ['ledger.json', 'ledger.json.tmp', 'ledger.damaged.json']) {
    mkdirSync(join(folder, name, 'inner'), { recursive: true });
  }
  await use();
  mkdirSync(join(folder, 'ledger.json.tmp'));
  await use();
  expect(lstatSync(join(folder, 'ledger.json')).isFile()).toBe(true);
});

posixTest('a named pipe in place of the lock is refused at once', async () => {
  mkdirSync(folder, { mode: 0o700 });
  await run('mkfifo', [join(folder, 'ledger.lock')]);
  await expectRefusal('unsafe-path', /ledger\.lock is a named pipe/);
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

  test('a setgid folder of a group has files for the group, for any umask', async () => {
    makeFolder(0o2770);
    const before = process.umask(0o077);
    try {
      const permit = await (await openOne()).reserve(REQUEST);
      const files = readdirSync(folder).filter((name) => !name.startsWith('.lock-'));
      expect(files.map((name) => modeOf(join(folder, name)))).toEqual([0o660, 0o660, 0o660]);
      await permit.settle(OK);
    } finally {
      process.umask(before);
    }
  });

  test('a folder that a umask of 002 left open to the own group is made private', async () => {
    makeFolder(0o775);
    await use();
    expect(modeOf(folder)).toBe(0o700);
  });

  test.each([
    ['world-writable', 0o777, /every user/],
    ['world-writable and sticky', 0o1777, /every user/],
    ['a group’s, setgid and world-writable', 0o2777, /every user/],
    ['a group’s, setgid and sticky', 0o3770, /sticky/],
  ])('%s: an error with the commands to fix it', async (_, mode, why) => {
    makeFolder(mode);
    await expectRefusal('unsafe-ledger', why);
    const ledger = await openOne();
    const error: unknown = await ledger.reserve(REQUEST).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      exitCode: 2,
      hint: expect.stringContaining(`chmod 2770 '${folder}'`),
    });
    await expect(viewLedgerAt({ location: { folder }, clock: systemClock })).rejects.toThrow(why);
    expect(readdirSync(folder)).toEqual([]);
    expect(modeOf(folder)).toBe(mode);
  });
});
