import { inferFromNeighbors } from '../../../src/books/inferred-volumes.js';
import type { BookChapter } from '../../../src/books/source-chapter.js';

/** Such as `7` or `7@2`: number and volume; a letter before it is the series. */
function chapter(text: string): BookChapter {
  const [, series = '', number, volume] = /^([a-z]*)([\d.]*)(?:@(.*))?$/.exec(text) ?? [];
  return {
    file: `${text}.cbz`,
    isBound: false,
    ownership: 'foreign',
    state: undefined,
    metadata: { series, number: number === '' ? undefined : number, volume },
    pages: [],
  };
}
const inferred = (text: string) =>
  inferFromNeighbors(text.split(' ').map(chapter))
    .map(({ metadata: { series, number = '', volume }, record }) => {
      const mark = record?.inferredVolume === undefined ? '' : '!';
      return `${series}${number}${volume === undefined ? '' : `@${volume}${mark}`}`;
    })
    .join(' ');

test.each([
  ['1@1 2 3@1', '1@1 2@1! 3@1'],
  ['3@1 2 1@01', '3@1 2@1! 1@01'],
  ['1@1 2 2.5 3@1', '1@1 2@1! 2.5@1! 3@1'],
  ['1@1 2 3@2', '1@1 2 3@2'],
  ['1@1 2', '1@1 2'],
  ['2 3@1', '2 3@1'],
  ['1@1 3 3@2 4@1', '1@1 3@2! 3@2 4@1'],
  ['1@1 2@1 2@2 2 3@2', '1@1 2@1 2@2 2 3@2'],
  ['1@1  3@1', '1@1  3@1'],
  ['a1@1 b2 a3@1', 'a1@1 b2 a3@1'],
])('%s becomes %s: only between chapters of the same volume', (before, after) => {
  expect(inferred(before)).toBe(after);
});

test('where numbers restart in each volume, nothing is inferred', () => {
  expect(inferred('1@1 2 3@1 1@2')).toBe('1@1 2 3@1 1@2');
});
