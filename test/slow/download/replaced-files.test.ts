/** Replaced files: one with pages that its replacement lacks is kept for a while, under a name that nothing takes for a comic. */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  createLibrary,
  editChapter,
  generateChapter,
  reuploadChapter,
  uuidOf,
  type LibraryChapter,
} from '../../../src/practice-server/library/library.js';
import { readArchive, readComment, writeArchive } from '../../support/archive.js';
import { testImage } from '../../support/chapter-files.js';
import type { DownloadHarness } from '../../support/download-harness.js';
import { tankobonHere } from '../../support/in-process.js';
import { posixTest } from '../../support/platform.js';
import { runCommand } from '../../support/retag-harness.js';
import { SavedRuns } from '../../support/saved-runs.js';
import { chapter, LATER, named, title } from '../../support/title-library.js';

const DAY_MS = 86_400_000;
const targets = [`title:${uuidOf('one')}`];
const runs = new SavedRuns();
const today = (): string => new Date(runs.clock.wallMs()).toISOString().slice(0, 10);

let harness: DownloadHarness;
beforeEach(async () => {
  const chapters = [chapter('one', '1'), chapter('one', '2')];
  const library = createLibrary({ titles: [title('one', 'Old')], chapters });
  harness = await runs.start('', { library }, (started) =>
    started.download({ targets, language: 'en' }),
  );
});
afterEach(() => harness.stop());

const download = (options = {}, change = {}) =>
  harness.download({ targets, language: 'en', ...options }, change);
const put = (changed: LibraryChapter): void => {
  harness.service.library.putChapter(changed);
};
const reupload = (number: string, seed: string): void => {
  put(reuploadChapter(chapter('one', number), LATER, chapter('one', seed)));
};
const pathOf = (path: string): string => join(harness.output, path);
const replacedFolder = (): string => pathOf('.tankobon-replaced');

/** The paths of the kept files below the folder of the day, and their bytes. */
function kept(day = today()): Readonly<Record<string, Buffer>> {
  const folder = join(replacedFolder(), day);
  const names = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
    : [];
  const files = names.filter((name) => lstatSync(join(folder, name)).isFile());
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(folder, name))]));
}

/** Adds a page as its owner does with another program. */
async function addPage(file: string, image: Buffer): Promise<void> {
  const entries = (await readArchive(file)).map(({ name, bytes }) => [name, bytes] as const);
  const comment = await readComment(file);
  await writeArchive(file, { ...Object.fromEntries(entries), '009.png': image }, comment);
}

const bytesOf = (path: string): Buffer => readFileSync(pathOf(path));

describe('a file with pages that its replacement lacks', () => {
  test('is kept, byte for byte, by --update; the rest is as without it', async () => {
    const before = bytesOf(named('Old', 1));
    reupload('1', '9');
    const { events } = await download({ update: true });
    expect(events).toContainEqual(expect.objectContaining({ type: 'chapter-saved' }));
    expect(kept()).toEqual({ [`${named('Old', 1)}.replaced`]: before });
    expect(bytesOf(named('Old', 1)).equals(before)).toBe(false);
    expect(harness.archivePaths()).toEqual([named('Old', 1), named('Old', 2)]);
  });

  test('is kept twice on a day under two names', async () => {
    const first = bytesOf(named('Old', 1));
    reupload('1', '8');
    await download({ update: true });
    const second = bytesOf(named('Old', 1));
    const now = harness.service.library.chapter(chapter('one', '1').id);
    if (now) put(reuploadChapter(now, '2024-03-05T12:00:00+00:00', chapter('one', '9')));
    await download({ update: true });
    const name = named('Old', 1);
    expect(kept()).toEqual({
      [`${name}.replaced`]: first,
      [`${name.replace(/cbz$/, '2.cbz')}.replaced`]: second,
    });
  });

  test('is kept under its old path where the chapter was uploaded again under another name', async () => {
    const before = bytesOf(named('Old', 1));
    harness.service.library.removeChapter(chapter('one', '1').id);
    const seed = chapter('one', '9', { at: LATER, title: 'Again' });
    const again = { ...seed, id: uuidOf('again') };
    put({ ...again, attributes: { ...again.attributes, chapter: '1' } });
    await download({ update: true });
    expect(harness.archivePaths()).toHaveLength(2);
    expect(harness.archivePaths()).not.toContain(named('Old', 1));
    expect(kept()).toEqual({ [`${named('Old', 1)}.replaced`]: before });
  });

  test.each([false, true])(
    'is kept where it makes way for a renumbered chapter (with other pages: %s)',
    async (hasNewPages) => {
      const before = bytesOf(named('Old', 1));
      harness.service.library.removeChapter(chapter('one', '1').id);
      const renumbered = editChapter(chapter('one', '2'), LATER, { chapter: '1' });
      put(hasNewPages ? reuploadChapter(renumbered, LATER, chapter('one', '9')) : renumbered);
      const second = bytesOf(named('Old', 2));
      await download({ update: true });
      expect(harness.archivePaths()).toHaveLength(1);
      expect(kept()).toEqual({
        [`${named('Old', 1)}.replaced`]: before,
        ...(hasNewPages && { [`${named('Old', 2)}.replaced`]: second }),
      });
    },
  );

  test('is kept by --force where its owner added a page, and not otherwise', async () => {
    const [first, second] = [named('Old', 1), named('Old', 2)];
    await addPage(pathOf(first), await testImage('png', 7));
    const before = bytesOf(first);
    await download({ force: true });
    expect(bytesOf(first).equals(before)).toBe(false);
    expect(Object.keys(kept())).toEqual([`${first}.replaced`]);
    expect(kept()[`${first}.replaced`]?.equals(before)).toBe(true);
    expect(harness.archivePaths()).toEqual([first, second]);
  });

  test('is kept under a name of at most 255 bytes', async () => {
    const long = `Old/${'x'.repeat(251)}.cbz`;
    renameSync(pathOf(named('Old', 1)), pathOf(long));
    reupload('1', '9');
    await download({ update: true });
    expect(Object.keys(kept())).toEqual([`Old/${'x'.repeat(242)}.cbz.replaced`]);
  });

  test('is removed at once with the setting 0', async () => {
    reupload('1', '9');
    const before = bytesOf(named('Old', 1));
    await download({ update: true }, { env: { TANKOBON_KEEP_REPLACED: '0' } });
    expect(bytesOf(named('Old', 1)).equals(before)).toBe(false);
    expect(existsSync(replacedFolder())).toBe(false);
  });

  posixTest('stays where it is, and is not replaced, if it cannot be kept', async () => {
    const elsewhere = join(harness.folder, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, replacedFolder());
    const before = bytesOf(named('Old', 1));
    reupload('1', '9');
    const { code, events } = await download({ update: true });
    expect(code).toBe(3);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'chapter-failed', reason: 'unsafe-path' }),
    );
    expect(bytesOf(named('Old', 1)).equals(before)).toBe(true);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe('a file whose pages its replacement has', () => {
  test('is not kept where only the metadata changed', async () => {
    put(editChapter(chapter('one', '1'), LATER, { title: 'Salt' }));
    await download({ update: true });
    expect(harness.archivePaths().some((path) => path.includes('Salt'))).toBe(true);
    expect(existsSync(replacedFolder())).toBe(false);
  });

  test('is not kept where the chapter got a page more', async () => {
    const id = uuidOf('grown');
    const grown = (pages: number) => {
      const generated = generateChapter({ id, pages, bytesPerPage: 2_000 });
      const attributes = { ...generated.attributes, chapter: '3' };
      return { ...generated, titleId: uuidOf('one'), attributes };
    };
    put(grown(2));
    await download();
    const [file = ''] = harness.archivePaths().filter((path) => !path.includes('[Scans]'));
    const before = bytesOf(file);
    put(reuploadChapter(grown(2), LATER, grown(3)));
    await download({ update: true });
    expect(bytesOf(file).length).toBeGreaterThan(before.length + 1_000);
    expect(existsSync(replacedFolder())).toBe(false);
  });

  test('is not kept by --force', async () => {
    await download({ force: true });
    expect(existsSync(replacedFolder())).toBe(false);
  });
});

test('verify --repair keeps the damaged file beside the new one only', async () => {
  const file = pathOf(named('Old', 1));
  const bytes = readFileSync(file);
  bytes.fill(0, 60, 160);
  writeFileSync(file, bytes);
  const { code } = await runCommand(harness, 'verify', harness.output, '--repair');
  expect([code, existsSync(`${file}.damaged`)]).toEqual([0, true]);
  expect(existsSync(replacedFolder())).toBe(false);
});

describe('what was kept for as long as the setting says', () => {
  const names = (folder: string): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

  test('is removed by the next run, with its folders, and nothing before', async () => {
    reupload('1', '9');
    await download({ update: true });
    const day = today();
    runs.clock.advance(30 * DAY_MS);
    await download();
    expect(Object.keys(kept(day))).toHaveLength(1);
    runs.clock.advance(DAY_MS);
    await download();
    expect(existsSync(replacedFolder())).toBe(false);
    expect(harness.archivePaths()).toEqual([named('Old', 1), named('Old', 2)]);
  });

  test('is removed by the next run after the setting became 0', async () => {
    reupload('1', '9');
    await download({ update: true });
    await download({}, { env: { TANKOBON_KEEP_REPLACED: '0' } });
    expect(existsSync(replacedFolder())).toBe(false);
  });

  test('is removed in the folder of a subfolder that is an output folder too', async () => {
    const inner = pathOf('Inner');
    await download({ output: inner });
    reupload('1', '9');
    await download({ output: inner, update: true });
    expect(existsSync(join(inner, '.tankobon-replaced'))).toBe(true);
    runs.clock.advance(31 * DAY_MS);
    await download();
    expect(existsSync(join(inner, '.tankobon-replaced'))).toBe(false);
  });

  test('is removed by the next bind into a folder of books, which nothing else reads', async () => {
    const books = join(harness.folder, 'books');
    const bind = () => runCommand(harness, 'bind', harness.output, '--by', 'title', '-o', books);
    await bind();
    reupload('1', '9');
    await download({ update: true });
    await bind();
    const keptBooks = join(books, '.tankobon-replaced');
    expect(names(keptBooks).filter((name) => name.endsWith('.replaced'))).toHaveLength(1);
    runs.clock.advance(31 * DAY_MS);
    await bind();
    expect(existsSync(keptBooks)).toBe(false);
  });

  posixTest('is all that is removed: links, files of others and other folders stay', async () => {
    reupload('1', '9');
    await download({ update: true });
    const day = join(replacedFolder(), today());
    const [own = ''] = names(day).filter((name) => name.endsWith('.replaced'));
    const outside = join(harness.folder, 'outside');
    mkdirSync(join(outside, '2020-01-01'), { recursive: true });
    for (const folder of [day, replacedFolder(), join(outside, '2020-01-01'), outside])
      cpSync(join(day, own), join(folder, 'mine.cbz.replaced'));
    cpSync(join(day, own), join(day, 'no suffix.cbz'));
    await writeArchive(join(day, 'other program.cbz.replaced'), { '1.png': 'a page' });
    writeFileSync(join(day, 'notes.txt'), 'mine');
    symlinkSync(join(outside, 'mine.cbz.replaced'), join(day, 'link.cbz.replaced'));
    symlinkSync(outside, join(day, 'linked folder'));
    symlinkSync(join(outside, '2020-01-01'), join(replacedFolder(), '2020-01-01'));
    mkdirSync(join(replacedFolder(), 'by hand'));
    cpSync(join(day, own), join(replacedFolder(), 'by hand/mine.cbz.replaced'));
    const foreign = names(replacedFolder()).filter(
      (name) =>
        !name.endsWith(own) &&
        name !== join(today(), 'mine.cbz.replaced') &&
        !name.endsWith('/Old'),
    );
    runs.clock.advance(32 * DAY_MS);
    await download();
    expect(names(replacedFolder())).toEqual(foreign);
    expect(names(outside)).toEqual([
      '2020-01-01',
      '2020-01-01/mine.cbz.replaced',
      'mine.cbz.replaced',
    ]);
  });

  posixTest('is not looked for in a link', async () => {
    const elsewhere = join(harness.folder, 'elsewhere');
    mkdirSync(join(elsewhere, '2020-01-01'), { recursive: true });
    cpSync(pathOf(named('Old', 1)), join(elsewhere, '2020-01-01/mine.cbz.replaced'));
    symlinkSync(elsewhere, replacedFolder());
    await download();
    expect(readdirSync(join(elsewhere, '2020-01-01'))).toEqual(['mine.cbz.replaced']);
  });

  test('is left alone by other commands until then', async () => {
    reupload('1', '9');
    await download({ update: true });
    const before = Object.keys(kept());
    const chapters = harness.archivePaths();
    for (const words of [
      ['verify', harness.output],
      ['retag', harness.output],
      ['adopt', harness.output, '--apply'],
      ['overview', harness.output],
      ['bind', harness.output, '--by', 'title', '-o', join(harness.folder, 'books')],
    ]) {
      const { code, stdout, stderr } = await runCommand(harness, ...words);
      expect([words[0], code, `${stdout}${stderr}`]).toEqual([
        words[0],
        0,
        expect.not.stringContaining('.replaced'),
      ]);
    }
    // Not even the download that lacks a chapter takes it for one.
    rmSync(pathOf(named('Old', 1)));
    await download();
    expect(harness.archivePaths()).toEqual(chapters);
    expect(Object.keys(kept())).toEqual(before);
  });
});

test('doctor says how much is kept', async () => {
  const examine = async () => {
    const env = { ...harness.service.environment, TANKOBON_HOME: join(harness.folder, 'home') };
    const words = ['doctor', '--json', '-o', harness.output];
    const { stdout } = await tankobonHere(words, { env });
    const lines = stdout.trimEnd().split('\n');
    const found = lines.find((line) => line.includes('"replaced-files"')) ?? '{}';
    return JSON.parse(found) as { readonly message: string; readonly status: string };
  };
  expect(await examine()).toMatchObject({
    status: 'none',
    message: `no replaced files: ${harness.output}`,
  });
  reupload('1', '9');
  await download({ update: true });
  expect(await examine()).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/^1 file, [\d.]+ kB, kept for 30d each: .*\.tankobon-replaced$/),
  });
});
