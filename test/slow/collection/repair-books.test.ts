/** `verify --repair` of damaged books: where the chapters come from, and what stays as it was. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readArchive, readComment, writeArchive } from '../../support/archive.js';
import { fileDigest, sha256 } from '../../support/bind-harness.js';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { damagePage, NUMBERS, volumeLibrary } from '../../support/damaged-volume.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { longRunRows } from '../../support/long-run.js';
import { runCommand } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';
import { SAMPLE_IMAGES } from '../../support/sample-images.js';
import { chapterId, titleId } from '../../support/sync-harness.js';
import { NO_LIMITS } from '../../support/no-limits.js';

describe('in the process of the test', () => {
  const runs = new SavedRuns();
  let harness: DownloadHarness;
  beforeEach(async () => {
    harness = await DownloadHarness.start({ library: volumeLibrary(), limits: NO_LIMITS });
  });
  afterEach(() => harness.stop());

  const targets = NUMBERS.map((number) => chapterId('Alpha', number));
  const imageRequests = () => harness.service.log.filter(({ host }) => host === 'node').length;

  /** The book of the three chapters; `keepChapters`: their files stay beside it. */
  async function bindVolume(format: string, options: { readonly keepChapters?: true } = {}) {
    await harness.stop();
    const choices = { targets, bind: 'volume', format, ...options } as const;
    const practice = { library: volumeLibrary(), limits: NO_LIMITS };
    harness = await runs.start(JSON.stringify(choices), practice, (started) =>
      started.download(choices),
    );
    const book = harness.files().find((file) => file.endsWith(`Vol.01.${format}`));
    if (book === undefined) throw new Error(`There is no book in ${harness.output}`);
    return book;
  }

  async function verify(...words: readonly string[]) {
    const given = ['verify', harness.output, '--json', ...words];
    const { code, stdout, stderr } = await runCommand(harness, ...given);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return { code, stderr, events: lines.map((line) => JSON.parse(line) as { type: string }) };
  }

  /** Repairs the book, which gets its bytes back; the damaged one is kept. Resolves with the count of pages loaded. */
  async function expectRepaired(file: string, whole: string): Promise<number> {
    const damaged = await fileDigest(file);
    expect(damaged).not.toBe(whole);
    const before = imageRequests();
    const names = readdirSync(dirname(file));
    const { code, stderr, events } = await verify('--repair');
    const kept = `${file}.damaged`;
    expect([code, stderr, events[1]]).toEqual([0, '', { type: 'file-repaired', file, kept }]);
    expect([await fileDigest(file), await fileDigest(kept)]).toEqual([whole, damaged]);
    expect(readdirSync(dirname(file)).sort()).toEqual([...names, basename(kept)].sort());
    expect(await verify()).toMatchObject({ code: 0 });
    return imageRequests() - before;
  }

  test.each(['cbz', ...longRunRows('epub')])(
    'a %s with a damaged page gets the chapter from the service, and the others from the book',
    async (format) => {
      const book = await bindVolume(format);
      const whole = await fileDigest(book);
      await damagePage(book, 'c002-');
      expect(await expectRepaired(book, whole)).toBe(2);
    },
  );

  test.each(['pdf', ...longRunRows('cbz', 'epub')])(
    'a %s whose end is lost gets all chapters from the service, by its manifest',
    async (format) => {
      const book = await bindVolume(format);
      const whole = await fileDigest(book);
      truncateSync(book, readFileSync(book).length - 900);
      expect(await expectRepaired(book, whole)).toBe(6);
    },
  );

  test.each(['cbz', ...longRunRows('pdf', 'epub')])(
    'a %s with the files of its chapters beside it is rebuilt from them, without a request',
    async (format) => {
      const book = await bindVolume(format, { keepChapters: true });
      const whole = await fileDigest(book);
      truncateSync(book, readFileSync(book).length - 900);
      const requests = harness.service.log.length;
      expect(await expectRepaired(book, whole)).toBe(0);
      expect(harness.service.log.length).toBe(requests);
    },
  );

  test('a damaged chapter file beside a damaged book is not its source', async () => {
    const book = await bindVolume('cbz', { keepChapters: true });
    const whole = await fileDigest(book);
    await damagePage(book, 'c001-');
    const chapter = harness.archives().find((file) => file.includes('Ch.001')) ?? '';
    const bytes = readFileSync(chapter);
    bytes[200] = (bytes[200] ?? 0) ^ 1;
    writeFileSync(chapter, bytes);
    const { code, events } = await verify('--repair');
    const repaired = events.filter(({ type }) => type === 'file-repaired');
    expect([code, repaired.length, await fileDigest(book)]).toEqual([0, 2, whole]);
  });

  test('a book with its cover keeps it, and gets the one beside it when that page is damaged', async () => {
    const book = await bindVolume('cbz', { keepChapters: true });
    writeFileSync(join(dirname(book), 'cover.jpg'), await testImage('jpeg', 5));
    rmSync(book);
    const bind = ['bind', harness.output, '--output', harness.output];
    expect(await runCommand(harness, ...bind)).toMatchObject({ code: 0 });
    const whole = await fileDigest(book);
    expect((await readArchive(book)).map(({ name }) => name)).toContain('c000-cover.jpg');
    await damagePage(book, 'c000-');
    await expectRepaired(book, whole);
    rmSync(join(dirname(book), 'cover.jpg'));
    rmSync(`${book}.damaged`);
    await damagePage(book, 'c003-');
    await expectRepaired(book, whole);
  });

  test('a book of chapters of other programs gets them from the files beside it', async () => {
    const folder = join(harness.output, 'Lighthouse');
    for (const number of ['1', '2'])
      await writeChapterFile(join(folder, `${number}.cbz`), {
        number,
        volume: '1',
        images: [await testImage('png', Number(number)), await testImage('png', 9)],
      });
    const bind = await runCommand(harness, 'bind', folder, '--output', harness.output);
    const book = join(folder, 'Lighthouse Vol.01.cbz');
    expect([bind.code, existsSync(book)]).toEqual([0, true]);
    const whole = await fileDigest(book);
    await damagePage(book, 'c002-');
    expect(await expectRepaired(book, whole)).toBe(0);
    rmSync(`${book}.damaged`);
    rmSync(join(folder, '2.cbz'));
    await damagePage(book, 'c002-');
    const damaged = await fileDigest(book);
    const { code, stderr } = await verify('--repair');
    expect([code, stderr]).toEqual([3, expect.stringContaining('1 chapter could neither be')]);
    expect([await fileDigest(book), readdirSync(folder).sort()]).toEqual([
      damaged,
      ['1.cbz', 'Lighthouse Vol.01.cbz'],
    ]);
  });

  test('a chapter that the service no longer has leaves the book as it was, with a command to type', async () => {
    const book = await bindVolume('cbz');
    await damagePage(book, 'c002-');
    const damaged = await fileDigest(book);
    harness.service.library.removeChapter(chapterId('Alpha', '2'));
    const { code, stderr, events } = await verify('--repair');
    expect([code, events.at(-1)]).toEqual([
      3,
      expect.objectContaining({ damaged: 1, repaired: 0 }),
    ]);
    expect(stderr).toContain(
      `Not rebuilt, since 1 chapter could neither be loaded nor found: ${book}`,
    );
    expect(stderr).toContain('tankobon bind ');
    expect([await fileDigest(book), readdirSync(dirname(book))]).toEqual([
      damaged,
      [basename(book)],
    ]);
  });

  test('a damaged book that its owner edited is only reported', async () => {
    const book = await bindVolume('cbz');
    const entries = (await readArchive(book)).map(({ name, bytes }) => [name, bytes] as const);
    const comment = await readComment(book);
    await writeArchive(book, { ...Object.fromEntries(entries), 'notes.txt': 'mine' }, comment);
    const bytes = readFileSync(book);
    bytes.fill(1, bytes.length >> 1, (bytes.length >> 1) + 20);
    writeFileSync(book, bytes);
    const before = await fileDigest(book);
    const { code, stderr } = await verify('--repair');
    expect([code, stderr]).toEqual([3, expect.stringContaining('another program changed it')]);
    expect([await fileDigest(book), readdirSync(dirname(book))]).toEqual([
      before,
      [basename(book)],
    ]);
  });

  test.each(['pdf', ...longRunRows('cbz', 'epub')])(
    'a %s without content is rebuilt by the chapters that an earlier check saw in it',
    async (format) => {
      const book = await bindVolume(format);
      const whole = await fileDigest(book);
      await verify();
      writeFileSync(book, '');
      expect(await expectRepaired(book, whole)).toBe(6);
    },
  );

  test('a book without content is rebuilt by the chapters that an earlier scan saw in it', async () => {
    const book = await bindVolume('cbz');
    const whole = await fileDigest(book);
    await runCommand(harness, 'overview', harness.output);
    writeFileSync(book, '');
    await runCommand(harness, 'overview', harness.output).catch(() => undefined);
    expect(await expectRepaired(book, whole)).toBe(6);
  });

  test('a file of another program in the place of a book stays', async () => {
    const book = await bindVolume('cbz');
    await verify();
    await writeArchive(book, { '001.jpg': SAMPLE_IMAGES.jpg.subarray(0, 100) });
    const foreign = await fileDigest(book);
    const { code, events } = await verify('--repair');
    expect([code, events[0]]).toMatchObject([3, { reason: 'page-incomplete' }]);
    expect([await fileDigest(book), readdirSync(dirname(book))]).toEqual([
      foreign,
      [basename(book)],
    ]);
  });

  test('a book whose list of chapters no scan saw is reported with the command that downloads them', async () => {
    const book = await bindVolume('cbz');
    const bytes = readFileSync(book);
    bytes[bytes.indexOf('"chapters"')] = 0;
    writeFileSync(book, bytes);
    const { code, stderr } = await verify('--repair');
    expect([code, await fileDigest(book)]).toEqual([3, sha256(bytes)]);
    expect(stderr).toContain(
      `Not rebuilt, since its list of chapters is damaged, and no earlier scan or check saw it: ${book}`,
    );
    expect(stderr).toContain(
      `hint: Move it away, then: tankobon download title:${titleId('Alpha')} --volumes 1 --bind volume -o ${dirname(book)}`,
    );
  });

  test('a book for a device, and one whose manifest is lost, are only reported', async () => {
    const book = await bindVolume('cbz', { keepChapters: true });
    const copies = join(harness.folder, 'copies');
    const words = ['bind', dirname(book), '--output', copies, '--max-size', '50MB'];
    expect(await runCommand(harness, ...words)).toMatchObject({ code: 0 });
    const [copy = ''] = readdirSync(copies, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.cbz'),
    );
    // What a command knows of the book would be enough to write it again.
    rmSync(join(harness.folder, 'home', 'files'), { recursive: true });
    renameSync(join(copies, copy), join(dirname(book), 'copy.cbz'));
    truncateSync(join(dirname(book), 'copy.cbz'), 3_000);
    const bytes = readFileSync(book);
    writeFileSync(
      book,
      Buffer.concat([Buffer.alloc(200), bytes.subarray(200, bytes.length - 900)]),
    );
    const names = readdirSync(dirname(book)).sort();
    const { code, stderr, events } = await verify('--repair');
    expect([code, events.at(-1)]).toEqual([
      3,
      expect.objectContaining({ damaged: 2, repaired: 0 }),
    ]);
    expect(stderr).toContain('it was made for a device');
    expect(stderr).toContain('hint: Files of other programs, and files of which nothing says');
    expect(readdirSync(dirname(book)).sort()).toEqual(names);
  });

  describe('a book in a folder', () => {
    /** `Ch.002/002.png` and others, by their paths below the book. */
    async function bindFolder(options: { readonly keepChapters?: true } = {}) {
      const found = await harness.download({
        targets,
        bind: 'volume',
        format: 'folder',
        ...options,
      });
      const manifest = harness.files().find((file) => basename(file) === '.tankobon.json') ?? '';
      expect([found.code, manifest]).toEqual([0, expect.stringContaining('Vol.01')]);
      const book = dirname(manifest);
      const files = () =>
        readdirSync(book, { recursive: true, encoding: 'utf8', withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => join(parentPath, name).slice(book.length + 1))
          .sort();
      const digests = async () =>
        Object.fromEntries(
          await Promise.all(
            files().map(async (path) => [path, await fileDigest(join(book, path))] as const),
          ),
        );
      const pages = files().filter((path) => path.startsWith('Ch.002/0'));
      return { book, digests, whole: await digests(), pages };
    }

    test('gets the damaged and missing pages from the service, and keeps the rest', async () => {
      const { book, digests, whole, pages } = await bindFolder();
      const [first = '', second = ''] = pages;
      writeFileSync(join(book, first), 'damaged');
      rmSync(join(book, second));
      writeFileSync(join(book, 'Ch.001', 'notes.txt'), 'mine');
      const before = imageRequests();
      const { code, stderr, events } = await verify('--repair');
      const keptFiles = [`${join(book, first)}.damaged`];
      expect([code, stderr, events[0], events[1]]).toMatchObject([
        0,
        '',
        { type: 'file-damaged', file: book, reason: 'page-changed' },
        { type: 'file-repaired', file: book, keptFiles },
      ]);
      expect(imageRequests() - before).toBe(2);
      expect(await digests()).toEqual({
        ...whole,
        [`${first}.damaged`]: sha256(Buffer.from('damaged')),
        [join('Ch.001', 'notes.txt')]: sha256(Buffer.from('mine')),
      });
      expect(await verify()).toMatchObject({ code: 0 });
    });

    test('is rebuilt from the files of its chapters beside it, without a request', async () => {
      const { book, digests, whole } = await bindFolder({ keepChapters: true });
      rmSync(join(book, 'Ch.003'), { recursive: true });
      const requests = harness.service.log.length;
      const { code, events } = await verify('--repair');
      expect([code, events[1]]).toMatchObject([0, { type: 'file-repaired', keptFiles: [] }]);
      expect([await digests(), harness.service.log.length]).toEqual([whole, requests]);
    });

    test('may have edited metadata, which is not damage and stays in a repair', async () => {
      const { book, digests, whole, pages } = await bindFolder();
      const edited = join('Ch.002', 'ComicInfo.xml');
      const xml = '<ComicInfo><Title>Mine</Title></ComicInfo>';
      writeFileSync(join(book, edited), xml);
      expect(await verify()).toMatchObject({ code: 0 });
      rmSync(join(book, pages[0] ?? ''));
      expect(await verify('--repair')).toMatchObject({ code: 0 });
      expect(await digests()).toEqual({ ...whole, [edited]: sha256(Buffer.from(xml)) });
    });

    test('keeps a link in the place of a page, and says so', async () => {
      const { book, pages } = await bindFolder();
      const [page = ''] = pages;
      rmSync(join(book, page));
      symlinkSync('elsewhere.png', join(book, page));
      const { code, stderr } = await verify('--repair');
      expect([code, readlinkSync(join(book, page))]).toEqual([3, 'elsewhere.png']);
      expect(stderr).toContain(
        `Not rebuilt, since ${page} is not the file that was saved: ${book}`,
      );
    });

    test('whose list of chapters is damaged is rebuilt by the chapters that its folders name', async () => {
      const { book, digests, whole } = await bindFolder();
      writeFileSync(join(book, '.tankobon.json'), '{"chap');
      const { code, events } = await verify('--repair');
      expect([code, events[0], events[1]]).toMatchObject([
        0,
        { file: book, reason: 'unreadable' },
        { type: 'file-repaired', keptFiles: [] },
      ]);
      expect(await digests()).toEqual(whole);
    });

    test('keeps its cover, and gets the one beside it when that is damaged', async () => {
      const { book: old } = await bindFolder({ keepChapters: true });
      rmSync(old, { recursive: true });
      writeFileSync(join(dirname(old), 'cover.jpg'), await testImage('jpeg', 5));
      const words = ['--output', harness.output, '--format', 'folder'];
      expect(await runCommand(harness, 'bind', harness.output, ...words)).toMatchObject({
        code: 0,
      });
      const cover = join(old, 'cover.jpg');
      const whole = await fileDigest(cover);
      writeFileSync(cover, 'damaged');
      expect(await verify('--repair')).toMatchObject({ code: 0 });
      expect(await fileDigest(cover)).toBe(whole);
      rmSync(join(old, 'Ch.001'), { recursive: true });
      expect(await verify('--repair')).toMatchObject({ code: 0 });
      expect(await fileDigest(cover)).toBe(whole);
    });
  });

  test('a link in place of the folder for the chapters is not followed', async () => {
    const book = await bindVolume('cbz');
    const elsewhere = join(harness.folder, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'mine.txt'), 'mine');
    symlinkSync(elsewhere, join(dirname(book), '.tankobon-repair'));
    await damagePage(book, 'c002-');
    expect(await verify('--repair')).toMatchObject({ code: 0 });
    expect(readdirSync(elsewhere)).toEqual(['mine.txt']);
    expect(readlinkSync(join(dirname(book), '.tankobon-repair'))).toBe(elsewhere);
  });

  test.each([
    ['verify --repair', ['verify', 'OUTPUT', '--repair']],
    ['download', ['download', ...targets, '-o', 'OUTPUT']],
    ...longRunRows<[string, string[]]>(
      ['retag', ['retag', 'OUTPUT']],
      ['adopt --apply', ['adopt', 'OUTPUT', '--apply']],
    ),
  ])('what a killed repair left goes with the next %s, and only that', async (_, words) => {
    const book = await bindVolume('cbz', { keepChapters: true });
    const names = readdirSync(dirname(book));
    const beside = (...path: readonly string[]) => join(dirname(book), ...path);
    const [empty, marked, taken] = ['.tankobon-repair', '.tankobon-repair.2', '.tankobon-repair.3'];
    for (const name of [empty, marked, taken]) mkdirSync(beside(name), { mode: 0o700 });
    writeFileSync(beside(marked, 'tankobon-repair'), '');
    writeFileSync(beside(marked, '.chapter-1.zip'), 'copied');
    writeFileSync(beside(taken, 'notes.txt'), 'mine');
    for (const name of ['.tankobon-repair.lock', '.Vol.01.cbz.0123456789ab.lock'])
      writeFileSync(beside(name), `1234 ${hostname()}\n`.padEnd(96));
    const mine = ['.mine.lock', '.tankobon.lock'];
    for (const name of mine) writeFileSync(beside(name), 'mine');
    const given = words.map((word) => (word === 'OUTPUT' ? harness.output : word));
    expect(await runCommand(harness, ...given)).toMatchObject({ code: 0 });
    expect(readdirSync(dirname(book)).sort()).toEqual([...names, ...mine, taken].sort());
  });

  test('notes in a folder with the name of the one for the chapters stay, and so do those beside them', async () => {
    const book = await bindVolume('cbz');
    const foreign = join(dirname(book), '.tankobon-repair');
    mkdirSync(foreign);
    const names = ['notes.txt', `${chapterId('Alpha', '2')}.cbz`, '0.zip'];
    for (const name of names) writeFileSync(join(foreign, name), 'mine');
    await damagePage(book, 'c002-');
    expect(await verify('--repair')).toMatchObject({ code: 0 });
    expect(readdirSync(foreign).sort()).toEqual([...names].sort());
    expect(readdirSync(dirname(book)).sort()).toEqual([
      '.tankobon-repair',
      basename(book),
      `${basename(book)}.damaged`,
    ]);
  });

  test('a chapter file beside the book whose pages are not those that the book had is not used', async () => {
    const book = await bindVolume('cbz', { keepChapters: true });
    const whole = await fileDigest(book);
    const chapter = harness.archives().find((file) => file.includes('Ch.002')) ?? '';
    const comment = await readComment(chapter);
    const forged = { '001.png': await testImage('png', 7), '002.png': await testImage('png', 8) };
    await writeArchive(chapter, forged, comment);
    await damagePage(book, 'c002-');
    const before = imageRequests();
    const { code, stderr } = await verify('--repair');
    expect([code, stderr]).toEqual([0, '']);
    expect([await fileDigest(book), imageRequests() - before]).toEqual([whole, 2]);
  });
});
