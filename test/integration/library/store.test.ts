/** What is known of files: each is opened once, and again only when it was changed. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { formatIdentityComment } from '../../../src/library/mark.js';
import { scanLibrary } from '../../../src/library/scan.js';
import { countRead } from '../../support/count-read.js';
import { FileStore, FolderStore } from '../../../src/library/store.js';
import { emptyZip } from '../../support/empty-zip.js';

const idOf = (number: number) =>
  `0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0${String(number).padStart(3, '0')}`;
const archive = (number: number) => emptyZip(formatIdentityComment({ chapterId: idOf(number) }));

let folder: string;
let output: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-index-'));
  output = mkdtempSync(join(folder, 'comics-'));
  for (const number of [1, 2, 3]) writeFileSync(join(output, `${number}.cbz`), archive(number));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function scan() {
  const read = countRead();
  try {
    const { archives } = await scanLibrary(output, { stateFolder: folder });
    return { opened: read.files(), ids: archives.map(({ chapterId }) => chapterId) };
  } finally {
    read.restore();
  }
}

test('a second scan opens nothing, and a changed or new archive once', async () => {
  expect(await scan()).toEqual({ opened: 3, ids: [idOf(1), idOf(2), idOf(3)] });
  expect(await scan()).toEqual({ opened: 0, ids: [idOf(1), idOf(2), idOf(3)] });
  writeFileSync(join(output, '2.cbz'), archive(7));
  utimesSync(join(output, '2.cbz'), 1_000, 1_000);
  writeFileSync(join(output, '4.cbz'), archive(4));
  expect(await scan()).toEqual({ opened: 2, ids: [idOf(1), idOf(7), idOf(3), idOf(4)] });
  expect((await scan()).opened).toBe(0);
});

test('a file that cannot be read is opened by each scan, since its permissions may change', async () => {
  writeFileSync(join(output, '4.cbz'), 'not an archive');
  expect((await scan()).opened).toBe(3);
  expect((await scan()).opened).toBe(0);
  const { damaged } = await scanLibrary(output, { stateFolder: folder });
  expect(damaged.map(({ file }) => file)).toEqual([join(output, '4.cbz')]);
});

test('the content is not read while path, size and time are the same', async () => {
  const file = join(output, '1.cbz');
  utimesSync(file, 1_000, 1_000);
  await scan();
  writeFileSync(file, Buffer.alloc(statSync(file).size));
  utimesSync(file, 1_000, 1_000);
  expect(await scan()).toEqual({ opened: 0, ids: [idOf(1), idOf(2), idOf(3)] });
});

test('a folder is the same one however its path is written', async () => {
  await scan();
  const before = process.cwd();
  const scanAs = async (path: string) => {
    const read = countRead();
    const { archives } = await scanLibrary(path, { stateFolder: folder });
    const found = [read.files(), archives.length];
    read.restore();
    return found;
  };
  try {
    process.chdir(output);
    const inside = join('..', basename(output));
    for (const path of ['.', './', inside, join(output, '.')])
      expect([path, await scanAs(path)]).toEqual([path, [0, 3]]);
    process.chdir(folder);
    for (const path of [basename(output), `./${basename(output)}/`])
      expect([path, await scanAs(path)]).toEqual([path, [0, 3]]);
  } finally {
    process.chdir(before);
  }
  expect((await scan()).opened).toBe(0);
});

test('the record of a scan counts for the chapter that the file had then', async () => {
  const index = await scanLibrary(output, { stateFolder: folder });
  const [first, second] = index.archives;
  if (!first || !second) throw new Error('There are no archives.');
  expect(await index.scannedRecord(first)).toMatchObject({ chapterId: idOf(1) });
  const moved = { ...second, file: first.file };
  index.update([moved], [second.file]);
  expect(index.find(idOf(2))).toEqual(moved);
  expect(await index.scannedRecord(moved)).toBeUndefined();
});

test('what is known of a file comes from all stores above it, also from one that is opened later', async () => {
  await scan();
  const file = join(output, '1.cbz');
  const { size, mtimeMs } = statSync(file);
  const known = FolderStore.open(folder, output);
  known.set(file, { size, mtimeMs }, { wholeAtMs: 7 });
  await known.save();
  const store = new FileStore(folder);
  expect(store.wholeAtMs(file, { size, mtimeMs })).toBe(7);
  store.folder(folder).set(file, { size, mtimeMs }, { wholeAtMs: 9 });
  expect(store.wholeAtMs(file, { size, mtimeMs })).toBe(9);
});

test('a moved archive is found, and a removed one forgotten', async () => {
  await scan();
  renameSync(join(output, '1.cbz'), join(output, 'moved.cbz'));
  rmSync(join(output, '2.cbz'));
  expect(await scan()).toEqual({ opened: 1, ids: [idOf(3), idOf(1)] });
});

test('nothing else in the state folder is removed: the output may be there too', async () => {
  const inState = join(folder, 'library');
  mkdirSync(inState);
  writeFileSync(join(folder, 'verified.json'), '{}');
  writeFileSync(join(inState, 'a.cbz'), archive(1));
  for (const run of ['first', 'second'])
    expect([run, (await scanLibrary(inState, { stateFolder: folder })).archives.length]).toEqual([
      run,
      1,
    ]);
  const names = readdirSync(folder).filter((name) => !name.startsWith('comics-'));
  expect(names.sort()).toEqual(['files', 'library', 'verified.json']);
});

test('what each command knows of a file stays as long as the file does', async () => {
  await scan();
  const file = join(output, '1.cbz');
  const version = statSync(file);
  const store = FolderStore.open(folder, output);
  store.set(file, version, { wholeAtMs: 5 });
  store.set(file, version, { comparedWith: 'digest' });
  await store.save();
  expect((await scan()).opened).toBe(0);
  const known = FolderStore.open(folder, output).get(file, version);
  expect(known).toMatchObject({ wholeAtMs: 5, comparedWith: 'digest', found: { isBound: false } });
  utimesSync(file, 1_000, 1_000);
  await scan();
  const changed = FolderStore.open(folder, output).get(file, statSync(file));
  expect(changed).toMatchObject({ wholeAtMs: undefined, comparedWith: undefined });
});

test('the version of a file is the same from both kinds of its state', () => {
  const file = join(output, '1.cbz');
  utimesSync(file, 1_700_000_000.123_456, 1_700_000_000.987_654);
  const store = FolderStore.open(folder, output);
  store.set(file, statSync(file, { bigint: true }), { wholeAtMs: 5 });
  expect(store.get(file, statSync(file))).toMatchObject({ wholeAtMs: 5 });
});

test('two processes add what they found', async () => {
  const [one, other] = [FolderStore.open(folder, output), FolderStore.open(folder, output)];
  const version = { size: 1, mtimeMs: 2 };
  one.set(join(output, '1.cbz'), version, { wholeAtMs: 5 });
  other.set(join(output, '2.cbz'), version, { wholeAtMs: 6 });
  await one.save();
  await other.save();
  const store = FolderStore.open(folder, output);
  const known = [1, 2].map(
    (number) => store.get(join(output, `${number}.cbz`), version)?.wholeAtMs,
  );
  expect(known).toEqual([5, 6]);
});

test('a file that another process added after the folder was listed stays known', async () => {
  await scan();
  const store = FolderStore.open(folder, output);
  const version = { size: 1, mtimeMs: 2 };
  store.keepOnly([join(output, '1.cbz')]);
  const other = FolderStore.open(folder, output);
  other.set(join(output, '4.cbz'), version, { wholeAtMs: 5 });
  await other.save();
  await store.save();
  const saved = FolderStore.open(folder, output);
  expect(saved.get(join(output, '4.cbz'), version)).toMatchObject({ wholeAtMs: 5 });
  expect(saved.markAt(join(output, '2.cbz'))).toBeUndefined();
});

test('the mark of a damaged file is not what an empty file without a time has', async () => {
  const file = join(output, '1.cbz');
  const store = FolderStore.open(folder, output);
  const mark = { chapters: [{ chapterId: idOf(1) }], isBook: false };
  store.setDamaged(file, mark);
  await store.save();
  const saved = FolderStore.open(folder, output);
  expect(saved.markAt(file)).toEqual({
    chapters: [{ ...mark.chapters[0], proof: 'mark' }],
    isBook: false,
  });
  expect(saved.get(file, { size: 0, mtimeMs: 0 })).toBeUndefined();
});

test('a deleted or damaged index is built anew', async () => {
  await scan();
  const index = join(folder, 'files');
  rmSync(index, { recursive: true });
  expect((await scan()).opened).toBe(3);
  for (const text of [
    '',
    '{',
    '{"format":1,"files":{"1.cbz":[1]}}',
    '{"format":1,"files":[]}',
    '{"format":2,"entries":{"1.cbz":[1]}}',
  ]) {
    for (const name of readdirSync(index)) writeFileSync(join(index, name), text);
    expect(await scan()).toEqual({ opened: 3, ids: [idOf(1), idOf(2), idOf(3)] });
  }
});
