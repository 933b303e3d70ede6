import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { StorageError } from '../../../src/core/errors.js';
import { toStorageError, toTankobonError } from '../../../src/core/system-errors.js';

const FILE = '/library/a.cbz';
const systemError = (errno: number, code: string, message: string, syscall: string) =>
  Object.assign(new Error(`${code}: ${message}, ${syscall}`), { errno, code, syscall });
const NETWORK = ['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE'];

describe('an error of the file system', () => {
  const everyErrno = [...getSystemErrorMap()].filter(([, [code]]) => !NETWORK.includes(code));

  test('is a StorageError with the file name and a hint, for every errno', () => {
    expect(everyErrno.length).toBeGreaterThan(60);
    for (const [errno, [code, message]] of everyErrno) {
      const error = toStorageError(systemError(errno, code, message, 'write'), FILE);
      expect(error).toBeInstanceOf(StorageError);
      expect(error).toMatchObject({ message: expect.stringContaining(FILE), exitCode: 3 });
      expect((error as StorageError).hint).not.toBe('');
    }
  });

  test('without a code of its own keeps the system’s message', () => {
    const error = toStorageError(systemError(-116, 'ESTALE', 'stale file handle', 'fsync'), FILE);
    expect(error).toMatchObject({
      code: 'storage-failed',
      message: `File system error, stale file handle (fsync: ESTALE): ${FILE}`,
    });
  });

  test('that Node has no name for is one too', () => {
    const unknown = systemError(
      -37,
      'Unknown system error -37',
      'Unknown system error -37',
      'open',
    );
    expect(toStorageError(unknown, FILE)).toMatchObject({ code: 'storage-failed' });
  });
});

test('a file in the place of a folder is named, not the path below it', () => {
  const series = join(mkdtempSync(join(tmpdir(), 'tankobon-in-the-way-')), 'Series');
  writeFileSync(series, '');
  for (const system of [
    systemError(-17, 'EEXIST', 'file already exists', 'mkdir'),
    systemError(-20, 'ENOTDIR', 'not a directory', 'mkdir'),
  ])
    expect(toStorageError(system, join(series, 'workspace', '1.part'))).toMatchObject({
      code: 'name-taken',
      message: `Another file or folder is in the way: ${series}`,
    });
  rmSync(dirname(series), { recursive: true });
});

test('a file that cannot be created is not named, but the folder that refuses it', () => {
  const series = mkdtempSync(join(tmpdir(), 'tankobon-refused-'));
  const refused = systemError(-13, 'EACCES', 'permission denied', 'mkdir');
  for (const path of [join(series, 'workspace', '1.part'), series])
    expect(toStorageError(refused, path)).toMatchObject({
      code: 'not-writable',
      message: `Cannot write (EACCES): ${series}`,
      path: series,
    });
  rmSync(series, { recursive: true });
});

test.each([
  ['a bug', new TypeError('x is not a function')],
  ['a reset connection', systemError(-104, 'ECONNRESET', 'connection reset', 'read')],
  ['a refused connection', systemError(-111, 'ECONNREFUSED', 'refused', 'connect')],
  ['an unknown host', systemError(-3008, 'ENOTFOUND', 'not found', 'getaddrinfo')],
  ['undefined', undefined],
])('%s passes unchanged', (_, error) => {
  expect(toStorageError(error, FILE)).toBe(error);
});

describe('a failed file operation that nothing has named', () => {
  const failed = (errno: number, code: string, message: string, syscall: string, path?: string) =>
    toTankobonError(Object.assign(systemError(errno, code, message, syscall), path && { path }));

  test('is a StorageError with the path and the system’s reason, not a bug', () => {
    const error = failed(-13, 'EACCES', 'permission denied', 'open', '/state/x.json');
    expect(error).toMatchObject({
      code: 'not-writable',
      exitCode: 3,
      message: 'Permission denied (EACCES): /state/x.json',
      hint: expect.stringContaining('TANKOBON_HOME'),
    });
    expect(failed(-30, 'EROFS', 'read-only file system', 'mkdir', '/ro/sync')).toMatchObject({
      message: 'Read-only file system (EROFS): /ro/sync',
    });
  });

  test('may have no path: a full or faulty disk, a deleted current folder', () => {
    expect(failed(-28, 'ENOSPC', 'no space left on device', 'write')).toMatchObject({
      code: 'disk-full',
      message: 'No space left on device (ENOSPC).',
    });
    expect(failed(-5, 'EIO', 'i/o error', 'read')).toMatchObject({ exitCode: 3 });
    expect(failed(-2, 'ENOENT', 'no such file or directory', 'uv_cwd')).toMatchObject({
      code: 'storage-failed',
      message: 'The current folder no longer exists.',
    });
  });

  test.each([
    ['a bug', new TypeError('x is not a function')],
    ['a closed descriptor', systemError(-9, 'EBADF', 'bad file descriptor', 'read')],
    ['a connection that timed out', systemError(-110, 'ETIMEDOUT', 'timed out', 'read')],
  ])('%s stays a bug', (_, error) => {
    expect(toTankobonError(error)).toMatchObject({ code: 'fault', exitCode: 1 });
  });
});
