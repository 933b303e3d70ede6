/** The subscriptions file: its keys, and the positions of errors. */
import fc from 'fast-check';
import { hasCode } from '../../../src/core/errors.js';
import { parseSubscriptions } from '../../../src/sync/subscriptions/subscriptions-file.js';
import { parseRanges } from '../../../src/config/ranges.js';
import { fuzzRuns } from '../../support/long-run.js';

const ID = '3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101';
const source = (text: string) => ({ file: 'subs.yaml', text, extraHosts: [] });
const parse = (text: string) => parseSubscriptions(source(text));

const EXAMPLE = `# My shelf
defaults: { language: [en], output: ~/Comics, quality: data }
follows: { status: [reading, re_reading] } # what I read
series:
  # the best one
  - target: https://mangadex.org/title/${ID}/slug
    language: [pt-br, en]
    group: [Preferred Scans, Other Scans]
    wait-for-group: 2d
    upgrade: true
    exclude-group: [Unwanted Scans, https://mangadex.org/group/a96676e5-8ae2-425e-b549-7f15dd34a6d8/x]
    chapters: 1-
    volumes: 1-10
    folder: My Series
    name: "{series}/{chapter:03}"
    bind: { by: volume, format: epub }
    paused: false
hooks:
  exec: [notify-send, new chapters]
  webhook: https://example.org/hook
  ntfy: https://ntfy.sh/topic
  komga: { url: "http://nas:25600", library: LIBRARY_ID }
  kavita: { url: "http://nas:5000", path-map: { /home/me/Comics: /comics } }
`;

test('since and until are dates; a time ago is refused, since it would move with each run', () => {
  const [series] = parse(
    `series: [{ target: ${ID}, since: 2026-11-21, until: 2026-11-22T18:00Z }]`,
  ).series;
  expect(series).toMatchObject({
    since: { firstMs: Date.UTC(2026, 10, 21) },
    until: { lastMs: Date.UTC(2026, 10, 22, 18) },
  });
  expect(() => parse(`series: [{ target: ${ID}, since: 7d }]`)).toThrow(
    'series[0].since: must be a date such as 2026-11-21',
  );
});

test('every key of the contract is read, and the defaults apply where a series has none', () => {
  const { series, follows, hooks } = parse(EXAMPLE);
  expect(series).toEqual([
    {
      target: { kind: 'title', id: ID },
      text: `https://mangadex.org/title/${ID}/slug`,
      language: ['pt-br', 'en'],
      group: ['Preferred Scans', 'Other Scans'],
      waitForGroup: 2 * 86_400_000,
      upgrade: true,
      excludeGroup: ['Unwanted Scans', 'a96676e5-8ae2-425e-b549-7f15dd34a6d8'],
      chapters: parseRanges('1-', 'chapters'),
      volumes: parseRanges('1-10', 'volumes'),
      folder: 'My Series',
      name: '{series}/{chapter:03}',
      bind: 'volume',
      format: 'epub',
      paused: false,
      output: '~/Comics',
      quality: 'data',
    },
  ]);
  expect(follows).toEqual({
    statuses: ['reading', 're_reading'],
    options: { language: ['en'], output: '~/Comics', quality: 'data' },
  });
  expect(hooks).toMatchObject({
    exec: { command: ['notify-send', 'new chapters'] },
    komga: { library: 'LIBRARY_ID' },
  });
});

test('language: all means every language, also where the defaults name one', () => {
  const { series } = parse(
    `defaults: { language: en }\nseries:\n  - { target: title:${ID}, language: all }\n`,
  );
  expect(series[0]?.language).toEqual([]);
});

test('an empty file has no subscriptions', () => {
  expect(parse('')).toEqual({ defaults: {}, series: [], follows: undefined, hooks: {} });
  expect(parse('series:\nfollows: true\n').follows).toEqual({ statuses: undefined, options: {} });
});

describe('a problem is reported with line, column and field', () => {
  const one = (rest: string) => `series:\n  - target: title:${ID}\n    ${rest}\n`;
  test.each([
    [one('wait-for-group: soon'), '3:21: series[0].wait-for-group: must be a duration'],
    [
      one('wait-for-group: 30'),
      '3:21: series[0].wait-for-group: needs a unit: 30s, 30m, 30h or 30d',
    ],
    [one('colour: red'), '3:5: series[0].colour: unknown key'],
    [one('folder: ../elsewhere'), '3:13: series[0].folder: must be a relative path'],
    [one('folder: C:\\comics'), '3:13: series[0].folder: must be a relative path'],
    [one('chapters: 10-1'), '3:15: series[0].chapters:'],
    [one('name: "{colour}"'), '3:11: series[0].name: Unknown field'],
    [one('name: ../{chapter}'), '3:11: series[0].name:'],
    [one('language: [en, english]'), '3:20: series[0].language'],
    [one('language: [all, en]'), '3:15: series[0].language: "all" cannot be combined'],
    [one('bind: { by: page }'), '3:17: series[0].bind.by:'],
    [`series:\n  - target: https://example.org/x\n`, '2:13: series[0].target: Not a chapter'],
    [`series:\n  - target: chapter:${ID}\n`, '2:13: series[0].target: A chapter cannot'],
    [
      `series:\n  - target: https://mangadex.org/titles/follows\n`,
      '2:13: series[0].target: What the account follows is not a target: write the line "follows: true" in its place',
    ],
    ['series: [naruto]', '1:10: series[0].target: Not a chapter'],
    ['series:\n  - 7\n', '2:5: series[0]: must be a map'],
    [`series:\n  - ${ID}\n  - target: ${ID}\n`, '3:13: series[1].target: is the same as series[0]'],
    [`series:\n  - folder: x\n`, '2:5: series[0].target: is missing'],
    [`series:\n  - target: 7\n`, '2:13: series[0].target: must be a string'],
    ['series: none', '1:9: series: must be a list'],
    ['defaults: [en]', '1:11: defaults: must be a map'],
    [one('title-language: all'), '3:21: series[0].title-language: Not a language code'],
    ['defaults: { series: Mine }', '1:13: defaults.series: unknown key'],
    [
      `series: [{ target: 'list:${ID}', series: Mine }]`,
      '1:73: series[0].series: is the name of one title, not of a list, a group or an author',
    ],
    ['series: [{ target: none, series: Mine }]', '1:20: series[0].target: '],
    [one('upgrade: 2'), '3:14: series[0].upgrade: must be true or false'],
    [one('chapters: [1]'), '3:15: series[0].chapters: must be a string or a number'],
    [one('quality: best'), '3:14: series[0].quality: must be one of: data, data-saver'],
    [one('group: [Scans, 5]'), '3:20: series[0].group[1]: must be a string'],
    [one('group: {}'), '3:12: series[0].group: must be a list or a string'],
    [one('bind: {}'), '3:11: series[0].bind.by: is missing'],
    [one(`folder: ${'x'.repeat(3_000)}`), '3:13: series[0].folder: is too long'],
    [
      `series:\n  - target: title:${ID}\n  - target: title:${ID}\n`,
      '3:13: series[1].target: is the same',
    ],
    ['follows: [reading]', '1:10: follows: must be true or false or a map'],
    ['follows: { status: sleeping }', '1:10: follows: status: must be one of: reading, on_hold,'],
    ['follows: { stats: reading }', '1:12: follows.stats: unknown key; did you mean status?'],
    [
      'hooks: { webhook: "https://{series}/" }',
      '1:19: hooks.webhook: must have fields in its path',
    ],
    [
      'hooks: { webhook: { url: "https:\\\\{series}.example.org/" } }',
      '1:26: hooks.webhook.url: must have fields in its path',
    ],
    ['hooks: { webhook: http://example.org/ }', '1:19: hooks.webhook: must be a URL: https:'],
    ['hooks: { webhook: http://8.8.8.8/ }', '1:19: hooks.webhook:'],
    ['hooks: { exec: notify-send }', '1:16: hooks.exec: must be a list'],
    [
      'hooks: { ntfy: { url: https://n/, on: nwe } }',
      '1:16: hooks.ntfy: on: must be one of: new, failed',
    ],
    [
      'hooks: { ntfy: { url: https://n/, urls: x } }',
      '1:35: hooks.ntfy.urls: unknown key; did you mean url?',
    ],
    ['hooks: { exec: { command: [], on: new } }', '1:27: hooks.exec.command: must be a command'],
    [
      'hooks: { webhook: { url: https://n/, on: [] } }',
      '1:42: hooks.webhook.on: must not be empty',
    ],
    [
      'hooks: { komga: { url: https://k/, library: A, on: [new, failed] } }',
      '1:52: hooks.komga.on: must be new',
    ],
    ['series: [', '1:'],
    ['a: 1\na: 2', '2:1: Map keys must be unique'],
    ['series: *nothing', '1:9: Unresolved alias'],
    [`a: &a [1]\nb: &b [${'*a, '.repeat(20)}]\nc: [${'*b, '.repeat(20)}]`, '2:8: Excessive alias'],
    ['series: []\n---\nseries: []', '2:1: A second document begins'],
    ['__proto__: { paused: true }', '1:1: __proto__: unknown key'],
    ['- a list', '1:1: must start with "series:"'],
    ['https://mangadex.org/title/x', '1:1: must start with "series:"'],
    [one('foldr: x'), '3:5: series[0].foldr: unknown key; did you mean folder?'],
    ['hooks: { kavita: { ulr: x } }', '1:18: hooks.kavita.url: is missing'],
    ['hooks: { ntfy: { url: x, no: [] } }', '1:26: hooks.ntfy.no: unknown key; did you mean on?'],
  ])('%j', (text, position) => {
    expect(() => parse(text)).toThrow(`subs.yaml:${position}`.replace(/:$/, ':'));
    try {
      parse(text);
    } catch (error) {
      expect(hasCode(error, 'bad-subscriptions')).toBe(true);
    }
  });
});

test('hooks choose their events; one is a list of one', () => {
  const { hooks } = parse(`hooks:
  exec: { command: [notify-send, x], on: failed }
  webhook: { url: https://example.org/, on: [new, taken-down] }
  ntfy: { url: https://ntfy.sh/topic }
  komga: { url: https://nas/, library: A, on: new }
`);
  expect(hooks).toEqual({
    exec: { command: ['notify-send', 'x'], on: ['failed'] },
    webhook: { url: 'https://example.org/', on: ['new', 'taken-down'] },
    ntfy: { url: 'https://ntfy.sh/topic' },
    komga: { url: 'https://nas/', library: 'A', on: ['new'] },
  });
});

test('a webhook may use http: to a loopback or private address', () => {
  for (const url of [
    'http://127.0.0.1:80/x',
    'http://localhost/',
    'http://192.168.1.5/',
    'http://[fd00::1]/',
  ])
    expect(parse(`hooks: { webhook: "${url}" }`).hooks.webhook).toEqual({ url });
});

test('any text is read or refused, never a fault', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((it) => `series: ${it}`),
      ),
      (text) => {
        try {
          parse(text);
        } catch (error) {
          expect(hasCode(error, 'bad-subscriptions')).toBe(true);
        }
      },
    ),
    { numRuns: fuzzRuns(1_500) },
  );
});

const repeated = (start: string, end: string, count = 50_000) =>
  start.repeat(count) + end.repeat(count);
const body = (yaml: string) => `hooks: { webhook: { url: "https://a.example", body: ${yaml} } }`;

test.each([
  ['lists', `series: ${repeated('[', ']')}`],
  ['lists without an end', `series: ${repeated('[', '')}`],
  ['maps', `series: ${repeated('{ a: ', '}')}`],
  ['lists in the body of a webhook', body(repeated('[', ']'))],
  ['maps in the body of a webhook', body(repeated('{ a: ', '}', 1_000))],
  ['lists of a block', `series:\n${repeated('- ', '')}x`],
  ['keys of a block', `${repeated('? ', '')}a`],
  ['keys that are lists', `${repeated('[', ']', 500)}: x`],
])('%s that are nested too deep are refused, at their place', (_, text) => {
  expect(() => parse(text)).toThrow(
    expect.objectContaining({
      code: 'bad-subscriptions',
      message: expect.stringMatching(
        /^subs\.yaml:\d+:\d+: is nested more than 100 levels deep$/,
      ) as unknown,
    }),
  );
});

test('a hundred levels are for the body of a webhook', () => {
  expect(() => parse(body(repeated('[', ']', 80)))).not.toThrow();
});

test('aliases of aliases are refused before they are resolved', () => {
  const aliases = Array.from({ length: 1_001 }, (_, at) => `&a${at + 1} [*a${at}]`);
  expect(() => parse(body(`[&a0 [1], ${aliases.join(', ')}]`))).toThrow('more than 1000 aliases');
});
