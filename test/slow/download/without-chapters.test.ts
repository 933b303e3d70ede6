/**
 * Covers and series files without chapters: with `--no-chapters`, and of a title that has none yet, by `download` and by
 * `sync`. Their folder is that of the first chapter, and nothing is written or asked for twice.
 */
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { drawnCover } from '../../../src/practice-server/library/story-pages.js';
import {
  createLibrary,
  uuidOf,
  type LibraryTitle,
} from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { start, tankobon } from '../../support/command.js';
import { DownloadHarness } from '../../support/download-harness.js';
import type { OptionTexts } from '../../support/option-texts.js';
import { posixTest } from '../../support/platform.js';
import { DAY_MS, SyncHarness } from '../../support/sync-harness.js';
import { chapter, title } from '../../support/title-library.js';

const NAME = 'Tea';
const TITLE = uuidOf('one');
const coverOf = (key: string, volume = '1') => drawnCover(uuidOf(key), volume, 'stairs-cover');
const withCover = (key: string, name: string, more: Partial<LibraryTitle> = {}) =>
  title(key, name, { covers: [coverOf(key)], ...more });
const EXTRAS = { cover: 'all', seriesMetadata: true, language: 'en' } as const;
const EXTRA_FILES = ['cover Vol.01.png', 'cover.png', 'details.json', 'series.json'];

let harness: DownloadHarness;
beforeEach(async () => {
  const library = createLibrary({ titles: [withCover('one', NAME)], chapters: [] });
  harness = await DownloadHarness.start({ library });
});
afterEach(() => harness.stop());

const inOutput = (...names: string[]) => join(harness.output, ...names);
const names = (folder = NAME) => readdirSync(inOutput(folder)).sort();
const add = (key: string, number: string, volume = '1') => {
  harness.service.library.putChapter(chapter(key, number, { volume }));
};

/** The warnings, and the paths of the requests for covers and pages. */
async function run(options: OptionTexts & { readonly targets?: readonly string[] } = {}) {
  const before = harness.service.log.length;
  const { code, events, stderr } = await harness.download({
    targets: [`title:${TITLE}`],
    ...EXTRAS,
    ...options,
  });
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
  const requests = harness.service.log
    .slice(before)
    .map(({ path }) => path.replace(/^\/covers\/.*/, '/covers/'))
    .filter((path) => /^\/(cover$|covers\/|at-home\/)/.test(path));
  expect(harness.service.violations()).toEqual([]);
  return { code, warnings, requests, stderr };
}

describe('with --no-chapters', () => {
  const options = { chapterFiles: false } as const;

  test('a title gets them and no chapter; the second run only asks which covers there are', async () => {
    add('one', '1');
    const loads = ['/cover', '/covers/', '/covers/'];
    expect(await run(options)).toMatchObject({ code: 0, warnings: [], requests: loads });
    expect(names()).toEqual(EXTRA_FILES);
    const times = () => names().map((name) => statSync(inOutput(NAME, name)).mtimeMs);
    const before = times();
    expect(await run(options)).toMatchObject({ code: 0, warnings: [], requests: ['/cover'] });
    expect(times()).toEqual(before);
  });

  test('a dry run says where they would go, and writes nothing', async () => {
    add('one', '1');
    const { stdout } = await harness.download({
      targets: [`title:${TITLE}`],
      ...EXTRAS,
      ...options,
      json: false,
      dryRun: true,
    });
    expect(stdout).toBe(
      `${NAME}: cover and metadata only, in ${inOutput(NAME)}\nNo chapter to download.\n`,
    );
    expect(existsSync(harness.output)).toBe(false);
  });

  test('saved chapters stay as they are, and what MangaDex added or changed is saved beside them', async () => {
    add('one', '1');
    await run({ cover: false, seriesMetadata: false, name: '{series}/v{volume}/{chapter}' });
    const folder = `${NAME}/v1`;
    const file = readFileSync(inOutput(folder, '1.cbz'));
    add('one', '2');
    const covers = [coverOf('one'), { ...coverOf('one', '2'), fileName: 'two.png' }];
    harness.service.library.putTitle(title('one', NAME, { covers }));
    expect((await run(options)).code).toBe(0);
    const added = ['1.cbz', 'cover Vol.01.png', 'cover Vol.02.png', ...EXTRA_FILES.slice(1)];
    expect(names(folder)).toEqual(added);
    expect(readFileSync(inOutput(folder, '1.cbz'))).toEqual(file);
    expect(readdirSync(inOutput(NAME))).toEqual(['v1']);
  });

  test('the title of a chapter gets them too, no page is asked for, and one that is not found fails', async () => {
    add('one', '1');
    const id = uuidOf('one', '1', 'en');
    const first = await run({ ...options, targets: [id] });
    expect(first).toMatchObject({ code: 0, warnings: [] });
    expect(first.requests).toEqual(['/cover', '/covers/', '/covers/']);
    expect(names()).toEqual(EXTRA_FILES);
    const again = await run({ ...options, targets: [`https://mangadex.org/chapter/${id}`] });
    expect(again.requests).toEqual(['/cover']);
    expect(await run({ ...options, targets: [`title:${uuidOf('none')}`] })).toMatchObject({
      code: 3,
    });
  });

  test.each([
    ['nothing to save', ['--no-chapters'], '--no-chapters alone saves nothing.'],
    ['no metadata', ['--no-chapters', '--cover', '--no-metadata'], 'Without metadata'],
  ])('%s is a usage error', async (_, flags, message) => {
    const env = { ...harness.service.environment, TANKOBON_HOME: join(harness.folder, 'home') };
    const { code, stderr } = await tankobon(['download', `title:${TITLE}`, ...flags], { env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(harness.service.log).toEqual([]);
  });
});

describe('a title that has no chapter yet', () => {
  test('gets them from a plain download, is not asked for again, and its first chapter goes beside them', async () => {
    const before = await run();
    expect(before).toMatchObject({ code: 0, requests: ['/cover', '/covers/', '/covers/'] });
    expect(names()).toEqual(EXTRA_FILES);
    expect(await run()).toMatchObject({ code: 0, requests: [], warnings: before.warnings });
    add('one', '1');
    await run();
    expect(names()).toEqual(['Tea Ch.001 Vol.01 [Scans].cbz', ...EXTRA_FILES]);
  });

  test('has its own folder beside another one of its name, also for its first chapter', async () => {
    harness.service.library.putTitle(withCover('two', NAME, {}));
    const second = `Tea (${uuidOf('two').slice(0, 8)})`;
    for (const key of ['one', 'two', 'one', 'two'])
      await run({ targets: [`title:${uuidOf(key)}`], seriesMetadata: false });
    expect(readdirSync(harness.output).sort()).toEqual([NAME, second]);
    add('two', '1');
    await run({ targets: [`title:${uuidOf('two')}`] });
    expect(names(NAME)).toEqual(['cover Vol.01.png', 'cover.png']);
    expect(names(second)).toHaveLength(EXTRA_FILES.length + 1);
  });

  test.each([
    ['...', '...', uuidOf('one')],
    ['../../Tea', '../../Tea', 'Tea'],
    ['CON', 'CON', 'CON'],
    ['at great length', 'x'.repeat(300), 'x'.repeat(255)],
  ])('named %s stays in the output folder', async (_, name, folder) => {
    harness.service.library.putTitle(withCover('one', name));
    expect((await run()).code).toBe(0);
    expect(readdirSync(harness.folder).sort()).toEqual(['home', 'library']);
    const found = readdirSync(harness.output);
    expect(found).toHaveLength(1);
    expect(names(found[0])).toEqual(EXTRA_FILES);
    const letters = (text = '') => text.replace(/[^a-z0-9]/gi, '');
    expect(letters(found[0])).toBe(letters(folder));
  });

  test('gets none in a folder that is not its own', async () => {
    const { warnings } = await run({ name: '{series} {chapter}' });
    expect(warnings).toContain(
      `No cover and no metadata of Tea is saved, since the folder is not that of one title: ${harness.output}`,
    );
    expect(harness.files()).toEqual([]);
  });

  posixTest('gets none behind a link', async () => {
    const elsewhere = join(harness.folder, 'elsewhere');
    mkdirSync(elsewhere);
    mkdirSync(harness.output);
    symlinkSync(elsewhere, inOutput(NAME));
    const { code, warnings } = await run();
    expect([code, warnings.filter((each) => each.includes('not saved'))]).toEqual([
      0,
      [
        expect.stringContaining('Cover not saved'),
        expect.stringContaining('Metadata of the series not saved'),
      ],
    ]);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('gets none where its chapters are only in another language or selection', async () => {
    add('one', '1');
    expect((await run({ chapters: '7' })).requests).toEqual([]);
    expect(existsSync(harness.output)).toBe(false);
  });

  test('whose cover cannot be loaded does not keep others from theirs', async () => {
    harness.service.library.putTitle(
      title('one', NAME, { covers: [{ ...coverOf('one'), fileName: 'a b.png' }] }),
    );
    harness.service.library.putTitle(withCover('two', 'Coffee'));
    const targets = ['one', 'two'].map((key) => `title:${uuidOf(key)}`);
    expect((await run({ targets })).code).toBe(0);
    expect(names('Coffee')).toEqual(EXTRA_FILES);
  });
});

test('sync saves them for a title without chapters, once, and its first chapter goes beside them', async () => {
  const sync = await SyncHarness.start(() =>
    createLibrary({ titles: [withCover('one', NAME)], chapters: [] }),
  );
  try {
    sync.write(`series:\n  - { target: 'title:${TITLE}', language: [en] }\n`);
    const extras = { cover: 'all', seriesMetadata: true } as const;
    const asked = () => sync.catalogueRequests().filter((path) => path.startsWith('/cover'));
    expect(await sync.sync(extras)).toMatchObject({ code: 0 });
    expect(readdirSync(join(sync.base.output, NAME)).sort()).toEqual(EXTRA_FILES);
    expect(asked().length).toBeGreaterThan(0);
    sync.clock.advance(8 * DAY_MS);
    expect(await sync.text({ ...extras, quiet: true })).toMatchObject({ code: 0, stdout: '' });
    expect(asked()).toEqual([]);
    sync.service.library.putChapter(chapter('one', '1', { volume: '1' }));
    expect(await sync.sync(extras)).toMatchObject({ code: 0 });
    expect(readdirSync(join(sync.base.output, NAME)).sort()).toEqual([
      'Tea Ch.001 Vol.01 [Scans].cbz',
      ...EXTRA_FILES,
    ]);
  } finally {
    await sync.stop();
  }
});

describe('as a process', () => {
  let service: PracticeService;
  /** Killed once a path is requested that begins with this. */
  let kill: { readonly at: string; readonly child: ChildProcess } | undefined;
  let words: readonly string[];
  let env: Readonly<Record<string, string>>;
  beforeEach(async () => {
    kill = undefined;
    service = await startPracticeService({
      library: createLibrary({
        titles: [withCover('one', NAME)],
        chapters: ['1', '2'].map((number) => chapter('one', number, { volume: '1' })),
      }),
      onRequest: ({ path }) => {
        if (kill && path.startsWith(kill.at)) kill.child.kill('SIGKILL');
      },
    });
    env = { ...service.environment, TANKOBON_HOME: join(harness.folder, 'home') };
    words = ['download', `title:${TITLE}`, '-o', harness.output, '--language', 'en'];
  });
  afterEach(() => service.stop());

  test('of --chapters and --no-chapters the last one counts', async () => {
    const both = [...words, '--chapters', '1', '--no-chapters', '--cover'];
    expect(await tankobon(both, { env })).toMatchObject({ code: 0 });
    expect(names()).toEqual(['cover.png']);
    const one = [...words, '--no-chapters', '--chapters', '1'];
    expect(await tankobon(one, { env })).toMatchObject({ code: 0 });
    expect(names()).toEqual(['Tea Ch.001 Vol.01 [Scans].cbz', 'cover.png']);
  });

  test('the run after a killed one makes the rest, and leaves nothing of it', async () => {
    const all = [...words, '--no-chapters', '--cover', 'all', '--series-metadata'];
    for (const at of ['/cover', '/covers/']) {
      const { child, finished } = start(all, { env });
      kill = { at, child };
      expect(await finished).toMatchObject({ signal: 'SIGKILL' });
    }
    kill = undefined;
    expect(await tankobon(all, { env })).toMatchObject({ code: 0 });
    expect(names()).toEqual(EXTRA_FILES);
  });
});
