import { StorageError } from '../../../../src/core/errors.js';
import { toLedgerError } from '../../../../src/service/permits/ledger-folder.js';

const FOLDER = '/nonexistent/ledger';

test('an error whose hint is about the output folder gets one about the ledger', () => {
  const error = toLedgerError(new StorageError('name-taken', 'In the way: x'), FOLDER);
  expect(error).toMatchObject({
    code: 'name-taken',
    hint: expect.stringContaining('TANKOBON_LEDGER'),
  });
});

test('an error with a hint of its own keeps it', () => {
  const hint = 'Remove it while no tankobon is running: x';
  const own = new StorageError('not-writable', 'The rate ledger is damaged: x.', { hint });
  expect(toLedgerError(own, FOLDER)).toBe(own);
});

test('a full disk keeps its hint, and other errors stay what they are', () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  expect(toLedgerError(full, FOLDER)).toMatchObject({ code: 'disk-full' });
  const bug = new TypeError('x is not a function');
  expect(toLedgerError(bug, FOLDER)).toBe(bug);
});
