/**
 * Chapters that are only in volumes, since their files were removed after binding, and that change on the service: they
 * are as good as chapter files.
 */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { DownloadEvent } from '../../../src/events/download-events.js';
import {
  createLibrary,
  editChapter,
  generateChapter,
  reuploadChapter,
  uuidOf,
  type LibraryChapter,
} from '../../../src/practice-server/library/library.js';
import { readEntry } from '../../support/archive.js';
import { bindFolder, imageDigests } from '../../support/bind-harness.js';
import type { DownloadHarness } from '../../support/download-harness.js';
import { addElement, editEntry, replaced } from '../../support/owner-edits.js';
import { retagFolder } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';
import { chapter, LATER, title } from '../../support/title-library.js';

const targets = [`title:${uuidOf('one')}`];
const options = { targets, language: 'en', bind: 'volume' } as const;
const update = { ...options, update: true } as const;

const inVolume = (number: string, volume: string, more = {}): LibraryChapter =>
  chapter('one', number, { volume, ...more });

const runs = new SavedRuns();
let harness: DownloadHarness;
let seen = 0;
afterEach(() => harness.stop());

/** Volume 1 with the chapters 1 and 2, volume 2 with 3 and 4. */
async function start(format: 'cbz' | 'epub' | 'pdf' = 'cbz', more = {}): Promise<void> {
  const volumes = [
    ...['1', '2'].map((n) => inVolume(n, '1')),
    ...['3', '4'].map((n) => inVolume(n, '2')),
  ];
  const library = createLibrary({ titles: [title('one', 'Old')], chapters: volumes });
  const choices = { ...options, format, ...more };
  harness = await runs.start(JSON.stringify(choices), { library }, (started) =>
    started.download(choices),
  );
  seen = harness.service.log.length;
}

/** The requests for delivery metadata and for pages since the last call. */
function requests() {
  const fresh = harness.service.log.slice(seen).map(({ path }) => path);
  seen += fresh.length;
  const atHome = fresh.filter((path) => path.startsWith('/at-home/')).length;
  return { atHome, pages: fresh.filter((path) => /\/data(-saver)?\//.test(path)).length };
}

function change(number: string, act: (chapter: LibraryChapter) => LibraryChapter): void {
  const found = harness.service.library.chapter(uuidOf('one', number, 'en'));
  if (!found) throw new Error(`no chapter ${number}`);
  harness.service.library.putChapter(act(found));
}
const edit = (number: string, attributes: Parameters<typeof editChapter>[2], at = LATER): void => {
  change(number, (found) => editChapter(found, at, attributes));
};

const book = (volume: string, extension = 'cbz') =>
  join(harness.output, 'Old', `Old Vol.${volume}.${extension}`);
const paths = () =>
  harness
    .files()
    .map((file) => file.slice(harness.output.length + 1))
    .filter((file) => /\.(cbz|epub|pdf)$/.test(file))
    .sort();
interface Manifest {
  readonly chapters: readonly {
    readonly chapterId: string;
    readonly version: number;
    readonly metadata: {
      readonly number: string;
      readonly volume: string;
      readonly title?: string;
    };
  }[];
}
async function chaptersIn(file: string) {
  const manifest = JSON.parse(await readEntry(file, 'META-INF/tankobon.json')) as Manifest;
  return manifest.chapters;
}
const numbersIn = async (file: string) =>
  (await chaptersIn(file)).map(({ metadata }) => metadata.number);
const BOTH = ['Old/Old Vol.01.cbz', 'Old/Old Vol.02.cbz'];

/** With the hint after each. */
const warningsIn = (text: string) => text.match(/^warning: .*(\nhint: .*)?/gm) ?? [];
const keptWarning = (volume: string, what: string, other: string): string =>
  [
    `warning: Kept as it is, since another program changed it after it was bound: ${book(volume)}; ${what}`,
    `hint: To replace it without these changes, run: tankobon bind --force -o ${harness.output} '${book(volume)}' '${other}'`,
  ].join('\n');

/** What a run says besides that chapters and books are there. */
const news = (events: readonly DownloadEvent[]) =>
  (events as readonly { readonly type: string; readonly reason?: string }[]).filter(
    ({ type, reason }) =>
      reason !== 'already-there' && !['book-planned', 'bind-summary', 'summary'].includes(type),
  );

async function expectSettled(): Promise<void> {
  requests();
  const { code, events, stderr } = await harness.download(update);
  expect([code, news(events), requests(), stderr]).toEqual([0, [], { atHome: 0, pages: 0 }, '']);
}

test('EPUB: a dry run names an edit of the metadata; a run notes it in the book, without a page, and the next run is silent', async () => {
  const format = 'epub';
  await start(format);
  const file = book('01', format);
  const before = await imageDigests(file);
  edit('1', { title: 'Salt' });
  const event = {
    type: 'chapter-retagged',
    chapter: uuidOf('one', '1', 'en'),
    changed: ['title'],
    file,
  };
  expect(await harness.dryRun({ ...update, format })).toContainEqual(
    expect.objectContaining(event),
  );
  expect((await chaptersIn(file))[0]).toMatchObject({ version: 1 });
  requests();
  const { events } = await harness.download({ ...update, format });
  expect(requests()).toEqual({ atHome: 1, pages: 0 });
  expect(events).toContainEqual(expect.objectContaining(event));
  expect(paths()).toEqual([`Old/Old Vol.01.${format}`, `Old/Old Vol.02.${format}`]);
  const [first] = await chaptersIn(file);
  expect(first).toMatchObject({ version: 2, metadata: { number: '1', title: 'Salt' } });
  expect(await imageDigests(file)).toEqual(before);
  requests();
  const second = await harness.download({ ...update, format });
  expect([news(second.events), requests()]).toEqual([[], { atHome: 0, pages: 0 }]);
});

test('a chapter with other pages is loaded, and the book has it in place of the old one', async () => {
  await start();
  const next = generateChapter({ pages: 2, bytesPerPage: 2_000, seed: 2 });
  change('1', (found) => reuploadChapter(found, LATER, next));
  expect((await harness.dryRun(update)).find(({ type }) => type === 'planned')?.why).toBe(
    `its pages changed on MangaDex; binding puts it into the book in place of the old one: ${book('01')}`,
  );
  requests();
  await harness.download(update);
  expect(requests()).toEqual({ atHome: 1, pages: 2 });
  expect(paths()).toEqual(BOTH);
  expect(await chaptersIn(book('01'))).toMatchObject([{ version: 2 }, { version: 1 }]);
  await expectSettled();
});

test('without --bind, a chapter whose metadata changed gets a file of its own; bind puts it into the book', async () => {
  await start();
  edit('1', { title: 'Salt' });
  await harness.download({ targets, language: 'en', update: true });
  expect(requests()).toEqual({ atHome: 1, pages: 0 });
  expect(paths()).toEqual([expect.stringContaining('Ch.001 Vol.01 - Salt'), ...BOTH]);
  const second = await harness.download({ targets, language: 'en', update: true });
  expect([news(second.events), requests().atHome]).toEqual([[], 0]);
  await harness.download(options);
  expect(paths()).toEqual(BOTH);
  expect(await chaptersIn(book('01'))).toMatchObject([{ version: 2 }, { version: 1 }]);
});

test('a new chapter with the number that one in a book had is bound beside it', async () => {
  await start();
  const next = { ...inVolume('2', '1', { at: LATER }), id: uuidOf('new with its number') };
  edit('2', { chapter: '2.5' });
  harness.service.library.putChapter(next);
  await harness.download(options);
  const bound = (await chaptersIn(book('01'))).map(({ chapterId }) => chapterId);
  expect(bound.sort()).toEqual(
    [uuidOf('one', '1', 'en'), uuidOf('one', '2', 'en'), next.id].sort(),
  );
  await harness.download(update);
  await harness.download(update);
  expect(await numbersIn(book('01'))).toEqual(['1', '2', '2.5']);
  await expectSettled();
});

test('a chapter in a book that gets the number of a deleted one there takes its place', async () => {
  await start();
  harness.service.library.removeChapter(uuidOf('one', '1', 'en'));
  edit('2', { chapter: '1' });
  expect(news((await harness.download(options)).events)).toMatchObject([
    { chapter: uuidOf('one', '2', 'en'), reason: 'newer-version' },
  ]);
  await harness.download(update);
  expect(paths()).toEqual(BOTH);
  expect(await chaptersIn(book('01'))).toMatchObject([
    { chapterId: uuidOf('one', '2', 'en'), metadata: { number: '1' } },
  ]);
  await expectSettled();
});

test('a chapter in a book that gets the number of a deleted one with a file replaces that', async () => {
  await start();
  const { library } = harness.service;
  library.putChapter(inVolume('5', '2'));
  await harness.download({ targets, language: 'en', chapters: '5' });
  library.removeChapter(uuidOf('one', '5', 'en'));
  edit('4', { chapter: '5' });
  await harness.download({ targets, language: 'en', update: true });
  expect(paths()).toEqual(['Old/Old Ch.005 Vol.02 [Scans].cbz', ...BOTH]);
  await harness.download(update);
  expect([paths(), await numbersIn(book('02'))]).toEqual([BOTH, ['3', '5']]);
  await expectSettled();
});

test('EPUB: a chapter that moves to another volume ends in one book', async () => {
  const format = 'epub';
  await start(format);
  edit('2', { volume: '2' });
  await harness.download({ ...update, format });
  expect(requests().pages).toBe(0);
  expect(paths()).toEqual([`Old/Old Vol.01.${format}`, `Old/Old Vol.02.${format}`]);
  expect(await numbersIn(book('01', format))).toEqual(['1']);
  expect(await numbersIn(book('02', format))).toEqual(['2', '3', '4']);
  const second = await harness.download({ ...update, format });
  expect([news(second.events), requests().pages]).toEqual([[], 0]);
});

test('chapters that change places between two volumes are in one book each', async () => {
  await start();
  edit('2', { volume: '2' });
  edit('3', { volume: '1' });
  await harness.download(update);
  expect(await numbersIn(book('01'))).toEqual(['1', '3']);
  expect(await numbersIn(book('02'))).toEqual(['2', '4']);
  await expectSettled();
});

test('what the owner edited before a chapter was bound stays when the chapter changes', async () => {
  await start('cbz', { keepChapters: true });
  const [file = ''] = harness.archives().filter((each) => each.includes('Ch.001'));
  await editEntry(file, 'ComicInfo.xml', (xml) =>
    replaced(xml, ['</Series>', '</Series><Writer>Me</Writer>']),
  );
  await harness.download(options);
  expect(paths()).toEqual(BOTH);
  edit('1', { title: 'Salt' });
  const { events } = await harness.download(update);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'chapter-retagged', changed: ['title'], kept: ['writers'] }),
  );
  change('1', (found) =>
    reuploadChapter(
      found,
      '2026-03-05T12:00:00+00:00',
      generateChapter({ pages: 2, bytesPerPage: 2_000, seed: 3 }),
    ),
  );
  const { events: later } = await harness.download(update);
  expect(later).toContainEqual(
    expect.objectContaining({ type: 'chapter-saved', kept: ['writers'] }),
  );
  expect(await chaptersIn(book('01'))).toMatchObject([
    { version: 3, metadata: { title: 'Salt', writers: ['Me'] } },
    { version: 1 },
  ]);
  await expectSettled();
});

test('a book of which all chapters moved is removed', async () => {
  await start();
  edit('1', { volume: '2' });
  edit('2', { volume: '2' });
  const { events } = await harness.download(update);
  expect(paths()).toEqual(['Old/Old Vol.02.cbz']);
  expect(await numbersIn(book('02'))).toEqual(['1', '2', '3', '4']);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'chapter-removed', file: book('01'), book: book('02') }),
  );
  await expectSettled();
});

test.each([
  [
    'the metadata',
    () => {
      edit('3', { title: 'Three' });
    },
  ],
  [
    'a new chapter',
    () => {
      harness.service.library.putChapter(inVolume('5', '2'));
    },
  ],
])('a book that was renamed by hand keeps its name when %s comes to it', async (_, act) => {
  await start();
  const renamed = join(harness.output, 'Old', 'second.cbz');
  renameSync(book('02'), renamed);
  act();
  expect((await harness.download(update)).code).toBe(0);
  expect(paths()).toEqual(['Old/Old Vol.01.cbz', 'Old/second.cbz']);
  expect(await numbersIn(renamed)).toContain('3');
  await expectSettled();
});

test('a book that its owner edited keeps the chapter that moved, with a message', async () => {
  await start();
  await addElement(book('01'), '<CommunityRating>5</CommunityRating>');
  edit('2', { volume: '2' });
  const { stderr } = await harness.download({ ...update, json: false });
  expect(warningsIn(stderr)).toEqual([keptWarning('01', 'it still has chapter 2', book('02'))]);
  expect(await numbersIn(book('01'))).toEqual(['1', '2']);
  expect(await numbersIn(book('02'))).toEqual(['2', '3', '4']);
});

test('a chapter that moves to a book that its owner edited stays beside it, with a message in each run', async () => {
  await start();
  await addElement(book('02'), '<CommunityRating>5</CommunityRating>');
  edit('2', { volume: '2', title: 'Salt' });
  const ownFile = 'Old/Old Ch.002 Vol.02 - Salt [Scans].cbz';
  const first = await harness.download({ ...update, json: false });
  const second = await harness.download({ ...update, json: false });
  const expected = keptWarning('02', 'it lacks chapter 2', join(harness.output, ownFile));
  for (const { code, stderr } of [first, second]) {
    expect([code, warningsIn(stderr)]).toEqual([0, [expected]]);
    expect(stderr).not.toContain('Old Vol.02.cbz: skipped');
  }
  expect(paths()).toEqual([ownFile, ...BOTH]);
  expect(await numbersIn(book('01'))).toEqual(['1', '2']);
  const inputs = [book('02'), join(harness.output, ownFile)];
  await bindFolder('', { output: harness.output, force: true, inputs });
  await harness.download(update);
  await expectSettled();
  expect([paths(), await numbersIn(book('01'))]).toEqual([BOTH, ['1']]);
});

test('the new metadata of a chapter in a book are reported with its number, title and language', async () => {
  await start();
  edit('1', { title: 'Salt' });
  const lines = [
    'Old Vol. 1 Ch. 1 "Salt" [Scans] (en): title',
    `  in a book, which gets it when it is bound again: ${book('01')}`,
    `  until then, in a file of its own: ${join(harness.output, 'Old/Old Ch.001 Vol.01 - Salt [Scans].cbz')}`,
  ].join('\n');
  const { stdout } = await harness.download({ ...update, json: false, dryRun: true });
  expect(stdout).toContain(`new metadata: ${lines}\n`);
  const { stderr } = await harness.download({ ...update, json: false });
  expect(stderr).toContain(`\n${lines}\n`);
});

test('a book that is saved while another one waits counts as saved', async () => {
  await start();
  harness.service.library.putChapter(inVolume('5', '3'));
  await harness.download(options);
  await addElement(book('01'), '<CommunityRating>5</CommunityRating>');
  edit('3', { volume: '1' });
  edit('5', { title: 'Salt' });
  const { events } = await harness.download(update);
  expect(events).toContainEqual(expect.objectContaining({ type: 'bind-summary', saved: 1 }));
});

test('a chapter that moves to a volume that is not complete stays in its book until that is', async () => {
  await start();
  harness.service.library.putChapter(inVolume('5', '3'));
  edit('4', { volume: '3' });
  const withoutLast = { ...update, chapters: '1-4' };
  const { events } = await harness.download(withoutLast);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'volume-incomplete', volume: '3', missing: ['5'] }),
  );
  expect(await numbersIn(book('02'))).toEqual(['3', '4']);
  requests();
  await harness.download(withoutLast);
  expect(requests()).toEqual({ atHome: 0, pages: 0 });
  await harness.download(update);
  expect(await numbersIn(book('02'))).toEqual(['3']);
  expect(await numbersIn(book('03'))).toEqual(['4', '5']);
  await expectSettled();
});

test('with kept chapter files, the book of the old volume loses the chapter; bind does it too', async () => {
  await start('cbz', { keepChapters: true });
  edit('2', { volume: '2' });
  await harness.download({ ...update, keepChapters: true });
  expect(await numbersIn(book('01'))).toEqual(['1']);
  expect(await numbersIn(book('02'))).toEqual(['2', '3', '4']);
});

test('retag says how many chapters changed that only books have', async () => {
  await start();
  edit('1', { title: 'Salt' });
  const { stderr } = await retagFolder(harness, harness.output);
  expect(stderr).toBe(
    '0 changed, 0 unchanged, 1 changed on MangaDex and only in books (download --update --bind updates them)\n',
  );
  await harness.download(update);
  expect((await retagFolder(harness, harness.output)).stderr).toBe('0 changed, 0 unchanged\n');
});

test('a PDF cannot be changed: the chapter is not asked about, and the message says what to do', async () => {
  await start('pdf');
  edit('1', { title: 'Salt' });
  const { events } = await harness.download({ ...update, format: 'pdf' });
  expect(requests()).toEqual({ atHome: 0, pages: 0 });
  expect(news(events)).toMatchObject([{ type: 'chapter-skipped', reason: 'fixed-book' }]);
  expect(paths()).toEqual(['Old/Old Vol.01.pdf', 'Old/Old Vol.02.pdf']);
});
