/** `--print` of download, search and sync: a line of your own for each result, and nothing else on standard output. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import { tankobonHere } from '../../support/in-process.js';
import { virtualClock } from '../../support/virtual-clock.js';

const { starlight, lighthouse, odd } = EXAMPLE_TITLES;

let service: PracticeService;
let folder: string;
let env: Record<string, string>;
const clock = virtualClock();
/** One rate ledger for all tests, since they use one service. */
const home = mkdtempSync(join(tmpdir(), 'tankobon-print-home-'));
beforeAll(async () => {
  service = await startPracticeService({ clock });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-print-'));
  env = { ...service.environment, TANKOBON_HOME: home, TANKOBON_OUTPUT: folder };
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
afterAll(async () => {
  expect(service.violations()).toEqual([]);
  await service.stop();
  rmSync(home, { recursive: true, force: true });
});

const run = (...words: string[]) => tankobonHere(words, { env, clock });
const linesOf = (stdout: string) => stdout.trimEnd().split('\n').sort();

test('download: a line for each saved chapter, with the fields of names and of the event', async () => {
  const template = '{chapter:02}\\t{series}\\t{author}\\t{year}\\t{pages}\\t{id}\\t{file}';
  const { code, stdout } = await run(
    ...['download', `title:${starlight}`, '--language', 'en', '--print', template],
  );
  expect(code).toBe(0);
  const rows = linesOf(stdout).map((line) => line.split('\t'));
  expect(rows.map((row) => row.slice(0, -1))).toEqual([
    ['01', 'Starlight Delivery Service', 'Seo Yu-ra', '2019', '5', EXAMPLE_CHAPTERS.starlightFirst],
    [
      '02',
      'Starlight Delivery Service',
      'Seo Yu-ra',
      '2019',
      '5',
      EXAMPLE_CHAPTERS.starlightSecond,
    ],
  ]);
  expect(rows.every((row) => existsSync(row.at(-1) ?? ''))).toBe(true);
  // The next run saves nothing.
  const again = await run('download', `title:${starlight}`, '--language', 'en', '--print', 'x');
  expect(again.stdout).toBe('');
});

test('download --dry-run: a line for each planned chapter; --bind: one for each book', async () => {
  const target = ['download', `title:${starlight}`, '--language', 'en'];
  const planned = await run(...target, '--dry-run', '--print', '{type} {number} {author}: {why}');
  expect(linesOf(planned.stdout)).toEqual([
    'planned 1 Seo Yu-ra: the only release',
    'planned 2 Seo Yu-ra: the only release',
  ]);
  const bound = await run(...target, '--bind', 'title', '--print', '{type} {series} {language}');
  expect(bound.stdout).toBe('book-saved Starlight Delivery Service en\n');
});

test('names of the service cannot change the line or the terminal', async () => {
  const { stdout } = await run('download', `title:${odd}`, '--print', '{series}|{title}|{url}');
  const [line = '', ...more] = stdout.trimEnd().split('\n');
  expect(more).toEqual([]);
  expect(line).toContain(`|https://mangadex.org/chapter/${EXAMPLE_CHAPTERS.odd}`);
  expect(line).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
});

test('search: a line for each title; with --first, one for each chapter that is downloaded', async () => {
  const catalogueRequests = () => service.log.filter(({ path }) => path === '/manga').length;
  const before = catalogueRequests();
  const { code, stdout } = await run('search', 'light', '--print', '{id}\\t{title}\\t{author}');
  expect(code).toBe(0);
  expect(stdout.split('\n')).toContain(
    `${lighthouse}\tThe Lighthouse Cat of Minami Island\tAoi Minase`,
  );
  expect(catalogueRequests()).toBe(before + 1);
  expect(catalogueRequests()).toBe(before + 1);
  const first = await run(
    ...['search', '--first', 'starlight', '--language', 'en', '--chapters', '1'],
    ...['--print', '{series} {chapter}'],
  );
  expect(first.stdout).toBe('Starlight Delivery Service 1\n');
});

test('sync: a line for each saved chapter, and for each planned one', async () => {
  const file = join(folder, 'subscriptions.yaml');
  writeFileSync(file, `series: [{ target: 'title:${starlight}', language: en }]\n`, {
    mode: 0o600,
  });
  const sync = (...words: string[]) => run('sync', '--file', file, ...words);
  const template = '{series} {chapter} {title-id} {author}';
  const planned = await sync('--dry-run', '--print', template);
  expect(linesOf(planned.stdout)).toEqual(
    [
      `Starlight Delivery Service 1 ${starlight} `.trimEnd(),
      `Starlight Delivery Service 2 ${starlight} `.trimEnd(),
    ].map((line) => expect.stringContaining(line) as unknown),
  );
  const { code, stdout } = await sync('--print', template);
  expect(code).toBe(0);
  expect(linesOf(stdout)).toEqual([
    `Starlight Delivery Service 1 ${starlight} Seo Yu-ra`,
    `Starlight Delivery Service 2 ${starlight} Seo Yu-ra`,
  ]);
});

test.each([
  ['download', `title:${starlight}`, '{titel}', 'Did you mean {title}?'],
  ['search', 'light', '{file}', 'Did you mean {title}?'],
  ['sync', '--quiet', '{fle}', 'Did you mean {file}?'],
])('%s %s: %s is exit 2 before anything is sent', async (command, word, template, hint) => {
  const before = service.log.length;
  const { code, stdout, stderr } = await run(command, word, '--print', template);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`error: Unknown field in --print: ${template}\n`);
  if (command !== 'search') expect(stderr).toContain(hint);
  expect(service.log).toHaveLength(before);
});

test('--print and --json exclude each other', async () => {
  const { code, stderr } = await run('download', starlight, '--json', '--print', '{file}');
  expect(code).toBe(2);
  expect(stderr).toMatch(/cannot be used with/);
});

test(String.raw`\0 ends a result without a line feed, as xargs -0 reads it`, async () => {
  const words = ['download', `title:${starlight}`, '--language', 'en', '--dry-run', '--print'];
  const { stdout } = await run(...words, String.raw`{chapter} {series}\0`);
  expect(stdout).toBe('1 Starlight Delivery Service\0' + '2 Starlight Delivery Service\0');
  const saved = await run(...words.filter((word) => word !== '--dry-run'), String.raw`{chapter}\0`);
  expect(saved.stdout.split('\0').sort()).toEqual(['', '1', '2']);
  const found = await run('search', 'starlight', '--print', String.raw`{title}\0{id}\0`);
  expect(found.stdout.split('\0').slice(0, 2)).toEqual(['Starlight Delivery Service', starlight]);
});
