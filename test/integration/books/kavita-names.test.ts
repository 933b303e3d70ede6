/**
 * Bound volumes of titles with a number in their name. Kavita takes a number after a space for that of a chapter (the
 * seventh of `MangaChapterRegex` in its Parser.cs, commit ed7e9d4), and a volume has no `Number` that would count instead.
 */
import { cpSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createLibrary, uuidOf } from '../../../src/practice-server/library/library.js';
import type { DownloadHarness } from '../../support/download-harness.js';
import { retagFolder, runCommand } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';
import { chapter, renameTitle, title } from '../../support/title-library.js';

const runs = new SavedRuns();
let harness: DownloadHarness;
afterEach(() => harness.stop());

const start = async () => {
  const titles = [title('one', 'Mob Psycho 100')];
  const library = createLibrary({ titles, chapters: [chapter('one', '1', { volume: '1' })] });
  harness = await runs.start('one', { library }, (started) =>
    started.download({ targets: [`title:${uuidOf('one')}`], language: 'en' }),
  );
};
const bind = (...words: readonly string[]) =>
  runCommand(harness, 'bind', harness.output, '-o', harness.output, ...words);
const books = () => harness.archivePaths().filter((path) => !path.includes('Ch.'));
const HYPHENED = 'Mob Psycho 100/Mob Psycho-100 Vol.01.cbz';
const PLAIN = 'Mob Psycho 100/Mob Psycho 100 Vol.01.cbz';

test('a volume has a hyphen before the number, its folder has none, and a second run changes nothing', async () => {
  await start();
  await bind();
  expect(books()).toEqual([HYPHENED]);
  expect((await bind()).stdout).toBe('');
  expect(books()).toEqual([HYPHENED]);
});

test('a book of an earlier version keeps its name, also where its chapters are elsewhere', async () => {
  await start();
  await bind();
  renameSync(join(harness.output, HYPHENED), join(harness.output, PLAIN));
  await bind('--force');
  expect(books()).toEqual([PLAIN]);
  const elsewhere = join(harness.folder, 'books');
  const words = ['bind', harness.output, '-o', elsewhere];
  await runCommand(harness, ...words, '--name', '{series}/{series} Vol.{volume:02}');
  await runCommand(harness, ...words, '--force');
  expect(readdirSync(join(elsewhere, 'Mob Psycho 100'))).toEqual([basename(PLAIN)]);
});

test('a book of an earlier version keeps its name in a folder that its owner renamed, beside a copy of it', async () => {
  await start();
  await bind();
  renameSync(join(harness.output, HYPHENED), join(harness.output, PLAIN));
  renameSync(join(harness.output, 'Mob Psycho 100'), join(harness.output, 'Mob'));
  const kept = `Mob/${basename(PLAIN)}`;
  mkdirSync(join(harness.output, 'Mob/old'));
  cpSync(join(harness.output, kept), join(harness.output, 'Mob/old/copy.cbz'));
  await bind('--force');
  expect(books()).toEqual([kept, 'Mob/old/copy.cbz']);
});

test('books of an earlier version in two languages keep their names where their chapters are elsewhere', async () => {
  const titles = [title('two', 'Mob Psycho 100')];
  const chapters = ['en', 'fr'].map((language) =>
    chapter('two', '1', { volume: '1', translatedLanguage: language }),
  );
  harness = await runs.start('two', { library: createLibrary({ titles, chapters }) }, (started) =>
    started.download({ targets: [`title:${uuidOf('two')}`], allReleases: true }),
  );
  const elsewhere = join(harness.folder, 'books');
  const words = ['bind', harness.output, '-o', elsewhere];
  const names = ['en', 'fr'].map((language) => `Mob Psycho 100 Vol.01 [${language}].cbz`);
  await runCommand(harness, ...words, '--name', '{series}/{series} Vol.{volume:02}');
  expect(readdirSync(join(elsewhere, 'Mob Psycho 100')).sort()).toEqual(names);
  await runCommand(harness, ...words);
  expect(readdirSync(join(elsewhere, 'Mob Psycho 100')).sort()).toEqual(names);
});

test('a name by a template of the owner has none', async () => {
  await start();
  await bind('--name', '{series} {volume}');
  expect(books()).toEqual(['Mob Psycho 100 1.cbz']);
});

test('retag --rename-titles renames it', async () => {
  await start();
  await bind();
  renameTitle(harness.service.library, 'one', 'Mob Psycho 200');
  await retagFolder(harness, harness.output, '--rename-titles');
  expect(books()).toEqual(['Mob Psycho 200/Mob Psycho-200 Vol.01.cbz']);
});
