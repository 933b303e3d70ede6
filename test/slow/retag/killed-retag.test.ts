/** A kill at any change that retag, or a download with --update, makes in the library: no chapter is lost. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { readOwnBook } from '../../../src/books/rename-book.js';
import { scanLibrary } from '../../../src/library/scan.js';
import {
  createLibrary,
  editChapter,
  EXAMPLE_CHAPTERS,
  reuploadChapter,
  uuidOf,
} from '../../../src/practice-server/library/library.js';
import { drawnCover } from '../../../src/practice-server/library/story-pages.js';
import {
  startPracticeService,
  type PracticeOptions,
} from '../../../src/practice-server/practice-service.js';
import { readEntry, readPages } from '../../support/archive.js';
import { imageDigests, sha256 } from '../../support/bind-harness.js';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { tankobonHere } from '../../support/in-process.js';
import { killAtChanges, type KilledRun } from '../../support/kill-points.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { longRunRows } from '../../support/long-run.js';
import { addElement } from '../../support/owner-edits.js';
import {
  numberedId,
  numberedLibrary,
  retagFolder,
  runCommand,
  saveNumbered,
} from '../../support/retag-harness.js';
import { chapter, LATER, named, renameTitle, title } from '../../support/title-library.js';
import { NO_LIMITS } from '../../support/no-limits.js';

let folder: string;
let [original, output] = ['', ''];
let run: Pick<KilledRun, 'folder' | 'below' | 'prepare'>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-'));
  [original, output] = [join(folder, 'original'), join(folder, 'comics')];
  mkdirSync(original);
  const prepare = () => {
    rmSync(output, { recursive: true, force: true });
    cpSync(original, output, { recursive: true });
  };
  run = { folder, below: output, prepare };
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The paths of files below a folder, without hidden ones. */
const filesBelow = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('.'));

/** The files that were replaced and are kept. */
const keptFiles = (): readonly string[] =>
  readdirSync(output, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^\.tankobon-replaced\/.*\.replaced$/.test(name))
    .map((name) => join(output, name));

async function withService(
  options: PracticeOptions,
  act: (env: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const service = await startPracticeService({ limits: NO_LIMITS, ...options });
  try {
    await act(service.environment);
  } finally {
    await service.stop();
  }
}

test(
  'retag of numbers that move round: each chapter is whole after each kill, and the next run completes it',
  () =>
    withService({ library: numberedLibrary() }, async (env) => {
      await saveNumbered(original, '2', '1');
      await saveNumbered(original, '3', '2');
      await saveNumbered(original, '1', '3');
      const words = ['retag', output, '--name', '{chapter}.cbz'];
      const changes = await killAtChanges({ ...run, words, env }, async (kill) => {
        const library = await scanLibrary(output);
        expect([kill, library.damaged]).toEqual([kill, []]);
        for (const number of ['1', '2', '3']) {
          const { file = '' } = library.find(numberedId(number)) ?? {};
          const digests = await imageDigests(file);
          expect([kill, digests]).toEqual([kill, [sha256(await testImage('png', Number(number)))]]);
        }
        const home = mkdtempSync(join(folder, 'home-'));
        const { code } = await tankobonHere(words, { env: { ...env, TANKOBON_HOME: home } });
        expect([kill, code, readdirSync(output).sort()]).toEqual([
          kill,
          0,
          ['1.cbz', '2.cbz', '3.cbz'],
        ]);
        for (const number of ['1', '2', '3'])
          expect((await scanLibrary(output)).find(numberedId(number))?.file).toBe(
            join(output, `${number}.cbz`),
          );
      });
      expect(changes).toBeGreaterThan(20);
    }),
  600_000,
);

/** The bytes of the images below a folder, and in its archives and folders: a page that is lost is missing here. */
async function imagesOf(books: readonly string[]): Promise<readonly (readonly string[])[]> {
  const images: (readonly string[])[] = [];
  for (const book of books)
    images.push(
      book.endsWith('.cbz')
        ? await imageDigests(book)
        : [sha256(readFileSync(join(book, 'Ch.001/001.png')))],
    );
  return images;
}

test.each([
  ['by MangaDex', []],
  ['by its owner', ['--title-language', 'ja']],
])(
  'retag --rename-titles of a title that was renamed %s: each book and cover is whole after each kill, and the next run completes the move',
  async (_, flags) => {
    const covers = [drawnCover(uuidOf('one'), '1', 'stairs-cover')];
    const library = createLibrary({
      titles: [title('one', 'Old', { covers, altTitles: [{ ja: 'New' }] })],
      chapters: [chapter('one', '1', { volume: '1' })],
    });
    const harness = await DownloadHarness.start({ library, limits: NO_LIMITS });
    try {
      await harness.download({
        targets: [`title:${uuidOf('one')}`],
        output: original,
        cover: true,
      });
      for (const format of ['cbz', 'folder'])
        await runCommand(harness, 'bind', original, '-o', original, '--format', format);
      if (flags.length === 0) renameTitle(harness.service.library, 'one', 'New');
      const booksIn = (name: string) =>
        [`${name} Vol.01.cbz`, 'Vol.01'].map((book) => join(output, name, book));
      const moved = ['New Ch.001 Vol.01 [Scans].cbz', 'New Vol.01.cbz', 'Vol.01', 'cover.png'];
      const originals = await imagesOf(
        ['Old Vol.01.cbz', 'Vol.01'].map((book) => join(original, 'Old', book)),
      );
      const words = ['retag', output, '--rename-titles', ...flags];
      const env = harness.service.environment;
      const changes = await killAtChanges({ ...run, words, env }, async (kill) => {
        const [old, now] = [booksIn('Old'), booksIn('New')];
        const present = now.map((book, index) => (existsSync(book) ? book : (old[index] ?? '')));
        expect([kill, await imagesOf(present)]).toEqual([kill, originals]);
        const hasCover = ['Old', 'New'].some((name) => existsSync(join(output, name, 'cover.png')));
        expect([kill, hasCover]).toEqual([kill, true]);
        const { code, stderr } = await retagFolder(harness, output, '--rename-titles', ...flags);
        expect([kill, code, stderr]).toEqual([kill, 0, expect.not.stringContaining('error')]);
        const files = readdirSync(join(output, 'New')).filter((name) => !name.startsWith('.'));
        expect([kill, files.sort()]).toEqual([kill, moved]);
        for (const book of now)
          expect([kill, await readOwnBook(book)]).toMatchObject([
            kill,
            { isEdited: false, chapters: [{ metadata: { series: 'New' } }] },
          ]);
      });
      expect(changes).toBeGreaterThan(20);
    } finally {
      await harness.stop();
    }
  },
  600_000,
);

test('retag --rename: each chapter, book and cover is whole after each kill, and the next run completes it', async () => {
  const library = createLibrary({
    titles: [title('one', 'Old', { covers: [drawnCover(uuidOf('one'), '1', 'stairs-cover')] })],
    chapters: ['1', '2'].map((number) => chapter('one', number, { volume: '1' })),
  });
  const harness = await DownloadHarness.start({ library, limits: NO_LIMITS });
  try {
    const targets = [`title:${uuidOf('one')}`];
    const name = 'Former/{series}/c{chapter}.cbz';
    await harness.download({ targets, output: original, cover: true, name });
    const bind = (...options: readonly string[]) =>
      runCommand(harness, 'bind', original, '-o', original, '--name', ...options);
    await bind('Former/{series}/v{volume}');
    await bind('Former/{series}/b{volume}', '--format', 'folder');
    cpSync(join(original, 'Former/Old/cover.png'), join(original, 'Former/Old/v1.png'));
    const names = {
      'c1.cbz': 'Old Ch.001 Vol.01 [Scans].cbz',
      'c2.cbz': 'Old Ch.002 Vol.01 [Scans].cbz',
      'v1.cbz': 'Old Vol.01.cbz',
      b1: 'Vol.01',
      'v1.png': 'Old Vol.01.png',
      'cover.png': 'cover.png',
    };
    const contentOf = async (paths: readonly string[]) => {
      const file = paths.map((path) => join(output, path)).find(existsSync) ?? '';
      if (file.endsWith('.cbz')) return imageDigests(file);
      return sha256(readFileSync(file.endsWith('.png') ? file : join(file, 'Ch.001/001.png')));
    };
    const contents = (folders: readonly string[]) =>
      Promise.all(
        Object.entries(names).map(([old, now]) =>
          contentOf(folders.flatMap((path) => [`${path}/${now}`, `${path}/${old}`])),
        ),
      );
    run.prepare();
    const originals = await contents(['Former/Old']);
    const words = ['retag', output, '--rename'];
    const env = harness.service.environment;
    const changes = await killAtChanges({ ...run, words, env }, async (kill) => {
      expect([kill, (await scanLibrary(output)).damaged]).toEqual([kill, []]);
      const present = await contents(['Old', 'Former/Old']);
      // A chapter may wait under another name for a moment.
      expect([kill, present.slice(2)]).toEqual([kill, originals.slice(2)]);
      const { code, stderr } = await retagFolder(harness, output, '--rename');
      expect([kill, code, stderr]).toEqual([kill, 0, expect.not.stringContaining('error')]);
      // A kill right before the last steps leaves the old folders, which are empty.
      const others = filesBelow(output).filter((path) => !path.startsWith('Old/'));
      expect([kill, others]).toEqual([kill, []]);
      expect([kill, await contents(['Old'])]).toEqual([kill, originals]);
      const inOld = readdirSync(join(output, 'Old')).filter((each) => !each.startsWith('.'));
      expect([kill, inOld.sort()]).toEqual([kill, Object.values(names).sort()]);
      const again = await retagFolder(harness, output, '--rename');
      expect([kill, again.stdout, again.stderr]).toEqual([kill, '', '0 changed, 2 unchanged\n']);
    });
    expect(changes).toBeGreaterThan(10);
  } finally {
    await harness.stop();
  }
}, 600_000);

test.each([['retag'], ['download --update']])(
  '%s of chapters that moved to another title: each is whole after each kill, and the next run completes it',
  async (command) => {
    const library = createLibrary({
      titles: [title('one', 'Alpha'), title('two', 'Beta')],
      chapters: ['1', '2', '3'].map((number) => chapter('one', number)),
    });
    const harness = await DownloadHarness.start({ library, limits: NO_LIMITS });
    try {
      const [one, two] = ['one', 'two'].map((key) => `title:${uuidOf(key)}`);
      await harness.download({ targets: [one ?? ''], output: original, language: 'en' });
      const ids = ['1', '2', '3'].map((number) => uuidOf('one', number, 'en'));
      for (const id of ids.slice(1)) {
        const found = harness.service.library.chapter(id);
        if (!found) throw new Error(id);
        harness.service.library.putChapter({ ...found, titleId: uuidOf('two') });
      }
      const words =
        command === 'retag'
          ? ['retag', output]
          : ['download', two ?? '', '-o', output, '--update', '--language', 'en'];
      const env = harness.service.environment;
      const pages = await Promise.all(
        ['1', '2', '3'].map((number) =>
          imageDigests(join(original, named('Alpha', Number(number)))),
        ),
      );
      const changes = await killAtChanges({ ...run, words, env }, async (kill) => {
        const scanned = await scanLibrary(output);
        const files = ids.map((id) => scanned.find(id)?.file ?? '');
        expect([kill, scanned.damaged]).toEqual([kill, []]);
        expect([kill, await Promise.all(files.map(imageDigests))]).toEqual([kill, pages]);
        const home = mkdtempSync(join(folder, 'home-'));
        const rerun = () => tankobonHere(words, { env: { ...env, TANKOBON_HOME: home } });
        expect([kill, (await rerun()).code]).toEqual([kill, 0]);
        const { archives } = await scanLibrary(output);
        const settled = [named('Alpha', 1), named('Beta', 2), named('Beta', 3)];
        expect([kill, archives.map(({ file }) => file)]).toEqual([
          kill,
          settled.map((path) => join(output, path)),
        ]);
        expect(archives.map(({ titleId }) => titleId)).toEqual(
          ['one', 'two', 'two'].map((key) => uuidOf(key)),
        );
        expect((await rerun()).stdout).not.toContain('renamed');
      });
      expect(changes).toBeGreaterThan(10);
    } finally {
      await harness.stop();
    }
  },
  600_000,
);

test(
  '--update: the old archive or the new one is whole after each kill, and the pages of the old one are kept',
  () =>
    withService({}, async (env) => {
      const id = EXAMPLE_CHAPTERS.reuploaded;
      const [file, old] = [join(output, 'kept name.cbz'), await testImage('png')];
      await writeChapterFile(join(original, 'kept name.cbz'), { id, version: 1, images: [old] });
      const words = ['download', id, '-o', output, '--update', '--concurrency', '1'];
      const changes = await killAtChanges({ ...run, words, env }, async (kill) => {
        const pages = await readPages(file);
        const isOld = pages.length === 1 && pages[0]?.equals(old) === true;
        const kept = keptFiles();
        if (!isOld || kept.length > 0)
          expect([kill, await Promise.all(kept.map(readPages))]).toEqual([kill, [[old]]]);
        const { version } = (await scanLibrary(output)).find(id) ?? {};
        expect([kill, isOld, version]).toEqual([kill, version === 1, isOld ? 1 : 2]);
        if (!isOld) expect(pages.length).toBeGreaterThan(1);
      });
      expect(changes).toBeGreaterThan(20);
    }),
  600_000,
);

test('--update of chapters that get new names: each is whole after each kill, and the next run completes it', async () => {
  const chapters = ['1', '2', '3', '4'].map((number) => chapter('one', number));
  const library = createLibrary({ titles: [title('one', 'Old')], chapters });
  const harness = await DownloadHarness.start({ library, limits: NO_LIMITS });
  try {
    const [first, second, third, fourth] = chapters;
    if (!first || !second || !third || !fourth) throw new Error('no chapters');
    const targets = [`title:${uuidOf('one')}`];
    await harness.download({ targets, output: original, language: 'en' });
    // Another title of the chapter, other pages, an upload under another id, and another number.
    const { library: now } = harness.service;
    const edited = (each: typeof first) => editChapter(each, LATER, { title: 'Salt' });
    const upload = chapter('one', '9');
    now.putChapter(edited(first));
    now.putChapter(reuploadChapter(edited(second), LATER, upload));
    now.removeChapter(third.id);
    const anew = {
      ...chapter('one', '3', { at: LATER, title: 'Salt' }),
      id: uuidOf('uploaded anew'),
    };
    now.putChapter(anew);
    now.putChapter(editChapter(fourth, LATER, { chapter: '5' }));
    const salt = (number: number) => named('Old', number).replace(' [', ' - Salt [');
    const settled = [salt(1), salt(2), salt(3), named('Old', 5)];
    const ids = [[first.id], [second.id], [third.id, anew.id], [fourth.id]];
    const words = ['download', ...targets, '-o', output, '--update', '--language', 'en'];
    const env = harness.service.environment;
    const changes = await killAtChanges({ ...run, words, env }, async (kill) => {
      const { archives, damaged } = await scanLibrary(output);
      const whole = ids.map((each) => archives.some(({ chapterId }) => each.includes(chapterId)));
      expect([kill, damaged, whole]).toEqual([kill, [], [true, true, true, true]]);
      const { code } = await harness.download({ targets, output, update: true, language: 'en' });
      const files = readdirSync(join(output, 'Old')).filter((name) => name.endsWith('.cbz'));
      expect([kill, code, files.map((name) => `Old/${name}`).sort()]).toEqual([kill, 0, settled]);
    });
    expect(changes).toBeGreaterThan(20);
  } finally {
    await harness.stop();
  }
}, 600_000);

/** How the chapter that gets the number is saved, and what else of it changes. */
const renumberings: readonly (readonly [string, { isBound?: true; hasNewPages?: true }])[] = [
  ['a chapter', {}],
  ...longRunRows(
    ['a chapter with other pages', { hasNewPages: true }] as const,
    ['a chapter in a book', { isBound: true }] as const,
    ['a chapter in a book with other pages', { isBound: true, hasNewPages: true }] as const,
  ),
];

test.each(renumberings)(
  '--update of %s that gets the number of a deleted one: its pages and the edits are there after each kill, and the next run completes it',
  async (_, { isBound = false, hasNewPages = false }) => {
    const deleted = chapter('one', '2');
    const renumbered = chapter('one', '2.5', isBound ? { volume: '1' } : {});
    const chapters = [deleted, renumbered];
    const library = createLibrary({ titles: [title('one', 'Old')], chapters });
    const harness = await DownloadHarness.start({ library, limits: NO_LIMITS });
    try {
      const targets = [`title:${uuidOf('one')}`];
      const bound = isBound && { bind: 'volume', infer: false };
      await harness.download({ targets, output: original, language: 'en', ...bound });
      await addElement(join(original, named('Old', 2)), '<Review>Mine</Review>');
      const oldPages = await readPages(join(original, named('Old', 2)));
      harness.service.library.removeChapter(deleted.id);
      const edited = editChapter(renumbered, LATER, { chapter: '2' });
      const change = hasNewPages ? reuploadChapter(edited, LATER, chapter('one', '9')) : edited;
      harness.service.library.putChapter(change);
      const words = ['download', ...targets, '-o', output, '--update', '--language', 'en'];
      const env = harness.service.environment;
      const changes = await killAtChanges({ ...run, words, env }, async (kill) => {
        const { archives, damaged } = await scanLibrary(output);
        const texts = await Promise.all(
          archives.map(({ file }) => readEntry(file, 'ComicInfo.xml')),
        );
        const isSaved = archives.some(({ chapterId }) => chapterId === renumbered.id);
        const hasEdit = texts.some((xml) => xml.includes('<Review>Mine</Review>'));
        expect([kill, damaged, isSaved, hasEdit]).toEqual([kill, [], true, true]);
        const files = [...archives.map(({ file }) => file), ...keptFiles()];
        const pages = await Promise.all(files.map(readPages));
        expect([kill, pages]).toEqual([kill, expect.arrayContaining([oldPages])]);
        const { code } = await harness.download({ targets, output, update: true, language: 'en' });
        const names = readdirSync(join(output, 'Old')).filter((name) => name.includes('Ch.'));
        expect([kill, code, names]).toEqual([kill, 0, [expect.stringContaining('Ch.002 ')]]);
        const kept = await Promise.all(keptFiles().map(readPages));
        expect([kill, kept]).toEqual([kill, expect.arrayContaining([oldPages])]);
      });
      expect(changes).toBeGreaterThan(5);
    } finally {
      await harness.stop();
    }
  },
  600_000,
);
