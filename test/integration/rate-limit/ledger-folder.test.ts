/** What somebody else may have put into the ledger's folder, and who may use it. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
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
import { openMachineLedger, viewLedger } from '../../../src/rate-limit/machine-ledger.js';
import type { RateLedger } from '../../../src/rate-limit/rate-ledger.js';

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

const openOne = (): RateLedger => {
  const ledger = openMachineLedger({
    folder,
    clock: systemClock,
    warn: (text) => warnings.push(text),
    addresses: readAddresses({ apiUrl: HOST, authUrl: HOST, networkUrl: HOST, realm: 'r' }),
    periodScale: { general: 0.02, endpoint: 0.001 },
  });
  open.push(ledger);
  return ledger;
};
const use = async (): Promise<void> => {
  const ledger = openOne();
  await (await ledger.reserve(REQUEST)).settle(OK);
  await ledger.close();
};
const modeOf = (file: string): number => lstatSync(file).mode & 0o7777;
const makeFolder = (mode: number): void => {
  mkdirSync(folder);
  chmodSync(folder, mode);
};
const expectRefusal = async (code: string, message: RegExp): Promise<void> => {
  const error: unknown = await openOne()
    .reserve(REQUEST)
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
};
const expectSecretUntouched = (): void => {
  expect(readFileSync(secret, 'utf8')).toBe(SECRET);
  expect(modeOf(secret)).toBe(0o600);
};

describe('a link in the place of', () => {
  test.each(['ledger.json', 'ledger.json.aside', 'ledger.damaged.json', 'abc.holder'])(
    '%s leads nowhere: what it points to is not read, written or chmodded',
    async (name) => {
      mkdirSync(folder, { mode: 0o700 });
      symlinkSync(secret, join(folder, name));
      await use();
      await use();
      expectSecretUntouched();
      expect(lstatSync(join(folder, 'ledger.json')).isFile()).toBe(true);
    },
  );

  test.each(['ledger.json', 'ledger.json.aside', 'abc.holder'])(
    '%s that points to nothing makes nothing there',
    async (name) => {
      mkdirSync(folder, { mode: 0o700 });
      symlinkSync(join(base, 'elsewhere'), join(folder, name));
      await use();
      expect(readdirSync(base).sort()).toEqual(['id_ed25519', 'ledger']);
    },
  );

  test('the lock is refused with its name, and makes nothing where it points to', async () => {
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

test.each([
  ['hard', linkSync],
  ['symbolic', symlinkSync],
])('%s links that appear in the middle of an exchange change no file', async (_, plant) => {
  makeFolder(0o2770);
  const file = new FileStore({ folder, clock: systemClock, warn: () => undefined });
  const names = ['ledger.json', 'ledger.json.aside'].map((name) => join(folder, name));
  for (const planted of [names, names.slice(0, 1), names.slice(1)]) {
    await file.exchange((state) => {
      state.full = { atMs: systemClock.monotonicMs() };
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
test.each(PLANTS)(
  '%s in the place of the ledger is set aside at once, and counts as all used',
  async (_, plant) => {
    mkdirSync(folder, { mode: 0o700 });
    await plant(join(folder, 'ledger.json'));
    expect(() => viewLedger({ folder, clock: systemClock })).toThrow(/is not used|is not read/);
    await use();
    expect(warnings).toEqual([expect.stringMatching(/damaged.*count as used up/)]);
    expect(lstatSync(join(folder, 'ledger.json')).isFile()).toBe(true);
  },
);

test('folders in the place of all its files lock nobody out', async () => {
  for (const name of ['ledger.json', 'ledger.json.aside', 'ledger.damaged.json']) {
    mkdirSync(join(folder, name, 'inner'), { recursive: true });
  }
  await use();
  mkdirSync(join(folder, 'ledger.json.aside'));
  await use();
  expect(lstatSync(join(folder, 'ledger.json')).isFile()).toBe(true);
});

test('a named pipe in the place of the lock is refused at once', async () => {
  mkdirSync(folder, { mode: 0o700 });
  await run('mkfifo', [join(folder, 'ledger.lock')]);
  await expectRefusal('unsafe-path', /ledger\.lock is a named pipe/);
});

describe('who may use the folder', () => {
  test('one that is made is for its owner alone, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      await use();
    } finally {
      process.umask(before);
    }
    expect(modeOf(folder)).toBe(0o700);
    expect(readdirSync(folder).map((name) => modeOf(join(folder, name)))).toEqual([0o600, 0o600]);
  });

  test('one of a group, setgid, has files for the group, whatever the umask', async () => {
    makeFolder(0o2770);
    const before = process.umask(0o077);
    try {
      const place = await openOne().reserve(REQUEST);
      expect(readdirSync(folder).map((name) => modeOf(join(folder, name)))).toEqual([
        0o660, 0o660, 0o660,
      ]);
      await place.settle(OK);
    } finally {
      process.umask(before);
    }
  });

  test('one that a umask of 002 left open to the own group is closed', async () => {
    makeFolder(0o775);
    await use();
    expect(modeOf(folder)).toBe(0o700);
  });

  test.each([
    ['world-writable', 0o777, /every user/],
    ['world-writable and sticky', 0o1777, /every user/],
    ['a group’s, setgid and world-writable', 0o2777, /every user/],
    ['a group’s, setgid and sticky', 0o3770, /sticky/],
  ])('%s: an error with the commands that mend it', async (_, mode, why) => {
    makeFolder(mode);
    await expectRefusal('unsafe-ledger', why);
    const error: unknown = await openOne()
      .reserve(REQUEST)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      exitCode: 2,
      hint: expect.stringContaining(`chmod 2770 '${folder}'`),
    });
    expect(() => viewLedger({ folder, clock: systemClock })).toThrow(why);
    expect(readdirSync(folder)).toEqual([]);
    expect(modeOf(folder)).toBe(mode);
  });
});
