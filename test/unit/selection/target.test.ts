import fc from 'fast-check';
import { parseTargets } from '../../../src/cli/target-sources.js';
import { parseTarget } from '../../../src/selection/target.js';
import { UsageError } from '../../../src/core/errors.js';
import { codePoint, webUrl } from '../../support/any-text.js';

const ID = 'a96676e5-8ae2-425e-b549-7f15dd34a6d8';
const OTHER = 'b96676e5-8ae2-425e-b549-7f15dd34a6d8';

describe('a target', () => {
  test.each([
    [ID, 'any'],
    [`  ${ID.toUpperCase()}\n`, 'any'],
    [`chapter:${ID}`, 'chapter'],
    [`title:${ID}`, 'title'],
    [`Title: ${ID}`, 'title'],
    [`manga:${ID}`, 'title'],
    [`list:${ID}`, 'list'],
    [`title:https://mangadex.org/title/${ID}/some-name`, 'title'],
    [`https://mangadex.org/chapter/${ID}`, 'chapter'],
    [`https://mangadex.org/chapter/${ID}/`, 'chapter'],
    [`https://mangadex.org/chapter/${ID}/7`, 'chapter'],
    [`https://mangadex.org/chapter/${ID}?tab=x#page-3`, 'chapter'],
    [`HTTPS://WWW.MangaDex.org/Chapter/${ID.toUpperCase()}`, 'chapter'],
    [`http://mangadex.org//chapter//${ID}`, 'chapter'],
    [`mangadex.org/chapter/${ID}`, 'chapter'],
    [`canary.mangadex.dev/title/${ID}`, 'title'],
    [`<https://mangadex.org/title/${ID}>`, 'title'],
    [`https://mangadex.org/title/${ID}/a-slug?order=desc`, 'title'],
    [`https://mangadex.org/list/${ID}/mine`, 'list'],
    [`https://api.mangadex.org/manga/${ID}`, 'title'],
    [`https://api.mangadex.org/chapter/${ID}`, 'chapter'],
    [`group:${ID}`, 'group'],
    [`author:${ID}`, 'author'],
    [`artist:${ID}`, 'author'],
    [`https://mangadex.org/group/${ID}/some-scans?tab=titles`, 'group'],
    [`https://mangadex.org/author/${ID}/name`, 'author'],
    [ID.replaceAll('-', ''), 'any'],
    [`title:${ID.replaceAll('-', '')}`, 'title'],
    [`https://mangadex.org/title/${ID.replaceAll('-', '')}/name`, 'title'],
    [`[The Lighthouse (2024)](https://mangadex.org/title/${ID}/name)`, 'title'],
    [`[Ch. 1](<https://mangadex.org/chapter/${ID}> "title").`, 'chapter'],
    [`[Ch. 1]( https://mangadex.org/chapter/${ID} ).`, 'chapter'],
    [`${'"'.repeat(500)}https://mangadex.org/chapter/${ID}${'")'.repeat(500)}`, 'chapter'],
    [`https://api.mangadex.org/at-home/server/${ID}`, 'chapter'],
    [`/at-home/server/${ID}`, 'chapter'],
    [`/title/${ID}/name`, 'title'],
    [`http://127.0.0.1:8080/chapter/${ID}`, 'chapter'],
    [`http://localhost/reader/list/${ID}`, 'list'],
    [`https://mangadex.org/title/${ID}/a-slug A Name, 2nd edition`, 'title'],
    [`https://mangadex.org/title/${ID}/a-slug?order=a,b`, 'title'],
  ])('%j is a %s', (text, kind) => {
    expect(parseTarget(text)).toEqual({ kind, id: ID });
  });

  test.each(
    ['\u200B', '\u200E', '\u200F', '\u2060', '\uFEFF', '\u00AD', '\u202A', '\u2069'].map((mark) => [
      `U+${mark.charCodeAt(0).toString(16)}`,
      mark,
    ]),
  )('may be pasted with %s, which is not shown', (_, mark) => {
    for (const text of [
      `${mark}https://mangadex.org/title/${ID}${mark}`,
      `https://manga${mark}dex.org/title/${ID.slice(0, 9)}${mark}${ID.slice(9)}`,
      `"${mark}https://mangadex.org/title/${ID}/slug${mark}",`,
      `${mark}[A name](https://mangadex.org/title/${ID})${mark}`,
      `${mark}title:${ID}`,
    ]) {
      expect(parseTarget(text)).toEqual({ kind: 'title', id: ID });
      expect(parseTargets([{ name: 'command line', lines: [text] }]).invalid).toEqual([]);
    }
    expect(parseTarget(`${mark}follows${mark}`)).toEqual({ kind: 'follows', id: 'follows' });
  });

  test.each([
    'follows',
    ' Follows ',
    'https://mangadex.org/titles/follows?page=2',
    'https://mangadex.org/titles/feed',
    '/titles/feed',
    '/title/follows',
    'https://mangadex.org/title/follows',
  ])('%j is what the account follows', (text) => {
    expect(parseTarget(text)).toEqual({ kind: 'follows', id: 'follows' });
  });

  test.each(['https://mangadex.org/title/12345/a-name', 'mangadex.org/chapter/678901'])(
    '%j is named as an old address',
    (text) => {
      expect(() => parseTarget(text)).toThrow(/^An old address, from before MangaDex used UUIDs: /);
    },
  );

  test.each([
    '',
    ' ',
    ID.slice(1),
    `${ID}0`,
    `{${ID}}`,
    '12345',
    `title:https://mangadex.org/chapter/${ID}`,
    `group:https://mangadex.org/title/${ID}`,
    'group:follows',
    'title:',
    `https://mangadex.org/${ID}`,
    `https://mangadex.org/chapter/${ID}0`,
    `https://mangadex.org/?next=/chapter/${ID}`,
    `https://mangadex.org/constructor/${ID}`,
    `https://evilmangadex.org/chapter/${ID}`,
    `https://mangadex.org.example/chapter/${ID}`,
    `https://example.com/chapter/${ID}`,
    `ftp://mangadex.org/chapter/${ID}`,
    `file:///chapter/${ID}`,
    `-o`,
  ])('%j is none, and the error shows a right one', (text) => {
    expect(() => parseTarget(text)).toThrow(UsageError);
    expect(() => parseTarget(text)).toThrow(
      expect.objectContaining({
        hint: expect.stringMatching(/UUID.* or an address such as https:/),
      }),
    );
  });

  test.each([
    ['chapter', 'chapter'],
    ['lighthouse cat', 'lighthouse cat'],
    ['灯台', "'灯台'"],
    ['Dr. Stone', 'Dr. Stone'],
    ['20th Century Boys', '20th Century Boys'],
    ['Re:Zero', 'Re:Zero'],
    ['K-On!', "'K-On!'"],
    ['Salt & Pepper', "Salt '&' Pepper"],
    ['Ranma 1/2', 'Ranma 1/2'],
    ["Komi Can't Communicate", "Komi 'Can'\\''t' Communicate"],
  ])('%j is none, and may be words to search for', (text, words) => {
    const hint = `To search for a title, run: tankobon search ${words}`;
    expect(() => parseTarget(text)).toThrow(expect.objectContaining({ hint }));
    const { invalid } = parseTargets([{ name: 'x', lines: text }]);
    expect(invalid.map(({ error }) => error.hint)).toEqual([hint]);
  });

  test.each(['titles.txt', 'my titles.txt', './titles', 'a/b', String.raw`C:\my titles`, 'title:'])(
    '%j is none, and not words to search for',
    (text) => {
      const hint = expect.stringMatching(/UUID/);
      expect(() => parseTarget(text)).toThrow(expect.objectContaining({ hint }));
    },
  );

  test('may be an address of a host that is the service by its setting', () => {
    const text = `https://manga.example/chapter/${ID}`;
    expect(parseTarget(text, ['manga.example'])).toEqual({ kind: 'chapter', id: ID });
  });

  test('is read or refused, whatever the text', () => {
    const text = fc.oneof(fc.string({ unit: codePoint }), webUrl, fc.uuid());
    fc.assert(
      fc.property(text, (given) => {
        try {
          expect(parseTarget(given).id).toMatch(/^([\da-f-]{36}|follows)$/);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          expect((error as UsageError).message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        }
      }),
    );
  });
});

describe('many targets', () => {
  test('come from words and files, each once, without comments', () => {
    const read = parseTargets([
      { name: 'command line', lines: [ID] },
      {
        name: 'mine.txt',
        lines: `\uFEFF# mine\r\n\r\n${ID.toUpperCase()} # again\rtitle:${OTHER}\n`,
      },
      { name: 'standard input', lines: `https://mangadex.org/title/${OTHER}/slug#top\n${OTHER}` },
    ]);
    expect(read.invalid).toEqual([]);
    expect(read.targets).toEqual([
      { kind: 'any', id: ID },
      { kind: 'title', id: OTHER },
    ]);
  });

  test('a bad line is reported with its file and number, and stops nothing else', () => {
    const read = parseTargets([
      { name: 'command line', lines: ['nonsense'] },
      { name: 'mine.txt', lines: `${ID}\n\n  what is this\n${OTHER}` },
    ]);
    expect(read.targets).toHaveLength(2);
    expect(read.invalid.map(({ text }) => text)).toEqual(['nonsense', 'what is this']);
    expect(read.invalid.map(({ error }) => error.message)).toEqual([
      expect.stringMatching(/^Not a chapter, title or list: "nonsense"/),
      expect.stringMatching(/^mine\.txt, line 3: Not a chapter, title or list: "what is this"/),
    ]);
    expect(read.invalid.every(({ error }) => error.code === 'bad-target')).toBe(true);
  });

  const ONE = `https://mangadex.org/title/${ID}/a-slug?tab=art`;
  const TWO = `https://mangadex.org/title/${OTHER}`;
  test.each([
    `${ONE} ${TWO}`,
    `${ONE}\t${TWO}  # both`,
    `${ONE},${TWO}`,
    `${ONE}; ${TWO};`,
    `"${ONE}", "${TWO}"`,
    `<${ONE}> <${TWO}>`,
    `[The Lighthouse (2024)](${ONE}), [Other](${TWO})`,
    `title:${ID} title:${OTHER}`,
    `/manga/${ID} title:${OTHER}`,
  ])('may be on one line: %s', (line) => {
    const both = [
      { kind: 'title', id: ID },
      { kind: 'title', id: OTHER },
    ];
    expect(parseTargets([{ name: 'x', lines: line }])).toEqual({ targets: both, invalid: [] });
    const [word = ''] = line.split('  #');
    expect(parseTargets([{ name: 'command line', lines: [word] }]).targets).toEqual(both);
  });

  test('on a line of more than 2,048 characters are all read', () => {
    const line = Array<string>(40).fill(ONE).concat(TWO).join(' ');
    expect(parseTargets([{ name: 'x', lines: line }]).targets).toHaveLength(2);
  });

  test('on one line, of which one is wrong: the others are read', () => {
    const { targets, invalid } = parseTargets([
      { name: 'x', lines: `${ONE} https://mangadex.org/title/12345 follows` },
    ]);
    expect(targets.map(({ kind }) => kind)).toEqual(['title', 'follows']);
    expect(invalid.map(({ error }) => error.message)).toEqual([
      expect.stringMatching(/^x, line 1: An old address, .*\/title\/12345$/),
    ]);
  });

  test.each([`${ONE} and ${TWO}`, `${ONE} The Lighthouse ${TWO} The Other`])(
    'with other words between them are refused: %s',
    (line) => {
      const { targets, invalid } = parseTargets([{ name: 'x', lines: line }]);
      expect(targets).toEqual([]);
      expect(invalid.map(({ error }) => error)).toEqual([
        expect.objectContaining({
          code: 'bad-target',
          message: expect.stringMatching(/^x, line 1: Several targets in one text: "https:/),
          hint: expect.stringContaining('Write each target'),
        }),
      ]);
    },
  );

  test('where one is expected, or without a space between them, are refused', () => {
    expect(() => parseTarget(`${ONE}, ${TWO}`)).toThrow(/^Several targets in one text: /);
    for (const glued of [`https://mangadex.org/title/${ID}${TWO}`, `${TWO}/slug${TWO}`])
      expect(() => parseTarget(glued)).toThrow(/^Not a chapter, title or list: /);
  });

  test('an empty file has neither targets nor faults', () => {
    expect(parseTargets([{ name: 'x', lines: '\n# nothing\n' }])).toEqual({
      targets: [],
      invalid: [],
    });
  });
});

describe('other addresses of the website', () => {
  test.each([
    ['mangadex.org/titles/latest', 'a search', 'tankobon search'],
    [`https://mangadex.org/user/${ID}`, 'a user', 'list:UUID'],
  ])('%s says what it is and what to use instead', (address, what, instead) => {
    expect(() => parseTarget(address)).toThrow(
      expect.objectContaining({
        code: 'bad-target',
        message: expect.stringContaining(what),
        hint: expect.stringContaining(instead),
      }),
    );
  });
});
