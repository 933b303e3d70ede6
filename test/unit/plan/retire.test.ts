/** Which chapters a subscription keeps, and which files are moved away: the decision behind keep-latest and keep-unread. */
import type { FoundChapter } from '../../../src/library/file.js';
import { filesToRetire, notKept, type KeepRules } from '../../../src/plan/retire.js';
import { chapterKeys } from '../../../src/selection/same-chapter.js';
import type { Chapter } from '../../../src/service/chapters.js';
import { plainRelease } from '../../support/plain-release.js';

const DAY_MS = 86_400_000;

function release(id: string, change: Partial<Chapter> = {}): Chapter {
  return plainRelease({
    id,
    number: id.replace(/\D.*/, ''),
    publishAt: new Date(DAY_MS),
    createdAt: new Date(DAY_MS),
    groups: [{ id: 'g', name: 'Scans' }],
    ...change,
  });
}

function unkept(listed: readonly Chapter[], rules: Partial<KeepRules>, there = listed) {
  const keys = chapterKeys(listed, { numbersRestart: false, nowMs: 9 * DAY_MS });
  return Object.fromEntries(
    notKept({ listed, there, keys }, { latest: undefined, readIds: undefined, ...rules }),
  );
}

const chapters = ['1', '2', '3', '10'].map((id) => release(id));

test('the latest chapters are the last in reading order, whenever they were uploaded', () => {
  const late = [release('1', { publishAt: new Date(8 * DAY_MS) }), ...chapters.slice(1)];
  expect(unkept(late, { latest: 2 })).toEqual({ 1: 'not-latest', 2: 'not-latest' });
  expect(unkept(late, { latest: 4 })).toEqual({});
  expect(unkept(late, {})).toEqual({});
});

test('chapters count, not releases: all languages and groups of a chapter are one', () => {
  const all = [
    ...chapters,
    release('3 fr', { language: 'fr' }),
    release('10 other', { groups: [{ id: 'o', name: 'Other' }] }),
    release('2 fr', { language: 'fr' }),
  ];
  expect(unkept(all, { latest: 2 })).toEqual({
    1: 'not-latest',
    2: 'not-latest',
    '2 fr': 'not-latest',
  });
  expect(unkept(all, { readIds: new Set(['3 fr']) })).toEqual({ 3: 'read', '3 fr': 'read' });
});

test('a later volume in which the numbers begin again comes after the one before it', () => {
  const restarted = ['1', '2', '3'].flatMap((number) =>
    ['1', '2'].map((volume) => release(`${number} v${volume}`, { number, volume })),
  );
  expect(Object.keys(unkept(restarted, { latest: 4 })).sort()).toEqual(['1 v1', '2 v1']);
});

test('what one of the two rules keeps stays', () => {
  const readIds = new Set(['1', '10']);
  expect(unkept(chapters, { readIds })).toEqual({ 1: 'read', 10: 'read' });
  expect(unkept(chapters, { latest: 2, readIds })).toEqual({ 1: 'not-latest' });
});

test('a chapter without a number is never too old, and takes the place of no other one', () => {
  const all = [...chapters, release('extra', { number: undefined, title: 'Extra' })];
  expect(unkept(all, { latest: 2 })).toEqual({ 1: 'not-latest', 2: 'not-latest' });
  expect(unkept(all, { readIds: new Set(['extra']) })).toEqual({ extra: 'read' });
});

test('only chapters that are to have files, or have some, are counted', () => {
  const external = release('11', { pages: 0, externalUrl: 'https://example.org/' });
  expect(unkept([...chapters, external], { latest: 3 }, chapters)).toEqual({ 1: 'not-latest' });
});

const archive = (chapterId: string, change: Partial<FoundChapter> = {}): FoundChapter => ({
  chapterId,
  file: `/comics/${chapterId}.cbz`,
  ownership: 'own',
  isBound: false,
  version: 1,
  quality: 'data',
  ...change,
});

function retired(
  copies: readonly FoundChapter[],
  { before = [] as readonly string[], needsBook = false } = {},
) {
  const reasons = new Map([['1', 'not-latest'] as const]);
  const library = { copiesOf: (id: string) => copies.filter((each) => each.chapterId === id) };
  const options = { library, before: new Set(before), needsBook };
  const { changes, waiting } = filesToRetire(chapters, reasons, options);
  return { files: changes.map(({ file }) => file), waiting: [...waiting] };
}

test('only files with the mark of tankobon leave, and no books', () => {
  expect(retired([archive('1'), archive('2')]).files).toEqual(['/comics/1.cbz']);
  for (const ownership of ['foreign', 'lost-mark', 'link', 'other-user'] as const)
    expect(retired([archive('1', { ownership })]).files).toEqual([]);
  expect(retired([archive('1', { isBound: true })]).files).toEqual([]);
});

test('a file leaves once: one that its owner got back stays', () => {
  expect(retired([archive('1')], { before: ['1'] }).files).toEqual([]);
});

test('where chapters are bound, the file waits until a book has its chapter', () => {
  const book = archive('1', { isBound: true, file: '/comics/book.cbz' });
  expect(retired([archive('1')], { needsBook: true })).toEqual({ files: [], waiting: ['1'] });
  expect(retired([archive('1'), book], { needsBook: true })).toEqual({
    files: ['/comics/1.cbz'],
    waiting: [],
  });
  expect(retired([], { needsBook: true })).toEqual({ files: [], waiting: [] });
});
