/** What becomes of chapters that a sync has and that change on the service: edits, other pages, restorations. */
import { readFileSync } from 'node:fs';
import { parseRecords } from '../../../src/library/record.js';
import {
  editChapter,
  generateChapter,
  restoreChapter,
  reuploadChapter,
  takeDownChapter,
  type LibraryChapter,
} from '../../../src/practice-server/library/library.js';
import { readEntry, readPages } from '../../support/archive.js';
import { editEntry, replaced } from '../../support/owner-edits.js';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
  type SyncLine,
} from '../../support/sync-harness.js';

const COMIC_INFO = 'ComicInfo.xml';
const RECORD = 'META-INF/tankobon.json';
const alpha = (options = '') => `series:\n  - target: title:${titleId('Alpha')}\n${options}`;
const UPGRADE = '    upgrade: true\n';

let harness: SyncHarness;
afterEach(() => harness.stop());

async function start(text = alpha(), defaults = ''): Promise<void> {
  harness = await SyncHarness.start((nowMs) =>
    syncLibrary(['Alpha'], nowMs - 9 * DAY_MS, { Alpha: 'reading' }),
  );
  await harness.login();
  harness.write(text, defaults);
  expect(savedIn((await harness.sync()).lines)).toHaveLength(2);
  counted = 0;
  requests();
}

const one = chapterId('Alpha', '1');
const fileOf = (number: string): string => {
  const found = harness.base.archives().filter((file) => file.includes(`Ch.00${number}`));
  expect(found).toHaveLength(1);
  return found[0] ?? '';
};
const time = (): string => `${new Date(harness.clock.wallMs()).toISOString().slice(0, 19)}+00:00`;

function change(number: string, act: (chapter: LibraryChapter) => LibraryChapter): void {
  const chapter = harness.service.library.chapter(chapterId('Alpha', number));
  if (!chapter) throw new Error(number);
  harness.service.library.putChapter(act(chapter));
}
const edit = (number: string, attributes: Parameters<typeof editChapter>[2]) => {
  change(number, (chapter) => editChapter(chapter, time(), attributes));
};
const upload = (number: string, seed: number) => {
  const pages = generateChapter({ pages: 3, bytesPerPage: 2_000, seed });
  change(number, (chapter) => reuploadChapter(chapter, time(), pages));
};
/** Within a week, each title is read. */
const nextWeek = () => {
  harness.clock.advance(7 * DAY_MS);
  return harness.sync();
};
let counted = 0;
function requests() {
  const fresh = harness.service.log.slice(counted).map(({ path }) => path);
  counted += fresh.length;
  const atHome = fresh.filter((path) => path.startsWith('/at-home/')).length;
  return { atHome, pages: fresh.filter((path) => path.includes('/data/')).length };
}
const ofType = (lines: readonly SyncLine[], ...types: readonly string[]) =>
  lines.filter(({ type }) => types.includes(type));

describe('with upgrade, of a followed title', () => {
  const text = 'follows: true\n';
  test('an upload of other pages under the same id replaces the file', async () => {
    await start(text, ', upgrade: true');
    upload('1', 7);
    const { code, lines } = await nextWeek();
    expect([code, savedIn(lines)]).toEqual([0, [one]]);
    expect(requests()).toEqual({ atHome: 1, pages: 3 });
    expect(await readPages(fileOf('1'))).toHaveLength(3);
    expect(ofType(lines, 'series-synced')).toMatchObject([{ new: 0, replaced: 1 }]);
    expect(savedIn((await nextWeek()).lines)).toEqual([]);
    expect(requests()).toEqual({ atHome: 0, pages: 0 });
  });

  test('an edit changes ComicInfo and the name, and loads no page', async () => {
    await start(text, ', upgrade: true');
    edit('1', { volume: '3', title: 'Salt' });
    const { lines } = await nextWeek();
    expect(ofType(lines, 'chapter-retagged')).toMatchObject([
      { chapter: one, changed: ['title', 'volume'], kept: [] },
    ]);
    expect(requests()).toEqual({ atHome: 1, pages: 0 });
    expect(fileOf('1')).toContain('Ch.001 Vol.03 - Salt');
    expect(parseRecords(await readEntry(fileOf('1'), RECORD))?.[0]).toMatchObject({ version: 2 });
    const again = await nextWeek();
    expect(ofType(again.lines, 'chapter-retagged', 'chapter-saved')).toEqual([]);
    expect(requests()).toEqual({ atHome: 0, pages: 0 });
  });
});

describe('without upgrade', () => {
  test('each change is reported once, what changed by name, and the files stay', async () => {
    await start();
    const before = ['1', '2'].map((number) => readFileSync(fileOf(number)));
    upload('1', 7);
    edit('2', { volume: '3' });
    const { code, lines } = await nextWeek();
    expect([code, savedIn(lines)]).toEqual([0, []]);
    expect(ofType(lines, 'chapter-changed')).toEqual([
      expect.objectContaining({ chapter: one, number: '1', series: 'Alpha', changed: ['pages'] }),
      expect.objectContaining({ chapter: chapterId('Alpha', '2'), changed: ['volume'] }),
    ]);
    expect(requests()).toEqual({ atHome: 2, pages: 0 });
    expect(ofType((await nextWeek()).lines, 'chapter-changed')).toEqual([]);
    expect(requests()).toEqual({ atHome: 0, pages: 0 });
    expect(['1', '2'].map((number) => readFileSync(fileOf(number)))).toEqual(before);
    edit('2', { volume: '4' });
    const { lines: later } = await nextWeek();
    expect(ofType(later, 'chapter-changed')).toMatchObject([{ changed: ['volume'] }]);
    expect(requests()).toEqual({ atHome: 1, pages: 0 });
  });

  test('an edit of which nothing shows in the file is not reported', async () => {
    await start();
    edit('1', {});
    expect(ofType((await nextWeek()).lines, 'chapter-changed')).toEqual([]);
  });

  test('a change that was only reported is made when upgrade is set', async () => {
    await start();
    upload('1', 7);
    expect(ofType((await nextWeek()).lines, 'chapter-changed')).toHaveLength(1);
    harness.write(alpha(UPGRADE));
    expect(savedIn((await harness.sync()).lines)).toEqual([one]);
  });

  const linesForPeople = async (): Promise<readonly string[]> => {
    harness.clock.advance(7 * DAY_MS);
    const { stderr } = await harness.base.command(async (context) => {
      const { sync } = await import('../../../src/cli/commands/sync.js');
      return sync({ file: harness.file }, { ...context, clock: harness.clock });
    });
    return stderr.split('\n').filter((line) => line.startsWith('changed'));
  };

  test('people read the name as changed where their edits keep the metadata', async () => {
    await start();
    await editEntry(fileOf('1'), COMIC_INFO, (xml) =>
      replaced(xml, ['<Number>1</Number>', '<Number>1</Number><Title>Mine</Title>']),
    );
    edit('1', { title: 'Salt' });
    expect(await linesForPeople()).toEqual([
      'changed on MangaDex: Alpha Ch. 1 "Salt" [Scans] (en): name',
    ]);
  });

  test('people read a line for each', async () => {
    await start();
    upload('1', 7);
    edit('2', { volume: '3' });
    expect(await linesForPeople()).toEqual([
      'changed on MangaDex: Alpha Ch. 1 [Scans] (en): it was uploaded again',
      'changed on MangaDex: Alpha Vol. 3 Ch. 2 [Scans] (en): volume',
    ]);
  });
});

test('a dry run reports changes, writes nothing, and does not count as a report', async () => {
  await start(alpha(UPGRADE));
  upload('1', 7);
  harness.clock.advance(7 * DAY_MS);
  const before = readFileSync(fileOf('1'));
  for (let run = 0; run < 2; run += 1) {
    const { lines } = await harness.sync({ dryRun: true });
    expect(ofType(lines, 'chapter-changed')).toMatchObject([{ chapter: one, changed: ['pages'] }]);
  }
  expect(readFileSync(fileOf('1'))).toEqual(before);
  expect(savedIn((await harness.sync()).lines)).toEqual([one]);
});

test('what the owner edited survives both', async () => {
  await start(alpha(UPGRADE));
  const mine = '<Writer>Me</Writer><Notes>mine</Notes>';
  await editEntry(fileOf('1'), COMIC_INFO, (xml) =>
    replaced(xml, ['</Series>', `</Series>${mine}`]),
  );
  edit('1', { title: 'Salt' });
  const { lines } = await nextWeek();
  expect(ofType(lines, 'chapter-retagged')).toMatchObject([
    { changed: ['title'], kept: ['writers', 'Notes'] },
  ]);
  upload('1', 7);
  await nextWeek();
  expect(await readPages(fileOf('1'))).toHaveLength(3);
  const xml = await readEntry(fileOf('1'), COMIC_INFO);
  for (const element of [...mine.split('><').map((part) => part.replace(/^<|>$/g, ''))])
    expect(xml).toContain(element);
  expect(xml).toContain('<Title>Salt</Title>');
});

test('a chapter that was taken down and is there again is reported once each time', async () => {
  await start();
  const restored = async () =>
    ofType((await nextWeek()).lines, 'chapter-restored', 'chapter-skipped').map(
      ({ type, chapter }) => [type, chapter],
    );
  change('1', takeDownChapter);
  expect(await restored()).toEqual([['chapter-skipped', one]]);
  expect(await restored()).toEqual([]);
  change('1', restoreChapter);
  expect(await restored()).toEqual([['chapter-restored', one]]);
  expect(await restored()).toEqual([]);
  expect(requests()).toEqual({ atHome: 0, pages: 0 });
});

test('changes are noticed as soon as another chapter is uploaded', async () => {
  await start(alpha(UPGRADE));
  edit('1', { title: 'Salt' });
  harness.clock.advance(HOUR_MS);
  harness.service.library.putChapter(syncChapter('Alpha', '3', harness.clock.wallMs() - 1_000));
  const { lines } = await harness.sync();
  expect(savedIn(lines)).toEqual([chapterId('Alpha', '3')]);
  expect(ofType(lines, 'chapter-retagged')).toMatchObject([{ chapter: one }]);
});

test('a title with chapters whose last upload the service does not name is read in every run', async () => {
  const names = ['Alpha', 'Beta', 'Gamma'];
  harness = await SyncHarness.start((nowMs) => syncLibrary(names, nowMs - 9 * DAY_MS));
  harness.write(`series:\n${names.map((name) => `  - target: title:${titleId(name)}\n`).join('')}`);
  await harness.sync();
  const { library } = harness.service;
  const title = library.title(titleId('Gamma'));
  if (!title) throw new Error('no title');
  const withoutLatest = ({ ...entity }: { readonly attributes: object }) => ({
    ...entity,
    attributes: { ...entity.attributes, latestUploadedChapter: null },
  });
  library.putTitle({ ...title, malform: withoutLatest });
  for (let run = 0; run < 3; run += 1) {
    harness.catalogueRequests();
    await harness.sync();
    expect(harness.catalogueRequests()).toContain(`/manga/${titleId('Gamma')}/feed`);
  }
});
