/** `tankobon info` against the practice service: what a title has, by few requests and without a download. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import {
  EXAMPLE_CHAPTERS,
  EXAMPLE_LISTS,
  EXAMPLE_TITLES,
} from '../../../src/practice-server/library/library.js';
import { GROUPS } from '../../../src/practice-server/library/people.js';
import { LOGIN_ENV } from '../../support/auth/harness.js';
import { tankobonHere } from '../../support/in-process.js';
import { virtualClock } from '../../support/virtual-clock.js';

let service: PracticeService;
let folder: string;
let env: Record<string, string>;
let before = 0;
const clock = virtualClock();
beforeAll(async () => {
  service = await startPracticeService({ clock });
  folder = mkdtempSync(join(tmpdir(), 'tankobon-info-'));
  env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
});
beforeEach(() => {
  before = service.log.length;
});
afterAll(async () => {
  expect(service.violations()).toEqual([]);
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const info = (...words: string[]) => tankobonHere(['info', ...words], { env, clock });
const requests = () => service.log.slice(before).map(({ method, path }) => `${method} ${path}`);
const events = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const { lighthouse, starlight, odd, long } = EXAMPLE_TITLES;

test('prints fields, languages, groups, gaps and publisher links of a title, by two requests', async () => {
  const { code, stdout, stderr } = await info(`title:${lighthouse}`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(requests()).toEqual([`GET /manga/${lighthouse}`, `GET /manga/${lighthouse}/feed`]);
  expect(stdout).toBe(`The Lighthouse Cat of Minami Island
URL:        https://mangadex.org/title/${lighthouse}
By:         Aoi Minase, Ren Kurogane
Year:       2021
Status:     ongoing
Original:   ja
Rating:     safe
Tags:       Adventure, Slice of Life, Animals
Volumes:    1-2; 3 in all
Chapters:   7: 1-4, 6, 10.5; missing: 5, 7-9
Taken down: 1 release

Names, for --title-language:
  en     The Lighthouse Cat of Minami Island
  ja-ro  Minamijima no Tōdai Neko
  ja     南島の灯台猫

language  chapters  pages  est. size  numbers  missing
en               7     84    42.0 MB  1-10.5   5, 7-9
pt-br            1     12     6.0 MB  1

group            releases  languages
Tidewater Scans         6  en
Paper Lantern           2  en
Maré Alta               1  pt-br

Only on the publisher's site:
  Ch. 5 (en): https://publisher.example/lighthouse/5
`);
});

test('at a terminal that does not say its width, nothing is cut', async () => {
  const words = ['info', `title:${lighthouse}`];
  const { stdout } = await tankobonHere(words, { env, clock, columns: 0 });
  expect(stdout.split('\n')[0]).toBe('\u001B[1mThe Lighthouse Cat of Minami Island\u001B[22m');
  const plain = await tankobonHere(words, {
    env: { ...env, NO_COLOR: '1' },
    clock,
    columns: 0,
  });
  expect(plain.stdout).toBe((await info(`title:${lighthouse}`)).stdout);
});

test('a terminal that is too narrow for the tables gets wrapped lines with all that they have', async () => {
  const words = ['info', `title:${lighthouse}`];
  const plain = { ...env, NO_COLOR: '1' };
  const { stdout } = await tankobonHere(words, { env: plain, clock, columns: 40 });
  const long = stdout.split('\n').filter((line) => line.length >= 40 && !line.includes('https://'));
  expect(long).toEqual([]);
  expect(stdout).not.toContain('…');
  expect(stdout).toContain(`
en: 7 chapters, 84 pages, est. 42.0
    MB; 1-10.5; missing: 5, 7-9
pt-br: 1 chapter, 12 pages, est.
    6.0 MB; 1
`);
  expect(stdout).toContain('Tags:       Adventure, Slice of Life,\n            Animals\n');
  expect(stdout).toContain(
    '  en     The Lighthouse Cat of Minami\n         Island\n  ja-ro  Minamijima no Tōdai Neko\n',
  );
  const narrower = await tankobonHere(words, { env: plain, clock, columns: 36 });
  expect(narrower.stdout).toContain('\nTidewater Scans: 6 releases; en\n');
});

test('--json is one event a title; the options restrict it, and the size follows the quality', async () => {
  const restriction = ['--language', 'en', '--chapters', '1-4', '--volumes', '1'];
  const [all, some, ...more] = [
    ...events((await info('--json', `title:${lighthouse}`)).stdout),
    ...events(
      (await info('--json', ...restriction, '-q', 'data-saver', `title:${lighthouse}`)).stdout,
    ),
  ];
  expect(more).toEqual([]);
  expect(all).toMatchObject({
    type: 'title-info',
    title: lighthouse,
    chapters: 7,
    releases: 9,
    numbers: ['1', '2', '3', '4', '6', '10.5'],
    missing: ['5', '7', '8', '9'],
    pages: 96,
    bytes: 96 * 500_000,
    takenDown: 1,
    external: [
      { chapter: EXAMPLE_CHAPTERS.external, number: '5', externalUrl: expect.any(String) },
    ],
  });
  expect(some).toMatchObject({
    chapters: 3,
    numbers: ['1', '2', '3'],
    missing: [],
    volumes: ['1'],
    quality: 'data-saver',
    languages: [{ language: 'en', chapters: 3, releases: 4 }],
    external: [],
    takenDown: 0,
  });
  expect(some?.['bytes']).toBe(Number(some?.['pages']) * 250_000);
});

test('a long feed is read by five hundred', async () => {
  const { stdout } = await info('--json', long);
  expect(events(stdout)).toMatchObject([{ chapters: 700, missing: [] }]);
  expect(requests().filter((request) => request.endsWith('/feed'))).toHaveLength(4);
});

test('a chapter stands for its title, once', async () => {
  const { first, second } = EXAMPLE_CHAPTERS;
  const { stdout } = await info('--json', first, `https://mangadex.org/chapter/${second}`);
  expect(events(stdout)).toMatchObject([{ title: lighthouse, chapters: 7 }]);
});

test('a list stands for its titles', async () => {
  const { stdout } = await info('--json', `list:${EXAMPLE_LISTS.public}`);
  expect(events(stdout).map(({ title }) => title)).toEqual([lighthouse, starlight, odd]);
  expect(requests()).toEqual([
    `GET /list/${EXAMPLE_LISTS.public}`,
    `GET /list/${EXAMPLE_LISTS.public}/feed`,
    'GET /manga',
  ]);
});

test('of a group, only its releases count: what others released is not missing', async () => {
  const { stdout } = await info('--json', `group:${GROUPS.paperLantern.id}`, '--language', 'en');
  const found = events(stdout);
  expect(found.find(({ title }) => title === lighthouse)).toMatchObject({
    numbers: ['2', '4'],
    missing: [],
  });
  // A long list of numbers is cut.
  expect((await info(`group:${GROUPS.paperLantern.id}`)).stdout).toContain(
    'Chapters: 140: 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, … (130 more)\n',
  );
});

test('control characters of names are not printed', async () => {
  const { stdout } = await info(`title:${odd}`);
  expect(stdout).toContain('Salt & Pepper');
  expect(stdout).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u);
});

test('what is not found is named, and does not prevent the others: exit 3', async () => {
  const missing = '00000000-4c18-4b6f-8e92-3f0a1b2cd101';
  const both = await info('--json', `title:${missing}`, `title:${starlight}`);
  expect(both.code).toBe(3);
  expect(events(both.stdout)).toMatchObject([
    { type: 'title-info', title: starlight },
    { type: 'target-failed', target: missing, reason: 'title-not-found' },
  ]);
  expect(both.stderr).toMatch(/^error: Title not found: 0{8}-/);
  const invalid = await info('naruto');
  expect({ code: invalid.code, stdout: invalid.stdout }).toEqual({ code: 2, stdout: '' });
});

test('a private list is read with the login, which nothing else gets', async () => {
  const list = `list:${EXAMPLE_LISTS.private}`;
  expect((await info(list)).code).toBe(3);
  const login = ['login', '--insecure-storage'];
  const withLogin = { ...env, ...LOGIN_ENV };
  expect((await tankobonHere(login, { env: withLogin, clock })).code).toBe(0);
  const { code, stdout } = await info('--json', list);
  expect(code).toBe(0);
  expect(events(stdout)).toMatchObject([{ title: starlight }]);
  before = service.log.length;
  await info(`title:${lighthouse}`);
  const tokens = service.log.slice(before).filter(({ headers }) => headers.authorization);
  expect(tokens).toEqual([]);
});
