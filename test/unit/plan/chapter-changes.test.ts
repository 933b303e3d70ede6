import { hasSamePages, mayHaveChanged } from '../../../src/plan/chapter-changes.js';

const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const digest = (letter: string) => letter.repeat(64);
const named = (letters: string) =>
  Array.from(letters, (letter, index) => `${index + 1}-${digest(letter)}.png`);
const delivery = (data: readonly string[], dataSaver: readonly string[] = []) => ({
  baseUrl: 'https://node.example',
  hash: 'hash',
  data,
  dataSaver,
});

describe('a chapter may have changed', () => {
  const saved = { version: 2, updatedAt: day(2), pages: [digest('a'), digest('b')] };
  const listed = { version: 2, updatedAt: day(2), pages: 2 };
  test.each([
    ['another version', { version: 3 }, true],
    ['another time', { updatedAt: day(3) }, true],
    ['another number of pages', { pages: 3 }, true],
    ['nothing else', {}, false],
    ['what the service does not say', { updatedAt: undefined, pages: undefined }, false],
    ['an older version, such as a stored one', { version: 1, updatedAt: day(1) }, false],
  ])('by %s', (_, change, expected) => {
    expect(mayHaveChanged(saved, { ...listed, ...change })).toBe(expected);
  });

  test('not by what its file does not say', () => {
    expect(mayHaveChanged({}, listed)).toBe(false);
    expect(mayHaveChanged({ version: 1 }, listed)).toBe(true);
  });
});

describe('the pages are the same', () => {
  const pages = [digest('a'), digest('b')];
  test.each([
    ['by their digests', pages, named('ab'), true],
    ['unless one is another', pages, named('ac'), false],
    ['unless their order is another', pages, named('ba'), false],
    ['unless there are more', pages, named('abc'), false],
    ['by their number, where names have no digests', pages, ['1.png', '2.png'], true],
    ['unless their number is another, where names have no digests', pages, ['1.png'], false],
    [
      'unless a name with a digest says otherwise',
      pages,
      ['1.png', ...named('xc').slice(1)],
      false,
    ],
    ['where the pages of the file are not known', undefined, named('xyz'), true],
  ])('%s', (_, saved, names, expected) => {
    expect(hasSamePages({ quality: 'data', pages: saved }, delivery(names))).toBe(expected);
  });

  test('by the names of the quality of the file; of either, if it is not known', () => {
    const metadata = delivery(named('ab'), named('cd'));
    const compressed = [digest('c'), digest('d')];
    expect(hasSamePages({ quality: 'data-saver', pages: compressed }, metadata)).toBe(true);
    expect(hasSamePages({ quality: 'data', pages: compressed }, metadata)).toBe(false);
    expect(hasSamePages({ pages: compressed }, metadata)).toBe(true);
    expect(hasSamePages({ pages: [digest('a'), digest('d')] }, metadata)).toBe(false);
  });
});
