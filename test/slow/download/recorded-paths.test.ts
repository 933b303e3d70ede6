/**
 * The record of a chapter keeps the path that the template gave. A file that has it follows every correction on MangaDex,
 * and one whose name or folder differs was named by its owner.
 */
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseRecords } from '../../../src/library/record.js';
import {
  createLibrary,
  editChapter,
  editTitle,
  reuploadChapter,
  uuidOf,
  type LibraryChapter,
  type TitleAttributes,
} from '../../../src/practice-server/library/library.js';
import { drawnCover } from '../../../src/practice-server/library/story-pages.js';
import { readEntry } from '../../support/archive.js';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { retagFolder, runCommand } from '../../support/retag-harness.js';
import { chapter, LATER, named, renameTitle, title } from '../../support/title-library.js';

const targets = [`title:${uuidOf('one')}`];
const NAME = '{series}/{language}/{chapter} {date} [{year}]';

let harness: DownloadHarness;
afterEach(() => harness.stop());

async function start(
  name: string,
  numbers: readonly string[] = ['1', '2'],
  attributes: Parameters<typeof title>[2] = {},
): Promise<void> {
  const chapters = numbers.map((number) => chapter('one', number));
  const titles = [title('one', 'Old', { year: 2018, ...attributes })];
  harness = await DownloadHarness.start({ library: createLibrary({ titles, chapters }) });
  await download({ name });
}

const download = async (options: object = {}): Promise<readonly string[]> => {
  const { code, stderr } = await harness.download({ targets, language: 'all', ...options });
  expect([code, stderr]).toEqual([0, '']);
  return harness.archivePaths();
};

const retag = async (name: string, ...words: readonly string[]): Promise<readonly string[]> => {
  await retagFolder(harness, harness.output, '--name', name, ...words);
  return harness.archivePaths();
};

/** Brings a changed chapter up to date, with its pages or without them. */
const UPDATES: readonly (readonly [
  string,
  boolean,
  (name: string) => Promise<readonly string[]>,
])[] = [
  ['retag', false, (name) => retag(name)],
  ['--update', false, (name) => download({ name, update: true })],
  ['--update with other pages', true, (name) => download({ name, update: true })],
];

/** A file that is rewritten, and one that is replaced. */
const REWRITTEN_OR_REPLACED = UPDATES.filter(([name]) => name !== '--update');

const current = (number: string): LibraryChapter => {
  const found = harness.service.library.chapter(chapter('one', number).id);
  if (!found) throw new Error(`no chapter ${number}`);
  return found;
};

function correct(
  number: string,
  attributes: Parameters<typeof editChapter>[2],
  isReuploaded = false,
): void {
  const edited = editChapter(current(number), LATER, attributes);
  const reuploaded = reuploadChapter(edited, LATER, chapter('one', `${number}00`));
  harness.service.library.putChapter(isReuploaded ? reuploaded : edited);
}

function correctTitle(attributes: Partial<TitleAttributes>): void {
  const found = harness.service.library.title(uuidOf('one'));
  if (!found) throw new Error('no title');
  harness.service.library.putTitle(editTitle(found, LATER, attributes));
}

function move(from: string, to: string): void {
  mkdirSync(dirname(join(harness.output, to)), { recursive: true });
  renameSync(join(harness.output, from), join(harness.output, to));
}

const recordOf = async (path: string) =>
  parseRecords(await readEntry(join(harness.output, path), 'META-INF/tankobon.json'))?.[0];

test('the record has the path that the template gave, below the output folder, and the template', async () => {
  await start(NAME, ['1']);
  expect(await recordOf('Old/en/1 2024-01-05 [2018].cbz')).toMatchObject({
    path: 'Old/en/1 2024-01-05 [2018].cbz',
    folderTemplate: '{series}/{language}',
    fileTemplate: '{chapter} {date} [{year}]',
  });
});

test('the same chapter has the same bytes in every output folder', async () => {
  await start('', ['1']);
  const [first = ''] = harness.archives();
  const output = join(harness.folder, 'another', 'place');
  await download({ output });
  const second = join(output, named('Old', 1));
  expect(readFileSync(second).equals(readFileSync(first))).toBe(true);
});

test.each(UPDATES)('%s: a corrected language reaches the name', async (_, isReuploaded, update) => {
  await start(NAME);
  correct('1', { translatedLanguage: 'fr' }, isReuploaded);
  const corrected = ['Old/en/2 2024-01-05 [2018].cbz', 'Old/fr/1 2024-01-05 [2018].cbz'];
  expect(await update(NAME)).toEqual(corrected);
  expect(await update(NAME)).toEqual(corrected);
});

test.each(REWRITTEN_OR_REPLACED)(
  '%s: a corrected day reaches the name',
  async (_, isReuploaded, update) => {
    await start(NAME);
    correct('1', { readableAt: '2023-12-30T12:00:00+00:00' }, isReuploaded);
    const corrected = ['Old/en/1 2023-12-30 [2018].cbz', 'Old/en/2 2024-01-05 [2018].cbz'];
    expect(await update(NAME)).toEqual(corrected);
    expect(await update(NAME)).toEqual(corrected);
  },
);

test.each(['', '--rename-titles'])('retag %s: a corrected year reaches the name', async (word) => {
  await start(NAME, ['1']);
  correctTitle({ year: 2019 });
  const words = word === '' ? [] : [word];
  expect(await retag(NAME, ...words)).toEqual(['Old/en/1 2024-01-05 [2019].cbz']);
  const { stderr } = await retagFolder(harness, harness.output, '--name', NAME, ...words);
  expect(stderr).toContain('0 changed, 1 unchanged');
});

test('retag: a corrected year reaches the folder of the title', async () => {
  const name = '{series} ({year})/{chapter}';
  await start(name);
  correctTitle({ year: 2019 });
  expect(await retag(name)).toEqual(['Old (2019)/1.cbz', 'Old (2019)/2.cbz']);
});

test('retag: a folder whose only file goes to that of a volume in it is not one that was left', async () => {
  const name = '{series}/v{volume}/{chapter}';
  await start(name, ['1']);
  correct('1', { volume: '1' });
  const { stderr } = await retagFolder(harness, harness.output, '--name', name);
  expect(harness.archivePaths()).toEqual(['Old/v1/1.cbz']);
  expect(stderr).toMatch(/^1 changed, 0 unchanged/);
});

test('retag: a cover goes with a folder that gets another year', async () => {
  const name = '{series} ({year})/{chapter}';
  await start(name, ['1'], { covers: [drawnCover(uuidOf('one'), '1', 'stairs-cover')] });
  await download({ name, cover: true });
  correctTitle({ year: 2019 });
  await retag(name);
  const files = harness.files().map((file) => relative(harness.output, file));
  expect(files.sort()).toEqual(['Old (2019)/1.cbz', 'Old (2019)/cover.png']);
});

test('with a year that was corrected, the title keeps its folder until retag moves it', async () => {
  const name = '{series} ({year})/v{volume}/{chapter}';
  await start(name, ['1']);
  correctTitle({ year: 2019 });
  harness.service.library.putChapter(chapter('one', '2', { volume: '1' }));
  expect(await download({ name })).toEqual(['Old (2018)/1.cbz', 'Old (2018)/v1/2.cbz']);
  correct('1', { volume: '1' });
  expect(await download({ name, update: true })).toEqual([
    'Old (2018)/v1/1.cbz',
    'Old (2018)/v1/2.cbz',
  ]);
  expect(await retag(name)).toEqual(['Old (2019)/v1/1.cbz', 'Old (2019)/v1/2.cbz']);
});

test('after a corrected language, later chapters go to the folder of their own language', async () => {
  await start(NAME, ['1']);
  correct('1', { translatedLanguage: 'fr' });
  harness.service.library.putChapter(chapter('one', '2', { translatedLanguage: 'fr' }));
  expect(await download({ name: NAME })).toEqual([
    'Old/en/1 2024-01-05 [2018].cbz',
    'Old/fr/2 2024-01-05 [2018].cbz',
  ]);
});

test.each(REWRITTEN_OR_REPLACED)(
  '%s: a file that its owner renamed keeps its name, and the others follow',
  async (_, isReuploaded, update) => {
    await start('{series}/{chapter} [{language}]');
    move('Old/1 [en].cbz', 'Old/first.cbz');
    for (const number of ['1', '2']) correct(number, { translatedLanguage: 'fr' }, isReuploaded);
    const name = '{series}/{chapter} [{language}]';
    expect(await update(name)).toEqual(['Old/2 [fr].cbz', 'Old/first.cbz']);
    correct('1', { translatedLanguage: 'de' }, isReuploaded);
    expect(await update(name)).toEqual(['Old/2 [fr].cbz', 'Old/first.cbz']);
  },
);

test.each(REWRITTEN_OR_REPLACED)(
  '%s: a name that the template would give now, but did not give, is the owner’s',
  async (_, isReuploaded, update) => {
    await start('{chapter} {title}', ['1']);
    correct('1', { title: 'Salt' });
    await download({ name: '{chapter} {title}' });
    move('1.cbz', '2.cbz');
    correct('1', { chapter: '3' }, isReuploaded);
    expect(await update('{chapter} {title}')).toEqual(['2.cbz']);
  },
);

test.each(REWRITTEN_OR_REPLACED)(
  '%s: in a folder that its owner renamed, names follow, and later chapters go there',
  async (_, isReuploaded, update) => {
    const name = '{series}/{chapter} [{language}]';
    await start(name);
    move('Old', 'Mine');
    correct('1', { translatedLanguage: 'fr' }, isReuploaded);
    expect(await update(name)).toEqual(['Mine/1 [fr].cbz', 'Mine/2 [en].cbz']);
    harness.service.library.putChapter(chapter('one', '3'));
    expect(await download({ name })).toContain('Mine/3 [en].cbz');
    correct('3', { translatedLanguage: 'fr' }, isReuploaded);
    expect(await update(name)).toContain('Mine/3 [fr].cbz');
  },
);

test('a file that was moved to another folder stays there', async () => {
  const name = '{series}/v{volume}/{chapter}';
  await start(name);
  correct('1', { volume: '1' });
  await retag(name);
  move('Old/v1/1.cbz', 'Shelf/1.cbz');
  correct('1', { volume: '2' });
  expect(await retag(name)).toEqual(['Old/2.cbz', 'Shelf/1.cbz']);
});

test.each(REWRITTEN_OR_REPLACED)(
  '%s: a whole output folder that was moved has the names of the template',
  async (_, isReuploaded, update) => {
    await start(NAME);
    const moved = join(harness.folder, 'disk', 'Old');
    mkdirSync(dirname(moved));
    cpSync(harness.output, moved, { recursive: true });
    correct('1', { translatedLanguage: 'fr' }, isReuploaded);
    const corrected = await update(NAME);
    rmSync(harness.output, { recursive: true });
    renameSync(moved, harness.output);
    expect(await update(NAME)).toEqual(corrected);
    expect(corrected).toContain('Old/fr/1 2024-01-05 [2018].cbz');
  },
);

test('and a folder of it that is named alone', async () => {
  await start(NAME);
  correct('1', { translatedLanguage: 'fr' });
  await retagFolder(harness, join(harness.output, 'Old'), '--name', NAME);
  expect(harness.archivePaths()).toContain('Old/fr/1 2024-01-05 [2018].cbz');
});

test('an id in the name, where the plain one was taken, stays, and the name follows', async () => {
  const name = '{series}/{title} [{language}]';
  await start(name);
  const withId = (number: string, language: string) =>
    `Old/[${language}] (${chapter('one', number).id.slice(0, 8)}).cbz`;
  expect(harness.archivePaths()).toEqual([withId('1', 'en'), withId('2', 'en')].sort());
  correct('1', { translatedLanguage: 'fr' });
  expect(await retag(name)).toEqual([withId('1', 'fr'), withId('2', 'en')].sort());
});

test('a name that was too long follows too', async () => {
  const name = '{series}/{chapter} {title} [{language}]';
  await start(name, ['1']);
  correct('1', { title: 'Ash '.repeat(100) });
  await retag(name);
  correct('1', { translatedLanguage: 'fr' });
  const [path = ''] = await retag(name);
  expect(path).toMatch(/^Old\/1 Ash Ash .* \[fr\]\.cbz$/);
});

test('a name in another Unicode form is the same one', async () => {
  const name = '{series}/{chapter} {title} [{language}]';
  await start(name, ['1']);
  correct('1', { title: 'Café'.normalize('NFC') });
  const [path = ''] = await retag(name);
  const decomposed = path.normalize('NFD');
  expect(decomposed).not.toBe(path);
  move(path, decomposed);
  correct('1', { translatedLanguage: 'fr' });
  expect((await retag(name)).map((each) => each.normalize('NFC'))).toEqual(['Old/1 Café [fr].cbz']);
});

test('a file of an older version, without the path, follows the metadata that it has, and no other', async () => {
  const name = '{series}/{chapter} {title} [{language}]';
  await start(name, ['9']);
  for (const number of ['1', '2']) {
    harness.service.library.putChapter(chapter('one', number, { title: 'Salt' }));
    const { id, titleId } = chapter('one', number);
    await writeChapterFile(join(harness.output, `Old/${number} [en].cbz`), {
      id,
      version: 1,
      series: 'Old',
      number,
      translators: ['Scans'],
      images: [await testImage('png', Number(number))],
      record: `${JSON.stringify({ chapters: [{ chapterId: id, titleId, folderTemplate: '{series}' }] })}\n`,
    });
  }
  correct('2', { translatedLanguage: 'fr' });
  expect(await retag(name)).toEqual(['Old/1 Salt [en].cbz', 'Old/2 [en].cbz', 'Old/9 [en].cbz']);
  // From then on, it has the path.
  correct('1', { translatedLanguage: 'fr' });
  expect(await retag(name)).toContain('Old/1 Salt [fr].cbz');
});

test('a file that an earlier template named keeps its name', async () => {
  await start('{series}/{chapter} [{language}]', ['1']);
  correct('1', { translatedLanguage: 'fr' });
  const paths = ['Old/1 [en].cbz'];
  expect(await retag('{series}/Ch.{chapter} [{language}]')).toEqual(paths);
  expect(await retag('{chapter} {language}')).toEqual(paths);
  expect(await retag('{series}/{chapter} [{language}].cbz')).toEqual(['Old/1 [fr].cbz']);
});

describe('a file of another program', () => {
  const name = '{series}/{chapter} {title}';
  const web = `https://mangadex.org/chapter/${chapter('one', '1').id}`;

  async function adopted(...words: readonly string[]): Promise<void> {
    await start(name, ['9']);
    harness.service.library.putChapter(chapter('one', '1'));
    const images = [await testImage('png', 1)];
    await writeChapterFile(join(harness.output, 'Old/1.cbz'), {
      series: 'Old',
      number: '1',
      web,
      images,
    });
    await runCommand(harness, 'adopt', harness.output, '--apply', ...words);
    expect((await recordOf('Old/1.cbz'))?.path).toBe('');
  }

  test.each(REWRITTEN_OR_REPLACED)(
    '%s: that was adopted keeps the name of its owner, also one that the template would give',
    async (_, isReuploaded, update) => {
      await adopted();
      correct('1', { title: 'Salt' }, isReuploaded);
      expect(await update(name)).toEqual(['Old/1.cbz', 'Old/9.cbz']);
      correct('1', { title: 'Ash' }, isReuploaded);
      expect(await update(name)).toEqual(['Old/1.cbz', 'Old/9.cbz']);
    },
  );

  test('says nothing of where the title is', async () => {
    await adopted();
    harness.service.library.putChapter(chapter('one', '10'));
    expect(await download({ name })).toEqual(['Old/1.cbz', 'Old/10.cbz', 'Old/9.cbz']);
  });
});

test('verify --repair keeps a name that the owner gave, and one of the template follows after it', async () => {
  const name = '{series}/{chapter} [{language}]';
  await start(name);
  move('Old/1 [en].cbz', 'Old/first.cbz');
  for (const file of harness.archives()) {
    const bytes = readFileSync(file);
    bytes[200] = (bytes[200] ?? 0) ^ 1;
    writeFileSync(file, bytes);
  }
  await runCommand(harness, 'verify', harness.output, '--repair');
  expect(harness.archivePaths()).toEqual(['Old/2 [en].cbz', 'Old/first.cbz']);
  for (const number of ['1', '2']) correct(number, { translatedLanguage: 'fr' });
  expect(await retag(name)).toEqual(['Old/2 [fr].cbz', 'Old/first.cbz']);
});

test('a chapter that was uploaded again under another id takes over a name of the owner, and no other', async () => {
  const name = '{series}/{chapter} [{language}] {id}';
  await start(name);
  const old = (number: string) => chapter('one', number).id;
  move(`Old/1 [en] ${old('1')}.cbz`, 'Old/first.cbz');
  const again = (number: string) => ({
    ...chapter('one', number, { at: LATER }),
    id: uuidOf('again', number),
  });
  for (const number of ['1', '2']) {
    harness.service.library.removeChapter(old(number));
    harness.service.library.putChapter(again(number));
  }
  const paths = [`Old/2 [en] ${again('2').id}.cbz`, 'Old/first.cbz'];
  expect(await download({ name, update: true })).toEqual(paths);
  expect(await retag(name)).toEqual(paths);
});

test('a record of anyone who can write to the folder leads nowhere else', async () => {
  const name = '{series}/{language}/{chapter}';
  await start(name, ['1']);
  const { id, titleId } = chapter('one', '1');
  const record = { chapterId: id, titleId, fileTemplate: '{chapter}', metadata: { series: 'Old' } };
  const hostile = { ...record, path: '../en/1.cbz', folderTemplate: '{series}/{language}' };
  rmSync(harness.output, { recursive: true });
  await writeChapterFile(join(harness.output, 'Mine/de/1.cbz'), {
    id,
    version: 1,
    series: 'Old',
    number: '1',
    translators: ['Scans'],
    images: [await testImage('png', 1)],
    record: `${JSON.stringify({ chapters: [hostile] })}\n`,
  });
  harness.service.library.putChapter(chapter('one', '2'));
  expect(await download({ name })).toEqual(['Mine/de/1.cbz', 'Old/en/2.cbz']);
  correct('1', { translatedLanguage: 'fr' });
  expect(await retag(name)).toEqual(['Mine/de/1.cbz', 'Old/en/2.cbz']);
});

test('retag --rename-titles gives the new name to what has the path of its record', async () => {
  await start('');
  move(named('Old', 1), 'Old/mine.cbz');
  renameTitle(harness.service.library, 'one', 'New');
  expect(await retag('', '--rename-titles')).toEqual([named('New', 2), 'New/mine.cbz'].sort());
  expect((await recordOf(named('New', 2)))?.path).toBe(named('New', 2));
  harness.service.library.putChapter(chapter('one', '3'));
  expect(await download()).toContain(named('New', 3));
});

test('retag --rename-titles: a folder that was renamed stays, and so do later chapters in it', async () => {
  await start('');
  move('Old', 'Mine');
  renameTitle(harness.service.library, 'one', 'New');
  const inMine = (number: number) => named('New', number, 'Mine');
  expect(await retag('', '--rename-titles')).toEqual([inMine(1), inMine(2)]);
  harness.service.library.putChapter(chapter('one', '3'));
  expect(await download()).toEqual([inMine(1), inMine(2), inMine(3)]);
});

test('--dry-run names the files as the run does, and changes nothing', async () => {
  await start(NAME);
  correct('1', { translatedLanguage: 'fr' }, true);
  const file = join(harness.output, 'Old/fr/1 2024-01-05 [2018].cbz');
  const before = harness.archivePaths();
  const planned = await harness.dryRun({ targets, language: 'all', name: NAME, update: true });
  expect(planned).toContainEqual(expect.objectContaining({ type: 'planned', file }));
  const words = ['--name', NAME, '--dry-run', '--json'];
  const { stdout } = await retagFolder(harness, harness.output, ...words);
  expect(stdout).toContain(`"newFile":"${file}"`);
  expect(harness.archivePaths()).toEqual(before);
});
