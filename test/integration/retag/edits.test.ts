/** What the owner of a file edited in its metadata survives `tankobon retag`, unless `--force` is given. */
import type { RetagEvent } from '../../../src/events/retag-events.js';
import { parseRecords } from '../../../src/library/record.js';
import { editChapter, EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import type { ChapterAttributes } from '../../../src/practice-server/records.js';
import { readArchive, readEntry } from '../../support/archive.js';
import { editEntry, replaced } from '../../support/owner-edits.js';
import type { DownloadHarness } from '../../support/download-harness.js';
import { retagFolder } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';
import { shortChapters } from '../../support/short-chapters.js';

const COMIC_INFO = 'ComicInfo.xml';
const RECORD = 'META-INF/tankobon.json';
const LATER = '2025-03-01T12:00:00+00:00';

const runs = new SavedRuns();
let harness: DownloadHarness;
beforeEach(async () => {
  harness = await runs.start('the chapter', { chapters: shortChapters() }, (started) =>
    started.download({ targets: [EXAMPLE_CHAPTERS.first] }),
  );
});
afterEach(() => harness.stop());

const theFile = (): string => {
  const files = harness.archives();
  expect(files).toHaveLength(1);
  return files[0] ?? '';
};
const comicInfo = () => readEntry(theFile(), COMIC_INFO);

function editOnService(change: Partial<ChapterAttributes>): void {
  const { library } = harness.service;
  const chapter = library.chapter(EXAMPLE_CHAPTERS.first);
  if (chapter) library.putChapter(editChapter(chapter, LATER, change));
}

async function retag(...words: readonly string[]): Promise<readonly RetagEvent[]> {
  const { code, stdout } = await retagFolder(harness, harness.output, '--json', ...words);
  expect(code).toBe(0);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as RetagEvent);
}

const TITLE = /<Title>[^<]*<\/Title>/;
const NOTES = '<Notes kind="a &quot;b&quot;">x &amp; y<![CDATA[ < z ]]></Notes>';
const ARC = '<StoryArc>\n    <Part>  1 </Part>\n  </StoryArc>';

test('an unchanged file is reported with all that stays in it, but not for an added element alone', async () => {
  await editEntry(theFile(), COMIC_INFO, (xml) =>
    replaced(xml, ['</Series>', '</Series><SeriesGroup>Mine</SeriesGroup>']),
  );
  expect((await retag()).map(({ type }) => type)).toEqual(['retag-summary']);
  await editEntry(theFile(), COMIC_INFO, (xml) => replaced(xml, [TITLE, '<Title>Mine</Title>']));
  expect((await retag())[0]).toMatchObject({
    type: 'chapter-kept',
    kept: ['title', 'SeriesGroup'],
  });
});

test('an edited, a removed and an added element stay, and all others follow the service', async () => {
  await editEntry(theFile(), COMIC_INFO, (xml) =>
    replaced(
      xml,
      [TITLE, '<Title>My title</Title>'],
      [/\n *<Tags>[^<]*<\/Tags>/, ''],
      ['</Series>', '</Series><SeriesGroup>Mine</SeriesGroup>'],
      [/<AgeRating>[^<]*</, '<AgeRating>Rating Pending<'],
    ),
  );
  editOnService({ title: 'Its title', volume: '7' });
  const [retagged, summary] = await retag();
  expect(retagged).toMatchObject({
    type: 'chapter-retagged',
    changed: ['volume'],
    kept: ['title', 'tags', 'ageRating', 'SeriesGroup'],
  });
  expect(summary).toMatchObject({ changed: 1, unchanged: 0, edited: 1 });
  const xml = await comicInfo();
  expect(xml).toContain('<Volume>7</Volume>');
  expect(xml).toContain('<Title>My title</Title>');
  expect(xml).toContain('<AgeRating>Rating Pending</AgeRating>');
  expect(xml).not.toContain('<Tags>');
  expect(xml).toMatch(/<\/Series>\s*<SeriesGroup>Mine<\/SeriesGroup>\s*<Number>/);
});

test('the record has what the service says, so that an edit stays one', async () => {
  await editEntry(theFile(), COMIC_INFO, (xml) => replaced(xml, [TITLE, '<Title>Mine</Title>']));
  for (const title of ['First', 'Second']) {
    editOnService({ title, volume: title === 'First' ? '7' : '8' });
    await retag();
    expect(await comicInfo()).toContain('<Title>Mine</Title>');
    const [record] = parseRecords(await readEntry(theFile(), RECORD)) ?? [];
    expect(record?.metadata?.title).toBe(title);
  }
  expect((await retag())[0]).toMatchObject({ type: 'chapter-kept', kept: ['title'] });
});

test('unknown elements, comments and attributes stay as they are, in their place and order', async () => {
  await editEntry(theFile(), COMIC_INFO, (xml) =>
    replaced(
      xml,
      ['<ComicInfo>', '<ComicInfo xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'],
      ['<Series>', `<!-- mine -->${NOTES}<Series>`],
      ['</Series>', `</Series>${ARC}<Empty/>`],
    ),
  );
  editOnService({ title: 'Another', volume: null });
  expect((await retag())[0]).toMatchObject({
    changed: ['title', 'volume'],
    kept: ['Notes', 'StoryArc', 'Empty'],
  });
  const xml = await comicInfo();
  const [title, series] = ['<Title>Another</Title>', /<Series>[^<]*<\/Series>/.exec(xml)?.[0]];
  const expected = [title, '<!-- mine -->', NOTES, series, ARC, '<Empty/>', '<Number>1</Number>'];
  expect(xml).toContain(expected.join('\n  '));
  expect(xml).toContain('<ComicInfo xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">');
  expect(xml).not.toContain('<Volume>');
});

test('descriptions of the pages that another program wrote stay', async () => {
  await editEntry(theFile(), COMIC_INFO, (xml) =>
    replaced(xml, ['<Page Image="1"', '<Page Bookmark="Half" Type="Story" Image="1"']),
  );
  const pages = /<PageCount>.*<Pages>.*<\/Pages>/s;
  const before = pages.exec(await comicInfo())?.[0];
  editOnService({ title: 'Another' });
  await retag();
  const xml = await comicInfo();
  expect(xml).toContain('<Title>Another</Title>');
  expect(before?.replaceAll(/\s+/g, ' ')).toContain('Bookmark="Half"');
  expect(pages.exec(xml)?.[0].replaceAll(/\s+/g, ' ')).toBe(before?.replaceAll(/\s+/g, ' '));
});

test('without a record, what tankobon writes follows the service, and other elements stay', async () => {
  await editEntry(theFile(), RECORD, () => undefined);
  await editEntry(theFile(), COMIC_INFO, (xml) =>
    replaced(xml, [TITLE, '<Title>Mine</Title>'], ['</Series>', `</Series>${NOTES}`]),
  );
  editOnService({ title: 'Its title' });
  expect((await retag())[0]).toMatchObject({ changed: ['title'], kept: ['Notes'] });
  const xml = await comicInfo();
  expect(xml).toContain('<Title>Its title</Title>');
  expect(xml).toMatch(/<\/Series>\s*<Notes kind[\s\S]*<Number>/);
});

test('--force takes everything from the service', async () => {
  const original = await comicInfo();
  await editEntry(theFile(), COMIC_INFO, (xml) =>
    replaced(xml, [TITLE, '<Title>Mine</Title>'], ['</Series>', `</Series>${NOTES}`]),
  );
  const edited = await comicInfo();
  const event = { changed: ['title', 'Notes'], kept: [] };
  expect((await retag('--force', '--dry-run'))[0]).toMatchObject(event);
  expect(await comicInfo()).toBe(edited);
  expect((await retag('--force'))[0]).toMatchObject(event);
  expect(await comicInfo()).toBe(original);
  expect(await retag('--force')).toMatchObject([{ type: 'retag-summary', unchanged: 1 }]);
});

test('a file whose only difference is an edit is not written, and the text says what stays', async () => {
  await editEntry(theFile(), COMIC_INFO, (xml) => replaced(xml, [TITLE, '<Title>Mine</Title>']));
  const file = theFile();
  const before = await readArchive(file);
  const { stdout, stderr } = await retagFolder(harness, harness.output);
  expect(stdout).toBe('');
  expect(stderr).toBe(
    `${file}: unchanged\n  kept: title\n0 changed, 1 unchanged, 1 with edits of yours, which stay\n`,
  );
  expect(await readArchive(file)).toEqual(before);
});

test('a file with an edited title is still renamed when the service changes its number', async () => {
  await editEntry(theFile(), COMIC_INFO, (xml) => replaced(xml, [TITLE, '<Title>Mine</Title>']));
  const file = theFile();
  editOnService({ chapter: '12' });
  const { stdout } = await retagFolder(harness, harness.output);
  expect(stdout).toContain(`${file}: number\n  kept: title\n  renamed to `);
  expect(theFile()).toContain('Ch.012');
});

test('ComicInfo.xml that the owner added to a file without metadata is all his', async () => {
  const [file] = harness.archives();
  await editEntry(file ?? '', RECORD, (record) =>
    JSON.stringify({ chapters: [{ ...chapterIn(record), metadata: undefined }] }),
  );
  const xml = '<ComicInfo><Title>Mine</Title><Series>My series</Series></ComicInfo>';
  await editEntry(theFile(), COMIC_INFO, () => xml);
  await retag();
  expect(await comicInfo()).toMatch(
    /<Title>Mine<\/Title>\s*<Series>My series<\/Series>\s*<Number>/,
  );
});

function chapterIn(record: string | undefined): object {
  return (JSON.parse(record ?? '') as { readonly chapters: readonly object[] }).chapters[0] ?? {};
}
