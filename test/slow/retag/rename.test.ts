/** `tankobon retag --rename`: files that their owner did not rename get the names of the template of now. */
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST_NAME } from '../../../src/library/mark.js';
import { createLibrary, uuidOf } from '../../../src/practice-server/library/library.js';
import { drawnCover } from '../../../src/practice-server/library/story-pages.js';
import { readPages } from '../../support/archive.js';
import type { DownloadHarness } from '../../support/download-harness.js';
import { editEntry, replaced } from '../../support/owner-edits.js';
import { retagFolder, runCommand } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';
import { chapter, title } from '../../support/title-library.js';

const FORMER = '{series}/{series} Vol.{volume:02} Ch.{chapter:03} - {title} [{group}].cbz';
const targets = [`title:${uuidOf('one')}`];

const runs = new SavedRuns();
let harness: DownloadHarness;
afterEach(() => harness.stop());

async function start(name: string, options = {}, volumes = ['1', '1', undefined]): Promise<void> {
  const chapters = volumes.map((volume, index) => chapter('one', String(index + 1), { volume }));
  const covers = [drawnCover(uuidOf('one'), '1', 'stairs-cover')];
  const authors = [{ id: uuidOf('Ann'), name: 'Ann' }];
  const library = createLibrary({ titles: [title('one', 'Old', { covers, authors })], chapters });
  harness = await runs.start(JSON.stringify([name, options, volumes]), { library }, (started) =>
    started.download({ targets, language: 'en', name, ...options }),
  );
}

const rename = (...words: readonly string[]) =>
  retagFolder(harness, harness.output, '--rename', ...words);
const paths = (): readonly string[] => harness.archivePaths();
const NOW = [
  'Old/Old Ch.001 Vol.01 [Scans].cbz',
  'Old/Old Ch.002 Vol.01 [Scans].cbz',
  'Old/Old Ch.003 [Scans].cbz',
];

async function expectSilentRun(files: number): Promise<void> {
  const { code, stdout, stderr } = await rename();
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain(`0 changed, ${files} unchanged`);
}

test('names of earlier versions: a dry run shows old and new, and a second run changes nothing', async () => {
  await start(FORMER);
  const before = paths();
  const planned = await rename('--dry-run');
  expect(planned.stdout).toContain('Old Vol.01 Ch.001 [Scans].cbz');
  expect(planned.stdout).toContain('Old Ch.001 Vol.01 [Scans].cbz');
  expect(planned.stderr).toContain('2 would change, 1 unchanged');
  expect(paths()).toEqual(before);
  expect((await rename()).stderr).toContain('2 changed, 1 unchanged');
  expect(paths()).toEqual(NOW);
  await expectSilentRun(3);
  // What comes later has the same template.
  harness.service.library.putChapter(chapter('one', '4'));
  await harness.download({ targets, language: 'en' });
  expect(paths()).toEqual([...NOW, 'Old/Old Ch.004 [Scans].cbz']);
});

test('names of earlier versions whose record does not say the name yet', async () => {
  await start(FORMER);
  for (const path of paths())
    await editEntry(join(harness.output, path), MANIFEST_NAME, (json) =>
      replaced(json, [/"path":"[^"]*",/, ''], [/"fileTemplate":"[^"]*",/, '']),
    );
  expect((await rename('--dry-run')).stderr).toContain('2 would change, 1 unchanged');
  expect((await rename()).stderr).toContain('2 changed, 1 unchanged');
  expect(paths()).toEqual(NOW);
  await expectSilentRun(3);
});

test('a name that its owner gave, and that of an adopted file, stay', async () => {
  await start(FORMER);
  const mine = join(harness.output, 'Old/mine.cbz');
  renameSync(join(harness.output, 'Old/Old Vol.01 Ch.002 [Scans].cbz'), mine);
  await rename();
  expect(paths()).toEqual([NOW[0], NOW[2], 'Old/mine.cbz']);
  await expectSilentRun(3);
});

test('from another template: folders, books, covers and series metadata go along', async () => {
  await start('{author}/{series}/c{chapter}.cbz', { cover: 'all', seriesMetadata: true });
  const folder = join(harness.output, 'Ann/Old');
  const words = [
    harness.output,
    '-o',
    harness.output,
    '--name',
    '{author}/{series}/{series} Vol.{volume:02}',
  ];
  await runCommand(harness, 'bind', ...words);
  const isArchive = (name: string) => name.endsWith('.cbz');
  const extras = readdirSync(folder).filter((name) => !isArchive(name));
  expect(extras.sort()).toEqual(['cover Vol.01.png', 'cover.png', 'details.json', 'series.json']);
  const pages = await readPages(join(folder, 'c1.cbz'));
  const planned = await rename('--dry-run');
  expect(planned.stdout).toContain('Old Vol.01.cbz');
  expect(planned.stderr).toContain('3 would change, 0 unchanged, 1 book');
  expect((await rename()).stderr).toContain('3 changed, 0 unchanged, 1 book');
  expect(paths()).toEqual([...NOW, 'Old/Old Vol.01.cbz'].sort());
  expect(readdirSync(join(harness.output, 'Old'))).toEqual(expect.arrayContaining(extras));
  expect(existsSync(join(harness.output, 'Ann'))).toBe(false);
  expect(await readPages(join(harness.output, NOW[0] ?? ''))).toEqual(pages);
  await expectSilentRun(3);
});

test('a folder that the owner moved stays, and so does one that is written out', async () => {
  await start('Mine/{chapter}.cbz');
  await rename();
  expect(paths()).toEqual(NOW.map((path) => path.replace('Old/', 'Mine/')));
  renameSync(join(harness.output, 'Mine'), join(harness.output, 'Yours'));
  await rename('--name', 'Mine/{series} {chapter}.cbz');
  expect(paths()).toEqual(['1', '2', '3'].map((number) => `Yours/Old ${number}.cbz`));
  await rename('--name', '{series}/{chapter}.cbz');
  expect(paths()).toEqual(['1', '2', '3'].map((number) => `Yours/${number}.cbz`));
});

test('where numbers begin again, the volume comes first', async () => {
  await start('{series}/{volume} {chapter}.cbz', {}, ['1', '1']);
  const { library } = harness.service;
  for (const number of ['1', '2'])
    library.putChapter({
      ...chapter('one', number, { volume: '2' }),
      id: uuidOf('second season', number),
    });
  await harness.download({ targets, language: 'en', name: '{series}/{volume} {chapter}.cbz' });
  await rename();
  expect(paths()).toEqual(
    ['01 Ch.001', '01 Ch.002', '02 Ch.001', '02 Ch.002'].map(
      (name) => `Old/Old Vol.${name} [Scans].cbz`,
    ),
  );
});
