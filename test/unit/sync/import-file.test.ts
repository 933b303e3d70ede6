/** What is read from the files of other programs, and that no file makes the reader fail in another way than by its error. */
import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { readImportedFile } from '../../../src/sync/import.js';
import { readFields } from '../../../src/sync/import/protobuf.js';
import { backupMessage, bytesField, tachibk } from '../../support/tachibk.js';
import { longRunRows } from '../../support/long-run.js';

const A = '3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101';
const B = '5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01';
const read = (bytes: Buffer) => readImportedFile(bytes, 'file', new AbortController().signal);

test('favorites of MangaDex, once each, also by the address of the website; others by name', async () => {
  const backup = tachibk([
    { address: `/manga/${A.toUpperCase()}`, title: 'Alpha' },
    { address: `/manga/${A}`, title: 'Alpha again' },
    { address: `https://mangadex.org/title/${B}/beta`, title: 'Beta' },
    {
      address: `/manga/${'0'.repeat(8)}-0000-4000-8000-000000000001`,
      title: 'Not one',
      favorite: false,
    },
    { address: '/series/12', title: 'Elsewhere' },
  ]);
  expect(await read(backup)).toEqual({
    titles: [
      { id: A, name: 'Alpha again' },
      { id: B, name: 'Beta' },
    ],
    otherSites: ['Elsewhere'],
    chapterIds: [],
    listed: [],
  });
});

test('chapters of a download archive and of gallery-dl, once each; other lines do not count', async () => {
  const text = `mangadex ${A}\nmangadex${B}_1\r\nmangadex${B}_2\nyoutube x\nmangadex ${A.toUpperCase()}\n`;
  expect(await read(Buffer.from(text))).toEqual({
    titles: [],
    otherSites: [],
    chapterIds: [A, B],
    listed: [],
  });
});

const whole = tachibk([{ address: `/manga/${A}`, title: 'Alpha' }]);
test.each([
  ['truncated', whole.subarray(0, -12)],
  ['not a message', gzipSync('not a message at all, but text')],
  [
    'with a field that is longer than the file',
    gzipSync(backupMessage([{ address: 'x', title: 'y' }]).subarray(0, 20)),
  ],
  ['with a number that is too long', gzipSync(Buffer.alloc(11, 0xff))],
  ['with a message that is none', gzipSync(bytesField(1, Buffer.from([0x0a, 0x7f])))],
])('a backup that is %s is broken', async (_, bytes) => {
  await expect(read(bytes)).rejects.toMatchObject({ code: 'bad-input-file' });
});

test('a backup that inflates to gigabytes is refused', async () => {
  // Each member of the file inflates to 1 MiB.
  const bomb = Buffer.concat(Array<Buffer>(2 ** 9 + 1).fill(gzipSync(Buffer.alloc(2 ** 20))));
  await expect(read(bomb)).rejects.toMatchObject({ code: 'bad-input-file' });
});

test.each(['', 'a text\n', '{"json": true}', '<other></other>'])(
  'a file of another kind is named: %j',
  async (text) => {
    const hint = expect.stringContaining('.tachibk') as unknown;
    await expect(read(Buffer.from(text))).rejects.toMatchObject({ code: 'bad-input-file', hint });
  },
);

test('any bytes are fields within them, or an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const message = Buffer.from(bytes);
      let length = 0;
      try {
        for (const { number, value } of readFields(message)) {
          expect(number).toBeGreaterThan(0);
          if (Buffer.isBuffer(value)) length += value.length;
        }
      } catch (error) {
        expect((error as Error).message).toMatch(/^it (ends|has)/);
      }
      expect(length).toBeLessThanOrEqual(message.length);
    }),
  );
});

test.each<[string, () => Buffer, string]>([
  ['titles', () => gzipSync(Buffer.alloc(2 * 20_001, Buffer.from([0x0a, 0x00]))), '20000 titles'],
  ...longRunRows<[string, () => Buffer, string]>([
    'fields',
    () => gzipSync(Buffer.alloc(2 * 4_000_001, Buffer.from([0x10, 0x00])), { level: 1 }),
    '4000000 fields',
  ]),
])('a backup with too many %s is refused', async (_, bytes, limit) => {
  await expect(read(bytes())).rejects.toMatchObject({
    code: 'bad-input-file',
    message: `There is more than ${limit} in the file: file`,
  });
});

test.each([
  ['fields', gzipSync(Buffer.alloc(2 ** 20, Buffer.from([0x10, 0x00])), { level: 1 })],
  ['empty lines', Buffer.alloc(2 ** 22, '\n')],
  ['compressed bytes', gzipSync(Buffer.alloc(2 ** 23), { level: 1 })],
])('an interruption ends the reading of many %s', async (_, bytes) => {
  const controller = new AbortController();
  const reason = new Error('interrupted');
  setImmediate(() => {
    controller.abort(reason);
  });
  await expect(readImportedFile(bytes, 'file', controller.signal)).rejects.toBe(reason);
});
