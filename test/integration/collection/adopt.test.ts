/** `tankobon adopt` against a practice service: what it recognizes and by what, what it writes, and what it asks for. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { scanLibrary } from '../../../src/library/scan.js';
import { editChapter, editTitle } from '../../../src/practice-server/library/library.js';
import { readArchive, readComment, readPages, writeArchive } from '../../support/archive.js';
import { testImage } from '../../support/chapter-files.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { runCommand } from '../../support/retag-harness.js';
import {
  chapterId,
  DAY_MS,
  syncChapter,
  syncLibrary,
  syncTitle,
  titleId,
} from '../../support/sync-harness.js';
import { virtualClock, type VirtualClock } from '../../support/virtual-clock.js';

let clock: VirtualClock;
let harness: DownloadHarness;
let folder: string;
/** The pages of Alpha 1 to 5 and Beta 1 and 2, as the service has them. */
const pages = new Map<string, readonly Buffer[]>();

beforeEach(async () => {
  clock = virtualClock();
  const readableMs = clock.wallMs() - 9 * DAY_MS;
  const library = syncLibrary(['Alpha', 'Beta'], readableMs);
  for (const number of ['3', '4', '10.5'])
    library.putChapter(syncChapter('Alpha', number, readableMs, { volume: '1' }));
  // Two groups and two languages have the same number, with as many pages.
  library.putChapter(syncChapter('Alpha', '5', readableMs, { group: 'Owls' }));
  library.putChapter(syncChapter('Alpha', '5', readableMs, { group: 'Larks' }));
  const french = { translatedLanguage: 'fr' };
  library.putChapter(
    editChapter(
      syncChapter('Alpha', '3', readableMs, { group: 'Pies' }),
      '2025-01-01T00:00:00+00:00',
      french,
    ),
  );
  harness = await DownloadHarness.start({ library, clock });
  folder = join(harness.folder, 'manga');
  mkdirSync(folder);
});
afterEach(() => harness.stop());

/** The pages as another program would have received them. */
async function pagesOf(id: string): Promise<readonly Buffer[]> {
  const known = pages.get(id);
  if (known) return known;
  const output = join(harness.folder, 'downloaded');
  const { events } = await harness.download({ targets: [id], output, quality: 'data' });
  const saved = events.find(({ type }) => type === 'chapter-saved');
  const found = saved?.type === 'chapter-saved' ? await readPages(saved.file) : [];
  rmSync(output, { recursive: true });
  pages.set(id, found);
  return found;
}

interface Foreign {
  readonly images?: readonly Buffer[];
  readonly comicInfo?: string;
  readonly comment?: string;
}

/** An archive of another program, below the folder; by default, of two pages that the service does not have. */
async function save(
  path: string,
  { images = [Buffer.from('one'), Buffer.from('two')], comicInfo, comment }: Foreign = {},
): Promise<string> {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  const entries = Object.fromEntries(images.map((bytes, index) => [`${index + 1}.jpg`, bytes]));
  const metadata: Record<string, string> = { 'notes.txt': 'mine' };
  if (comicInfo !== undefined) metadata['ComicInfo.xml'] = comicInfo;
  await writeArchive(file, { ...entries, ...metadata }, comment);
  return file;
}

async function adopt(...words: readonly string[]) {
  const seen = harness.service.log.length;
  const { code, stdout, stderr } = await runCommand(harness, 'adopt', folder, '--json', ...words);
  const requests = harness.service.log
    .slice(seen)
    .filter(({ host }) => host === 'api')
    .map(({ path }) => path);
  const events = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown> & { type: string });
  const ofType = (type: string) => events.filter((event) => event.type === type);
  return { code, stderr, events, requests, ofType, summary: events.at(-1) };
}

const web = (id: string) => `<ComicInfo><Web>https://mangadex.org/chapter/${id}</Web></ComicInfo>`;

test('an address in ComicInfo.xml and an id in the name prove a chapter', async () => {
  const byAddress = await save('x/one.cbz', { comicInfo: web(chapterId('Alpha', '1')) });
  const byName = await save(`x/${chapterId('Beta', '2')}.zip`);
  const { code, ofType, requests } = await adopt();
  expect([code, requests]).toEqual([0, ['/chapter']]);
  expect(ofType('file-recognized')).toMatchObject([
    {
      file: byName,
      chapter: chapterId('Beta', '2'),
      title: titleId('Beta'),
      series: 'Beta',
      confidence: 'proven',
      evidence: ['id'],
    },
    { file: byAddress, chapter: chapterId('Alpha', '1'), evidence: ['address'] },
  ]);
});

test('names of the programs are held against the list of the title: one search for a folder', async () => {
  await save('Alpha/Vol. 1 Ch. 10.5.cbz');
  await save('Alpha/c001.zip');
  await save('Alpha/[0002]_Chapter_2.cbz');
  await save('Alpha/Vol.01 Ch.0003 - Fog (fr) [Pies].cbz');
  await save('Alpha/Owls_Ch.5_0a1b2c.cbz');
  await save('[en Scans] Beta vol.  ch. 2.cbz');
  const { code, ofType, requests, stderr } = await adopt();
  const found = ofType('file-recognized').map(({ file, chapter, confidence }) => [
    String(file).slice(folder.length + 1),
    chapter,
    confidence,
  ]);
  expect([code, found]).toEqual([
    0,
    [
      ['Alpha/Owls_Ch.5_0a1b2c.cbz', chapterId('Alpha', '5', 'Owls'), 'likely'],
      ['Alpha/Vol. 1 Ch. 10.5.cbz', chapterId('Alpha', '10.5'), 'likely'],
      ['Alpha/Vol.01 Ch.0003 - Fog (fr) [Pies].cbz', chapterId('Alpha', '3', 'Pies'), 'likely'],
      ['Alpha/[0002]_Chapter_2.cbz', chapterId('Alpha', '2'), 'likely'],
      ['Alpha/c001.zip', chapterId('Alpha', '1'), 'likely'],
      ['[en Scans] Beta vol.  ch. 2.cbz', chapterId('Beta', '2'), 'likely'],
    ],
  ]);
  const feeds = ['Alpha', 'Beta'].flatMap((name) => ['/manga', `/manga/${titleId(name)}/feed`]);
  expect(requests).toEqual(feeds);
  // The last one may be of the series that its folder is called.
  expect(stderr).toContain('up to about 5 requests');
  // Lists are kept, as for an overview.
  expect((await adopt()).requests).toEqual(['/manga', '/manga']);
});

test('what is not certain is left, with the reason and the chapters that it may be', async () => {
  await save('Alpha/c001.cbz', { images: [Buffer.from('one')] });
  await save('Alpha/c003.cbz');
  await save('Alpha/Ch.0003 (de) [Pies].cbz');
  await save('Alpha/[Storks] Ch. 2.cbz');
  await save('Alpha/c001-008.cbz');
  await save('Alpha/Vol. 1.cbz');
  await save('Alpha/c099.cbz');
  await save('Alpha/extras.cbz');
  await save('Gamma/c001.cbz');
  await save('y/gone.cbz', { comicInfo: web(chapterId('Alpha', '77')) });
  const { code, ofType, summary } = await adopt('--language', 'all');
  const reasons = ofType('file-unrecognized').map(({ file, reason, candidates }) => [
    String(file).slice(folder.length + 1),
    reason,
    (candidates as unknown[]).length,
  ]);
  expect(code).toBe(0);
  expect(new Set(reasons)).toEqual(
    new Set([
      ['Alpha/c001.cbz', 'other-page-count', 1],
      ['Alpha/c003.cbz', 'several-chapters', 2],
      ['Alpha/Ch.0003 (de) [Pies].cbz', 'other-language', 2],
      ['Alpha/[Storks] Ch. 2.cbz', 'other-group', 1],
      ['Alpha/c001-008.cbz', 'several-in-file', 0],
      ['Alpha/Vol. 1.cbz', 'several-in-file', 0],
      ['Alpha/c099.cbz', 'no-chapter', 0],
      ['Alpha/extras.cbz', 'no-number', 0],
      ['Gamma/c001.cbz', 'no-title', 0],
      ['y/gone.cbz', 'not-listed', 0],
    ]),
  );
  expect(summary).toMatchObject({ type: 'adopt-summary', recognized: 0, unrecognized: 10 });
});

test('a number that begins a name, or is written otherwise, is read in the folder of the title', async () => {
  const names = ['001', '2 - Storm', '第3話 [Pies]', 'Chp.4', 'ch 10,5'];
  for (const name of names) await save(`Alpha/${name}.cbz`);
  await save('Beta/Volume 1/002.cbz');
  const { ofType } = await adopt();
  const found = ofType('file-recognized').map(({ file, chapter }) => [
    basename(String(file), '.cbz'),
    chapter,
  ]);
  expect(new Set(found)).toEqual(
    new Set([
      ['001', chapterId('Alpha', '1')],
      ['2 - Storm', chapterId('Alpha', '2')],
      ['第3話 [Pies]', chapterId('Alpha', '3', 'Pies')],
      ['Chp.4', chapterId('Alpha', '4')],
      ['ch 10,5', chapterId('Alpha', '10.5')],
      ['002', chapterId('Beta', '2')],
    ]),
  );
});

test('where the number in a name is not certain, the pages decide, and without them nothing does', async () => {
  const pagesOfExtra = await pagesOf(chapterId('Alpha', '10.5'));
  await save('Alpha/[0009] Storm.cbz', { images: await pagesOf(chapterId('Alpha', '2')) });
  await save('Alpha/[0002] Storm.cbz', { images: await pagesOf(chapterId('Alpha', '2')) });
  await save('Alpha/Ch.10.extra.cbz', { images: pagesOfExtra });
  await save('Alpha/4 5 Fog.cbz', { images: await pagesOf(chapterId('Alpha', '4')) });
  await save('Alpha/3 2 Fog.cbz');
  const { code, ofType } = await adopt();
  const nameOf = (event: Record<string, unknown>) => basename(String(event['file']), '.cbz');
  const found = ofType('file-recognized').map((each) => [
    nameOf(each),
    each['chapter'],
    each['evidence'],
  ]);
  const evidence = ['title', 'pages'];
  expect(found).toEqual([
    ['4 5 Fog', chapterId('Alpha', '4'), evidence],
    ['Ch.10.extra', chapterId('Alpha', '10.5'), evidence],
    ['[0002] Storm', chapterId('Alpha', '2'), evidence],
  ]);
  const left = ofType('file-unrecognized').map((each) => [nameOf(each), each['reason']]);
  expect([code, left]).toEqual([
    0,
    [
      ['3 2 Fog', 'unclear-number'],
      ['[0009] Storm', 'unclear-number'],
    ],
  ]);
});

test('a file with the pages of a chapter and those of another one is not that chapter', async () => {
  const both = await Promise.all(['1', '2', '4'].map((each) => pagesOf(chapterId('Alpha', each))));
  await save('Alpha/001.cbz', { images: both.flat() });
  const { ofType } = await adopt();
  expect(ofType('file-unrecognized')).toMatchObject([{ reason: 'other-page-count' }]);
});

test('RAR and 7z archives are named, alone too', async () => {
  mkdirSync(join(folder, 'Alpha'));
  for (const name of ['a.cbr', 'b.CB7', 'c.txt']) writeFileSync(join(folder, 'Alpha', name), 'x');
  const { code, ofType, summary, requests } = await adopt();
  const left = ofType('file-unrecognized').map(({ file, reason }) => [
    basename(String(file)),
    reason,
  ]);
  expect([code, left, requests]).toEqual([
    0,
    [
      ['a.cbr', 'other-archive'],
      ['b.CB7', 'other-archive'],
    ],
    [],
  ]);
  expect(summary).toMatchObject({ unrecognized: 2 });
});

test('a ZIP archive of something else is named, and is not damaged', async () => {
  const file = join(folder, 'chapters.zip');
  await writeArchive(file, { 'Alpha/c001.cbz': 'x' });
  const { code, ofType, summary } = await adopt('--apply');
  expect([code, ofType('file-unrecognized')]).toMatchObject([0, [{ file, reason: 'no-images' }]]);
  expect(summary).toMatchObject({ unrecognized: 1, failed: 0 });
});

test('a ComicInfo.xml that cannot be read is said, and the name and the pages count alone', async () => {
  const broken = '<ComicInfo><Series>Gamma</Seri';
  const named = await save('Alpha/c001.cbz', { comicInfo: broken });
  await save('Gamma/c001.cbz', { comicInfo: 'not XML' });
  await save('Alpha/c002.cbz', { comicInfo: '<ComicInfo/>' });
  const { code, ofType } = await adopt();
  expect([code, ofType('file-recognized')]).toMatchObject([
    0,
    [
      { file: named, chapter: chapterId('Alpha', '1'), metadata: 'unreadable' },
      { chapter: chapterId('Alpha', '2') },
    ],
  ]);
  expect(ofType('file-recognized')[1]).not.toHaveProperty('metadata');
  expect(ofType('file-unrecognized')).toMatchObject([
    { reason: 'no-title', metadata: 'unreadable' },
  ]);
  const { stdout, stderr } = await runCommand(harness, 'adopt', folder);
  expect(stderr).toContain(`To take them over: tankobon adopt ${folder} --apply\n`);
  expect(
    stdout.match(/its ComicInfo.xml cannot be read: only its name and pages count/g),
  ).toHaveLength(2);
});

test('--language decides between languages, where a name has none', async () => {
  await save('Alpha/c003.cbz');
  const { ofType } = await adopt('--language', 'en');
  expect(ofType('file-recognized')).toMatchObject([{ chapter: chapterId('Alpha', '3') }]);
});

test('the digests of the pages prove a chapter, by one request for each that fits', async () => {
  const larks = chapterId('Alpha', '5', 'Larks');
  await save('Alpha/c005.cbz', { images: await pagesOf(larks) });
  // A cover is a page more.
  const withCover = [Buffer.from('cover'), ...(await pagesOf(chapterId('Alpha', '4')))];
  await save('Alpha/c004.cbz', { images: withCover });
  const { ofType, requests, stderr } = await adopt();
  expect(ofType('file-recognized')).toMatchObject([
    {
      chapter: chapterId('Alpha', '4'),
      confidence: 'proven',
      evidence: ['title', 'number', 'pages'],
    },
    { chapter: larks, confidence: 'proven' },
  ]);
  expect(requests.filter((path) => path.startsWith('/at-home')).length).toBeLessThanOrEqual(3);
  expect(stderr).toContain('Comparing pages with MangaDex: up to about 3 requests');
});

test('the digest in a name of Mihon decides between releases', async () => {
  const id = chapterId('Alpha', '5', 'Larks');
  const digest = createHash('md5').update(`/chapter/${id}`).digest('hex').slice(0, 6);
  await save(`Alpha/Uploaded by x_Ch.5_${digest}.cbz`);
  const { ofType } = await adopt();
  expect(ofType('file-recognized')).toMatchObject([{ chapter: id, confidence: 'likely' }]);
});

test('a dry run changes nothing', async () => {
  const file = await save('Alpha/c001.cbz');
  const before = [readFileSync(file), statSync(file).mtimeMs];
  await adopt();
  expect([readFileSync(file), statSync(file).mtimeMs]).toEqual(before);
  expect(existsSync(join(harness.folder, 'home', 'sync'))).toBe(false);
});

test('--apply adds the record and the mark; all other bytes and the time stay, and --undo restores them', async () => {
  const file = await save('Alpha/c001.cbz', { images: await pagesOf(chapterId('Alpha', '1')) });
  const unclear = await save('Alpha/c099.cbz');
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  const [original, entries] = [readFileSync(file), await readArchive(file)];
  const unclearBytes = readFileSync(unclear);
  const { code, summary } = await adopt('--apply');
  expect([code, summary]).toEqual([
    0,
    expect.objectContaining({ recognized: 1, adopted: 1, unrecognized: 1, failed: 0 }),
  ]);
  const adopted = await readArchive(file);
  expect(adopted.slice(0, -1).map(({ name, bytes }) => [name, bytes])).toEqual(
    entries.map(({ name, bytes }) => [name, bytes]),
  );
  expect(adopted.at(-1)?.name).toBe('META-INF/tankobon.json');
  expect(await readComment(file)).toBe(`tankobon chapter=${chapterId('Alpha', '1')}`);
  expect(statSync(file).mtimeMs).toBe(1_700_000_000_000);
  expect(readFileSync(unclear)).toEqual(unclearBytes);
  expect((await adopt('--apply')).summary).toMatchObject({ recognized: 0, already: 1 });
  expect((await runCommand(harness, 'verify', file)).code).toBe(0);
  const undone = await adopt('--undo');
  expect([undone.code, undone.summary]).toEqual([0, expect.objectContaining({ restored: 1 })]);
  expect([readFileSync(file), readFileSync(unclear)]).toEqual([original, unclearBytes]);
  expect((await adopt('--undo')).summary).toMatchObject({ restored: 0, failed: 0 });
});

test('what was adopted and restored is counted, without an empty line for each file', async () => {
  const file = await save('Alpha/c001.cbz', { images: await pagesOf(chapterId('Alpha', '1')) });
  const rows = [
    dirname(file),
    '  c001.cbz: Alpha Ch. 1 [Scans] (en)',
    '    likely: title, number, number of pages',
  ];
  const { stdout } = await runCommand(harness, 'adopt', folder, '--apply');
  expect(stdout).toBe(`${rows.join('\n')}\n`);
  expect(await runCommand(harness, 'adopt', folder, '--undo')).toMatchObject({
    stdout: '',
    stderr: '1 file restored\n',
  });
});

test('what was recognized before an error of the service is adopted', async () => {
  const files = [await save('Alpha/c001.cbz'), await save('Beta/c001.cbz')];
  const pathStart = `/manga/${titleId('Beta')}/feed`;
  harness.service.injectApiFault({ fault: 'bad-request', pathStart, times: 'always' });
  await expect(adopt('--apply')).rejects.toThrow();
  const comments = await Promise.all(files.map((file) => readComment(file)));
  expect(comments).toEqual([expect.stringContaining(chapterId('Alpha', '1')), '']);
});

test('a later download and sync skip what was adopted, also a ZIP and a file with a comment', async () => {
  await save('Alpha/c001.zip');
  const commented = await save('Alpha/c002.cbz', { comment: '{"ComicBookInfo/1.0":{}}' });
  await adopt('--apply');
  expect(await readComment(commented)).toBe('{"ComicBookInfo/1.0":{}}');
  const { events } = await harness.download({
    targets: [`title:${titleId('Alpha')}`],
    output: folder,
    language: 'en',
    chapters: '1-2',
  });
  expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 0, skipped: 2 });
  // Also where the files are moved away.
  renameSync(folder, join(harness.folder, 'moved'));
  const archive = join(harness.folder, 'archive.txt');
  mkdirSync(folder);
  await save('Beta/c001.cbz');
  await adopt('--apply', '--download-archive', archive);
  expect(readFileSync(archive, 'utf8')).toBe(`mangadex ${chapterId('Beta', '1')}\n`);
});

test('an adopted ZIP is bound and checked as a CBZ is, also one that is damaged later', async () => {
  const pages = { '1.png': await testImage('png'), '2.png': await testImage('png') };
  const zip = join(folder, 'Alpha', 'c001.zip');
  for (const name of ['c001.zip', 'c002.cbz', 'notes.zip']) {
    mkdirSync(dirname(zip), { recursive: true });
    await writeArchive(join(dirname(zip), name), pages);
  }
  await adopt('--apply');
  const run = (...words: readonly string[]) => runCommand(harness, ...words);
  expect((await run('verify', folder)).stderr).toContain('2 files checked, 0 damaged');
  const output = join(harness.folder, 'bound');
  const bind = () => run('bind', folder, '--by', 'title', '--output', output, '--force');
  const { stdout: book } = await bind();
  expect(await readPages(book.trimEnd())).toHaveLength(4);
  truncateSync(zip, 100);
  expect((await run('verify', folder)).stderr).toContain('2 files checked, 1 damaged');
  expect((await run('overview', folder)).stderr).toContain(
    `Cannot be read, and not counted: ${zip}`,
  );
  const damaged = await bind();
  expect(damaged.stderr).toContain(zip);
  expect(damaged.code).toBe(3);
});

test('what keeps the comment of another program is changed by no later command', async () => {
  const file = await save('Alpha/c002.cbz', { comment: '{"ComicBookInfo/1.0":{}}' });
  await adopt('--apply');
  const before = readFileSync(file);
  const { library } = harness.service;
  const listed = library.chapter(chapterId('Alpha', '2'));
  if (!listed) throw new Error('no chapter 2');
  library.putChapter(editChapter(listed, '2025-01-01T00:00:00+00:00', { title: 'New' }));
  const { stderr } = await runCommand(harness, 'retag', folder, '--dry-run');
  expect(stderr).toContain('0 would change');
  const targets = [`title:${titleId('Alpha')}`];
  const options = { output: folder, language: 'en', chapters: '2', update: true };
  const { events } = await harness.download({ targets, ...options });
  expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 0, skipped: 1 });
  expect(readFileSync(file)).toEqual(before);
  expect(readdirSync(dirname(file))).toEqual([basename(file)]);
});

test('later chapters of a title go to the folder of the adopted ones', async () => {
  await save('lib/Alpha/c001.cbz');
  await adopt('--apply');
  const { events } = await harness.download({
    targets: [`title:${titleId('Alpha')}`],
    output: folder,
    language: 'en',
    chapters: '2',
  });
  const saved = events.find(({ type }) => type === 'chapter-saved');
  expect(saved?.type === 'chapter-saved' && dirname(saved.file)).toBe(join(folder, 'lib/Alpha'));
});

test('a chapter without a number is that which gallery-dl gives a 0, or the one of this title', async () => {
  const at = '2025-01-01T00:00:00+00:00';
  const readableMs = clock.wallMs() - DAY_MS;
  const unnumbered = (name: string, title: string | null) =>
    editChapter(syncChapter('Beta', name, readableMs), at, { chapter: null, title });
  harness.service.library.putChapter(unnumbered('extra', null));
  harness.service.library.putChapter(unnumbered('party', 'The Party'));
  await save('Beta/c000.cbz');
  await save('Beta/The Party (en) [Scans].cbz');
  const { ofType } = await adopt();
  expect(ofType('file-recognized').map(({ chapter }) => chapter)).toEqual([
    chapterId('Beta', 'party'),
    chapterId('Beta', 'extra'),
  ]);
  expect(ofType('file-recognized').map(({ evidence }) => evidence)).toEqual([
    ['title', 'language', 'group', 'page-count', 'name'],
    ['title', 'page-count'],
  ]);
});

/** Titles with one chapter without a number. */
function putOneshots(...names: readonly string[]): void {
  const { library } = harness.service;
  const [at, readableMs] = ['2025-01-01T00:00:00+00:00', clock.wallMs() - DAY_MS];
  for (const name of names) {
    library.putTitle(syncTitle(name));
    const only = editChapter(syncChapter(name, 'only', readableMs), at, { chapter: null });
    library.putChapter(only);
  }
}

test('a file in a folder of oneshots is that of the title with its name', async () => {
  putOneshots('Lone', 'Lonely');
  await save('Oneshots/Lone (2021) (en) [Scans].cbz');
  await save('Oneshots/Lonely.cbz', {
    comicInfo: '<ComicInfo><Title>Lonely</Title></ComicInfo>',
  });
  await save('Oneshots/Nobody.cbz');
  await save('Oneshots/Alpha 1.cbz');
  const { ofType, stderr } = await adopt();
  expect(ofType('file-recognized')).toMatchObject([
    { chapter: chapterId('Alpha', '1') },
    { chapter: chapterId('Lone', 'only'), evidence: ['title', 'language', 'group', 'page-count'] },
    { chapter: chapterId('Lonely', 'only'), evidence: ['title', 'page-count'] },
  ]);
  expect(ofType('file-unrecognized')).toMatchObject([
    { file: join(folder, 'Oneshots/Nobody.cbz'), reason: 'no-title' },
  ]);
  expect(stderr).toContain('Looking up titles and chapters on MangaDex: up to about 12 requests');
});

test('a oneshot beside a chapter that is known by its id is searched too', async () => {
  putOneshots('Lone');
  await save('Oneshots/Lone.cbz');
  await save(`Oneshots/${chapterId('Alpha', '1')}.cbz`);
  const { ofType } = await adopt();
  expect(
    ofType('file-recognized')
      .map(({ chapter }) => chapter)
      .sort(),
  ).toEqual([chapterId('Alpha', '1'), chapterId('Lone', 'only')].sort());
});

test('an extra of a series that MangaDex does not have is not a oneshot of its name', async () => {
  putOneshots('Extra', 'The Party');
  await save('Unknown/Ch. 1.cbz');
  await save('Unknown/The Party.cbz');
  await save('Unknown/Vol. 2/The Party.cbz');
  await save('Other/Extra.cbz');
  const { ofType } = await adopt();
  expect(ofType('file-recognized')).toEqual([]);
  expect(ofType('file-unrecognized')).toHaveLength(4);
});

test('a file that is called as its title is the only chapter of it', async () => {
  const { library } = harness.service;
  const [at, readableMs] = ['2025-01-01T00:00:00+00:00', clock.wallMs() - DAY_MS];
  for (const name of ['Lone', 'Lone Two']) library.putTitle(syncTitle(name));
  const unnumbered = (name: string, key: string) => {
    library.putChapter(editChapter(syncChapter(name, key, readableMs), at, { chapter: null }));
  };
  unnumbered('Lone', 'only');
  unnumbered('Lone Two', 'first');
  unnumbered('Lone Two', 'second');
  await save('Lone/Lone.cbz');
  await save('Lone/Scans_Oneshot.cbz');
  await save('Lone Two/Lone Two.cbz');
  await save('Alpha/Alpha.cbz');
  const { ofType } = await adopt('--language', 'en');
  const lone = { chapter: chapterId('Lone', 'only'), confidence: 'likely' };
  expect(ofType('file-recognized')).toMatchObject([lone, lone]);
  expect(ofType('file-unrecognized')).toMatchObject([
    { file: join(folder, 'Alpha/Alpha.cbz'), reason: 'no-number' },
    { file: join(folder, 'Lone Two/Lone Two.cbz'), reason: 'no-number' },
  ]);
});

test('the year in the name of a folder is that of the series', async () => {
  const { library } = harness.service;
  const twin = { ...syncTitle('Alpha'), id: titleId('Alpha of 2012') };
  library.putTitle(editTitle(twin, '2025-01-01T00:00:00+00:00', { year: 2012 }));
  library.putChapter(syncChapter('Alpha of 2012', '1', clock.wallMs() - DAY_MS));
  await save('Alpha (2012)/Alpha 001.cbz');
  await save('Beta (1999)/Ch. 2.cbz');
  await save('Beta (Colored)/Ch. 2.cbz');
  const { ofType } = await adopt('--language', 'en');
  expect(ofType('file-recognized')).toMatchObject([
    { chapter: chapterId('Alpha of 2012', '1') },
    { chapter: chapterId('Beta', '2') },
  ]);
  expect(ofType('file-unrecognized')).toMatchObject([{ reason: 'no-title' }]);
});

test('the title of the chapter decides between releases of one number', async () => {
  const at = '2025-01-01T00:00:00+00:00';
  const library = harness.service.library;
  const owls = syncChapter('Alpha', '5', clock.wallMs() - DAY_MS, { group: 'Owls' });
  library.putChapter(editChapter(owls, at, { title: 'Fog' }));
  await save('Alpha/c005_ Fog.cbz');
  const { ofType } = await adopt();
  expect(ofType('file-recognized')).toMatchObject([
    { chapter: chapterId('Alpha', '5', 'Owls'), confidence: 'likely' },
  ]);
});

test('--subscribe adds the titles, with the folder and the languages of their chapters', async () => {
  await save('Alpha/c001.cbz');
  await save('Alpha/Ch.0003 (fr) [Pies].cbz');
  const file = join(harness.folder, 'subscriptions.yaml');
  const { stderr } = await adopt('--apply', '--subscribe', '--file', file);
  const next = `To download the chapters, run: tankobon sync --file ${file}\n`;
  expect(stderr).toContain(`1 title subscribed\n${next}`);
  expect(readFileSync(file, 'utf8').split('\n')).toEqual([
    expect.stringMatching(/^# yaml-language-server: \$schema=/),
    expect.stringMatching(/^id: "?[0-9a-f]{16}"?$/),
    'series:',
    `  - target: https://mangadex.org/title/${titleId('Alpha')}`,
    '    title: Alpha',
    '    language: [ en, fr ]',
    `    output: ${folder}`,
    '',
  ]);
});

test('--subscribe adds the titles of files that tankobon saved, and each once', async () => {
  await harness.download({
    targets: [chapterId('Alpha', '1')],
    output: folder,
    seriesMetadata: false,
  });
  const file = join(harness.folder, 'subscriptions.yaml');
  const { stderr } = await adopt('--apply', '--subscribe', '--file', file);
  expect(stderr).toContain('1 title subscribed');
  expect(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !/^(?:#|id:|series:)/.test(line)),
  ).toEqual([
    `  - target: https://mangadex.org/title/${titleId('Alpha')}`,
    '    title: Alpha',
    '    language: [ en ]',
    `    output: ${folder}`,
    '',
  ]);
  const again = await adopt('--apply', '--subscribe', '--file', file);
  expect(again.stderr).toContain('0 titles subscribed');
});

test('--pack writes a CBZ beside a folder of images, which stays', async () => {
  const id = chapterId('Alpha', '1');
  const images = await pagesOf(id);
  const chapter = join(folder, 'Alpha', 'v01 c001');
  mkdirSync(chapter, { recursive: true });
  for (const [index, bytes] of images.entries())
    writeFileSync(join(chapter, `Alpha_c001_${index + 1}.png`), bytes);
  await save('Beta/c099.cbz');
  expect((await adopt()).summary).toMatchObject({ recognized: 0, imageFolders: 1 });
  expect((await adopt('--pack')).summary).toMatchObject({ recognized: 1, imageFolders: 0 });
  expect(existsSync(`${chapter}.cbz`)).toBe(false);
  const { ofType } = await adopt('--pack', '--apply');
  expect(ofType('file-adopted')).toEqual([
    { type: 'file-adopted', file: chapter, newFile: `${chapter}.cbz` },
  ]);
  expect(
    (await readPages(`${chapter}.cbz`)).map((page, index) => page.equals(images[index] ?? page)),
  ).toEqual(images.map(() => true));
  expect((await scanLibrary(folder)).find(id)).toMatchObject({ ownership: 'own' });
  expect((await runCommand(harness, 'verify', `${chapter}.cbz`)).code).toBe(0);
  expect((await adopt('--pack', '--apply')).summary).toMatchObject({ adopted: 0, already: 1 });
  expect(existsSync(chapter)).toBe(true);
});

test('--pack takes no chapter out of a folder book of tankobon', async () => {
  const targets = [`title:${titleId('Beta')}`];
  await harness.download({ targets, bind: 'title', format: 'folder', keepChapters: true });
  const words = ['adopt', harness.output, '--pack', '--apply', '--json'];
  const { stdout } = await runCommand(harness, ...words);
  expect(JSON.parse(stdout)).toMatchObject({ recognized: 0, adopted: 0, already: 2 });
});

test('a file that cannot be read is exit code 3, and does not stop the others', async () => {
  await save('Alpha/c001.cbz');
  writeFileSync(join(folder, 'broken.cbz'), 'not a ZIP');
  await writeArchive(join(folder, 'empty.cbz'), { 'notes.txt': 'x' });
  symlinkSync(join(folder, 'Alpha'), join(folder, 'link'));
  const { code, ofType, summary } = await adopt('--apply');
  expect(code).toBe(3);
  expect(ofType('file-failed')).toMatchObject([
    { file: join(folder, 'broken.cbz'), reason: 'archive-damaged' },
    { file: join(folder, 'empty.cbz'), reason: 'archive-damaged' },
  ]);
  expect(summary).toMatchObject({ adopted: 1, failed: 2, links: 1 });
  const undone = await adopt('--undo');
  expect(undone.code).toBe(3);
  expect(undone.ofType('file-failed')).toMatchObject([
    { reason: 'archive-damaged', message: expect.stringContaining('broken.cbz') as unknown },
  ]);
  expect(undone.summary).toMatchObject({ restored: 1, failed: 1 });
});

test('--undo passes over an archive of another kind with the name of a CBZ, which was never adopted', async () => {
  const file = await save('Alpha/c001.cbz', { images: await pagesOf(chapterId('Alpha', '1')) });
  const original = readFileSync(file);
  const others = ['Rar!\x1a\x07\x01\0', '7z\xbc\xaf\x27\x1c\0'].map((start, index) => {
    const other = join(folder, `${index}.cbz`);
    writeFileSync(other, Buffer.from(start, 'latin1'));
    return other;
  });
  expect((await adopt('--apply')).summary).toMatchObject({ adopted: 1, failed: 2 });
  const undone = await adopt('--undo');
  expect([undone.code, undone.summary]).toEqual([
    0,
    expect.objectContaining({ restored: 1, failed: 0 }),
  ]);
  expect(readFileSync(file)).toEqual(original);
  expect(others.every((other) => existsSync(other))).toBe(true);
});

test('a damaged page is not adopted', async () => {
  const noise = createHash('sha512').update('a page').digest();
  const file = await save('Alpha/c001.cbz', { images: [noise, noise] });
  const bytes = readFileSync(file);
  const at = bytes.indexOf(noise.subarray(0, 8));
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
  const { code, ofType } = await adopt('--apply');
  expect([code, ofType('file-failed'), readFileSync(file)]).toEqual([
    3,
    [expect.objectContaining({ file })],
    bytes,
  ]);
});

test.each([
  [['--undo', '--apply'], '--undo'],
  [['--choose'], '--apply'],
  [['--subscribe'], '--apply'],
])('options that do not fit are refused: %s', async (words, hint) => {
  await expect(adopt(...words)).rejects.toThrow(hint);
});

test('a folder without archives is refused', async () => {
  await expect(adopt()).rejects.toMatchObject({ code: 'nothing-to-bind' });
});

test('a missing folder is refused, also beside one with archives', async () => {
  const missing = join(harness.folder, 'missing');
  await expect(runCommand(harness, 'adopt', harness.folder, missing)).rejects.toMatchObject({
    code: 'nothing-to-bind',
    message: `Not found: ${missing}`,
  });
});
