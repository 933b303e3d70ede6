/** A file is tankobon's only by its own mark, in a regular file. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatIdentityComment } from '../../../src/library/mark.js';
import { scanLibrary } from '../../../src/library/scan.js';
import { isUnchanged, readFileState, replaceAs } from '../../../src/core/file-state.js';
import { readOwnership } from '../../../src/library/file.js';
import { writeArchive } from '../../support/archive.js';
import { chapterId, testImage, writeChapterFile } from '../../support/chapter-files.js';
import { emptyZip } from '../../support/empty-zip.js';
import { posixTest } from '../../support/platform.js';

let folder: string;
let own: string;
let foreign: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-ownership-'));
  own = join(folder, 'own.cbz');
  foreign = join(folder, 'foreign.cbz');
  const image = await testImage('png');
  await writeChapterFile(own, { id: chapterId(1), images: [image] });
  const web = `<Web>https://mangadex.org/chapter/${chapterId(2)}</Web>`;
  await writeArchive(foreign, { '1.png': image, 'ComicInfo.xml': `<ComicInfo>${web}</ComicInfo>` });
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('the archive comment is a mark; the address in ComicInfo.xml, and a record alone, are not', async () => {
  const record = JSON.stringify({ chapters: [{ chapterId: chapterId(3), key: 'x' }] });
  const recorded = join(folder, 'recorded.cbz');
  await writeArchive(recorded, {
    '1.png': await testImage('png'),
    'META-INF/tankobon.json': record,
  });
  const found = await Promise.all([own, foreign, recorded].map(readOwnership));
  expect(found).toEqual(['own', 'foreign', 'foreign']);
});

test.each([
  ['the comment alone', emptyZip('tankobon bound'), 'foreign'],
  ['text that begins like the comment', emptyZip('tankobon chapter=x'), 'foreign'],
  ['not an archive', Buffer.from('tankobon bound'), 'foreign'],
  ['a chapter of tankobon', emptyZip(formatIdentityComment({ chapterId: chapterId(1) })), 'own'],
])('%s: %#', async (_, bytes, ownership) => {
  const file = join(folder, 'other.cbz');
  writeFileSync(file, bytes);
  expect(await readOwnership(file)).toBe(ownership);
});

posixTest('a link to a marked file, a pipe, a folder and a missing file are not own', async () => {
  symlinkSync(own, join(folder, 'link.cbz'));
  execFileSync('mkfifo', [join(folder, 'pipe.cbz')]);
  const names = ['link.cbz', 'pipe.cbz', '.', 'missing.cbz'];
  const found = await Promise.all(names.map((name) => readOwnership(join(folder, name))));
  expect(found).toEqual(['link', 'foreign', 'foreign', 'foreign']);
});

posixTest('the index says it for each archive, also from the cache of sync', async () => {
  symlinkSync(own, join(folder, 'link.cbz'));
  const home = mkdtempSync(join(tmpdir(), 'tankobon-ownership-home-'));
  try {
    for (const run of ['first', 'cached']) {
      const { archives } = await scanLibrary(folder, { stateFolder: home });
      expect([run, ...archives.map(({ file, ownership }) => [file, ownership])]).toEqual([
        run,
        [foreign, 'foreign'],
        [join(folder, 'link.cbz'), 'link'],
        [own, 'own'],
      ]);
    }
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('of two archives of one chapter, the own one is found', async () => {
  const copy = join(folder, 'a.cbz');
  const web = `<Web>https://mangadex.org/chapter/${chapterId(1)}</Web>`;
  await writeArchive(copy, { 'ComicInfo.xml': `<ComicInfo>${web}</ComicInfo>` });
  expect((await scanLibrary(folder)).find(chapterId(1))?.file).toBe(own);
});

test('a file is unchanged only with the same inode, size and modification time', async () => {
  const before = await readFileState(own);
  if (!before) throw new Error('no state');
  expect(await isUnchanged(own, before)).toBe(true);
  const { atime, mtime } = statSync(own);
  utimesSync(own, atime, new Date(mtime.getTime() + 1));
  expect(await isUnchanged(own, before)).toBe(false);
  const [again, image] = [await readFileState(own), await testImage('png', 2)];
  await writeChapterFile(join(folder, 'new.zip'), { id: chapterId(1), images: [image] });
  renameSync(join(folder, 'new.zip'), own);
  expect(again && (await isUnchanged(own, again))).toBe(false);
  rmSync(own);
  expect(await isUnchanged(own, before)).toBe(false);
  expect(await readFileState(folder)).toBeUndefined();
});

describe('replaceAs', () => {
  const finished = (): string => {
    const file = join(folder, '.finished.tmp');
    writeFileSync(file, 'new');
    return file;
  };
  const stateOf = async (file: string) => {
    const state = await readFileState(file);
    if (!state) throw new Error(file);
    return { file, state };
  };

  posixTest('a folder on another device: the file gets its new name there', async () => {
    const other = mkdtempSync('/var/tmp/tankobon-ownership-');
    try {
      const tmpFile = join(other, '.finished.tmp');
      writeFileSync(tmpFile, 'new');
      const name = join(other, 'new.cbz');
      expect(await replaceAs(tmpFile, [name], await stateOf(own))).toBe(name);
      expect([readFileSync(name, 'utf8'), existsSync(own)]).toEqual(['new', false]);
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  test('a name of another file is passed over, also if that file is the last', async () => {
    const [taken, free] = [foreign, join(folder, 'free.cbz')];
    expect(await replaceAs(finished(), [taken, free], await stateOf(own))).toBe(free);
    expect(readFileSync(free, 'utf8')).toBe('new');
    expect(await replaceAs(finished(), [taken], await stateOf(free))).toBe(free);
    expect(await readOwnership(foreign)).toBe('foreign');
  });

  test('a file that another program changed meanwhile stays under its name', async () => {
    const before = await stateOf(own);
    writeFileSync(own, 'changed');
    const name = join(folder, 'new.cbz');
    await expect(replaceAs(finished(), [name], before)).rejects.toMatchObject({
      code: 'file-changed',
    });
    expect([readFileSync(own, 'utf8'), existsSync(name)]).toEqual(['changed', false]);
  });
});
