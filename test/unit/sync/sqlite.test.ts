/** Databases that SQLite 3.40 wrote, as gallery-dl makes them, and what hostile ones do. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { readImportedFile } from '../../../src/sync/import.js';
import { fuzzRuns } from '../../support/long-run.js';

const database = (name: string): Buffer =>
  gunzipSync(readFileSync(new URL(`../../fixtures/${name}.sqlite3.gz`, import.meta.url)));
const read = (bytes: Buffer) => readImportedFile(bytes, 'file', new AbortController().signal);

/** The numbers that begin the ids of the entries; those below 16 were deleted again. */
const numbers = (ids: readonly string[]) => ids.map((id) => parseInt(id.slice(0, 8), 16));
const from16To = (end: number) => Array.from({ length: end - 16 }, (_, index) => index + 16);

test.each([
  // Pages of 512 bytes, so that the b-tree has three levels, whose inner pages have entries too.
  ['gallery-dl-archive', 1_500],
  // A table with row numbers, which gallery-dl makes where SQLite knows no other.
  ['gallery-dl-rowids', 300],
])('%s: the chapters of all entries, and no deleted ones', async (name, count) => {
  const { chapterIds } = await read(database(name));
  expect(numbers(chapterIds).sort((one, other) => one - other)).toEqual(from16To(count));
});

test('a cut archive is broken, and says so', async () => {
  const bytes = database('gallery-dl-archive');
  await expect(read(bytes.subarray(0, bytes.length / 2))).rejects.toMatchObject({
    code: 'bad-input-file',
    message: expect.stringMatching(/^The archive is broken \(page \d+ is missing\): file$/),
  });
});

test('an archive with any bytes changed is read or refused, and ends', async () => {
  const whole = database('gallery-dl-rowids');
  const change = fc.tuple(
    fc.oneof(fc.nat(whole.length - 1), fc.nat(120), fc.nat(1_200)),
    fc.integer({ min: 0, max: 255 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 20 }), async (changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of changes) bytes[at] = value;
      try {
        expect((await read(bytes)).chapterIds.length).toBeLessThanOrEqual(300);
      } catch (cause) {
        expect(cause).toMatchObject({ code: 'bad-input-file' });
      }
    }),
    { numRuns: fuzzRuns(2_000) },
  );
});
