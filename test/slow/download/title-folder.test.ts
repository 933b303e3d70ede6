/** A title keeps its folder and its name there, whatever the service calls it later. */
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import {
  createLibrary,
  editTitle,
  uuidOf,
  type Library,
  type TitleAttributes,
} from '../../../src/practice-server/library/library.js';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { editEntry, replaced } from '../../support/owner-edits.js';
import { runCommand } from '../../support/retag-harness.js';
import {
  chapter,
  LATER,
  named,
  renameTitle,
  seriesOf,
  title,
} from '../../support/title-library.js';

let harness: DownloadHarness;
afterEach(() => harness.stop());

const start = async (library: Library): Promise<void> => {
  harness = await DownloadHarness.start({ library });
};
const target = (key: string): string => `title:${uuidOf(key)}`;

/** Downloads, and expects success. Resolves with the paths of all archives below the output folder. */
async function download(
  targets: readonly string[],
  options: Parameters<DownloadHarness['download']>[0] | object = {},
): Promise<readonly string[]> {
  const { code, stderr } = await harness.download({ language: 'en', ...options, targets });
  expect([code, stderr]).toEqual([0, '']);
  return paths();
}

const paths = (): readonly string[] => harness.archivePaths();

test('after a rename, a chapter that is a target itself goes to the folder of before, by the dry run too', async () => {
  await start(createLibrary({ titles: [title('one', 'Old')], chapters: [chapter('one', '1')] }));
  await download([target('one')]);
  renameTitle(harness.service.library, 'one', 'New');
  const added = chapter('one', '2');
  harness.service.library.putChapter(added);
  const targets = [added.id];
  const [planned] = await harness.dryRun({ language: 'en', targets });
  expect(await download(targets)).toEqual([named('Old', 1), named('Old', 2)]);
  expect(relative(harness.output, planned?.file ?? '')).toBe(named('Old', 2));
  expect(await seriesOf(join(harness.output, named('Old', 2)))).toBe('Old');
});

test('a name in another language, or another author, changes neither folder nor name', async () => {
  const people = (name: string) => [{ id: uuidOf(name), name }];
  const first = title('one', 'Old', { authors: people('Ann') });
  await start(createLibrary({ titles: [first], chapters: [chapter('one', '1')] }));
  const name = '{author}/{series}/{chapter:02}';
  await download([target('one')], { name });
  const { library } = harness.service;
  library.putTitle(
    editTitle({ ...first, authors: people('Bob') }, LATER, {
      title: { ja: '古い' },
      altTitles: [{ en: 'Other' }, { en: 'Old' }],
    }),
  );
  library.putChapter(chapter('one', '2'));
  expect(await download([target('one')], { name })).toEqual(['Ann/Old/01.cbz', 'Ann/Old/02.cbz']);
});

test('a folder that its owner moved or renamed keeps the title', async () => {
  await start(
    createLibrary({
      titles: [title('one', 'Old')],
      chapters: [chapter('one', '1', { volume: '1' })],
    }),
  );
  const name = '{series}/v{volume:02}/{chapter:02}';
  await download([target('one')], { name });
  const move = (from: string, to: string): void => {
    mkdirSync(dirname(join(harness.output, to)), { recursive: true });
    renameSync(join(harness.output, from), join(harness.output, to));
  };
  move('Old', 'Finished/Old');
  renameTitle(harness.service.library, 'one', 'New');
  const { library } = harness.service;
  library.putChapter(chapter('one', '2', { volume: '1' }));
  library.putChapter(chapter('one', '3', { volume: '2' }));
  library.putChapter(chapter('one', '4'));
  expect(await download([target('one')], { name })).toEqual([
    'Finished/Old/04.cbz',
    'Finished/Old/v01/01.cbz',
    'Finished/Old/v01/02.cbz',
    'Finished/Old/v02/03.cbz',
  ]);
  move('Finished/Old', 'Mine');
  library.putChapter(chapter('one', '5', { volume: '3' }));
  expect(await download([target('one')], { name })).toContain('Mine/v03/05.cbz');
});

test.each(['#recycle', '@Recycle', '$RECYCLE.BIN', '#snapshot', '@Recently-Snapshot', '@eaDir'])(
  'a title whose folder went to %s is not there any more, and nothing is saved there',
  async (name) => {
    await start(createLibrary({ titles: [title('one', 'Old')], chapters: [chapter('one', '1')] }));
    await download([target('one')]);
    mkdirSync(join(harness.output, name));
    renameSync(join(harness.output, 'Old'), join(harness.output, name, 'Old'));
    harness.service.library.putChapter(chapter('one', '2'));
    const deleted = join(name, named('Old', 1));
    expect(await download([target('one')])).toEqual(
      [deleted, named('Old', 1), named('Old', 2)].sort(),
    );
    const output = harness.output;
    for (const words of [
      ['overview', output, '--offline'],
      ['verify', output],
      ['adopt', output],
    ]) {
      const { stdout, stderr } = await runCommand(harness, ...words);
      expect(stdout + stderr).toMatch(/\b2 (chapters|files checked|of tankobon)/);
    }
  },
);

test('a title that has the name of such a folder gets another one, in which it is found again', async () => {
  await start(
    createLibrary({ titles: [title('one', '#Recycle')], chapters: [chapter('one', '1')] }),
  );
  await download([target('one')]);
  harness.service.library.putChapter(chapter('one', '2'));
  const saved = await download([target('one')]);
  expect(saved.map(dirname)).toEqual(['Recycle', 'Recycle']);
  const { stdout, stderr } = await runCommand(harness, 'verify', harness.output);
  expect(stdout + stderr).toContain('2 files checked');
});

test('a folder whose name has two dots, as names had before, keeps the title', async () => {
  await start(
    createLibrary({ titles: [title('one', 'Wait... What')], chapters: [chapter('one', '1')] }),
  );
  await download([target('one')]);
  const before = (number: number) => named('Wait... What', number);
  mkdirSync(join(harness.output, 'Wait... What'));
  renameSync(join(harness.output, named('Wait… What', 1)), join(harness.output, before(1)));
  rmdirSync(join(harness.output, 'Wait… What'));
  harness.service.library.putChapter(chapter('one', '2'));
  expect(await download([target('one')])).toEqual([
    before(1),
    join('Wait... What', basename(named('Wait… What', 2))),
  ]);
});

test('of several folders, that of the latest chapter is the one', async () => {
  const chapters = [chapter('one', '1'), chapter('one', '2'), chapter('one', '10')];
  await start(createLibrary({ titles: [title('one', 'Old')], chapters }));
  await download([target('one')]);
  for (const number of [1, 2]) {
    mkdirSync(join(harness.output, 'Other'), { recursive: true });
    renameSync(
      join(harness.output, named('Old', number)),
      join(harness.output, named('Old', number, 'Other')),
    );
  }
  renameTitle(harness.service.library, 'one', 'New');
  harness.service.library.putChapter(chapter('one', '3'));
  expect(await download([target('one')])).toContain(named('Old', 3));
});

test('a changed template applies, with the name of before', async () => {
  await start(createLibrary({ titles: [title('one', 'Old')], chapters: [chapter('one', '1')] }));
  await download([target('one')]);
  renameTitle(harness.service.library, 'one', 'New');
  const { library } = harness.service;
  library.putChapter(chapter('one', '2'));
  const name = 'Manga/{series}/{chapter}';
  expect(await download([target('one')], { name })).toContain('Manga/Old/2.cbz');
  library.putChapter(chapter('one', '3'));
  expect(await download([target('one')], { name })).toContain('Manga/Old/3.cbz');
  library.putChapter(chapter('one', '4'));
  const flat = await download([target('one')], { name: '{series} {chapter}' });
  expect(flat).toContain('Old 4.cbz');
});

test('a file that is replaced where an earlier template put it does not count as moved', async () => {
  await start(createLibrary({ titles: [title('one', 'Old')], chapters: [chapter('one', '1')] }));
  await download([target('one')]);
  const name = 'Manga/{series}/{chapter}';
  await download([target('one')], { name, force: true });
  harness.service.library.putChapter(chapter('one', '2'));
  expect(await download([target('one')], { name })).toEqual(['Manga/Old/2.cbz', named('Old', 1)]);
});

test('a chapter of a merged title goes to the folder of a title of the same name', async () => {
  const titles = [title('one', 'Old'), title('two', 'Old')];
  await start(createLibrary({ titles, chapters: [chapter('one', '1')] }));
  await download([target('one')]);
  const { library } = harness.service;
  library.mergeTitle(uuidOf('one'), uuidOf('two'));
  const added = chapter('two', '2');
  library.putChapter(added);
  expect(await download([added.id])).toEqual([named('Old', 1), named('Old', 2)]);
});

test('a template without a folder keeps the name in its file names', async () => {
  await start(createLibrary({ titles: [title('one', 'Old')], chapters: [chapter('one', '1')] }));
  await download([target('one')], { name: '{series} {chapter}' });
  renameTitle(harness.service.library, 'one', 'New');
  harness.service.library.putChapter(chapter('one', '2'));
  const names = await download([target('one')], { name: '{series} {chapter}' });
  expect(names).toEqual(['Old 1.cbz', 'Old 2.cbz']);
});

test('chapters in another language go to the same folder', async () => {
  await start(createLibrary({ titles: [title('one', 'Old')], chapters: [chapter('one', '1')] }));
  await download([target('one')]);
  renameTitle(harness.service.library, 'one', 'New');
  harness.service.library.putChapter(chapter('one', '1', { translatedLanguage: 'pt-br' }));
  const both = await download([target('one')], { language: 'all' });
  expect(both.map((path) => dirname(path))).toEqual(['Old', 'Old']);
});

test('each output folder has its own', async () => {
  await start(createLibrary({ titles: [title('one', 'Old')], chapters: [chapter('one', '1')] }));
  await download([target('one')]);
  renameTitle(harness.service.library, 'one', 'New');
  const output = join(harness.folder, 'other');
  const { events } = await harness.download({ language: 'en', targets: [target('one')], output });
  const saved = events.find(({ type }) => type === 'chapter-saved');
  expect(saved).toMatchObject({ file: join(output, named('New', 1)) });
});

test('a title of which only volumes are left stays in a folder that was moved into another', async () => {
  const folder = 'Finished/Old';
  const inVolume = (number: string, volume: string) => chapter('one', number, { volume });
  await start(createLibrary({ titles: [title('one', 'Old')], chapters: [inVolume('1', '1')] }));
  const bind = { bind: 'volume' } as const;
  expect(await download([target('one')], bind)).toEqual(['Old/Old Vol.01.cbz']);
  mkdirSync(join(harness.output, 'Finished'));
  renameSync(join(harness.output, 'Old'), join(harness.output, folder));
  renameTitle(harness.service.library, 'one', 'New');
  harness.service.library.putChapter(inVolume('2', '1'));
  harness.service.library.putChapter(inVolume('3', '2'));
  const books = [1, 2].map((volume) => `${folder}/Old Vol.0${volume}.cbz`);
  expect(await download([target('one')], bind)).toEqual(books);
});

describe('of two titles with one name', () => {
  const twins = (more: Partial<TitleAttributes>) =>
    createLibrary({
      titles: [title('one', 'Same'), title('two', 'SAME', more)],
      chapters: [chapter('one', '1'), chapter('two', '1')],
    });
  const id = uuidOf('two').slice(0, 8);

  test.each([
    ['its year', { year: 2019 }, 'SAME (2019)'],
    ['the first digits of its id', {}, `SAME (${id})`],
  ])('the second has a folder with %s', async (_, more, second) => {
    await start(twins(more));
    expect(await download([target('one')])).toEqual([named('Same', 1)]);
    expect(await download([target('two')])).toContain(named(second, 1));
    expect(await seriesOf(join(harness.output, named(second, 1)))).toBe(second);
    harness.service.library.putChapter(chapter('one', '2'));
    harness.service.library.putChapter(chapter('two', '2'));
    const all = [named('Same', 1), named('Same', 2), named(second, 1), named(second, 2)];
    expect(await download([target('two'), target('one')])).toEqual(all.sort());
  });

  test('they have two folders in one run, and in a dry run', async () => {
    await start(twins({ year: 2019 }));
    const targets = [target('one'), target('two')];
    const planned = await harness.dryRun({ language: 'en', targets });
    const files = planned.flatMap(({ type, file }) => (type === 'planned' ? [file] : []));
    const expected = [named('SAME (2019)', 1), named('Same', 1)];
    expect(files.map((file) => relative(harness.output, file)).sort()).toEqual(expected);
    expect(await download(targets)).toEqual(expected);
  });

  test('a template that has the year needs nothing more', async () => {
    await start(twins({ year: 2019 }));
    const name = '{series} [{year}]/{chapter}';
    expect(await download([target('one'), target('two')], { name })).toEqual([
      'SAME [2019]/1.cbz',
      'Same/1.cbz',
    ]);
  });
});

describe('of a library of an older version, whose archives do not name their title', () => {
  const save = async (key: string, series: string, path: string): Promise<void> => {
    const image = await testImage('png');
    const file = join(harness.output, path);
    await writeChapterFile(file, {
      id: uuidOf(key, '1', 'en'),
      version: 1,
      series,
      number: '1',
      translators: ['Scans'],
      images: [image],
    });
  };
  const library = (key: string, name: string) =>
    createLibrary({
      titles: [title('one', 'English', { altTitles: [{ 'ja-ro': 'Romaji' }] }), title('two', name)],
      chapters: [chapter('one', '1'), chapter('one', '2'), chapter(key, '3')],
    });

  test.each([
    ['title', 'Romaji', 'Romaji'],
    ['title', 'Romaji', 'Finished/Romaji'],
    ['title', 'Romaji', 'By Hand'],
    ['chapter', 'Romaji', 'Romaji'],
  ])('a %s of the name %s stays in %s', async (kind, series, folder) => {
    await start(library('one', 'Other'));
    await save('one', series, named(series, 1, folder));
    const { id } = chapter('one', '2');
    await download([kind === 'title' ? target('one') : id]);
    expect(paths()).toContain(named(series, 2, folder));
    expect(
      paths()
        .map((path) => dirname(path))
        .filter((path) => path !== folder),
    ).toEqual([]);
  });

  test('another title of the same name gets its own folder', async () => {
    await start(library('two', 'English'));
    await save('one', 'English', named('English', 1));
    const id = uuidOf('two').slice(0, 8);
    expect(await download([target('two')])).toEqual(
      [named('English', 1), named(`English (${id})`, 3)].sort(),
    );
  });
});

test('names can have ids, people, the year, the uploader and the day', async () => {
  const one = title('one', 'Old', {
    year: 1999,
    authors: [
      { id: uuidOf('Ann'), name: 'Ann' },
      { id: uuidOf('Bob'), name: 'Bob' },
    ],
    artists: [{ id: uuidOf('Cem'), name: 'Cem' }],
  });
  const first = chapter('one', '1', { readableAt: '2024-03-04T23:30:00-02:00' });
  await start(createLibrary({ titles: [one], chapters: [first] }));
  const name = '{author}/{artist}/{year}/{date}/{title-id}/{chapter-id}';
  const expected = `Ann, Bob/Cem/1999/2024-03-05/${one.id}/${first.id}.cbz`;
  expect(await download([first.id], { name })).toEqual([expected]);
});

describe('a title whose name gives no folder gets one from its id', () => {
  const id = uuidOf('one');
  const withName = (name: string) =>
    start(
      createLibrary({
        titles: [title('one', name)],
        chapters: [chapter('one', '1', { volume: '1' }), chapter('one', '2', { volume: '1' })],
      }),
    );

  test.each(['...', ' . ', '. .'])('of the name "%s"', async (name) => {
    await withName(name);
    expect(await download([target('one')])).toEqual([
      `${id}/Ch.001 Vol.01 [Scans].cbz`,
      `${id}/Ch.002 Vol.01 [Scans].cbz`,
    ]);
  });

  test('with what the template has beside the name, and with no folder for other missing fields', async () => {
    await withName('...');
    const name = '{author}/Manga {series}/{chapter}';
    expect(await download([target('one')], { name })).toEqual([
      `Manga ${id}/1.cbz`,
      `Manga ${id}/2.cbz`,
    ]);
  });

  test('later chapters and books go there too, and a rename of the title moves all of them', async () => {
    await withName('...');
    await download([chapter('one', '1').id]);
    await download([target('one')]);
    const bind = await runCommand(harness, 'bind', harness.output, '-o', harness.output);
    expect(bind.code).toBe(0);
    const renamed = async (name: string) => {
      renameTitle(harness.service.library, 'one', name);
      const { code } = await runCommand(harness, 'retag', harness.output, '--rename-titles');
      expect(code).toBe(0);
      return new Set(paths().map((path) => dirname(path)));
    };
    expect(new Set(paths().map((path) => dirname(path)))).toEqual(new Set([id]));
    expect(paths()).toHaveLength(3);
    expect(await renamed('Storm')).toEqual(new Set(['Storm']));
    expect(await renamed('...')).toEqual(new Set([id]));
    expect(paths()).toHaveLength(3);
  });

  test('a book without chapters beside it moves into it', async () => {
    await withName('Storm');
    await harness.download({ targets: [target('one')], bind: 'volume' });
    expect(paths()).toEqual(['Storm/Storm Vol.01.cbz']);
    renameTitle(harness.service.library, 'one', '...');
    await runCommand(harness, 'retag', harness.output, '--rename-titles');
    expect(paths()).toEqual([`${id}/Vol.01.cbz`]);
  });

  test('what an older version saved in the output folder itself stays there, until retag moves it', async () => {
    await withName('...');
    await download([chapter('one', '1').id]);
    const name = 'Ch.001 Vol.01 [Scans].cbz';
    const old = join(harness.output, name);
    renameSync(join(harness.output, id, name), old);
    rmdirSync(join(harness.output, id));
    await editEntry(old, 'META-INF/tankobon.json', (json) => replaced(json, [`${id}/Ch`, 'Ch']));
    await download([chapter('one', '1').id], { update: true });
    expect(paths()).toEqual([name]);
    const added = `${id}/Ch.002 Vol.01 [Scans].cbz`;
    expect(await download([target('one')])).toEqual([added, name].sort());
    const retag = () => runCommand(harness, 'retag', harness.output);
    expect((await retag()).code).toBe(0);
    expect(paths()).toEqual([`${id}/${name}`, added].sort());
    expect((await retag()).stderr).toContain('0 changed, 2 unchanged');
  });
});
