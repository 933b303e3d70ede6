/**
 * A page that no node has as uploaded: the chapter fails and says what helps, or with `--lost-pages data-saver` that page
 * alone is compressed, the record says so, and an update tries the full page again.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseRecords } from '../../../src/library/record.js';
import { workspaceName } from '../../../src/download/save/workspace.js';
import { uuidOf } from '../../../src/practice-server/library/digests.js';
import {
  createLibrary,
  editChapter,
  generateChapter,
} from '../../../src/practice-server/library/library.js';
import { createTitle } from '../../../src/practice-server/library/story-chapter.js';
import {
  readArchive,
  readComment,
  readEntry,
  readPages,
  writeArchive,
} from '../../support/archive.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { runCommand } from '../../support/retag-harness.js';

const AT = '2024-01-05T12:00:00+00:00';
const TITLE = uuidOf('title', 'Gulls');
const ID = uuidOf('chapter', '1');

let harness: DownloadHarness;
afterEach(() => harness.stop());

async function start(pageNames: 'with-digest' | 'plain' = 'with-digest') {
  const generated = generateChapter({ id: ID, pages: 5, bytesPerPage: 2_000, pageNames });
  const attributes = { ...generated.attributes, chapter: '1', updatedAt: AT };
  const chapter = { ...generated, titleId: TITLE, attributes };
  const title = createTitle({ id: TITLE, title: { en: 'Gulls' }, createdAt: AT, updatedAt: AT });
  harness = await DownloadHarness.start({
    library: createLibrary({ titles: [title], chapters: [chapter] }),
  });
  return chapter;
}

/** The full pages are lost on every node. */
function lose(...pages: readonly number[]): void {
  for (const page of pages)
    harness.service.injectPageFaults({
      fault: 'html-page',
      page,
      quality: 'data',
      attempts: 'always',
    });
}

const run = (options = {}) => harness.download({ targets: [TITLE], language: 'en', ...options });
const saver = { lostPages: 'data-saver' } as const;
const onlyArchive = () => harness.archives()[0] ?? '';
const recordIn = async (file: string) =>
  parseRecords(await readEntry(file, 'META-INF/tankobon.json'))?.[0];
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const digestsIn = async (file: string) => (await readPages(file)).map(sha256);
const hiddenFolders = () =>
  readdirSync(harness.output, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.tankobon'),
  );

/** The pages that were requested since the last call, such as `data 2`. */
function pageRequests(): readonly string[] {
  const fresh = harness.service.log.slice(seen);
  seen += fresh.length;
  return fresh.flatMap(
    ({ path }) => /\/(data|data-saver)\/[^/]+\/(\w?\d+)-/.exec(path)?.slice(1).join(' ') ?? [],
  );
}
let seen = 0;
beforeEach(() => {
  seen = 0;
});

test('without the option the chapter fails, and the hint names both ways', async () => {
  await start();
  lose(2);
  const { code, events, stderr } = await run({ json: false });
  expect([code, events, harness.archives()]).toEqual([3, [], []]);
  expect(stderr).toContain('--lost-pages data-saver');
  expect(stderr).toContain('--quality data-saver');
});

test.each(['with-digest', 'plain'] as const)(
  'names %s: with --lost-pages data-saver that page alone is compressed, after five attempts',
  async (pageNames) => {
    const chapter = await start(pageNames);
    lose(2);
    const { code, events } = await run(saver);
    expect(code).toBe(0);
    const saved = events.find(({ type }) => type === 'chapter-saved');
    expect(saved).toMatchObject({ pages: 5, dataSaverPages: [2] });
    expect(events.filter(({ type }) => type === 'page-failed')).toHaveLength(5);
    const file = onlyArchive();
    const pages = await digestsIn(file);
    const expected = chapter.pages('data').map((page) => sha256(page.bytes()));
    const compressed = chapter.pages('data-saver')[1];
    expected[1] = sha256(compressed?.bytes() ?? Buffer.alloc(0));
    expect(pages).toEqual(expected);
    expect(await recordIn(file)).toMatchObject({ quality: 'data', pages, dataSaverPages: [2] });
    expect(hiddenFolders()).toEqual([]);
  },
);

test('a setting makes it the default, and a warning says which page', async () => {
  await start();
  lose(4);
  const targets = [TITLE];
  const run = await harness.download({ targets, language: 'en', json: false }, { settings: saver });
  expect(run.stderr).toContain(
    'warning: Gulls Ch. 1 [Measured Scans] (en): no node has page 4 as uploaded; compressed instead. Try again later with: --update',
  );
});

test('--update tries the full page again: with it the chapter is whole, and no other page is loaded', async () => {
  const chapter = await start();
  lose(2);
  await run(saver);
  harness.service.clearPageFaults();
  const { stdout } = await run({ update: true, dryRun: true, json: false });
  expect(stdout).toContain('replaces the saved one: its compressed pages are tried again\n');
  pageRequests();
  const { code, events } = await run({ update: true });
  expect([code, pageRequests()]).toEqual([0, [expect.stringMatching(/^data \w?2$/)]]);
  expect(events).toContainEqual(expect.objectContaining({ type: 'chapter-saved', pages: 5 }));
  const full = chapter.pages('data').map((page) => sha256(page.bytes()));
  expect(await digestsIn(onlyArchive())).toEqual(full);
  expect(await recordIn(onlyArchive())).not.toHaveProperty('dataSaverPages', expect.anything());
  await run({ update: true });
  expect(pageRequests()).toEqual([]);
});

test('--update loads no page again of a file that its owner edited and accepted', async () => {
  const chapter = await start();
  lose(2);
  await run(saver);
  const entries = (await readArchive(onlyArchive())).filter(({ name }) => name !== '004.png');
  const contents = Object.fromEntries(entries.map(({ name, bytes }) => [name, bytes]));
  await writeArchive(onlyArchive(), contents, await readComment(onlyArchive()));
  const digests = await digestsIn(onlyArchive());
  expect(digests).toHaveLength(4);
  await runCommand(harness, 'verify', harness.output, '--accept');
  harness.service.clearPageFaults();
  pageRequests();
  const later = '2026-01-01T00:00:00+00:00';
  for (const title of ['', 'Salt']) {
    if (title !== '') harness.service.library.putChapter(editChapter(chapter, later, { title }));
    const { code } = await run({ update: true });
    expect([code, pageRequests(), await digestsIn(onlyArchive())]).toEqual([0, [], digests]);
  }
  expect(onlyArchive()).toContain('Salt');
});

test('--update leaves the file as it is while the page is still lost, also without the option', async () => {
  await start();
  lose(2, 3);
  await run(saver);
  const before = [readFileSync(onlyArchive()), statSync(onlyArchive()).mtimeMs];
  for (const options of [{}, saver]) {
    pageRequests();
    const { code, events } = await run({ update: true, ...options });
    const requests = pageRequests();
    expect([code, requests.length, requests.filter((each) => !each.startsWith('data '))]).toEqual([
      0,
      10,
      [],
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'chapter-skipped', reason: 'already-there' }),
    );
    expect([readFileSync(onlyArchive()), statSync(onlyArchive()).mtimeMs]).toEqual(before);
  }
  expect(hiddenFolders()).toEqual([]);
});

test('a run without --update, and one in data-saver, does not try it again', async () => {
  await start();
  lose(2);
  await run(saver);
  for (const options of [{}, { update: true, quality: 'data-saver' }]) {
    pageRequests();
    expect((await run(options)).code).toBe(0);
    expect(pageRequests()).toEqual([]);
  }
});

test('where the compressed page is lost too, the chapter fails', async () => {
  await start();
  lose(2);
  harness.service.injectPageFaults({ fault: 'html-page', page: 2, attempts: 'always' });
  const { code, events } = await run(saver);
  expect([code, harness.archives()]).toEqual([3, []]);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'chapter-failed', reason: 'page-lost' }),
  );
});

test('the folder of the unfinished quality goes when the chapter is saved in the other one', async () => {
  await start();
  lose(2);
  expect((await run()).code).toBe(3);
  expect(hiddenFolders()).toHaveLength(1);
  expect((await run({ quality: 'data-saver' })).code).toBe(0);
  expect(hiddenFolders()).toEqual([]);
  // Another program may have a folder of that name, with files of its own.
  const other = join(dirname(onlyArchive()), workspaceName(uuidOf('chapter', '9'), 'data'));
  mkdirSync(other);
  await run({ force: true, quality: 'data-saver' });
  expect(hiddenFolders()).toHaveLength(1);
});
