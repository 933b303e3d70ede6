import fc from 'fast-check';
import { builtInTemplate, distinctPaths, compileNameTemplate } from '../../../src/config/names.js';
import { pathCollisionKey } from '../../../src/core/path-segment.js';
import { NAME_FIELDS } from '../../../src/config/name-template.js';
import { codePoint } from '../../support/any-text.js';
import { fuzzRuns } from '../../support/long-run.js';

const ID = '5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01';
const ALL = {
  id: ID,
  series: 'Yotsuba&!',
  volume: '1',
  chapter: '7',
  title: 'Jumbo',
  group: 'Some Scans',
  language: 'en',
};

const BUILT_IN = builtInTemplate({ hasLanguages: false, hasTitleFolder: true });

describe('the default template', () => {
  const name = BUILT_IN;

  test.each([
    ['everything known', {}, 'Yotsuba&! Ch.007 Vol.01 - Jumbo [Some Scans]'],
    ['no volume', { volume: undefined }, 'Yotsuba&! Ch.007 - Jumbo [Some Scans]'],
    ['no chapter', { chapter: undefined }, 'Yotsuba&! Vol.01 - Jumbo [Some Scans]'],
    ['no title', { title: ' ' }, 'Yotsuba&! Ch.007 Vol.01 [Some Scans]'],
    ['no group', { group: '' }, 'Yotsuba&! Ch.007 Vol.01 - Jumbo'],
    ['only a title', { volume: '', chapter: '', group: '' }, 'Yotsuba&! - Jumbo'],
    ['only a group', { volume: '', chapter: '', title: '' }, 'Yotsuba&! [Some Scans]'],
    ['nothing but the series', { volume: '', chapter: '', title: '', group: '' }, 'Yotsuba&!'],
    ['a half chapter', { chapter: '10.5' }, 'Yotsuba&! Ch.010.5 Vol.01 - Jumbo [Some Scans]'],
    ['a lettered chapter', { chapter: '5a' }, 'Yotsuba&! Ch.005a Vol.01 - Jumbo [Some Scans]'],
    [
      'a title with odd spaces',
      { title: ' a\t\n b ' },
      'Yotsuba&! Ch.007 Vol.01 - a b [Some Scans]',
    ],
  ])('with %s', (_, values, expected) => {
    expect(name({ ...ALL, ...values })).toBe(`Yotsuba&!/${expected}.cbz`);
  });

  test('without a series uses no folder', () => {
    expect(name({ id: ID, chapter: '7' })).toBe('Ch.007.cbz');
  });

  test('without any values uses the id', () => {
    expect(name({ id: ID })).toBe(`${ID}.cbz`);
  });
});

describe('a template', () => {
  test.each([
    ['{id}', {}, `${ID}.cbz`],
    ['{series}/Vol {volume}/{chapter:03}', { volume: '' }, 'Yotsuba&!/007.cbz'],
    ['{series}/Vol {volume}/{chapter:03}', {}, 'Yotsuba&!/Vol 1/007.cbz'],
    ['v{volume}c{chapter:03}.CBZ', { volume: '' }, 'c007.cbz'],
    ['v{volume}c{chapter:03}', { chapter: '' }, 'v1.cbz'],
    ['{chapter:03}. {title}', { title: '' }, '007.cbz'],
    ['{chapter:03}. {title}', { chapter: '' }, 'Jumbo.cbz'],
    ['{title} - {series}', { title: '' }, 'Yotsuba&!.cbz'],
    ['{series} ({group}, {language})', { group: '' }, 'Yotsuba&! (en).cbz'],
    ['{series} ({group}, {language})', { group: '', language: '' }, 'Yotsuba&!.cbz'],
    ['{series} {chapter}話 {title}', { chapter: '' }, 'Yotsuba&! Jumbo.cbz'],
    ['{series} {chapter} (digital)', { chapter: '' }, 'Yotsuba&! (digital).cbz'],
    ['{{{series}}} [a', {}, '{Yotsuba&!} [a.cbz'],
    ['{ Series } {CHAPTER:2}', {}, 'Yotsuba&! 07.cbz'],
  ])('%s', (template, values, expected) => {
    expect(compileNameTemplate(template)({ ...ALL, ...values })).toBe(expected);
  });

  test('with an unknown field is rejected; the hint lists the fields', () => {
    expect(() => compileNameTemplate('{serie}')).toThrow(
      expect.objectContaining({ code: 'bad-option', hint: expect.stringContaining('{series}') }),
    );
  });

  test.each(['', ' ', '{series', 'series}', '{series}//{chapter}', '{chapter:x}', '{}', '.cbz'])(
    '"%s" is refused',
    (template) => {
      expect(() => compileNameTemplate(template)).toThrow(
        expect.objectContaining({ code: 'bad-option' }),
      );
    },
  );

  test.each([
    '/tmp/{id}',
    '../{id}',
    '{series}/../../{id}',
    'C:\\{id}',
    '~/{id}',
    './{id}',
    '\\{id}',
  ])('%s is rejected as outside-output', (template) => {
    expect(() => compileNameTemplate(template)).toThrow(
      expect.objectContaining({ code: 'outside-output' }),
    );
  });
});

describe('a cleaned name', () => {
  const named = (title: string) => compileNameTemplate('{title}')({ id: ID, title });

  test.each([
    ['slashes', 'a/b\\c', 'a_b_c.cbz'],
    ['what Windows refuses', 'a<b>c:d"e|f?g*h', 'a_b_c_d_e_f_g_h.cbz'],
    ['a device of Windows', 'con', 'con_.cbz'],
    ['another with an ending', 'LPT1.first', 'LPT1_.first.cbz'],
    ['direction marks', 'a\u202Eb\u2066c\u200Fd', 'abcd.cbz'],
    ['control characters', 'a\u0000b\u001Bc\u0085d', 'abcd.cbz'],
    ['a lone surrogate', 'a\uD800b', 'ab.cbz'],
    ['a leading dot', '.hack', 'hack.cbz'],
    ['a leading dash', '--rm', 'rm.cbz'],
    ['nothing but dots', '...', `${ID}.cbz`],
    ['dots at the end', 'wait...', 'wait.cbz'],
    ['several dots, which Kavita refuses', 'Wait... What..?', 'Wait… What._.cbz'],
    ['letters and marks apart', 'Cafe\u0301', 'Caf\u00E9.cbz'],
    ['an emoji of many parts', 'a👩‍👩‍👧‍👦b', 'a👩‍👩‍👧‍👦b.cbz'],
  ])('%s', (_, title, expected) => {
    expect(named(title)).toBe(expected);
  });

  test('is shortened by bytes, between graphemes, and keeps its extension', () => {
    const family = '👩‍👩‍👧‍👦';
    const name = named(family.repeat(40));
    expect(name).toBe(`${family.repeat(10)}.cbz`);
    expect(Buffer.byteLength(named('漫'.repeat(400)))).toBe(83 * 3 + 4);
    expect(Buffer.byteLength(named('a' + '\u0301'.repeat(400)))).toBeLessThanOrEqual(255);
  });
});

describe('a name of over 255 bytes', () => {
  const format = BUILT_IN;
  const fileOf = (values: Partial<Parameters<typeof format>[0]>) =>
    format({ id: ID, volume: '3', chapter: '12.5', ...values }).split('/')[1] ?? '';
  const long = (character: string, bytes: number) =>
    character.repeat(bytes / Buffer.byteLength(character));

  test('loses the end of the series, and keeps volume, number, title and group', () => {
    const name = fileOf({ series: long('漫', 240), title: 'Low Tide', group: 'Scans' });
    expect(name).toMatch(/^漫+ Ch\.012\.5 Vol\.03 - Low Tide \[Scans\]\.cbz$/u);
    expect(Buffer.byteLength(name)).toBeGreaterThan(252);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  });

  test('loses the end of title and group where that does not suffice', () => {
    const name = fileOf({
      series: long('a', 300),
      title: long('b', 300),
      group: long('c', 300),
    });
    expect(name).toMatch(/^a{30} Ch\.012\.5 Vol\.03 - b{30} \[c{100,}\]\.cbz$/);
    expect(Buffer.byteLength(name)).toBe(255);
  });

  test('keeps the number where the template repeats the series', () => {
    const repeated = compileNameTemplate('{series} - {series} Ch.{chapter:03}');
    const name = repeated({ id: ID, series: long('a', 200), chapter: '7' });
    expect(name).toMatch(/^(a+) - \1 Ch\.007\.cbz$/);
    expect(Buffer.byteLength(name)).toBeGreaterThan(252);
  });

  test('is a folder with as much of the series as fits', () => {
    const [folder = ''] = format({ id: ID, series: long('a', 250), chapter: '1' }).split('/');
    expect(folder).toBe(long('a', 250));
  });
});

const text = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 400 }),
  fc.string({
    unit: fc.constantFrom(
      '.',
      '/',
      '\\',
      ':',
      ' ',
      'c',
      'o',
      'n',
      '\u202E',
      '\uD83D',
      '\u0301',
      '漫',
      '-',
      '{',
      ']',
    ),
    maxLength: 20,
  }),
  fc.constantFrom('..', '.', '/', 'CON', 'nul.txt', '~', 'a'.repeat(300), '漫'.repeat(300)),
);
const values = fc.record({
  id: fc.uuid(),
  ...Object.fromEntries(
    ['series', 'volume', 'chapter', 'title', 'group', 'language'].map((field) => [
      field,
      fc.option(text, { nil: undefined }),
    ]),
  ),
});

describe('for any metadata', () => {
  test('the path is relative, stays in the folder and is valid on every file system', () => {
    const templates = fc.constantFrom(
      '{series}/{series} Vol.{volume:02|TBD} Ch.{chapter:03} - {title} [{group}]',
      NAME_FIELDS.map((field) => `{${field}}`).join('/'),
      '{title} ({group} {language:09})',
    );
    fc.assert(
      fc.property(templates, values, (template, known) => {
        const path = compileNameTemplate(template)(known);
        expect(path.endsWith('.cbz')).toBe(true);
        for (const segment of path.split('/')) {
          expect(segment).not.toMatch(/^\.|^-|^\s|[\s.]$|\s\s/u);
          expect(segment).not.toMatch(/[<>:"\\|?*\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u);
          expect(segment).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
          expect(Buffer.byteLength(segment)).toBeLessThanOrEqual(255);
          expect(segment).not.toBe('');
          expect(segment.normalize('NFC')).toBe(segment);
        }
        expect(compileNameTemplate(template)(known)).toBe(path);
      }),
      { numRuns: fuzzRuns(1_500) },
    );
  });
});

const LIMIT = { maxNameBytes: 255 };

describe('distinctPaths', () => {
  const other = '6f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01';

  test('keeps different paths', () => {
    const candidates = [
      { chapterId: ID, path: 'a/b.cbz' },
      { chapterId: other, path: 'a/c.cbz' },
    ];
    expect(distinctPaths(candidates, LIMIT)).toEqual(['a/b.cbz', 'a/c.cbz']);
  });

  test('adds part of the id to equal paths, in any order', () => {
    const candidates = [
      { chapterId: other, path: 'a/B\u0301.cbz' },
      { chapterId: ID, path: 'a/b\u0301.cbz' },
    ];
    const paths = ['a/B\u0301 (6f2d0c1e).cbz', 'a/b\u0301 (5f2d0c1e).cbz'].map((path) =>
      path.normalize('NFC'),
    );
    expect(distinctPaths(candidates, LIMIT)).toEqual(paths);
    expect(distinctPaths([...candidates].reverse(), LIMIT)).toEqual([...paths].reverse());
  });

  test('avoids the paths of other chapters', () => {
    const candidates = [{ chapterId: ID, path: 'a/b.cbz' }];
    const isTaken = (path: string) => pathCollisionKey(path) === 'a/b.cbz';
    expect(distinctPaths(candidates, LIMIT, isTaken)).toEqual(['a/b (5f2d0c1e).cbz']);
  });

  test('returns one valid path per chapter, in any order', () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^[01]{2}aaaaaa-[01]{3}$/), {
      minLength: 1,
      maxLength: 12,
    });
    const names = fc.constantFrom(
      'a',
      'A',
      'a (00aaaaaa)',
      'a (00aaaaaa-000)',
      'é',
      'e\u0301',
      'x'.repeat(251),
    );
    const runs = ids.chain((list) =>
      fc.tuple(
        ...list.map((chapterId) => names.map((name) => ({ chapterId, path: `${name}.cbz` }))),
      ),
    );
    fc.assert(
      fc.property(runs, (candidates) => {
        const paths = distinctPaths(candidates, LIMIT);
        expect(new Set(paths.map(pathCollisionKey)).size).toBe(candidates.length);
        for (const path of paths) expect(Buffer.byteLength(path)).toBeLessThanOrEqual(255);
        expect(distinctPaths([...candidates].reverse(), LIMIT)).toEqual([...paths].reverse());
      }),
    );
  });
});
