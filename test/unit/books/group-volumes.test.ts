import fc from 'fast-check';
import type { ChapterMetadata } from '../../../src/library/comic-info.js';
import { groupVolumes, missingNumbers } from '../../../src/books/group-volumes.js';
import type { BookChapter } from '../../../src/books/source-chapter.js';
import { chapterId } from '../../support/chapter-files.js';

const PAGE = {
  name: '001.png',
  bytes: 1,
  compressedBytes: 1,
  crc32: 0,
  method: 0,
  isEncrypted: false,
  offset: 0,
};
let made = 0;
function chapter(metadata: ChapterMetadata, version = 1): BookChapter {
  made += 1;
  return {
    file: `${made}.cbz`,
    isBound: false,
    ownership: 'own',
    state: undefined,
    chapterId: chapterId(made),
    version,
    metadata: { series: 'A', language: 'en', ...metadata },
    pages: [PAGE],
  };
}
const numbers = (chapters: readonly BookChapter[]) =>
  chapters.map(({ metadata }) => metadata.number);

describe('groupVolumes', () => {
  test('groups by series, language and volume, in the order of the numbers', () => {
    const { groups } = groupVolumes(
      [
        chapter({ number: '10', volume: '2' }),
        chapter({ number: '9.5', volume: '02' }),
        chapter({ number: '2', volume: '1' }),
        chapter({ number: '1', volume: '1' }),
        chapter({ number: '1', volume: '1', language: 'fr' }),
        chapter({ number: '1', volume: '1', series: 'B' }),
      ],
      'volume',
      [],
    );
    expect(groups.map((group) => [group.series, group.language, group.volume])).toEqual([
      ['A', 'en', '1'],
      ['A', 'en', '2'],
      ['A', 'fr', '1'],
      ['B', 'en', '1'],
    ]);
    expect(groups.map(({ chapters }) => numbers(chapters))).toEqual([
      ['1', '2'],
      ['9.5', '10'],
      ['1'],
      ['1'],
    ]);
  });

  test('leaves chapters without a volume alone, unless whole titles are bound', () => {
    const chapters = [chapter({ number: '1', volume: '1' }), chapter({ number: '2' })];
    expect(numbers(groupVolumes(chapters, 'volume', []).unassigned)).toEqual(['2']);
    const byTitle = groupVolumes(chapters, 'title', []);
    expect(byTitle.unassigned).toEqual([]);
    expect(byTitle.groups.map((group) => numbers(group.chapters))).toEqual([['1', '2']]);
    expect(groupVolumes(chapters, 'chapter', []).groups).toHaveLength(2);
  });

  test('takes one release of each number: of the preferred group, otherwise the latest', () => {
    const dated = (day: number) => ({ volume: '1', publishedAt: new Date(Date.UTC(2024, 0, day)) });
    const old = chapter({ ...dated(1), number: '1', translators: ['X'] }, 3);
    const renewed = chapter({ ...dated(2), number: '01', translators: ['Y'] });
    const preferred = chapter({ number: '1', volume: '1', translators: ['Z'] });
    const all = [old, renewed, preferred];
    expect(groupVolumes(all, 'volume', ['z']).groups[0]?.chapters).toEqual([preferred]);
    const { groups, otherReleases } = groupVolumes(all, 'volume', []);
    expect(groups[0]?.chapters).toEqual([renewed]);
    expect(otherReleases).toHaveLength(2);
  });

  test('counts a chapter that is in two files once, in its newest version', () => {
    const old = chapter({ number: '1', volume: '1' });
    const copy = { ...old, file: 'copy.cbz' };
    const newer = { ...old, file: 'new.cbz', version: 2 };
    const { groups, otherReleases } = groupVolumes([old, copy, newer], 'volume', []);
    expect(groups[0]?.chapters).toEqual([newer]);
    expect(otherReleases).toEqual([]);
  });

  test('of a file and its copies, takes the one without an addition in its name', () => {
    const original = { ...chapter({ number: '1', volume: '1' }), file: 'A Ch.1.cbz' };
    const copies = ['A Ch.1 (1).cbz', 'A Ch.1 copy.cbz', 'A Ch.1.sync-conflict-20261101.cbz'];
    const [before = original, ...after] = copies.map((file) => ({ ...original, file }));
    const { groups } = groupVolumes([before, original, ...after], 'volume', []);
    expect(groups[0]?.chapters).toEqual([original]);
  });

  test('of two files of another program with the same pages, leaves out the copy, and no other', () => {
    const file = (name: string, crc32: number): BookChapter => ({
      ...chapter({ volume: '1' }),
      chapterId: undefined,
      file: `${name}.cbz`,
      pages: [{ ...PAGE, crc32 }],
    });
    const original = file('A v01', 1);
    const copy = file('A v01 (1)', 1);
    const other = file('A v01 extras', 2);
    const { groups, otherReleases } = groupVolumes([copy, original, other], 'volume', []);
    expect(new Set(groups[0]?.chapters)).toEqual(new Set([original, other]));
    expect(otherReleases).toEqual([copy]);
  });

  test('orders by volume first if numbers restart in each', () => {
    const chapters = [
      chapter({ number: '2', volume: '1' }),
      chapter({ number: '1', volume: '2' }),
      chapter({ number: '1', volume: '1' }),
    ];
    const [group] = groupVolumes(chapters, 'title', []).groups;
    expect(group?.chapters.map(({ metadata }) => [metadata.volume, metadata.number])).toEqual([
      ['1', '1'],
      ['1', '2'],
      ['2', '1'],
    ]);
  });

  test('does not depend on the order of the files', () => {
    const chapters = ['3', '1', '2', '10', undefined, '2.5'].map((number) =>
      chapter({ number, volume: '1', title: number }),
    );
    const expected = groupVolumes(chapters, 'volume', []).groups;
    fc.assert(
      fc.property(fc.shuffledSubarray(chapters, { minLength: chapters.length }), (shuffled) => {
        expect(groupVolumes(shuffled, 'volume', []).groups).toEqual(expected);
      }),
    );
  });
});

test('a chapter without a volume, or of another one, is not missing between the chapters of a volume', () => {
  const { groups, unassigned } = groupVolumes(
    [
      chapter({ number: '4', volume: '1' }),
      chapter({ number: '6' }),
      chapter({ number: '7', volume: '2' }),
      chapter({ number: '8', volume: '1' }),
      chapter({ number: '5', volume: '1', language: 'fr' }),
    ],
    'volume',
    [],
  );
  expect(numbers(unassigned)).toEqual(['6']);
  expect(groups.map(({ missing }) => missing)).toEqual([['5'], [], []]);
});

describe('missingNumbers', () => {
  test.each([
    [['1', '2', '3'], []],
    [
      ['1', '3', '7', '7.5'],
      ['2', '4-6'],
    ],
    [['5', undefined, 'Extra'], []],
    [['9.5', '12'], ['10-11']],
    [['5', '6.1', '6.2', '7'], []],
    [['1', '3', '2024'], ['2']],
  ])('%j lack %j', (given, missing) => {
    expect(missingNumbers(given)).toEqual(missing);
  });

  test('names every number in between, and no other', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60), { minLength: 1 }), (given) => {
        const named = missingNumbers(given.map(String)).flatMap((range) => {
          const [first = 0, last = first] = range.split('-').map(Number);
          return Array.from({ length: last - first + 1 }, (_, index) => first + index);
        });
        const [min, max] = [Math.min(...given), Math.max(...given)];
        const all = Array.from({ length: max - min + 1 }, (_, index) => min + index);
        expect(named).toEqual(all.filter((number) => !given.includes(number)));
      }),
    );
  });
});
