/** `--series-metadata`: files for Komga and Mihon beside the chapters; those of others, and edited ones, are kept. */
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { isOwnJson, markedJson } from '../../../src/download/extras/series-metadata.js';
import {
  editTitle,
  EXAMPLE_CHAPTERS,
  EXAMPLE_TITLES,
} from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { posixTest } from '../../support/platform.js';
import { shortChapters } from '../../support/short-chapters.js';
import { HOUR_MS, SyncHarness, syncLibrary, titleId } from '../../support/sync-harness.js';

const SERIES = 'The Lighthouse Cat of Minami Island';
const NAMES = ['details.json', 'series.json'];

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start({ chapters: shortChapters() });
});
afterEach(() => harness.stop());

const pathOf = (name: string) => join(harness.output, SERIES, name);
const read = (name: string) => readFileSync(pathOf(name), 'utf8');
const parsed = (name: string) => JSON.parse(read(name)) as unknown;
const saved = () =>
  harness
    .files()
    .map((file) => file.slice(harness.output.length + 1))
    .filter((file) => file.endsWith('.json'))
    .sort();

/** Downloads the first chapter again. */
async function save(options: Readonly<Record<string, string | boolean>> = {}) {
  const { code, events } = await harness.download({
    targets: [EXAMPLE_CHAPTERS.first],
    seriesMetadata: true,
    force: true,
    ...options,
  });
  expect(code).toBe(0);
  return events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
}

function editOnService(change: Parameters<typeof editTitle>[2]): void {
  const { library } = harness.service;
  const title = library.title(EXAMPLE_TITLES.lighthouse);
  if (title) library.putTitle(editTitle(title, '2026-01-01T00:00:00+00:00', change));
}

test('series.json has what Komga requires, and details.json what Mihon reads', async () => {
  expect(await save()).toEqual([]);
  expect(parsed('series.json')).toMatchObject({
    metadata: {
      type: 'comicSeries',
      publisher: '',
      name: SERIES,
      comicid: EXAMPLE_TITLES.lighthouse,
      year: 2021,
      description_text: expect.stringMatching(/^The light of Minami Island goes out/),
      booktype: 'Print',
      ComicImage: expect.stringContaining(`/covers/${EXAMPLE_TITLES.lighthouse}/`),
      total_issues: 0,
      publication_run: '2021 - Present',
      status: 'Continuing',
    },
  });
  expect(parsed('details.json')).toMatchObject({
    title: SERIES,
    author: 'Aoi Minase',
    artist: 'Ren Kurogane',
    description: expect.stringMatching(/^The light of Minami Island goes out/),
    genre: ['Adventure', 'Slice of Life', 'Seinen', 'Animals'],
    status: 1,
  });
});

test('series.json has the details too, since Mihon reads whichever file it finds first', async () => {
  await save();
  const details = parsed('details.json') as Record<string, unknown>;
  expect(parsed('series.json')).toMatchObject({ ...details, tankobon: expect.anything() });
});

test('the number of books is that of the volumes where these are bound', async () => {
  await save({ bind: 'volume' });
  expect(parsed('series.json')).toMatchObject({ metadata: { total_issues: 3 } });
});

test('without the option, no such file is written', async () => {
  await save({ seriesMetadata: false });
  expect(saved()).toEqual([]);
});

test('a file is written again only if its content changed', async () => {
  await save();
  const before = NAMES.map((name) => statSync(pathOf(name)).ino);
  await save();
  expect(NAMES.map((name) => statSync(pathOf(name)).ino)).toEqual(before);
  editOnService({ status: 'completed' });
  expect(await save()).toEqual([]);
  expect(parsed('series.json')).toMatchObject({
    metadata: { status: 'Ended', publication_run: '2021' },
  });
  expect(parsed('details.json')).toMatchObject({ status: 2 });
});

test.each([
  ['of another program', () => '{ "metadata": {} }'],
  ['that is not JSON', () => 'mine'],
  ['that its owner edited', (text: string) => text.replace('Aoi Minase', 'Mine')],
  [
    'of another title',
    (text: string) => text.replaceAll(EXAMPLE_TITLES.lighthouse, EXAMPLE_TITLES.starlight),
  ],
])('a file %s is kept with a warning', async (_what, change) => {
  await save();
  const text = change(read('details.json'));
  writeFileSync(pathOf('details.json'), text);
  editOnService({ status: 'completed' });
  expect(await save()).toEqual([expect.stringMatching(/^Kept, .*details\.json$/)]);
  expect(read('details.json')).toBe(text);
  expect(parsed('series.json')).toMatchObject({ metadata: { status: 'Ended' } });
});

posixTest('a link is neither followed nor replaced', async () => {
  await save();
  const elsewhere = join(harness.folder, 'elsewhere.json');
  writeFileSync(elsewhere, read('series.json'));
  rmSync(pathOf('series.json'));
  symlinkSync(elsewhere, pathOf('series.json'));
  const before = readFileSync(elsewhere, 'utf8');
  editOnService({ status: 'completed' });
  expect(await save()).toEqual([expect.stringMatching(/series\.json$/)]);
  expect(readFileSync(elsewhere, 'utf8')).toBe(before);
});

test.each(['{chapter}', 'all/{series} {chapter}'])(
  'a folder of several titles gets none (%s)',
  async (name) => {
    const targets = [EXAMPLE_CHAPTERS.first, EXAMPLE_CHAPTERS.starlightSpanish];
    const { events } = await harness.download({ targets, seriesMetadata: true, name });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', message: expect.stringContaining('one title') }),
    );
    expect(saved()).toEqual([]);
  },
);

test('sync --series-metadata writes them too', async () => {
  const sync = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * HOUR_MS));
  try {
    sync.write(`series:\n  - { target: 'title:${titleId('Alpha')}', language: [en] }\n`);
    expect((await sync.sync({ seriesMetadata: true })).code).toBe(0);
    const text = readFileSync(join(sync.base.output, 'Alpha/series.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ metadata: { name: 'Alpha' } });
  } finally {
    await sync.stop();
  }
});

test('a mark fits only the content that it was written with, and any text can be read', () => {
  const id = EXAMPLE_TITLES.lighthouse;
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (content, text) => {
      fc.pre(!Object.hasOwn(content, '__proto__') && !Object.hasOwn(content, 'tankobon'));
      const own = markedJson(content, id);
      expect(isOwnJson(own, id)).toBe(true);
      const edited = JSON.parse(own) as Record<string, unknown>;
      expect(isOwnJson(JSON.stringify({ ...edited, added: text + own }), id)).toBe(false);
      expect(isOwnJson(text, id)).toBe(false);
    }),
  );
});
