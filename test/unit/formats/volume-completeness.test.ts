import { expect, test } from '@jest/globals';
import type { Chapter } from '../../../src/api/chapters.js';
import { missingChapters } from '../../../src/formats/volume-completeness.js';

const chapter = (id: string, number: string | undefined, volume?: string, language = 'en') =>
  ({ id, number, volume, language }) as Chapter;
const EN_1 = { language: 'en', volume: '1' };
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
  const title = { chapters: CHAPTERS, numbersRestart: false };
  expect(missingChapters(title, EN_1, new Set(present))).toEqual(missing);
});

test('if numbers restart, a chapter of another volume does not count', () => {
  const chapters = [chapter('a', '1', '1'), chapter('b', '1', '2')];
  const title = { chapters, numbersRestart: true };
  expect(missingChapters(title, EN_1, new Set(['b']))).toEqual(['1']);
});
