/** The names of files, from what the service calls titles and groups. */
import { basename, dirname } from 'node:path';
import { createLibrary, NO_GROUP, uuidOf } from '../../../src/practice-server/library/library.js';
import { createTitle, plainChapter } from '../../../src/practice-server/library/story-chapter.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { readEntry } from '../../support/archive.js';

const AT = '2024-01-05T12:00:00+00:00';
const titleId = uuidOf('names');
const chapter = plainChapter(
  { id: uuidOf('names', 1), titleId, groups: [NO_GROUP], at: AT, volume: '3', chapter: '12' },
  1,
);

let harness: DownloadHarness;
afterEach(() => harness.stop());

/** The path of the chapter's archive, from the output folder, and its ComicInfo. */
async function saved(names: Parameters<typeof createTitle>[0]['altTitles']) {
  const title = createTitle({
    id: titleId,
    title: { ja: '灯台猫' },
    altTitles: names,
    createdAt: AT,
    updatedAt: AT,
  });
  const library = createLibrary({ titles: [title], chapters: [chapter] });
  harness = await DownloadHarness.start({ library });
  const { code } = await harness.download({ targets: [chapter.id] });
  expect(code).toBe(0);
  const [file = ''] = harness.archives();
  return {
    folder: basename(dirname(file)),
    name: basename(file),
    comic: await readEntry(file, 'ComicInfo.xml'),
  };
}

test('the leftover group "no group" is neither in the name nor in ComicInfo', async () => {
  const { name, comic } = await saved([{ en: 'The Lighthouse Cat' }]);
  expect(name).toBe('The Lighthouse Cat Ch.012 Vol.03.cbz');
  expect(comic).not.toContain('no group');
  expect(comic).not.toContain('<Translator>');
});

test('a title is called by its English name, otherwise by its romanised one', async () => {
  const { folder } = await saved([{ fr: 'Le Chat' }, { 'ja-ro': 'Tōdai Neko' }]);
  expect(folder).toBe('Tōdai Neko');
});

test('a name that is too long keeps volume and number', async () => {
  const { name } = await saved([{ en: 'Cat '.repeat(100) }]);
  expect(name).toMatch(/^Cat Cat .* Ch\.012 Vol\.03\.cbz$/);
});
