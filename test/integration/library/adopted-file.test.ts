/** The record in archives of other programs: what stays, what the index finds, and that the original can be restored. */
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readFileState } from '../../../src/core/file-state.js';
import { rewriterOf } from '../../../src/library/file.js';
import { formatIdentityComment } from '../../../src/library/mark.js';
import { scanLibrary } from '../../../src/library/scan.js';
import { parseRecords } from '../../../src/library/record.js';
import { readArchive, readComment, readEntry, writeArchive } from '../../support/archive.js';
import { chapterId } from '../../support/chapter-files.js';
import { emptyZip } from '../../support/empty-zip.js';

const { adopt: writeAdopted, restore: writeOriginal } = await rewriterOf({ path: 'a.cbz' });

const ID = chapterId(1);
const RECORD = { chapterId: ID, titleId: chapterId(9), pages: ['0'.repeat(64)] };
const COMMENT = formatIdentityComment(RECORD);

let folder: string;
let [file, adopted, restored] = ['', '', ''];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-adopted-'));
  [file, adopted, restored] = ['a.zip', 'b.zip', 'c.zip'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function found(path: string) {
  const state = await readFileState(path);
  if (!state) throw new Error(`${path} is not a regular file.`);
  return { file: path, state };
}

const adopt = async () =>
  writeAdopted(await found(file), adopted, () =>
    Promise.resolve({ record: RECORD, comment: COMMENT }),
  );

test('the entries keep their bytes, and the original is restored byte for byte', async () => {
  await writeArchive(file, { '1.jpg': 'one', 'ComicInfo.xml': '<ComicInfo/>', 'notes.txt': 'x' });
  await adopt();
  const [before, after] = [await readArchive(file), await readArchive(adopted)];
  expect(after.map(({ name, bytes }) => [name, bytes]).slice(0, 3)).toEqual(
    before.map(({ name, bytes }) => [name, bytes]),
  );
  expect(after.map(({ name }) => name)).toEqual([
    '1.jpg',
    'ComicInfo.xml',
    'notes.txt',
    'META-INF/tankobon.json',
  ]);
  expect(await readComment(adopted)).toBe(COMMENT);
  await writeOriginal(await found(adopted), restored);
  expect(readFileSync(restored)).toEqual(readFileSync(file));
});

test('any archive is restored, also one with a comment, which it keeps', async () => {
  const entries = fc.dictionary(
    fc.nat().map((number) => `第${number}話 é.jpg`),
    fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
    { maxKeys: 5 },
  );
  await fc.assert(
    fc.asyncProperty(entries, fc.string({ maxLength: 50 }), async (content, comment) => {
      await writeArchive(file, content, comment);
      for (const each of [adopted, restored]) rmSync(each, { force: true });
      await adopt();
      expect(await readComment(adopted)).toBe(comment === '' ? COMMENT : comment);
      expect(parseRecords(await readEntry(adopted, 'META-INF/tankobon.json'))?.[0]).toMatchObject(
        RECORD,
      );
      await writeOriginal(await found(adopted), restored);
      expect(readFileSync(restored).equals(readFileSync(file))).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test('the index finds the chapter; with a comment of another program the file is not our own', async () => {
  await writeArchive(file, { '1.jpg': 'one' });
  await adopt();
  rmSync(file);
  expect((await scanLibrary(folder)).find(ID)).toMatchObject({ file: adopted, ownership: 'own' });
  rmSync(adopted);
  await writeArchive(file, { '1.jpg': 'one' }, '{"ComicBookInfo/1.0":{}}');
  await adopt();
  rmSync(file);
  expect((await scanLibrary(folder)).find(ID)).toMatchObject({
    file: adopted,
    ownership: 'foreign',
    titleId: RECORD.titleId,
  });
});

test('a file that was changed since it was adopted is not restored', async () => {
  await writeArchive(file, { '1.jpg': 'a page' });
  await adopt();
  const bytes = readFileSync(adopted);
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  writeFileSync(adopted, bytes);
  await expect(writeOriginal(await found(adopted), restored)).rejects.toThrow('changed since');
});

test.each([
  ['no archive', Buffer.from('not a ZIP')],
  ['an empty file', Buffer.alloc(0)],
  ['ZIP64', Buffer.concat([Buffer.alloc(90), emptyZip('').fill(0xff, 8, 20)])],
  ['data between directory and end', Buffer.concat([Buffer.alloc(30), emptyZip('')])],
])('an archive that cannot have a record is refused: %s', async (_name, bytes) => {
  writeFileSync(file, bytes);
  await expect(adopt()).rejects.toThrow(/^it /);
  expect(existsSync(adopted)).toBe(false);
});

test('an archive that ends too early is not restored', async () => {
  await writeArchive(file, { '1.jpg': 'a page' });
  await adopt();
  truncateSync(adopted, readFileSync(adopted).length - 3);
  await expect(writeOriginal(await found(adopted), restored)).rejects.toThrow();
});
