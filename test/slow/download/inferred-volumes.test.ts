/** Chapters without a volume get that of their other releases, where chapters are bound by volume. */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { comicInfoXml, readComicInfo, mergeComicInfo } from '../../../src/library/comic-info.js';
import { parseRecords } from '../../../src/library/record.js';
import { uuidOf, type LibraryChapter } from '../../../src/practice-server/library/library.js';
import { sync as runSync } from '../../../src/cli/commands/sync.js';
import { readEntry } from '../../support/archive.js';
import { bindFolder } from '../../support/bind-harness.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { parseTexts } from '../../support/option-texts.js';
import { retagFolder } from '../../support/retag-harness.js';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  savedIn,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
} from '../../support/sync-harness.js';

const READABLE_MS = Date.now() - 9 * DAY_MS;
const SERIES = 'Alpha';
const TARGET = `title:${titleId(SERIES)}`;
const NOTE_TEXT = 'The volume is inferred from other releases of the chapter.';
const NOTE = `<Notes>${NOTE_TEXT}</Notes>`;

/** A release in English, by default without a volume. */
const english = (number: string, volume: string | null = null, readableMs = READABLE_MS) =>
  syncChapter(SERIES, number, readableMs, { volume });
const other = (number: string, volume: string, language: string): LibraryChapter => ({
  ...syncChapter(SERIES, number, READABLE_MS, { volume, translatedLanguage: language }),
  id: uuidOf('other release', number, language),
});

/** Chapter 2 has its volume in two other languages, in a third one another volume; chapter 4 has one nowhere. */
function library() {
  const created = syncLibrary([SERIES], READABLE_MS);
  for (const chapter of [
    english('1', '1'),
    english('2'),
    english('3', '2'),
    english('4'),
    other('2', '01', 'fr'),
    other('2', '1', 'pt-br'),
    other('2', '2', 'de'),
  ])
    created.putChapter(chapter);
  return created;
}

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start({ library: library() });
});
afterEach(() => harness.stop());

const OPTIONS = { targets: [TARGET], language: 'en', bind: 'volume' } as const;
const names = () =>
  harness
    .files()
    .map((file) => basename(file))
    .sort();
const fileNamed = (part: string) =>
  harness.files().find((file) => basename(file).includes(part)) ?? '';
const aggregateRequests = () =>
  harness.service.log.filter(({ path }) => path.split('?')[0]?.endsWith('/aggregate')).length;
const recordOf = async (file: string) =>
  parseRecords(await readEntry(file, 'META-INF/tankobon.json'));

test('download --bind volume binds a chapter in the volume that most of its other releases name', async () => {
  const { code, events } = await harness.download(OPTIONS);
  expect(code).toBe(0);
  expect(names()).toEqual(['Alpha Ch.004 [Scans].cbz', 'Alpha Vol.01.cbz', 'Alpha Vol.02.cbz']);
  const book = fileNamed('Vol.01');
  expect(await readEntry(book, 'ComicInfo.xml')).toContain(
    '<Notes>Volume inferred: chapter 2.</Notes>',
  );
  expect(await readEntry(fileNamed('Vol.02'), 'ComicInfo.xml')).not.toContain('<Notes>');
  const [first, second] = (await recordOf(book)) ?? [];
  expect([first?.inferredVolume, second?.inferredVolume]).toEqual([undefined, '1']);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'book-planned', volume: '1', volumeInferred: ['2'] }),
  );
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'chapter-saved',
      number: '2',
      volume: '1',
      volumeInferred: true,
    }),
  );
  expect(aggregateRequests()).toBe(1);
  expect(harness.service.violations()).toEqual([]);
});

test('the dry run marks what is inferred, as text and as JSON, and writes nothing', async () => {
  const { stdout } = await harness.download({ ...OPTIONS, dryRun: true, json: false });
  expect(stdout).toContain('Alpha  Vol. 1 Ch. 1  en');
  expect(stdout).toContain('Alpha  Vol. 1 (inferred) Ch. 2  en');
  expect(stdout).toContain('Alpha  Ch. 4  en');
  const lines = await harness.dryRun(OPTIONS);
  const planned = lines.filter(({ type }) => type === 'planned');
  expect(planned.map((line) => 'volumeInferred' in line)).toEqual([false, true, false, false]);
  expect(harness.files()).toEqual([]);
});

test.each([{ infer: false }, { bind: 'title' as const }, { bind: undefined }])(
  'nothing is inferred and nothing asked with %j',
  async (change) => {
    await harness.download({ ...OPTIONS, ...change, keepChapters: undefined });
    expect(aggregateRequests()).toBe(0);
    if (change.bind !== 'title') expect(names()).toContain('Alpha Ch.002 [Scans].cbz');
    for (const file of harness.archives())
      expect(await readEntry(file, 'ComicInfo.xml')).not.toContain('<Notes>');
  },
);

test('the setting and the variable turn it off too', async () => {
  await harness.download(OPTIONS, { settings: { infer: false } });
  await harness.download(OPTIONS, { env: { TANKOBON_INFER: 'false' } });
  expect(aggregateRequests()).toBe(0);
});

test('nothing is asked if all selected chapters have a volume', async () => {
  await harness.download({ ...OPTIONS, chapters: '1,3' });
  expect(aggregateRequests()).toBe(0);
  expect(names()).toEqual(['Alpha Vol.01.cbz', 'Alpha Vol.02.cbz']);
});

test('--volumes selects a chapter by its inferred volume', async () => {
  await harness.download({ ...OPTIONS, volumes: '1' });
  expect(names()).toEqual(['Alpha Vol.01.cbz']);
  expect(await recordOf(fileNamed('Vol.01'))).toHaveLength(2);
});

test('a volume that lacks a chapter of an inferred volume is reported as incomplete', async () => {
  harness.service.library.putChapter(english('2.5'));
  harness.service.library.putChapter(other('2.5', '1', 'fr'));
  const { events } = await harness.download({ ...OPTIONS, chapters: '1-2,3' });
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'volume-incomplete', volume: '1', missing: ['2.5'] }),
  );
  expect(names()).not.toContain('Alpha Vol.01.cbz');
});

test('chapters of earlier downloads are bound in their inferred volume, and in one that MangaDex names since', async () => {
  await harness.download({ ...OPTIONS, bind: undefined });
  harness.service.library.putChapter(english('4', '2'));
  await harness.download(OPTIONS);
  expect(names()).toEqual(['Alpha Vol.01.cbz', 'Alpha Vol.02.cbz']);
  expect(await recordOf(fileNamed('Vol.02'))).toMatchObject([
    { metadata: { number: '3' } },
    { metadata: { number: '4', volume: '2' } },
  ]);
  const ofVolume2 = await readEntry(fileNamed('Vol.02'), 'ComicInfo.xml');
  expect(ofVolume2).not.toContain('<Notes>');
});

test.each(['bind', 'download'])(
  '%s --no-infer does not use a volume that a download inferred',
  async (command) => {
    const kept = { ...OPTIONS, keepChapters: true };
    await harness.download(kept);
    expect(await recordOf(fileNamed('Vol.01.'))).toHaveLength(2);
    if (command === 'download') await harness.download({ ...kept, infer: false });
    else {
      const options = { inputs: [harness.output], output: harness.output, infer: false };
      await bindFolder(harness.folder, options);
    }
    expect(await recordOf(fileNamed('Vol.01.'))).toMatchObject([{ metadata: { number: '1' } }]);
    expect(names()).toContain('Alpha Ch.002 Vol.01 [Scans].cbz');
  },
);

test('an inferred volume stays when --update takes a chapter from a book', async () => {
  await harness.download({ ...OPTIONS, chapters: '1-2' });
  const { attributes } = english('2');
  harness.service.library.putChapter({
    ...english('2'),
    attributes: { ...attributes, title: 'Named Later', version: 2 },
  });
  await harness.download({ ...OPTIONS, bind: undefined, chapters: '1-2', update: true });
  const file = fileNamed('Named Later');
  expect(await recordOf(file)).toMatchObject([{ inferredVolume: '1', metadata: { volume: '1' } }]);
  expect(await readEntry(file, 'ComicInfo.xml')).toContain(NOTE);
});

test('a chapter that is only in a book stays there with --no-infer', async () => {
  await harness.download({ ...OPTIONS, chapters: '1-2' });
  await harness.download({ ...OPTIONS, chapters: '1-2', infer: false });
  expect(await recordOf(fileNamed('Vol.01'))).toHaveLength(2);
});

test('a chapter that is a target is asked about once, and bound when its volume is complete', async () => {
  await harness.download({ ...OPTIONS, targets: [chapterId(SERIES, '2')], keepChapters: true });
  expect(aggregateRequests()).toBe(1);
  expect(names()).toEqual(['Alpha Ch.002 Vol.01 [Scans].cbz']);
  await harness.download({ ...OPTIONS, chapters: '1-2' });
  expect(names()).toEqual(['Alpha Vol.01.cbz']);
});

test('the same chapter gives the same bytes, its note and record name the inferred volume, and retag keeps it', async () => {
  const options = { ...OPTIONS, keepChapters: true, chapters: '2' };
  await harness.download(options);
  const file = fileNamed('Ch.002');
  const bytes = readFileSync(file);
  await harness.download({ ...options, force: true });
  expect(readFileSync(file).equals(bytes)).toBe(true);
  const xml = await readEntry(file, 'ComicInfo.xml');
  expect(xml).toContain('<Volume>1</Volume>');
  expect(xml).toContain(NOTE);
  const { stderr } = await retagFolder(harness, harness.output);
  expect(stderr).toContain('0 changed, 1 unchanged');
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test('retag keeps an inferred volume when something else changes, and takes the one of MangaDex when it has one', async () => {
  await harness.download({ ...OPTIONS, keepChapters: true, chapters: '2' });
  harness.service.library.putChapter({
    ...english('2'),
    attributes: { ...english('2').attributes, title: 'Named Later', version: 2 },
  });
  await retagFolder(harness, harness.output);
  const named = fileNamed('Named Later');
  expect(basename(named)).toBe('Alpha Ch.002 Vol.01 - Named Later [Scans].cbz');
  expect(await readEntry(named, 'ComicInfo.xml')).toContain(NOTE);
  harness.service.library.putChapter(english('2', '3'));
  await retagFolder(harness, harness.output);
  expect(names()).toEqual(['Alpha Ch.002 Vol.03 [Scans].cbz']);
  const xml = await readEntry(fileNamed('Ch.002'), 'ComicInfo.xml');
  expect(xml).toContain('<Volume>3</Volume>');
  expect(xml).not.toContain('<Notes>');
  expect((await recordOf(fileNamed('Ch.002')))?.[0]).not.toHaveProperty('inferredVolume');
});

test.each([
  ['the note of the program goes with the inferred volume', NOTE_TEXT, undefined],
  ['a note of the owner stays', 'Mine', 'Mine'],
])('where MangaDex names the volume later, %s', async (_rule, note, left) => {
  const written = { notes: NOTE_TEXT };
  const old = await comicInfoXml({ title: 'Old', notes: note, pages: [] });
  const options = { written: { title: 'Old', ...written }, hasSamePages: true, force: false };
  const merged = await mergeComicInfo(
    old,
    await comicInfoXml({ title: 'New', pages: [] }),
    options,
  );
  expect((await readComicInfo(merged.xml)).notes).toBe(left);
  expect(merged.edited).toEqual([]);
});

test('nothing is inferred where numbers restart in each volume', async () => {
  const title = harness.service.library.title(titleId(SERIES));
  if (!title) throw new Error(SERIES);
  const attributes = { ...title.attributes, chapterNumbersResetOnNewVolume: true };
  harness.service.library.putTitle({ ...title, attributes });
  await harness.download(OPTIONS);
  expect(aggregateRequests()).toBe(0);
  expect(names()).toContain('Alpha Vol.TBD Ch.002 [Scans].cbz');
});

test.each(['not-found', 'server-error', 'json-null'] as const)(
  'where the list of volumes is %s, the chapters are saved without a volume, with a warning',
  async (fault) => {
    const pathStart = `/manga/${titleId(SERIES)}/aggregate`;
    harness.service.injectApiFault({ fault, pathStart, times: 'always' });
    const { code, events } = await harness.download(OPTIONS);
    expect(code).toBe(0);
    expect(names()).toContain('Alpha Ch.002 [Scans].cbz');
    const message = expect.stringContaining('Volumes cannot be inferred') as unknown;
    expect(events).toContainEqual(expect.objectContaining({ type: 'warning', message }));
  },
);

describe('sync', () => {
  const BY_VOLUME = 'bind: { by: volume }';
  let sync: SyncHarness;
  const start = async (options: string) => {
    sync = await SyncHarness.start(() => library());
    sync.write(`series:\n  - { target: '${TARGET}', language: [en], ${options} }\n`);
  };
  afterEach(() => sync.stop());
  const requests = () => sync.catalogueRequests().filter((path) => path.includes('/aggregate'));
  const syncNames = () =>
    readdirSync(join(sync.base.output, SERIES))
      .filter((name) => name.endsWith('.cbz'))
      .sort();

  test('with bind: volume, a chapter is bound in its inferred volume; the dry run says so', async () => {
    await start(BY_VOLUME);
    const dryRun = await sync.sync({ dryRun: true });
    expect(dryRun.lines).toContainEqual(
      expect.objectContaining({ type: 'planned', number: '2', volumeInferred: true }),
    );
    const text = await sync.base.command(
      (context) => runSync(parseTexts({ file: sync.file, dryRun: true }), context),
      { clock: sync.clock },
    );
    expect(text.stdout).toMatch(/Vol\. 1 \(inferred\) Ch\. 2 /);
    const { lines } = await sync.sync();
    expect(savedIn(lines)).toHaveLength(4);
    const book = join(sync.base.output, SERIES, 'Alpha Vol.01.cbz');
    expect(await readEntry(book, 'ComicInfo.xml')).toContain('Volume inferred: chapter 2.');
    expect(sync.service.violations()).toEqual([]);
  });

  test.each([`${BY_VOLUME}, infer: false`, 'upgrade: true'])(
    'nothing is asked with %s',
    async (options) => {
      await start(options);
      await sync.sync();
      expect(requests()).toEqual([]);
      expect(syncNames()).toContain('Alpha Ch.002 [Scans].cbz');
    },
  );

  test('asks once for new chapters of which one lacks a volume, and not without news', async () => {
    await start(BY_VOLUME);
    await sync.sync();
    expect(requests()).toHaveLength(1);
    await sync.sync();
    expect(requests()).toHaveLength(0);
    sync.clock.advance(DAY_MS);
    sync.service.library.putChapter(english('5', '3', sync.clock.wallMs() - HOUR_MS));
    await sync.sync();
    expect(requests()).toHaveLength(0);
    expect(syncNames()).toContain('Alpha Vol.03.cbz');
  });
});
