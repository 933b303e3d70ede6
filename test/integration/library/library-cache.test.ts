/** The index of existing archives: each is opened once, and again only when it was changed. */
import {
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatIdentityComment } from '../../../src/library/identity.js';
import { LibraryCache } from '../../../src/library/library-cache.js';
import { scanLibrary } from '../../../src/library/scan-library.js';
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
  const cache = await LibraryCache.open(folder, output);
  let opened = 0;
  const counting = {
    get: cache.get.bind(cache),
    keep: cache.keep.bind(cache),
    markAt: cache.markAt.bind(cache),
    set: (...args: Parameters<LibraryCache['set']>) => {
      opened += 1;
      cache.set(...args);
    },
  };
  const { archives } = await scanLibrary(output, { cache: counting });
  await cache.save();
  return { opened, ids: archives.map(({ chapterId }) => chapterId) };
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
  const { damaged } = await scanLibrary(output, { cache: await LibraryCache.open(folder, output) });
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

test('a moved archive is found, and a removed one forgotten', async () => {
  await scan();
  renameSync(join(output, '1.cbz'), join(output, 'moved.cbz'));
  rmSync(join(output, '2.cbz'));
  expect(await scan()).toEqual({ opened: 1, ids: [idOf(3), idOf(1)] });
});

test('a deleted or damaged index is built anew', async () => {
  await scan();
  const index = join(folder, 'library');
  rmSync(index, { recursive: true });
  expect((await scan()).opened).toBe(3);
  for (const text of ['', '{', '{"format":1,"files":{"1.cbz":[1]}}', '{"format":1,"files":[]}']) {
    for (const name of readdirSync(index)) writeFileSync(join(index, name), text);
    expect(await scan()).toEqual({ opened: 3, ids: [idOf(1), idOf(2), idOf(3)] });
  }
});
