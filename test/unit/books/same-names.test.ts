/** Which files of one number are releases of one chapter, by their names. */
import { distinctNames } from '../../../src/books/same-names.js';
import type { BookChapter } from '../../../src/books/source-chapter.js';

const chapter = (name: string, more: Partial<BookChapter> = {}) =>
  ({
    file: `/comics/Sea/${name}.cbz`,
    isBound: false,
    metadata: { series: 'Sea' },
    ...more,
  }) as BookChapter;
const saved = (title: string) =>
  chapter(`Sea Ch.005 - ${title} [Owls]`, { chapterId: 'id', metadata: { series: 'Sea', title } });

/** The files that are chapters of their own. */
const distinct = (...chapters: readonly BookChapter[]) => [...distinctNames(chapters).values()];

test.each([
  [['Ch. 5', 'Ch. 5 (1)']],
  [['Ch. 5', 'Ch. 5 (v2)']],
  [['Ch. 5 - Fog [Owls]', 'Ch. 5 - The fog [Larks]']],
  [['Sea 005 (2019) (Digital) (Larks-Empire)', 'Sea - c005 [Owls]']],
  [['Sea c005 (v01) (Digital) (Larks)', 'Sea 005']],
])('%j are releases of one chapter', (names) => {
  expect(distinct(...names.map((name) => chapter(name)))).toEqual([]);
});

test.each([
  [['Ch. 5', 'Ch. 5 - Extra'], ['extra']],
  [
    ['Ch. 5 (前編)', 'Ch. 5 (後編)'],
    ['前編', '後編'],
  ],
  [['Ch. 5', 'Ch. 5 and 6'], ['and6']],
  [
    ['Ch. 5 - Fog [Owls]', 'Ch. 5 - Extra [Owls]'],
    ['fog', 'extra'],
  ],
  [['Ch. 5 [Owls]', 'Ch. 5 - Extra'], ['extra']],
])('%j are not', (names, rests) => {
  expect(distinct(...names.map((name) => chapter(name)))).toEqual(rests);
});

test('the title that MangaDex gives a saved chapter counts too', () => {
  expect(distinct(saved('Fog'), chapter('Ch. 5 - Fog'), chapter('Ch. 5'))).toEqual([]);
  expect(distinct(saved('Fog'), chapter('Ch. 5 - Extra'))).toEqual(['extra']);
  expect(distinct(saved('Fog'), saved('Rain'))).toEqual([]);
});

test('a book keeps all its chapters', () => {
  const book = { file: '/books/Sea.cbz', isBound: true };
  expect(distinct(chapter('', book), chapter('', book), chapter('Ch. 5'))).toHaveLength(1);
});
