/** `download` of a title whose chapters were deleted and uploaded again, or renumbered. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  createLibrary,
  editChapter,
  generateChapter,
  reuploadChapter,
  uuidOf,
  type LibraryChapter,
} from '../../../src/practice-server/library/library.js';
import { readEntry } from '../../support/archive.js';
import type { DownloadHarness } from '../../support/download-harness.js';
import { addElement, editEntry, replaced } from '../../support/owner-edits.js';
import { retagFolder } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';
import { chapter, LATER, named, title } from '../../support/title-library.js';

const targets = [`title:${uuidOf('one')}`];
const again: LibraryChapter = {
  ...chapter('one', '1', { at: LATER, title: 'Again' }),
  id: uuidOf('uploaded again'),
};

const runs = new SavedRuns();
let harness: DownloadHarness;
beforeEach(async () => {
  const chapters = [chapter('one', '1'), chapter('one', '2')];
  const library = createLibrary({ titles: [title('one', 'Old')], chapters });
  harness = await runs.start('', { library }, (started) =>
    started.download({ targets, language: 'en' }),
  );
});
afterEach(() => harness.stop());

const paths = (): readonly string[] => harness.archivePaths();

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

test('a new chapter with the number that a file renamed by hand had is saved beside it', async () => {
  const [file = ''] = harness.archives().filter((each) => each.endsWith(named('Old', 1)));
  renameSync(file, join(dirname(file), 'beginning.cbz'));
  harness.service.library.putChapter(editChapter(chapter('one', '1'), LATER, { chapter: '3' }));
  harness.service.library.putChapter(again);
  await harness.download({ targets, language: 'en' });
  expect(paths()).toEqual([
    'Old/Old Ch.001 - Again [Scans].cbz',
    named('Old', 2),
    'Old/beginning.cbz',
  ]);
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

describe('a saved chapter that gets the number of a deleted one', () => {
  const update = { targets, language: 'en', update: true } as const;
  const renumbered = chapter('one', '2.5');
  const fileOf = (number: string): string =>
    harness.archives().find((file) => file.includes(`Ch.${number} `)) ?? '';

  /** Chapter 2 is deleted, and 2.5 gets its number. */
  async function renumber(change = editChapter(renumbered, LATER, { chapter: '2' })) {
    const { library } = harness.service;
    library.putChapter(renumbered);
    await harness.download({ targets, language: 'en' });
    library.removeChapter(chapter('one', '2').id);
    library.putChapter(change);
  }

  test('leaves that as it is if its metadata, which may have edits, cannot be read', async () => {
    await renumber();
    const deleted = fileOf('002');
    const bytes = readFileSync(deleted);
    bytes.write('X', bytes.indexOf('<ComicInfo') + 1);
    writeFileSync(deleted, bytes);
    await harness.download(update);
    expect(readFileSync(deleted).equals(bytes)).toBe(true);
  });

  test('replaces that with --update also after retag gave it the number', async () => {
    await renumber();
    await retagFolder(harness, harness.output);
    const beside = named('Old', 2).replace('.cbz', ` (${renumbered.id.slice(0, 8)}).cbz`);
    expect(paths()).toEqual([named('Old', 1), beside, named('Old', 2)]);
    const { events } = await harness.download(update);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'chapter-retagged',
        changed: [],
        removedFile: join(harness.output, named('Old', 2)),
      }),
    );
    expect(paths()).toEqual([named('Old', 1), beside]);
  });

  test('replaces that with --update also if its pages changed', async () => {
    const next = generateChapter({ id: renumbered.id, pages: 1, bytesPerPage: 2_000, seed: 2 });
    await renumber(reuploadChapter(editChapter(renumbered, LATER, { chapter: '2' }), LATER, next));
    const [deleted] = [fileOf('002')];
    await addElement(deleted, '<CommunityRating>5</CommunityRating>');
    const { events } = await harness.download(update);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'chapter-saved', file: deleted, removedFile: deleted }),
    );
    expect(paths()).toEqual([named('Old', 1), named('Old', 2)]);
    expect(await readEntry(deleted, 'ComicInfo.xml')).toContain('<CommunityRating>5');
  });

  test('replaces that also if the deleted one has another name and title', async () => {
    await renumber(editChapter(renumbered, LATER, { chapter: '2', title: 'Salt' }));
    await harness.download(update);
    expect(paths()).toEqual([named('Old', 1), 'Old/Old Ch.002 - Salt [Scans].cbz']);
  });
});
