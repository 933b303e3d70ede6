/**
 * Covers, metadata of the series, read markers and books that a stopped run did not come to: the next run of the same
 * command makes what is missing, with few requests, and leaves the rest alone.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { interruptedError } from '../../../src/core/errors.js';
import { login } from '../../../src/cli/commands/login.js';
import { drawnCover } from '../../../src/practice-server/library/story-pages.js';
import { createLibrary, uuidOf } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { chapter, title } from '../../support/title-library.js';

const NAME = 'Tea';
const TITLE = uuidOf('one');
const NUMBERS = ['1', '2', '3'];
const CHAPTERS = NUMBERS.map((number) => chapter('one', number, { volume: '1' }));

let harness: DownloadHarness;
/** Aborted once a path is requested that begins with this. */
let stop = { at: '', controller: new AbortController() };
beforeEach(async () => {
  stop = { at: '', controller: new AbortController() };
  const covers = [drawnCover(TITLE, '1', 'stairs-cover')];
  const library = createLibrary({ titles: [title('one', NAME, { covers })], chapters: CHAPTERS });
  harness = await DownloadHarness.start({
    library,
    onRequest: ({ path }) => {
      if (stop.at !== '' && path.startsWith(stop.at)) stop.controller.abort(interruptedError());
    },
  });
});
afterEach(() => harness.stop());

const inFolder = (name: string) => join(harness.output, NAME, name);
const EXTRAS = { cover: 'all', seriesMetadata: true, markRead: true } as const;
const EXTRA_FILES = ['cover.png', 'cover Vol.01.png', 'series.json', 'details.json'];

async function logIn(): Promise<void> {
  const env = harness.loginEnvironment();
  await harness.command((run) => login({ insecureStorage: true }, run), { env });
}

/** The requests for covers and read markers that a run sent. */
async function run(options: Parameters<DownloadHarness['download']>[0], signal?: AbortSignal) {
  const before = harness.service.log.length;
  const change = signal ? { signal } : {};
  const result = await harness.download({ language: 'en', ...options }, change);
  const requests = harness.service.log
    .slice(before)
    .filter(({ path }) => /^\/(cover$|covers\/|manga\/(.*\/)?read$|chapter\/.*\/read$)/.test(path))
    .map(({ method, path }) => `${method} ${path.replace(/^\/covers\/.*/, '/covers/')}`);
  return { ...result, requests };
}

/** Saves the chapters, and is stopped before it does what comes after. */
async function stoppedRun(options: Parameters<DownloadHarness['download']>[0], at: string) {
  stop.at = at;
  await expect(run(options, stop.controller.signal)).rejects.toMatchObject({ code: 'interrupted' });
  stop.at = '';
  expect(harness.archives()).toHaveLength(NUMBERS.length);
}

test.each([
  ['a title', [`title:${TITLE}`]],
  ['chapters', CHAPTERS.map(({ id }) => id)],
])(
  'the run after a stopped one of %s saves covers and metadata, and marks as read',
  async (_, targets) => {
    await logIn();
    await stoppedRun({ targets, ...EXTRAS }, '/cover');
    const next = await run({ targets, ...EXTRAS });
    expect([next.code, next.stderr]).toEqual([0, '']);
    expect(next.events.at(-1)).toMatchObject({ saved: 0, skipped: NUMBERS.length });
    for (const name of EXTRA_FILES)
      expect([name, existsSync(inFolder(name))]).toEqual([name, true]);
    expect(next.requests).toEqual([
      'GET /cover',
      'GET /covers/',
      'GET /covers/',
      'GET /manga/read',
      `POST /manga/${TITLE}/read`,
    ]);
    // Nothing is missing any more: one request asks for the markers of all titles.
    const last = await run({ targets, ...EXTRAS });
    expect([last.code, last.requests]).toEqual([0, ['GET /manga/read']]);
    expect(harness.service.violations()).toEqual([]);
  },
);

test('only the markers that are not set are sent', async () => {
  await logIn();
  const [first = '', ...others] = CHAPTERS.map(({ id }) => id);
  await run({ targets: [first], markRead: true });
  await run({ targets: others });
  const { requests } = await run({ targets: [first, ...others], markRead: true });
  expect(requests).toEqual(['GET /manga/read', `POST /manga/${TITLE}/read`]);
});

test('chapters that are targets are bound by the run after a stopped one', async () => {
  const targets = CHAPTERS.map(({ id }) => id);
  const options = { targets, bind: 'volume', cover: true };
  await stoppedRun(options, '/cover');
  expect(await run(options)).toMatchObject({ code: 0 });
  expect(harness.archivePaths()).toEqual([`${NAME}/${NAME} Vol.01.cbz`]);
});

test('the metadata has the name that the title has in its folder', async () => {
  const targets = [`title:${TITLE}`];
  await run({ targets });
  harness.service.library.putTitle(title('one', 'Coffee'));
  await run({ targets, seriesMetadata: true });
  expect(JSON.parse(readFileSync(inFolder('details.json'), 'utf8'))).toMatchObject({ title: NAME });
});

test('nothing is saved beside books, and nothing beside files that are links', async () => {
  const targets = [`title:${TITLE}`];
  await run({ targets, bind: 'volume', bookName: 'Books/{series} {volume}' });
  const link = async (file: string) => {
    renameSync(file, join(harness.folder, 'elsewhere.cbz'));
    await symlink(join(harness.folder, 'elsewhere.cbz'), file);
  };
  for (const act of [() => Promise.resolve(), link]) {
    for (const file of harness.archives()) await act(file);
    const before = readdirSync(harness.output, { recursive: true });
    const { requests, events } = await run({ targets, cover: true, seriesMetadata: true });
    expect(events.at(-1)).toMatchObject({ saved: 0, skipped: NUMBERS.length });
    expect(requests).toEqual([]);
    expect(readdirSync(harness.output, { recursive: true })).toEqual(before);
  }
});

test('a cover of the owner, of any format, counts as one', async () => {
  const targets = [`title:${TITLE}`];
  await run({ targets });
  writeFileSync(inFolder('cover.webp'), 'mine');
  expect((await run({ targets, cover: true })).requests).toEqual([]);
  rmSync(inFolder('cover.webp'));
  expect((await run({ targets, cover: true })).requests).toEqual(['GET /cover', 'GET /covers/']);
});

test('a title without a cover is not asked for one in each run', async () => {
  harness.service.library.putTitle(title('one', NAME));
  const targets = [`title:${TITLE}`];
  await run({ targets });
  expect((await run({ targets, cover: true })).requests).toEqual([]);
});
