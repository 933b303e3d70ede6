/** `download` of a title whose chapters were deleted and uploaded again, or renumbered. */
import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  createLibrary,
  editChapter,
  uuidOf,
  type LibraryChapter,
} from '../../../src/practice-server/library/library.js';
import { readEntry } from '../../support/archive.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { editEntry, replaced } from '../../support/owner-edits.js';
import { chapter, LATER, named, title } from '../../support/title-library.js';

const targets = [`title:${uuidOf('one')}`];
const again: LibraryChapter = {
  ...chapter('one', '1', { at: LATER, title: 'Again' }),
  id: uuidOf('uploaded again'),
};

let harness: DownloadHarness;
beforeEach(async () => {
  const chapters = [chapter('one', '1'), chapter('one', '2')];
  harness = await DownloadHarness.start({
    library: createLibrary({ titles: [title('one', 'Old')], chapters }),
  });
  await harness.download({ targets, language: 'en' });
});
afterEach(() => harness.stop());

const paths = (): readonly string[] => harness.archivePaths();

function uploadAgain(): void {
  const { library } = harness.service;
  library.removeChapter(chapter('one', '1').id);
  library.putChapter(again);
}

test('a chapter that was uploaded again is skipped with its file; --update replaces that', async () => {
  uploadAgain();
  const { code, events } = await harness.download({ targets, language: 'en' });
  const skipped = events.find((event) => 'chapter' in event && event.chapter === again.id);
  expect(code).toBe(0);
  expect(skipped).toMatchObject({ type: 'chapter-skipped', reason: 'uploaded-again' });
  expect(paths()).toEqual([named('Old', 1), named('Old', 2)]);
  const planned = await harness.dryRun({ targets, language: 'en', update: true });
  expect(planned.filter(({ type }) => type === 'planned')).toMatchObject([
    {
      chapter: again.id,
      why: `uploaded again; it replaces ${join(harness.output, named('Old', 1))}`,
    },
  ]);
  await harness.download({ targets, language: 'en', update: true });
  expect(paths()).toHaveLength(2);
  const { events: last } = await harness.download({ targets, language: 'en' });
  expect(last.filter(({ type }) => type === 'chapter-skipped')).toHaveLength(2);
  expect(last).toContainEqual(
    expect.objectContaining({ chapter: again.id, reason: 'already-there' }),
  );
});

test('the edits of the owner stay when --update replaces an older upload, and are reported', async () => {
  const [file = ''] = harness.archives().filter((each) => each.endsWith(named('Old', 1)));
  await editEntry(file, 'ComicInfo.xml', (xml) =>
    replaced(xml, ['</ComicInfo>', '<CommunityRating>5</CommunityRating></ComicInfo>']),
  );
  uploadAgain();
  const { events } = await harness.download({ targets, language: 'en', update: true });
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'chapter-saved',
      chapter: again.id,
      kept: expect.arrayContaining(['CommunityRating']),
    }),
  );
  const [saved = ''] = harness.archives().filter((each) => each.includes('Ch.001'));
  const xml = await readEntry(saved, 'ComicInfo.xml');
  expect(xml).toContain('<CommunityRating>5</CommunityRating>');
  expect(xml).toContain('<Title>Again</Title>');
});

test('a chapter without a number and a title does not replace a deleted one without them', async () => {
  const { library } = harness.service;
  const unnumbered = (key: string): LibraryChapter => ({
    ...chapter('one', '9', { at: LATER, chapter: null }),
    id: uuidOf(key),
  });
  library.putChapter(unnumbered('first story'));
  await harness.download({ targets, language: 'en' });
  const before = paths();
  library.removeChapter(uuidOf('first story'));
  library.putChapter(unnumbered('second story'));
  await harness.download({ targets, language: 'en', update: true });
  expect(before).toHaveLength(3);
  expect(paths()).toEqual(expect.arrayContaining([...before]));
  expect(paths()).toHaveLength(4);
});

test('a chapter that is a target itself is saved', async () => {
  uploadAgain();
  await harness.download({ targets: [again.id] });
  expect(paths()).toHaveLength(3);
});

test('a new chapter with the number that a saved one had is skipped', async () => {
  const { library } = harness.service;
  library.putChapter(editChapter(chapter('one', '1'), LATER, { chapter: '3' }));
  library.putChapter(again);
  const { events } = await harness.download({ targets, language: 'en' });
  expect(events).toContainEqual(
    expect.objectContaining({ chapter: again.id, reason: 'number-in-use' }),
  );
  expect(paths()).toEqual([named('Old', 1), named('Old', 2)]);
});

test('a new chapter with the number that a file renamed by hand had is skipped', async () => {
  const [file = ''] = harness.archives().filter((each) => each.endsWith(named('Old', 1)));
  renameSync(file, join(dirname(file), 'beginning.cbz'));
  harness.service.library.putChapter(editChapter(chapter('one', '1'), LATER, { chapter: '3' }));
  harness.service.library.putChapter(again);
  const { events } = await harness.download({ targets, language: 'en' });
  expect(events).toContainEqual(
    expect.objectContaining({ chapter: again.id, reason: 'number-in-use' }),
  );
  expect(paths()).toEqual([named('Old', 2), 'Old/beginning.cbz']);
});

test('a number that the owner gave a file does not keep the chapter of that number away', async () => {
  const [file = ''] = harness.archives().filter((each) => each.endsWith(named('Old', 2)));
  await editEntry(file, 'ComicInfo.xml', (xml) =>
    replaced(xml, ['<Number>2</Number>', '<Number>3</Number>']),
  );
  renameSync(file, file.replace('002', '003'));
  harness.service.library.putChapter(chapter('one', '3'));
  const { events } = await harness.download({ targets, language: 'en' });
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'chapter-saved', chapter: chapter('one', '3').id }),
  );
});
