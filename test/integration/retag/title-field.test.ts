/** What `tankobon retag` makes of files when the settings of ComicInfo.xml, or what tankobon writes, changed. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { RetagEvent } from '../../../src/events/retag-events.js';
import { editChapter, EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import { readEntry } from '../../support/archive.js';
import type { DownloadHarness } from '../../support/download-harness.js';
import { editEntry, replaced } from '../../support/owner-edits.js';
import { retagFolder } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';
import { shortChapters } from '../../support/short-chapters.js';

const COMIC_INFO = 'ComicInfo.xml';
const RECORD = 'META-INF/tankobon.json';

const runs = new SavedRuns();
let harness: DownloadHarness;
beforeEach(async () => {
  harness = await runs.start('the chapter', { chapters: shortChapters() }, (started) =>
    started.download({ targets: [EXAMPLE_CHAPTERS.first] }),
  );
});
afterEach(() => harness.stop());

const theFile = (): string => harness.archives()[0] ?? '';
const titleIn = async (file: string) =>
  /<Title>(.*)<\/Title>/.exec(await readEntry(file, COMIC_INFO))?.[1];

async function retag(...words: readonly string[]): Promise<readonly RetagEvent[]> {
  const { code, stdout } = await retagFolder(harness, harness.output, '--json', ...words);
  expect(code).toBe(0);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as RetagEvent);
}

test('--title-field numbered writes Title once, and back, and the file keeps its name', async () => {
  const name = theFile();
  const before = statSync(name);
  expect(await retag()).toMatchObject([{ type: 'retag-summary', changed: 0, edited: 0 }]);
  expect(statSync(theFile())).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  const numbered = ['--title-field', 'numbered'];
  expect((await retag(...numbered))[0]).toMatchObject({ changed: ['title'], kept: [] });
  expect(await titleIn(theFile())).toBe('Vol.1 Ch.1 - The Light Goes Out');
  expect(theFile()).toBe(name);
  expect((await retag(...numbered)).at(-1)).toMatchObject({ changed: 0, edited: 0 });
  await retag();
  expect(await titleIn(theFile())).toBe('The Light Goes Out');
  expect(theFile()).toBe(name);
});

test('a file with a numbered Title is renamed with its chapter', async () => {
  await retag('--title-field', 'numbered');
  const { library } = harness.service;
  const chapter = library.chapter(EXAMPLE_CHAPTERS.first);
  const change = { title: 'Dusk', volume: '2' };
  if (chapter) library.putChapter(editChapter(chapter, '2025-03-01T12:00:00+00:00', change));
  await retag('--title-field', 'numbered');
  expect(basename(theFile())).toContain('Ch.001 Vol.02 - Dusk [');
  expect(await titleIn(theFile())).toBe('Vol.2 Ch.1 - Dusk');
});

test('a Title of the owner stays with --title-field numbered', async () => {
  await editEntry(theFile(), COMIC_INFO, (xml) => replaced(xml, [/<Title>[^<]*</, '<Title>Mine<']));
  expect((await retag('--title-field', 'numbered'))[0]).toMatchObject({ kept: ['title'] });
  expect(await titleIn(theFile())).toBe('Mine');
});

test('--localized-series adds LocalizedSeries, and it is removed without the option', async () => {
  const before = await readEntry(theFile(), COMIC_INFO);
  expect((await retag('--localized-series'))[0]).toMatchObject({ changed: ['localizedSeries'] });
  expect(await readEntry(theFile(), COMIC_INFO)).toContain('<LocalizedSeries>南島の灯台猫<');
  expect((await retag('--localized-series')).at(-1)).toMatchObject({ changed: 0, edited: 0 });
  await retag();
  expect(await readEntry(theFile(), COMIC_INFO)).toBe(before);
});

test.each([[[]], [['--localized-series']]])(
  'a LocalizedSeries of the owner stays with %j, also in a file without a record',
  async (words) => {
    const own = '<LocalizedSeries>Mine</LocalizedSeries>';
    await editEntry(theFile(), COMIC_INFO, (xml) =>
      replaced(xml, ['</Series>', `</Series>${own}`], [/<Number>[^<]*</, '<Number>9<']),
    );
    await editEntry(theFile(), RECORD, () => '{}');
    await retag(...words);
    expect(await readEntry(theFile(), COMIC_INFO)).toContain('<Number>1<');
    expect(await readEntry(theFile(), COMIC_INFO)).toContain(own);
  },
);

test('a genre that tankobon did not write before does not count as an edit of the owner', async () => {
  await editEntry(theFile(), COMIC_INFO, (xml) => replaced(xml, [', Seinen</Genre>', '</Genre>']));
  await editEntry(theFile(), RECORD, (json) => replaced(json, [',"Seinen"', '']));
  expect((await retag())[0]).toMatchObject({ changed: ['genres'], kept: [] });
  expect(await readEntry(theFile(), COMIC_INFO)).toContain(', Seinen</Genre>');
  expect((await retag()).at(-1)).toMatchObject({ changed: 0, edited: 0 });
});
