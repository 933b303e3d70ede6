/** A sync removes what it replaced by what the file is, not by the name that it had when the folder was read. */
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scanLibrary } from '../../../src/cbz/scan-library.js';
import { removeReplaced } from '../../../src/sync/sync-save.js';
import { chapterId, testImage, writeChapterFile } from '../../support/chapter-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-renamed-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string) => join(folder, name);

async function removeAfter(change: () => void): Promise<string[]> {
  const images = [await testImage('png')];
  for (const [index, name] of ['old.cbz', 'new.cbz', 'other.cbz'].entries())
    await writeChapterFile(file(name), { id: chapterId(index + 1), images });
  const library = await scanLibrary(folder);
  change();
  const warnings: string[] = [];
  const pending = { replaces: chapterId(1), update: {} };
  await removeReplaced([chapterId(2)], folder, {
    journal: { state: { chapters: new Map([[chapterId(2), pending]]) }, add: () => undefined },
    libraries: { open: () => Promise.resolve(library), update: () => undefined },
    warn: (message: string) => warnings.push(message),
  } as unknown as Parameters<typeof removeReplaced>[2]);
  return warnings;
}

test('the replaced chapter is removed', async () => {
  expect(await removeAfter(() => undefined)).toEqual([]);
  expect(existsSync(file('old.cbz'))).toBe(false);
});

test('another chapter that got its name meanwhile stays, and the run says so', async () => {
  const warnings = await removeAfter(() => {
    renameSync(file('old.cbz'), file('old 2.cbz'));
    renameSync(file('other.cbz'), file('old.cbz'));
  });
  expect(warnings).toEqual([`${file('old.cbz')} is another chapter by now and is kept.`]);
  expect([existsSync(file('old.cbz')), existsSync(file('old 2.cbz'))]).toEqual([true, true]);
});
