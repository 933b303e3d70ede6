/** Files and folders planted where tankobon reads or writes. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createFile,
  makeFolders,
  makePrivateFolder,
  openRegularFile,
  readFileIfExists,
  readFileIfExistsSync,
  readRegularFileIfExists,
  removeFile,
  replaceFile,
  writeFileAtomic,
} from '../../../src/core/files.js';
import { tryLockFile } from '../../../src/core/lock.js';
import { exposureOf, OTHERS_ALL } from '../../../src/core/own-folder.js';
import { posixDescribe, posixTest } from '../../support/platform.js';

let folder: string;
let socket: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-planted-'));
});
afterEach(async () => {
  await new Promise<void>((closed) => {
    if (!socket) closed();
    else
      socket.close(() => {
        closed();
      });
  });
  socket = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** Creates something at `path` that is not a regular file. */
const PLANTED: Readonly<Record<string, (path: string) => unknown>> = {
  'a symbolic link': (path) => {
    writeFileSync(join(folder, 'victim'), 'precious');
    symlinkSync(join(folder, 'victim'), path);
  },
  'a named pipe': (path) => execFileSync('mkfifo', [path]),
  'a socket': (path) =>
    new Promise((listening) => {
      socket = createServer().listen(path, () => {
        listening(undefined);
      });
    }),
  'a folder': (path) => {
    mkdirSync(path);
  },
};
const KINDS = Object.keys(PLANTED);

posixDescribe.each(KINDS)('%s in place of a file', (kind) => {
  let path: string;
  beforeEach(async () => {
    path = join(folder, 'x');
    await PLANTED[kind]?.(path);
  });
  const refusal = () => ({ code: 'unsafe-path', message: `${path} is ${kind} and is not used.` });

  test('is not read, and does not block', async () => {
    await expect(openRegularFile(path)).rejects.toMatchObject(refusal());
    await expect(readRegularFileIfExists(path)).rejects.toMatchObject(refusal());
  });

  test('is not read in a folder of our own, unless it is a link to a file', async () => {
    const reading = readFileIfExists(path);
    if (kind === 'a symbolic link') {
      expect(String(await reading)).toBe('precious');
      expect(String(readFileIfExistsSync(path))).toBe('precious');
    } else {
      await expect(reading).rejects.toMatchObject(refusal());
      expect(() => readFileIfExistsSync(path)).toThrow(expect.objectContaining(refusal()));
    }
  });

  test('is not a lock file', async () => {
    await expect(tryLockFile(path)).rejects.toMatchObject(refusal());
  });

  test('is not written through', async () => {
    await expect(createFile(path)).rejects.toMatchObject({ code: 'EEXIST' });
    if (kind === 'a folder') return;
    const handle = await replaceFile(path);
    await handle.writeFile('page');
    await handle.close();
    expect(lstatSync(path).isFile()).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('page');
    if (kind === 'a symbolic link') {
      expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('precious');
    }
  });

  test('is not used as a private folder, unless it is one', () => {
    if (kind === 'a folder') return;
    expect(() => {
      makePrivateFolder(path);
    }).toThrow(expect.objectContaining(refusal()));
  });
});

posixTest('a broken link is not a lock file either, and its target is not created', async () => {
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'x.lock'));
  await expect(tryLockFile(join(folder, 'x.lock'))).rejects.toMatchObject({ code: 'unsafe-path' });
  expect(() => {
    makePrivateFolder(join(folder, 'x.lock'));
  }).toThrow(expect.objectContaining({ code: 'unsafe-path' }));
  expect(readdirSync(folder)).toEqual(['x.lock']);
});

posixTest('a link to a folder is not made private, nor is its target', () => {
  const target = join(folder, 'target');
  mkdirSync(target, { mode: 0o755 });
  symlinkSync(target, join(folder, 'link'));
  expect(() => {
    makePrivateFolder(join(folder, 'link'));
  }).toThrow(expect.objectContaining({ code: 'unsafe-path' }));
  expect(statSync(target).mode & 0o777).toBe(0o755);
});

posixTest('a link that replaces a folder after its check is not followed', () => {
  const target = join(folder, 'target');
  mkdirSync(target, { mode: 0o755 });
  symlinkSync(target, join(folder, 'link'));
  expect(() => exposureOf(join(folder, 'link'), OTHERS_ALL, { makesPrivate: true })).toThrow(
    'is a symbolic link',
  );
  expect(statSync(target).mode & 0o777).toBe(0o755);
  const options = { makesPrivate: true, followsLink: true };
  expect(exposureOf(join(folder, 'link'), OTHERS_ALL, options)).toBeUndefined();
  expect(statSync(target).mode & 0o777).toBe(0o700);
});

posixTest('a device is refused', async () => {
  await expect(readFileIfExists('/dev/zero')).rejects.toMatchObject({
    code: 'unsafe-path',
    message: '/dev/zero is a device and is not used.',
  });
});

test('a file that is too large is not read', async () => {
  const file = join(folder, 'large');
  writeFileSync(file, 'x'.repeat(11));
  for (const read of [readFileIfExists, readRegularFileIfExists]) {
    await expect(read(file, { maxBytes: 10 })).rejects.toMatchObject({ code: 'unsafe-path' });
    expect((await read(file, { maxBytes: 11 }))?.length).toBe(11);
    expect(await read(join(folder, 'none'))).toBeUndefined();
  }
  expect(readFileIfExistsSync(join(folder, 'none'))).toBeUndefined();
});

posixTest('a file or link is removed, never its target', async () => {
  writeFileSync(join(folder, 'victim'), '');
  symlinkSync(join(folder, 'victim'), join(folder, 'x'));
  expect(await removeFile(join(folder, 'x'))).toBe(true);
  expect(await removeFile(join(folder, 'x'))).toBe(false);
  expect(readdirSync(folder)).toEqual(['victim']);
  mkdirSync(join(folder, 'deep'));
  await expect(removeFile(join(folder, 'deep'))).rejects.toThrow();
});

posixTest.each([0o000, 0o077, 0o777])('modes are as requested under umask %o', async (umask) => {
  // In a private folder, new files are private too.
  chmodSync(folder, 0o755);
  const before = process.umask(umask);
  try {
    await writeFileAtomic(join(folder, 'state.json'), '{}', { mode: 0o600 });
    await writeFileAtomic(join(folder, 'page'), 'x');
    (await tryLockFile(join(folder, 'own.lock')))?.release();
  } finally {
    process.umask(before);
  }
  const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;
  expect(['state.json', 'page', 'own.lock'].map(modeOf)).toEqual([0o600, 0o666 & ~umask, 0o600]);
});

test('a folder that another process removes meanwhile is not in the way', async () => {
  const shared = join(folder, 'shared');
  const loop = `for (;;) try { require('node:fs').rmdirSync(${JSON.stringify(shared)}); } catch {}`;
  const other = spawn(process.execPath, ['-e', loop], { stdio: 'ignore' });
  const ended = once(other, 'exit');
  try {
    await once(other, 'spawn');
    // Counts the times at which the folder was gone by the next call.
    for (let removals = 0; removals < 50; removals += Number(!existsSync(shared)))
      makeFolders(shared);
  } finally {
    other.kill('SIGKILL');
    await ended;
  }
});
