/** `download --bind`: binds complete volumes, removes their chapters, and does not download them again. */
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemClock } from '../../../src/core/clock.js';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import { readArchive, readEntry } from '../../support/archive.js';
import { bindFolder, imageDigests } from '../../support/bind-harness.js';
import { tankobon } from '../../support/command.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { IS_LONG_RUN } from '../../support/long-run.js';
import { parseTexts } from '../../support/option-texts.js';
import { shortChapters } from '../../support/short-chapters.js';

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start({ chapters: shortChapters() });
});
afterEach(() => harness.stop());

const LIGHTHOUSE = {
  targets: [`title:${EXAMPLE_TITLES.lighthouse}`],
  language: 'en',
  bind: 'volume',
} as const;
const SERIES = 'The Lighthouse Cat of Minami Island';

/** The names of the saved files. */
const names = () =>
  harness
    .files()
    .map((file) => basename(file))
    .sort();
const booksOf = (volume: string) =>
  names().filter((name) => name.includes(volume) && !name.startsWith('cover'));
const typesOf = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

test('binds the volumes that the service lists in full, and those that lack only what it does not host', async () => {
  const options = { ...LIGHTHOUSE, format: 'epub', cover: 'all' } as const;
  const { code, events } = await harness.download(options);
  expect(code).toBe(0);
  expect(events).toContainEqual({
    type: 'chapters-unavailable',
    series: SERIES,
    language: 'en',
    volume: '2',
    chapters: ['5', '7'],
  });
  expect(booksOf('Vol.01')).toEqual([`${SERIES} Vol.01.epub`]);
  expect(booksOf('Vol.02')).toEqual([`${SERIES} Vol.02.epub`]);
  expect(typesOf(events).at(-1)).toBe('summary');
  expect(names().filter((name) => name.startsWith('cover'))).toEqual([
    expect.stringMatching(/^cover Vol\.01\.\w+$/),
    expect.stringMatching(/^cover Vol\.02\.\w+$/),
    expect.stringMatching(/^cover\.\w+$/),
  ]);
  const volume = harness.files().find((file) => file.endsWith('Vol.01.epub')) ?? '';
  const entries = (await readArchive(volume)).map(({ name }) => name);
  expect(entries).toContainEqual(expect.stringMatching(/^OEBPS\/images\/c000-cover\.\w+$/));
});

test('a later run does not download bound chapters again; --force does, and binds them anew', async () => {
  const options = { ...LIGHTHOUSE, volumes: '1' };
  await harness.download(options);
  const { events } = await harness.download(options);
  expect(typesOf(events)).not.toContain('chapter-saved');
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'chapter-skipped',
      chapter: EXAMPLE_CHAPTERS.first,
      reason: 'already-there',
    }),
  );
  expect(typesOf(events)).not.toContain('book-saved');
  const volume = harness.files().find((file) => file.endsWith('Vol.01.cbz')) ?? '';
  expect(await readEntry(volume, 'ComicInfo.xml')).toContain('<Count>3</Count>');
  expect(await readEntry(volume, 'ComicInfo.xml')).toContain(
    `<Web>https://mangadex.org/title/${EXAMPLE_TITLES.lighthouse}</Web>`,
  );
  const digests = await imageDigests(volume);
  const offline = { inputs: [volume], output: harness.output, force: true };
  expect((await bindFolder(harness.folder, offline)).books).toMatchObject([{ status: 'saved' }]);
  expect(await readEntry(volume, 'ComicInfo.xml')).toContain('<Count>3</Count>');
  await harness.download({ ...options, force: true });
  expect(await imageDigests(volume)).toEqual(digests);
  expect(booksOf('Vol.01')).toEqual([`${SERIES} Vol.01.cbz`]);
});

test('a book that lost its end is named, and a whole one takes its place', async () => {
  const options = { ...LIGHTHOUSE, volumes: '1' };
  await harness.download(options);
  const volume = harness.files().find((file) => file.endsWith('Vol.01.cbz')) ?? '';
  const digests = await imageDigests(volume);
  truncateSync(volume, statSync(volume).size - 2_000);
  const { stderr, code } = await harness.download(options);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      `warning: ${volume} cannot be read (it is not a ZIP archive, or is damaged): chapters that are only in it are downloaded again.\nhint: To look for further damage, run: tankobon verify ${harness.output}\n`,
    ),
  ]);
  expect(await imageDigests(volume)).toEqual(digests);
  expect((await harness.download(options)).stderr).not.toContain('cannot be read');
});

test('--keep-chapters keeps the files of the chapters; a chapter target is compared with the list of its title', async () => {
  const { first, second } = EXAMPLE_CHAPTERS;
  const two = await harness.download({
    ...LIGHTHOUSE,
    targets: [first, second],
    keepChapters: true,
  });
  expect(two.events).toContainEqual(
    expect.objectContaining({ type: 'volume-incomplete', missing: ['3'] }),
  );
  await harness.download({ ...LIGHTHOUSE, volumes: '1', keepChapters: true });
  // One file of each number: the later release of chapter 2 is not saved beside the one that was named.
  expect(booksOf('Vol.01')).toHaveLength(4);
});

test('the files of chapters are removed whether their names sort before or after that of their book', async () => {
  const options = { ...LIGHTHOUSE, volumes: '1', name: '{series}/zz {chapter}' };
  await harness.download({ ...options, keepChapters: true });
  expect(names().filter((name) => name.startsWith('zz'))).toHaveLength(3);
  await harness.download(options);
  expect(names().filter((name) => name.startsWith('zz'))).toEqual([]);
  expect(booksOf('Vol.01')).toEqual([`${SERIES} Vol.01.cbz`]);
});

test.each(IS_LONG_RUN ? (['cbz', 'pdf', 'folder'] as const) : (['cbz'] as const))(
  '%s: two runs at the same time both succeed',
  async (format) => {
    // Processes cannot share a clock that leaps over waits.
    await DownloadHarness.use({ clock: systemClock }, async (shared) => {
      const { targets, language, bind } = LIGHTHOUSE;
      await shared.download({ targets, language, volumes: '1' });
      const words = [targets[0], '--language', language, '--volumes', '1', '--bind', bind];
      const env = { ...shared.service.environment, TANKOBON_HOME: join(shared.folder, 'home') };
      const options = ['--format', format, '--output', shared.output, '--json'];
      const runs = await Promise.all(
        [1, 2].map(() => tankobon(['download', ...words, ...options], { env })),
      );
      expect(runs.map(({ code, stdout }) => [code, failuresIn(stdout)])).toEqual(
        runs.map(() => [0, []]),
      );
      expect(shared.archives()).toHaveLength(format === 'cbz' ? 1 : 0);
      const { events } = await shared.download({ ...LIGHTHOUSE, volumes: '1', format });
      expect(typesOf(events)).not.toContain('chapter-saved');
    });
  },
  120_000,
);

function failuresIn(stdout: string): string[] {
  return stdout
    .split('\n')
    .filter((line) => /"type":"(book|chapter|target)-failed"|left-out/.test(line));
}

test('standard output names what remains: the books, with --keep-chapters the chapters too; one line counts the removed files', async () => {
  const run = (folder: string, keepChapters: boolean) =>
    harness.command(async (context) => {
      const { download } = await import('../../../src/cli/commands/download.js');
      const texts = { language: 'en', volumes: '1', bind: 'volume', output: folder };
      const options = { ...parseTexts(texts), keepChapters };
      return download([`title:${EXAMPLE_TITLES.lighthouse}`], options, context);
    });
  const removing = await run(join(harness.folder, 'books'), false);
  const printed = removing.stdout.trimEnd().split('\n');
  expect(printed.map((file) => basename(file))).toEqual([`${SERIES} Vol.01.cbz`]);
  expect(printed.filter((file) => !existsSync(file))).toEqual([]);
  const lines = removing.stderr.split('\n').filter((line) => line.includes('removed'));
  expect(lines).toEqual([expect.stringMatching(/^1 book saved.*, 3 chapter files removed$/)]);
  const kept = await run(join(harness.folder, 'both'), true);
  const files = kept.stdout.trimEnd().split('\n');
  expect(files).toHaveLength(4);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  expect(kept.stderr).not.toContain('removed');
});

test('a damaged book is written again from the chapters beside it', async () => {
  const options = { ...LIGHTHOUSE, volumes: '1', format: 'pdf' } as const;
  await harness.download({ ...options, keepChapters: true });
  const book = harness.files().find((file) => file.endsWith('.pdf')) ?? '';
  const whole = readFileSync(book);
  const [line = ''] = /%tankobon .*/.exec(whole.toString('latin1')) ?? [];
  writeFileSync(book, `%PDF-1.5\n${line}\nstartxref\n0\n%%EOF\n`, 'latin1');
  const { code, events } = await harness.download(options);
  expect([code, typesOf(events)]).toEqual([0, expect.arrayContaining(['book-saved'])]);
  expect(readFileSync(book).equals(whole)).toBe(true);
  // The pages of the damaged one are not known.
  expect(booksOf('Vol.01')).toEqual([`${SERIES} Vol.01.pdf`, `${SERIES} Vol.01.pdf.replaced`]);
});

test.each([{ format: 'epub' as const }, { keepChapters: true }])(
  'options of binding need --bind: %j',
  async (options) => {
    await expect(
      harness.download({ targets: LIGHTHOUSE.targets, ...options }),
    ).rejects.toMatchObject({ code: 'bad-option' });
  },
);
