/**
 * A chapter that is replaced gets the name that `retag` would give it: the one that a template gave for the old metadata
 * follows the new metadata, and one that its owner gave stays.
 */
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readIdentity } from '../../../src/library/file.js';
import {
  createLibrary,
  editChapter,
  reuploadChapter,
  uuidOf,
  type LibraryChapter,
} from '../../../src/practice-server/library/library.js';
import { readEntry } from '../../support/archive.js';
import type { DownloadHarness } from '../../support/download-harness.js';
import { posixTest } from '../../support/platform.js';
import { retagFolder } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';
import { chapter, LATER, named, renameTitle, title } from '../../support/title-library.js';

const targets = [`title:${uuidOf('one')}`];
const MUCH_LATER = '2025-02-05T12:00:00+00:00';

const runs = new SavedRuns();
let harness: DownloadHarness;
const start = async (options = {}, numbers = ['1', '2']) => {
  const chapters = numbers.map((number) => chapter('one', number));
  const library = createLibrary({ titles: [title('one', 'Old')], chapters });
  harness = await runs.start(JSON.stringify([options, numbers]), { library }, (started) =>
    started.download({ targets, language: 'en', ...options }),
  );
};
afterEach(() => harness.stop());

const update = async (options = {}) => {
  const { events } = await harness.download({ targets, language: 'en', update: true, ...options });
  return events;
};
const paths = (): readonly string[] => harness.archivePaths();
const put = (next: LibraryChapter): void => {
  harness.service.library.putChapter(next);
};

/** Other metadata, and other pages if `seed` is given. */
function change(
  number: string,
  attributes: Parameters<typeof editChapter>[2],
  isReuploaded = true,
): void {
  const { library } = harness.service;
  const now = library.chapter(chapter('one', number).id);
  if (!now) throw new Error(`no chapter ${number}`);
  const edited = editChapter(now, LATER, attributes);
  put(isReuploaded ? reuploadChapter(edited, LATER, chapter('one', `${number}00`)) : edited);
}

const byHand = (from: string, to: string): void => {
  mkdirSync(dirname(join(harness.output, to)), { recursive: true });
  renameSync(join(harness.output, from), join(harness.output, to));
};

const chapterAt = async (path: string) => {
  const identity = await readIdentity(join(harness.output, path));
  return typeof identity === 'object' ? identity.chapterId : identity;
};

const SALT = 'Old/Old Ch.001 Vol.04 - Salt [Scans].cbz';

test('other pages and other metadata: the new file has the new name, and the old one is gone', async () => {
  await start();
  change('1', { title: 'Salt', volume: '4' });
  const planned = await harness.dryRun({ targets, language: 'en', update: true });
  expect(planned[0]).toMatchObject({ type: 'planned', file: join(harness.output, SALT) });
  const events = await update();
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'chapter-saved',
      file: join(harness.output, SALT),
      replacedFile: join(harness.output, named('Old', 1)),
    }),
  );
  expect(paths()).toEqual([SALT, named('Old', 2)]);
  expect((await update()).at(-1)).toMatchObject({ saved: 0, retagged: 0 });
  expect((await retagFolder(harness, harness.output)).stderr).toContain('0 changed, 2 unchanged');
  change('1', { title: 'Ash' }, false);
  await retagFolder(harness, harness.output);
  expect(paths()).toContain(SALT.replace('Salt', 'Ash'));
});

test('--force gives the new name too', async () => {
  await start();
  change('1', { title: 'Salt', volume: '4' });
  await update({ force: true });
  expect(paths()).toEqual([SALT, named('Old', 2)]);
});

test('after that, retag --rename-titles moves the file with its title', async () => {
  await start();
  change('1', { title: 'Salt', volume: '4' });
  await update();
  renameTitle(harness.service.library, 'one', 'New');
  await retagFolder(harness, harness.output, '--rename-titles');
  expect(paths()).toEqual([SALT.replaceAll('Old', 'New'), named('New', 2)]);
});

test('a name that its owner gave stays, and so does a folder', async () => {
  await start();
  byHand(named('Old', 1), 'Shelf/first.cbz');
  byHand(named('Old', 2), named('Old', 2, 'Mine'));
  change('1', { title: 'Salt' });
  change('2', { title: 'Salt' });
  await update();
  expect(paths()).toEqual([named('Old', 2, 'Mine').replace(' [', ' - Salt ['), 'Shelf/first.cbz']);
});

test('a folder of the template that its last file leaves is removed', async () => {
  const name = '{series}/v{volume}/{chapter}';
  await start({ name });
  change('1', { volume: '1' });
  await update({ name });
  expect(paths()).toEqual(['Old/2.cbz', 'Old/v1/1.cbz']);
  change('1', { volume: '2' });
  await update({ name });
  expect(paths()).toEqual(['Old/2.cbz', 'Old/v2/1.cbz']);
  expect(existsSync(join(harness.output, 'Old/v1'))).toBe(false);
});

test('a name with the uploader follows the metadata, also those of a chapter that another user uploaded again', async () => {
  const name = '{series}/{uploader}/{chapter} {title} {uploader}';
  await start({ name });
  const [before = ''] = paths();
  const old = /^Old\/(.*)\/1 /.exec(before)?.[1] ?? '';
  change('1', { title: 'Salt' });
  await update({ name });
  expect(paths()[0]).toBe(`Old/${old}/1 Salt ${old}.cbz`);
  change('1', { title: 'Ash' }, false);
  await retagFolder(harness, harness.output, '--name', name);
  expect(paths()[0]).toBe(`Old/${old}/1 Ash ${old}.cbz`);
  const uploaderId = uuidOf('another user');
  harness.service.library.removeChapter(chapter('one', '1').id);
  put({ ...chapter('one', '1', { at: LATER }), id: uuidOf('uploaded again'), uploaderId });
  await update({ name });
  expect(paths()).toEqual([`Old/${old}/2 ${old}.cbz`, `Old/${uploaderId}/1 ${uploaderId}.cbz`]);
});

test('a name of another file is never taken: the chapter gets its short id', async () => {
  await start();
  writeFileSync(join(harness.output, SALT), 'mine');
  change('1', { title: 'Salt', volume: '4' });
  await update();
  const withId = SALT.replace('.cbz', ` (${chapter('one', '1').id.slice(0, 8)}).cbz`);
  expect(paths()).toEqual([named('Old', 2), withId, SALT].sort());
  expect(readFileSync(join(harness.output, SALT), 'utf8')).toBe('mine');
  change('1', { title: 'Ash' });
  await update();
  expect(paths()).toContain(withId.replace('Salt', 'Ash'));
});

test('metadata alone and other pages give the same names', async () => {
  const names: (readonly string[])[] = [];
  for (const isReuploaded of [false, true]) {
    await start({ name: '{chapter} {title} {date} {chapter-id}' });
    change('1', { chapter: '7', title: 'Salt' }, isReuploaded);
    await update({ name: '{chapter} {title} {date} {chapter-id}' });
    names.push(paths());
    if (!isReuploaded) await harness.stop();
  }
  expect(names[0]).toEqual(names[1]);
  expect(names[0]?.join()).toContain('7 Salt');
});

describe('a chapter that was uploaded anew under another id', () => {
  const again = (attributes: Parameters<typeof chapter>[2] = {}): LibraryChapter => ({
    ...chapter('one', '1', { at: LATER, title: 'Again', ...attributes }),
    id: uuidOf('uploaded anew'),
  });
  const uploadAnew = (attributes = {}): void => {
    harness.service.library.removeChapter(chapter('one', '1').id);
    put(again(attributes));
  };

  test('has its own name', async () => {
    await start();
    uploadAnew();
    await update();
    expect(paths()).toEqual([named('Old', 1).replace(' [', ' - Again ['), named('Old', 2)]);
  });

  test('keeps the name that its owner gave to the older upload', async () => {
    await start();
    byHand(named('Old', 1), 'Old/first.cbz');
    uploadAnew();
    await update();
    expect(paths()).toEqual([named('Old', 2), 'Old/first.cbz']);
    expect(await chapterAt('Old/first.cbz')).toBe(again().id);
  });

  test('has its id in the name where the old one had its own', async () => {
    const name = '{chapter} {chapter-id}';
    await start({ name });
    uploadAnew();
    await update({ name });
    expect(paths()).toContain(`1 ${again().id}.cbz`);
    expect(paths()).toHaveLength(2);
  });
});

test('a new chapter gets the plain name that a renumbered one leaves in the same run', async () => {
  await start();
  change('2', { chapter: '3' }, false);
  const fresh = { ...chapter('one', '2', { at: MUCH_LATER }), id: uuidOf('new second') };
  put(fresh);
  await update();
  expect(paths()).toEqual([named('Old', 1), named('Old', 2), named('Old', 3)]);
  expect(await chapterAt(named('Old', 2))).toBe(fresh.id);
  expect(await chapterAt(named('Old', 3))).toBe(chapter('one', '2').id);
});

test('and one that a renumbered chapter with other pages leaves', async () => {
  await start();
  change('2', { chapter: '3' });
  const fresh = { ...chapter('one', '2', { at: MUCH_LATER }), id: uuidOf('new second') };
  put(fresh);
  await update();
  expect(paths()).toEqual([named('Old', 1), named('Old', 2), named('Old', 3)]);
  expect(await chapterAt(named('Old', 2))).toBe(fresh.id);
});

test('an inferred volume stays in name and metadata', async () => {
  await start();
  const french = { at: LATER, volume: '4', translatedLanguage: 'fr' };
  for (const number of ['1', '2']) put(chapter('one', number, french));
  const books = { bind: 'volume', keepChapters: true, force: true };
  await harness.download({ targets, language: 'en', ...books });
  const withVolume = named('Old', 1).replace(/Ch.\d+/, '$& Vol.04');
  expect(paths()).toContain(withVolume);
  change('1', { title: 'Salt' });
  await update();
  const salt = withVolume.replace(' [', ' - Salt [');
  expect(paths()).toContain(salt);
  const xml = await readEntry(join(harness.output, salt), 'ComicInfo.xml');
  expect(xml).toContain('<Volume>4</Volume>');
});

posixTest(
  'a file that a killed run left under both names is replaced under the new one',
  async () => {
    await start();
    change('1', { title: 'Salt', volume: '4' });
    linkSync(join(harness.output, named('Old', 1)), join(harness.output, SALT));
    await update();
    expect(paths()).toEqual([SALT, named('Old', 2)]);
    expect(await readEntry(join(harness.output, SALT), 'ComicInfo.xml')).toContain('Salt');
  },
);

posixTest('and in another folder, also if only its metadata changed', async () => {
  const name = '{series}/v{volume}/{chapter}';
  await start({ name });
  mkdirSync(join(harness.output, 'Old/v4'));
  for (const [number, isReuploaded] of [
    ['1', true],
    ['2', false],
  ] as const) {
    change(number, { volume: '4' }, isReuploaded);
    linkSync(
      join(harness.output, `Old/${number}.cbz`),
      join(harness.output, `Old/v4/${number}.cbz`),
    );
  }
  await update({ name });
  expect(paths()).toEqual(['Old/v4/1.cbz', 'Old/v4/2.cbz']);
});

posixTest('a second name that its owner gave the file stays', async () => {
  await start();
  linkSync(join(harness.output, named('Old', 1)), join(harness.output, 'mine.cbz'));
  change('1', { title: 'Salt', volume: '4' });
  await update();
  expect(paths()).toEqual([SALT, named('Old', 2), 'mine.cbz']);
});
