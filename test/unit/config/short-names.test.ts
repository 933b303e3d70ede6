/** Names for a folder that takes shorter ones than 255 bytes, such as encrypted folders of some NAS. */
import fc from 'fast-check';
import {
  builtInTemplate,
  candidatePaths,
  compileNameTemplate,
  distinctPaths,
} from '../../../src/config/names.js';
import { fuzzRuns } from '../../support/long-run.js';

const ID = '5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01';
const OTHER_ID = '6f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01';
/** Letters of one to four bytes, and some of several code points. */
const LETTERS = ['a', 'é', 'e\u0301', '漫', '😀', '👩‍👩‍👧‍👦', '🇯🇵', ' ', '한'];
const text = fc
  .array(fc.constantFrom(...LETTERS), { maxLength: 150 })
  // Names have one space where a text has several.
  .map((letters) => letters.join('').replaceAll(/ +/g, ' ').trim());
const limit = fc.integer({ min: 100, max: 255 });
const values = fc.record({ series: text, title: text, group: text });
const NUMBERS = { id: ID, 'title-id': OTHER_ID, volume: '1', chapter: '7' };

const template = (maxNameBytes: number) =>
  builtInTemplate({ hasLanguages: false, hasTitleFolder: true, maxNameBytes });
const graphemes = (name: string) =>
  Array.from(new Intl.Segmenter('en').segment(name.normalize('NFC')), ({ segment }) => segment);

test('each name fits, and keeps its number, its volume and its extension', () => {
  fc.assert(
    fc.property(values, limit, (texts, maxNameBytes) => {
      const path = template(maxNameBytes)({ ...texts, ...NUMBERS });
      for (const name of path.split('/'))
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(maxNameBytes);
      expect(path).toMatch(/Ch\.007 Vol\.01.*\.cbz$/);
    }),
    { numRuns: fuzzRuns(300) },
  );
});

test('a name that fits is the one of any other folder', () => {
  fc.assert(
    fc.property(values, limit, (texts, maxNameBytes) => {
      const whole = template(255)({ ...texts, ...NUMBERS });
      const fits = whole.split('/').every((name) => Buffer.byteLength(name) <= maxNameBytes);
      if (fits) expect(template(maxNameBytes)({ ...texts, ...NUMBERS })).toBe(whole);
    }),
    { numRuns: fuzzRuns(300) },
  );
});

test('no letter is divided', () => {
  const folder = compileNameTemplate('{series}/{chapter}', { maxNameBytes: 143 });
  fc.assert(
    fc.property(text, (series) => {
      const [name = ''] = folder({ ...NUMBERS, series }).split('/');
      const whole = graphemes(series);
      expect(whole.slice(0, graphemes(name).length).join('').trim()).toBe(
        name === OTHER_ID ? series : name.normalize('NFC'),
      );
    }),
    { numRuns: fuzzRuns(300) },
  );
});

test('chapters whose names are the same once they are cut get their ids, which fit too', () => {
  fc.assert(
    fc.property(values, limit, (texts, maxNameBytes) => {
      const format = template(maxNameBytes);
      const long = { ...texts, ...NUMBERS, title: 'Storm '.repeat(50) };
      const candidates = [ID, OTHER_ID].map((chapterId, index) => ({
        chapterId,
        path: format({ ...long, id: chapterId, title: `${long.title}${index}` }),
      }));
      const paths = distinctPaths(candidates, format);
      expect(paths.map((path) => / \((\w{8})\)\.cbz$/.exec(path)?.[1])).toEqual([
        '5f2d0c1e',
        '6f2d0c1e',
      ]);
      expect(distinctPaths(candidates.toReversed(), format)).toEqual(paths.toReversed());
      const [first] = candidates;
      const further = first ? candidatePaths(first, format) : [];
      let count = 0;
      for (const path of further) {
        expect(Buffer.byteLength(path.split('/').at(-1) ?? '')).toBeLessThanOrEqual(maxNameBytes);
        if ((count += 1) === 5) break;
      }
    }),
    { numRuns: fuzzRuns(100) },
  );
});

test.each(['2019', '5f2d0c1e'])(
  'what distinguishes two titles of one name stays (%s)',
  (distinction) => {
    const path = template(143)({
      ...NUMBERS,
      series: `${'A long name of a title '.repeat(12).trim()} (${distinction})`,
    });
    expect(path.split('/').every((name) => name.includes(`(${distinction})`))).toBe(true);
  },
);

test('people give way as the series does, before the number', () => {
  const format = compileNameTemplate('{author}/{author} {artist} {series} {chapter:03}', {
    maxNameBytes: 120,
  });
  const people = { author: 'Author '.repeat(40), artist: 'Artist '.repeat(40) };
  const [folder = '', file = ''] = format({ ...NUMBERS, ...people, series: 'S'.repeat(200) }).split(
    '/',
  );
  expect(Buffer.byteLength(folder)).toBeLessThanOrEqual(120);
  expect(file).toMatch(/^Author .* Artist .* S{30} 007\.cbz$/);
});
