/** A file that its folder lists as a regular one is opened without a look at it, and nothing else differs. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileState } from '../../../src/core/file-state.js';
import { readLibraryFile, type LibraryFile } from '../../../src/library/file.js';
import { formatIdentityComment } from '../../../src/library/mark.js';
import { emptyZip } from '../../support/empty-zip.js';

const CHAPTER_ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0001';
const CONTENTS: Readonly<Record<string, string | Buffer>> = {
  'chapter.cbz': emptyZip(formatIdentityComment({ chapterId: CHAPTER_ID })),
  'unmarked.cbz': emptyZip(''),
  'damaged.cbz': 'not an archive',
  'empty.epub': '',
  'other.pdf': '%PDF-1.4\n',
  'damaged.pdf': 'not a PDF',
  'ComicInfo.xml': '<ComicInfo><Series>Sea</Series></ComicInfo>',
};

const FIELDS = ['dev', 'ino', 'size', 'mtimeNs', 'mode', 'uid', 'gid'] as const;

function versionOf(found: LibraryFile) {
  const state = 'state' in found ? found.state : undefined;
  return FIELDS.map((name) => state?.[name]);
}

function withoutState(found: LibraryFile) {
  const chapter = 'chapter' in found && { chapter: { ...found.chapter, state: undefined } };
  return { ...found, state: undefined, ...chapter };
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-regular-'));
  for (const [name, content] of Object.entries(CONTENTS))
    writeFileSync(join(folder, name), content);
  symlinkSync('chapter.cbz', join(folder, 'link.cbz'));
  mkdirSync(join(folder, 'folder.cbz'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test.each(Object.keys(CONTENTS))('%s is found as it is, in the state that it has', async (name) => {
  const file = join(folder, name);
  const stats = await readFileState(file);
  const found = await readLibraryFile(file, { isRegular: true });
  const looked = await readLibraryFile(file);
  expect(versionOf(looked)).toEqual(FIELDS.map((name) => stats?.[name]));
  // The file that could not be read may not be the one that a later look finds.
  const isRead = found.kind !== 'unreadable';
  expect(versionOf(found)).toEqual(FIELDS.map((name) => (isRead ? stats?.[name] : undefined)));
  expect(withoutState(found)).toEqual(withoutState(looked));
  expect(found.kind).not.toBe('missing');
});

test.each(['link.cbz', 'folder.cbz'])(
  '%s is not read, if it took the place of a file',
  async (name) => {
    const found = await readLibraryFile(join(folder, name), { isRegular: true });
    expect(found).toMatchObject({ kind: 'unreadable', state: undefined });
  },
);

test('on Windows, a file is unchanged although it has another device when it is open', () => {
  const build = (file: string) =>
    JSON.stringify(new URL(`../../../build/${file}`, import.meta.url));
  const script = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    Object.defineProperty(process, 'platform', { value: 'win32' });
    const { fstatSync } = fs;
    fs.fstatSync = (...given) => {
      const stats = fstatSync(...given);
      stats.dev += typeof stats.dev === 'bigint' ? 1n : 1;
      return stats;
    };
    syncBuiltinESMExports();
    const { readLibraryFile } = await import(${build('library/file.js')});
    const { isUnchanged } = await import(${build('core/file-state.js')});
    const file = ${JSON.stringify(join(folder, 'chapter.cbz'))};
    const { kind, state } = await readLibraryFile(file, { isRegular: true });
    console.log(kind, await isUnchanged(file, state));
  `;
  const options = ['--input-type=module', '--eval', script];
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'chapter true\n', stderr: '' });
});

test('a file that is gone is missing', async () => {
  const found = await readLibraryFile(join(folder, 'gone.cbz'), { isRegular: true });
  expect(found.kind).toBe('missing');
});
