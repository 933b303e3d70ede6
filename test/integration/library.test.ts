/** What a program may import: the example runs as it stands, and the entry keeps its promises. */
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { EXAMPLE_TITLES, generateChapter } from '../../src/practice-server/library/library.js';
import {
  bindChapters,
  downloadChapters,
  hasCode,
  openRateLedger,
  searchTitles,
  type BookMessage,
  type ChapterMessage,
} from '../../src/index.js';
import { DIST } from '../support/build-folders.js';
import { PROGRAM, tankobon } from '../support/command.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0011';
const MISSING = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0099';

let service: PracticeService;
let folder: string;
/** One ledger for all, as the limits are those of one service. */
let home: string;
let env: Record<string, string>;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'tankobon-library-home-'));
  const chapter = generateChapter({ id: ID, pages: 12, bytesPerPage: 20_000 });
  service = await startPracticeService({ chapters: [chapter], latencyMs: { node: 30 } });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-library-'));
  env = { ...service.environment, TANKOBON_HOME: home };
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
afterAll(async () => {
  await service.stop();
  rmSync(home, { recursive: true, force: true });
});

const archives = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.cbz'),
  );

async function all<Message>(messages: AsyncIterable<Message>): Promise<Message[]> {
  const events: Message[] = [];
  for await (const event of messages) events.push(event);
  return events;
}

test('the example of the documentation runs as it stands, from a folder where tankobon is installed', async () => {
  const installed = join(folder, 'node_modules', 'tankobon');
  mkdirSync(installed, { recursive: true });
  copyFileSync('package.json', join(installed, 'package.json'));
  symlinkSync(resolve(dirname(PROGRAM), '..'), join(installed, 'dist'));
  copyFileSync('docs/example.mjs', join(folder, 'example.mjs'));
  const child = spawn(process.execPath, ['example.mjs', ID], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
  });
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const code = await new Promise((done) => child.once('close', done));
  expect(said).toMatch(/^5 requests a second, 40 chapters a minute\nthe API responds with \d+\n/);
  expect(said).toContain(`${ID}: 12 pages`);
  expect(said).toMatch(/1 saved, 0 skipped, 0 failed\n$/);
  expect(code).toBe(0);
  expect(archives()).toHaveLength(1);
});

test('the events of a download end with the summary, and an unavailable chapter stops no other', async () => {
  const events = await all(downloadChapters([MISSING, ID], { env, output: folder }));
  const types = events.map(({ type }) => type).filter((type) => type !== 'page-bytes');
  expect(types.filter((type) => type === 'page-loaded')).toHaveLength(12);
  expect(types).toContain('chapter-saved');
  expect(types).toContain('chapter-failed');
  expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 1, skipped: 0, failed: 1 });
  expect(archives()).toHaveLength(1);
});

test('with bind, the events of the books come before the summary', async () => {
  const targets = [`title:${EXAMPLE_TITLES.starlight}`];
  const options = { languages: ['en'], bind: 'title', format: 'epub' } as const;
  const events = await all(downloadChapters(targets, { env, output: folder, ...options }));
  const ofBooks = events.map(({ type }) => type).filter((type) => /^book-|summary/.test(type));
  expect(new Set(ofBooks)).toEqual(
    new Set(['book-planned', 'book-page', 'book-saved', 'bind-summary', 'summary']),
  );
  expect(ofBooks.at(-1)).toBe('summary');
  expect(archives()).toEqual([]);
});

test('what was downloaded is bound afterwards: a dry run writes nothing, and a damaged file stops no book', async () => {
  const targets = [`title:${EXAMPLE_TITLES.starlight}`];
  await all(downloadChapters(targets, { env, output: folder, languages: ['en'] }));
  writeFileSync(join(folder, 'broken.cbz'), 'PK');
  const output = join(folder, 'books');
  const options = { env, output, by: 'title', format: 'epub' } as const;
  const typesOf = (events: readonly BookMessage[]) => new Set(events.map(({ type }) => type));
  const planned = await all(bindChapters([folder], { ...options, dryRun: true }));
  expect(typesOf(planned)).toEqual(new Set(['book-planned', 'chapter-left-out']));
  expect(existsSync(output)).toBe(false);
  const events = await all(bindChapters([folder], options));
  expect(events.at(-1)).toMatchObject({ type: 'bind-summary', saved: 1, failed: 0 });
  const saved = events.find((event) => event.type === 'book-saved');
  expect(existsSync(saved?.file ?? '')).toBe(true);
  await expect(all(bindChapters([join(folder, 'none')], options))).rejects.toMatchObject({
    code: 'nothing-to-bind',
  });
  await expect(all(bindChapters([folder], { ...options, spread: 'keep' }))).rejects.toMatchObject({
    code: 'bad-option',
  });
});

test('titles are searched by name', async () => {
  const found = await searchTitles('lighthouse', { env, languages: ['en'], limit: 1 });
  expect(found).toMatchObject({
    titles: [{ id: EXAMPLE_TITLES.lighthouse, year: 2021, status: 'ongoing' }],
    total: 1,
  });
  expect(await searchTitles('lighthouse', { env, language: ['xx'] })).toEqual({
    titles: [],
    total: 0,
  });
  await expect(searchTitles(' ', { env })).rejects.toMatchObject({ code: 'bad-option' });
  await expect(searchTitles('a', { env, limit: 101 })).rejects.toThrow('limit: 101');
  const signal = AbortSignal.abort();
  await expect(searchTitles('a', { env, signal })).rejects.toMatchObject({ code: 'interrupted' });
});

test('leaving the loop stops the download in order: the next one goes on where it was', async () => {
  for await (const event of downloadChapters([ID], { env, output: folder, concurrency: 1 })) {
    if (event.type === 'page-loaded' && event.page >= 3) break;
  }
  expect(archives()).toEqual([]);
  const again = await all(downloadChapters([ID], { env, output: folder }));
  const started = again.find((event) => event.type === 'chapter-started');
  expect(started?.kept).toBeGreaterThanOrEqual(3);
  expect(archives()).toHaveLength(1);
});

test('a signal stops it with the code interrupted, after the summary', async () => {
  const stop = new AbortController();
  const events: ChapterMessage[] = [];
  const thrown: unknown = await (async () => {
    for await (const event of downloadChapters([ID], {
      env,
      output: folder,
      signal: stop.signal,
    })) {
      events.push(event);
      if (event.type === 'chapter-started') stop.abort();
    }
  })().catch((error: unknown) => error);
  expect(hasCode(thrown, 'interrupted')).toBe(true);
  expect(events.at(-1)?.type).toBe('summary');
});

test('a target that is none throws its code before anything is sent', async () => {
  const before = service.log.length;
  await expect(all(downloadChapters(['naruto'], { env, output: folder }))).rejects.toMatchObject({
    code: 'bad-target',
  });
  expect(service.log.length).toBe(before);
});

test('a place of the ledger counts for every process of the machine', async () => {
  // In a shared ledger, requests of earlier tests would leave the period meanwhile.
  env['TANKOBON_HOME'] = join(folder, 'home');
  const used = async () => {
    const { stdout } = await tankobon(['limits', '--json'], { env });
    const { quotas } = JSON.parse(stdout) as { quotas: { endpoint?: string; used: number }[] };
    return quotas.find(({ endpoint }) => endpoint === 'GET /at-home/server/{id}')?.used ?? 0;
  };
  expect(await used()).toBe(0);
  const ledger = await openRateLedger({ env });
  const url = new URL(`/at-home/server/${ID}`, service.addresses.apiUrl);
  const place = await ledger.reserve({ method: 'GET', url });
  await place.settle({ status: 200, headers: {} });
  await ledger.close();
  expect(await used()).toBe(1);
});

test.each([
  { quality: 'best' as 'data' },
  { concurrency: 50 },
  { latest: 0 },
  { maxOutage: 'soon' },
  { maxOutage: '90' },
  { maxOutage: 90 as unknown as string },
  { chapters: '10-1' },
  { chapters: 5 as unknown as string },
  { languages: 'en' as unknown as readonly string[] },
  { languages: ['english'] },
  { limitRate: '1' },
  { cover: 'yes' as unknown as boolean },
  { name: '{serie}' },
  { output: '' },
])('an invalid option such as %j is refused before anything is sent', async (option) => {
  const before = service.log.length;
  const error = await all(downloadChapters([ID], { env, output: folder, ...option })).catch(
    (thrown: unknown) => thrown,
  );
  expect(hasCode(error, 'bad-option')).toBe(true);
  expect(service.log).toHaveLength(before);
});

test('an invalid number is printed as it is', async () => {
  const options = { env, output: folder, concurrency: NaN };
  await expect(all(downloadChapters([ID], options))).rejects.toThrow('concurrency: NaN');
});

test('an unknown option is refused, with the nearest name', async () => {
  const refused = async (options: object) =>
    all(downloadChapters([ID], { env, ...options })).catch((error: unknown) => error);
  expect(await refused({ outptu: folder })).toMatchObject({
    code: 'bad-option',
    message: 'Unknown option: outptu',
    hint: expect.stringContaining('Did you mean output?'),
  });
  expect(await refused({ dryRun: true })).toMatchObject({ message: 'Unknown option: dryRun' });
  // `searchTitles` has it; a download passes warnings as events.
  expect(await refused({ warn: () => undefined })).toMatchObject({
    message: 'Unknown option: warn',
  });
});

test('a format without bind is refused in the words of the library', async () => {
  const options = { env, output: folder, format: 'epub' } as const;
  await expect(all(downloadChapters([ID], options))).rejects.toMatchObject({
    code: 'bad-option',
    message: 'The option format needs the option bind.',
  });
});

test('a permit of the ledger is reserved with the URL as a string, and with a Request', async () => {
  const ledger = await openRateLedger({ env });
  const url = new URL('/ping', service.addresses.apiUrl).href;
  for (const request of [{ method: 'get', url }, new Request(url)]) {
    const permit = await ledger.reserve(request);
    await permit.settle({ status: 200, headers: {} });
  }
  await ledger.close();
});

test('a permit is settled with the Response of fetch: a pause that its headers ask for is kept', async () => {
  const ledger = await openRateLedger({ env: { ...env, TANKOBON_HOME: join(folder, 'home') } });
  const request = { method: 'GET', url: new URL('/ping', service.addresses.apiUrl) };
  const headers = { 'x-ratelimit-retry-after': String(Math.ceil(Date.now() / 1_000) + 60) };
  const permit = await ledger.reserve(request);
  await permit.settle(new Response(null, { status: 429, headers }));
  const stop = new AbortController();
  const waiting = ledger.reserve(request, {
    signal: stop.signal,
    onWait: () => {
      stop.abort();
    },
  });
  await expect(waiting).rejects.toThrow('abort');
  await ledger.close();
});

test('the error classes of the package have their real names, also in a stack', async () => {
  const built = (await import(pathToFileURL(join(DIST, 'index.js')).href)) as Record<
    string,
    unknown
  >;
  const classes = Object.entries(built).filter(([name]) => name.endsWith('Error'));
  expect(classes).toHaveLength(8);
  for (const [name, Class] of classes) {
    expect((Class as { name: string }).name).toBe(name);
    if (name === 'TankobonError') continue;
    const error = new (Class as new (code: string, message: string) => Error)('banned', 'No.');
    expect(error.name).toBe(name);
    expect(error.stack).toMatch(`${name}: No.\n    at `);
  }
});

test('language, chapters, volumes, group, latest, update and cover work as on the command line', async () => {
  const catalogue = await startPracticeService();
  const options = {
    env: { ...env, ...catalogue.environment, TANKOBON_HOME: join(folder, 'home') },
    output: folder,
    language: ['en'],
    group: ['Tidewater Scans'],
    volumes: '1',
    latest: 1,
    update: true,
    cover: true,
  };
  try {
    const target = `title:${EXAMPLE_TITLES.lighthouse}`;
    const events = await all(downloadChapters([target], { ...options, chapters: '1-2' }));
    expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 1, failed: 0 });
    expect(archives()).toEqual([expect.stringMatching(/Ch\.00[12] .*\[Tidewater Scans\]\.cbz$/)]);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(names.some((name) => /cover\.(jpg|png)$/.test(name))).toBe(true);
  } finally {
    await catalogue.stop();
  }
});
