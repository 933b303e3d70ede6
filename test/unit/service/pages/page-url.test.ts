import fc from 'fast-check';
import { pageUrl, digestInFileName } from '../../../../src/service/at-home.js';
import { isPathSegment } from '../../../../src/service/pages/at-home-schema.js';
import { hasCode, LoadError } from '../../../../src/core/errors.js';
import { fuzzRuns } from '../../../support/long-run.js';
import { codePoint, webUrl } from '../../../support/any-text.js';

const place = (baseUrl: string, fileName = '1-a.png') =>
  ({ baseUrl, quality: 'data', hash: 'abc', fileName }) as const;

describe('pageUrl joins base URL, quality, hash and file name unchanged (spec 4.2)', () => {
  test.each([
    'https://node.example',
    'https://node.example:8443/a/prefix',
    'https://node.example/a%2Fb/~user/token.with-dots_and~tildes',
    'https://node.example/trailing/token==',
    'https://node.example/t%C3%B6ken/%7Etilde',
    'http://127.0.0.1:9000/token',
    'http://[::1]:9000/token',
    'http://localhost:9000/token',
  ])('%s is unchanged', (baseUrl) => {
    expect(pageUrl(place(baseUrl)).href).toBe(`${baseUrl}/data/abc/1-a.png`);
  });

  test('data-saver is its own path segment', () => {
    const url = pageUrl({ ...place('https://node.example'), quality: 'data-saver' });
    expect(url.pathname).toBe('/data-saver/abc/1-a.png');
  });
});

describe('pageUrl rejects a base URL', () => {
  test.each([
    ['no address at all', 'not a url'],
    ['empty', ''],
    ['a file', 'file:///etc/passwd'],
    ['data', 'data:text/plain,x'],
    ['plain http to another machine', 'http://node.example/token'],
    ['plain http to a private address', 'http://192.168.1.1/token'],
    [
      'plain http to a name that only looks like this machine',
      'http://localhost.example.org/token',
    ],
    ['dot segments', 'https://node.example/a/../b'],
    ['encoded dot segments', 'https://node.example/a/%2e%2e/b'],
    ['a backslash', 'https://node.example/a\\..\\b'],
    ['a query', 'https://node.example/a?b=c'],
    ['an empty query', 'https://node.example/a?'],
    ['a fragment', 'https://node.example/a#b'],
    ['an empty fragment', 'https://node.example/a#'],
    ['a user name', 'https://user:word@node.example/a'],
    ['a lone surrogate', 'https://node.example/\ud800'],
    ['a tab that the parser would drop', 'https://node.example/a\tb'],
  ])('%s', (_what, baseUrl) => {
    expect(() => pageUrl(place(baseUrl))).toThrow(LoadError);
  });
});

test('for any base URL, the result is a safe URL below it, or bad-page-url', () => {
  const texts = fc.oneof(webUrl, fc.string({ unit: codePoint }), fc.string());
  fc.assert(
    fc.property(texts, (baseUrl) => {
      try {
        const url = pageUrl(place(baseUrl));
        expect(['https:', 'http:']).toContain(url.protocol);
        expect(url.href.endsWith('/data/abc/1-a.png')).toBe(true);
      } catch (error) {
        expect(hasCode(error, 'bad-page-url')).toBe(true);
      }
    }),
    { numRuns: fuzzRuns(2_000) },
  );
});

test.each(['', '.', '..', 'a/b', 'a\\b', 'a?b', 'a#b', 'a\u0000b', 'a\nb', 'x'.repeat(256)])(
  'the file name %j is not one plain segment',
  (name) => {
    expect(isPathSegment(name)).toBe(false);
  },
);

test('digestInFileName returns the digest in the name, if there is one', () => {
  const digest = 'ab'.repeat(32);
  expect(digestInFileName(`x1-${digest}.png`)).toBe(digest);
  expect(digestInFileName(`12-${digest.toUpperCase()}.jpg`)).toBe(digest);
  expect(digestInFileName(`12-${digest.slice(1)}.jpg`)).toBeUndefined();
  expect(digestInFileName('page-12.jpg')).toBeUndefined();
});
