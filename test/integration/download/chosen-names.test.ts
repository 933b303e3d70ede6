/** The name of a series is the owner's choice: by the language of the names that MangaDex has, or one of the owner's own. */
import { basename, join } from 'node:path';
import { createLibrary, uuidOf } from '../../../src/practice-server/library/library.js';
import type { TitleAttributes } from '../../../src/practice-server/library/library.js';
import { readEntry } from '../../support/archive.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { editEntry, replaced } from '../../support/owner-edits.js';
import { runCommand, writeSettings } from '../../support/retag-harness.js';
import { chapter, named, renameTitle, seriesOf, title } from '../../support/title-library.js';

const TITLE = `title:${uuidOf('one')}`;
const OTHER = `title:${uuidOf('two')}`;
const NAMES: Partial<TitleAttributes> = {
  title: { en: 'Yama no Koe' },
  altTitles: [{ 'ja-ro': 'Yama no Koe' }, { ja: '山の声' }],
};

let harness: DownloadHarness;
afterEach(() => harness.stop());

async function start(...attributes: readonly Partial<TitleAttributes>[]): Promise<void> {
  const keys = ['one', 'two'].slice(0, attributes.length);
  harness = await DownloadHarness.start({
    library: createLibrary({
      titles: keys.map((key, index) => title(key, 'Name', attributes[index])),
      chapters: keys.flatMap((key) => [chapter(key, '1'), chapter(key, '2')]),
    }),
  });
}

const download = async (titleLanguage?: string, ...targets: readonly string[]) => {
  const chosen = titleLanguage !== undefined && { titleLanguage };
  const all = targets.length > 0 ? targets : [TITLE];
  const { code, stderr } = await harness.download({ targets: all, language: 'en', ...chosen });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
};

const folders = () => [...new Set(harness.archivePaths().map((path) => path.split('/')[0]))];

test.each([
  ['no choice', undefined, 'Yama no Koe'],
  ['a choice', 'de,ja,en', '山の声'],
])('%s names folder, files and <Series>', async (_, titleLanguage, name) => {
  await start(NAMES);
  await download(titleLanguage);
  expect(harness.archivePaths()).toEqual([named(name, 1), named(name, 2)]);
  const series = await Promise.all(harness.archives().map(seriesOf));
  expect(series).toEqual([name, name]);
});

test.each([
  ['path separators and dots', '../../up/..\\down', /^[^/\\]+$/],
  ['control characters and marks of direction', 'a\u0007b\u202ec\u200f', /^[^\p{Cc}\u202e]+$/u],
  ['more than a file name can have', '山'.repeat(300), /^山+$/],
])('a chosen name with %s is the name of a folder', async (_, hostile, expected) => {
  await start({ altTitles: [{ ja: hostile }] });
  await download('ja');
  const paths = harness.archivePaths();
  expect(paths).toHaveLength(2);
  for (const path of paths) {
    expect(path.split('/')).toHaveLength(2);
    expect(path.split('/')[0]).toMatch(expected);
    expect(Buffer.byteLength(basename(path))).toBeLessThanOrEqual(255);
  }
});

test('two titles whose chosen names are equal get two folders', async () => {
  const altTitles = [{ ja: '声' }];
  await start({ title: { en: 'First' }, altTitles }, { title: { en: 'Second' }, altTitles });
  await download('ja', TITLE, OTHER);
  expect(folders()).toHaveLength(2);
  expect(folders()).toContain('声');
  expect(folders().filter((name) => name?.startsWith('声 ('))).toHaveLength(1);
});

test('an existing series keeps its name after another choice, and LocalizedSeries stays the other name', async () => {
  await start(NAMES);
  writeSettings(harness, { localizedSeries: true });
  await download();
  writeSettings(harness, { localizedSeries: true, titleLanguage: 'ja' });
  harness.service.library.putChapter(chapter('one', '3'));
  await download();
  expect(folders()).toEqual(['Yama no Koe']);
  const retagged = await runCommand(harness, 'retag', harness.output);
  expect(retagged.stderr).toContain('"Yama no Koe" is called "山の声" by now');
  for (const file of harness.archives()) {
    const xml = await readEntry(file, 'ComicInfo.xml');
    expect(xml).toContain('<Series>Yama no Koe</Series>');
    expect(xml).toContain('<LocalizedSeries>山の声</LocalizedSeries>');
  }
});

test('the series that its owner wrote into the file of the latest chapter is the name of later ones, and stays', async () => {
  await start(NAMES);
  await download();
  const latest = join(harness.output, named('Yama no Koe', 2));
  await editEntry(latest, 'ComicInfo.xml', (text) =>
    replaced(text, ['<Series>Yama no Koe<', '<Series>The Voice<']),
  );
  harness.service.library.putChapter(chapter('one', '3'));
  await download();
  const third = join(harness.output, 'Yama no Koe', basename(named('The Voice', 3)));
  expect(await seriesOf(third)).toBe('The Voice');
  renameTitle(harness.service.library, 'one', 'Renamed');
  await runCommand(harness, 'retag', harness.output);
  expect(await seriesOf(latest)).toBe('The Voice');
});

test('`all` is not an order of names, and a name of a language is refused with its code', async () => {
  await start(NAMES);
  const refused = (value: string) => download(value).catch((error: unknown) => error);
  expect(await refused('all')).toMatchObject({ code: 'bad-option' });
  expect(await refused('japanese')).toMatchObject({ hint: 'Did you mean ja?' });
});
