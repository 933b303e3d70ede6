/** `download --bind`: binds complete volumes, removes their chapters, and does not download them again. */
import { basename } from 'node:path';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import { readArchive, readEntry } from '../../support/archive.js';
import { bindFolder, imageDigests } from '../../support/bind-harness.js';
import { DownloadHarness } from '../../support/download-harness.js';

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start();
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
    chapters: ['5'],
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
  expect(entries).toContainEqual(expect.stringMatching(/^OEBPS\/images\/c000-000\.\w+$/));
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
  const digests = await imageDigests(volume);
  const offline = { inputs: [volume], output: harness.output, force: true };
  expect((await bindFolder(harness.folder, offline)).books).toMatchObject([{ status: 'saved' }]);
  expect(await readEntry(volume, 'ComicInfo.xml')).toContain('<Count>3</Count>');
  await harness.download({ ...options, force: true });
  expect(await imageDigests(volume)).toEqual(digests);
  expect(booksOf('Vol.01')).toEqual([`${SERIES} Vol.01.cbz`]);
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
  expect(booksOf('Vol.01')).toHaveLength(5);
});

test.each([{ format: 'epub' as const }, { keepChapters: true }])(
  'options of binding need --bind: %j',
  async (options) => {
    await expect(
      harness.download({ targets: LIGHTHOUSE.targets, ...options }),
    ).rejects.toMatchObject({ code: 'bad-option' });
  },
);
