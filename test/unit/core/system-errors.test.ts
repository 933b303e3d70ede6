import { describe, expect, test } from '@jest/globals';
import { getSystemErrorMap } from 'node:util';
import { StorageError } from '../../../src/core/errors.js';
import { toStorageError } from '../../../src/core/system-errors.js';

const FILE = '/shelf/a.cbz';
const systemError = (errno: number, code: string, message: string, syscall: string) =>
  Object.assign(new Error(`${code}: ${message}, ${syscall}`), { errno, code, syscall });
const NETWORK = ['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE'];

describe('an error of the file system', () => {
  const everyErrno = [...getSystemErrorMap()].filter(([, [code]]) => !NETWORK.includes(code));

  test('is a storage error that names the file and says what to do, whatever its errno', () => {
    expect(everyErrno.length).toBeGreaterThan(60);
    for (const [errno, [code, message]] of everyErrno) {
      const error = toStorageError(systemError(errno, code, message, 'write'), FILE);
      expect(error).toBeInstanceOf(StorageError);
      expect(error).toMatchObject({ message: expect.stringContaining(FILE), exitCode: 3 });
      expect((error as StorageError).hint).not.toBe('');
    }
  });

  test('that has no code of its own keeps the words of the system', () => {
    const error = toStorageError(systemError(-116, 'ESTALE', 'stale file handle', 'fsync'), FILE);
    expect(error).toMatchObject({
      code: 'storage-failed',
      message: `The file system reported an error for ${FILE}: stale file handle (fsync: ESTALE).`,
    });
  });

  test('without a name in Node is one too', () => {
    const unknown = systemError(
      -37,
      'Unknown system error -37',
      'Unknown system error -37',
      'open',
    );
    expect(toStorageError(unknown, FILE)).toMatchObject({ code: 'storage-failed' });
  });
});

test.each([
  ['a mistake of the program', new TypeError('x is not a function')],
  ['a reset connection', systemError(-104, 'ECONNRESET', 'connection reset', 'read')],
  ['a refused connection', systemError(-111, 'ECONNREFUSED', 'refused', 'connect')],
  ['a host that is not known', systemError(-3008, 'ENOTFOUND', 'not found', 'getaddrinfo')],
  ['no error at all', undefined],
])('%s passes unchanged', (_, error) => {
  expect(toStorageError(error, FILE)).toBe(error);
});
