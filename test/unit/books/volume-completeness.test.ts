import type { Chapter } from '../../../src/service/chapters.js';
import { missingChapters } from '../../../src/books/volume-completeness.js';

const chapter = (id: string, number: string | undefined, volume?: string, language = 'en') =>
  ({
    id,
    number,
    volume,
    language,
    groups: [{ id: `group of ${id}`, name: '' }],
  }) as Partial<Chapter> as Chapter;
const EN_1 = { language: 'en', volume: '1' };
const NOW_MS = 1e12;
const lacks = (chapters: readonly Chapter[], present: readonly string[], numbersRestart = false) =>
  missingChapters({ chapters, numbersRestart }, EN_1, {
    presentIds: new Set(present),
    nowMs: NOW_MS,
  });
const CHAPTERS = [
  chapter('a', '1', '1'),
  chapter('b', '1', '1'),
  chapter('c', '10', '01'),
  chapter('d', '2'),
  chapter('e', '2', '1'),
  chapter('f', '3', '2'),
  chapter('g', '4', '1', 'fr'),
];

test.each([
  [['a', 'c', 'd'], []],
  [['b', 'c', 'e'], []],
  [
    ['a', 'g'],
    ['2', '10'],
  ],
  [[], ['1', '2', '10']],
])('with %j, a volume lacks %j', (present, missing) => {
  expect(lacks(CHAPTERS, present)).toEqual({ missing, unavailable: [] });
});

test('a chapter without pages on the service is unavailable, unless another release or a later date has them', () => {
  const externalUrl = 'https://publisher.example/';
  const chapters = [
    ...CHAPTERS,
    { ...chapter('h', '5', '1'), externalUrl, pages: 0 },
    { ...chapter('i', '6', '1'), externalUrl, pages: 0 },
    chapter('j', '6'),
    { ...chapter('k', '7', '1'), isUnavailable: true },
    { ...chapter('l', '8', '1'), publishAt: new Date(NOW_MS + 1), pages: 0 },
  ];
  expect(lacks(chapters, ['a', 'c', 'd'])).toEqual({
    missing: ['6', '8'],
    unavailable: ['5', '7'],
  });
});

test('if numbers restart, a chapter of another volume does not count', () => {
  const chapters = [chapter('a', '1', '1'), chapter('b', '1', '2')];
  expect(lacks(chapters, ['b'], true).missing).toEqual(['1']);
});
