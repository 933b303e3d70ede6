/** The names of files, from what the service calls titles and groups. */
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import {
  createLibrary,
  editChapter,
  NO_GROUP,
  uuidOf,
} from '../../../src/practice-server/library/library.js';
import { createTitle, plainChapter } from '../../../src/practice-server/library/story-chapter.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { readEntry } from '../../support/archive.js';
import { retagFolder } from '../../support/retag-harness.js';
import * as stories from '../../support/title-library.js';

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

test('titles of 250 letters of three bytes are shortened, the same in each run, and follow a corrected number', async () => {
  const words = '嵐の夜に灯台守は海を見ていた'.repeat(18).slice(0, 250);
  const library = createLibrary({
    titles: [stories.title('long', words), stories.title('twin', `${words}、続き`, { year: 2021 })],
    chapters: [
      ...['1', '2'].map((number) => stories.chapter('long', number, { title: words })),
      stories.chapter('twin', '1', { title: words }),
    ],
  });
  harness = await DownloadHarness.start({ library });
  const targets = ['long', 'twin'].map((key) => `title:${uuidOf(key)}`);
  const download = async () => harness.download({ targets, language: ['en'] });
  expect((await download()).code).toBe(0);
  const files = harness.archives();
  for (const name of files.flatMap((file) => [basename(file), basename(dirname(file))]))
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  const numberOf = (file: string) =>
    /^嵐.* Ch\.(\d+) - 嵐.* \[Scans\]\.cbz$/.exec(basename(file))?.[1];
  expect(files.map(numberOf).toSorted()).toEqual(['001', '001', '002']);
  expect(readdirSync(harness.output).filter((name) => name.endsWith(' (2021)'))).toHaveLength(1);
  expect((await download()).code).toBe(0);
  expect(harness.archives()).toEqual(files);
  const { library: served } = harness.service;
  const first = served.chapter(uuidOf('long', '1', 'en'));
  if (first) served.putChapter(editChapter(first, stories.LATER, { chapter: '3' }));
  expect((await retagFolder(harness, harness.output)).code).toBe(0);
  const isFirst = (file: string) => file.includes('Ch.001') && !file.includes('(2021)');
  const renamed = files.map((file) => (isFirst(file) ? file.replace('Ch.001', 'Ch.003') : file));
  expect(harness.archives().toSorted()).toEqual(renamed.toSorted());
  const again = await retagFolder(harness, harness.output);
  expect([again.code, again.stdout]).toEqual([0, '']);
});
