/**
 * File systems that find a file under each spelling of its name: exFAT without hard links, and one with links and stable
 * inodes, as APFS and NTFS are, which may ignore a rename to another spelling. What is renamed by its case alone keeps its
 * bytes and its plain name, and nothing is lost.
 */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createLibrary,
  editChapter,
  reuploadChapter,
  uuidOf,
  type ChapterAttributes,
} from '../../src/practice-server/library/library.js';
import { drawnCover } from '../../src/practice-server/library/story-pages.js';
import { readEntry } from '../support/archive.js';
import { DownloadHarness } from '../support/download-harness.js';
import { DRIVES, mountDrive, mountSpecial, SMALL_DRIVE, SPECIAL_NEEDS } from '../support/drives.js';
import { describeWith } from '../support/requirements.js';
import { runCommand } from '../support/retag-harness.js';
import { chapter, LATER, renameTitle, title } from '../support/title-library.js';

const TARGET = `title:${uuidOf('one')}`;
const FORMATS = ['cbz', 'epub', 'pdf', 'folder'] as const;
const LATEST = '2024-03-05T12:00:00+00:00';

interface FoldedFileSystem {
  readonly needs: Parameters<typeof describeWith>[1];
  readonly mount: (folder: string) => Promise<() => void>;
}

const exFat = DRIVES['exFAT'];
const FILE_SYSTEMS: Readonly<Record<string, FoldedFileSystem>> = {
  ...(exFat && {
    exFAT: { needs: exFat.needs, mount: (folder) => Promise.resolve(mountDrive(exFat, folder)) },
  }),
  'hard links': { needs: SPECIAL_NEEDS, mount: (folder) => mountSpecial(folder, ['fold']) },
  'renames that do nothing': {
    needs: SPECIAL_NEEDS,
    mount: (folder) => mountSpecial(folder, ['fold', 'lazy-rename']),
  },
};

describe.each(Object.entries(FILE_SYSTEMS))(
  'names that differ only in case, with',
  (name, { needs, mount }) => {
    describeWith(name, needs, () => {
      let folder: string;
      let unmount: () => void = () => undefined;
      let harness: DownloadHarness;
      let output: string;
      let count = 0;
      beforeAll(async () => {
        folder = mkdtempSync(join(tmpdir(), 'tankobon-folded-'));
        unmount = await mount(folder);
      });
      afterAll(() => {
        unmount();
        rmSync(folder, { recursive: true, force: true });
      });
      beforeEach(async () => {
        output = join(folder, 'drive', `comics ${(count += 1)}`);
        const covers = [drawnCover(uuidOf('one'), '1', 'stairs-cover')];
        const chapters = [
          chapter('one', '1', { title: 'storm', volume: '1' }),
          chapter('one', '2', { title: 'rain', volume: '1' }),
          chapter('one', 'extra', { title: 'sun', volume: '1', chapter: null }),
        ];
        const library = createLibrary({ titles: [title('one', 'Old', { covers })], chapters });
        harness = await DownloadHarness.start({ library });
      });
      afterEach(() => harness.stop());

      const run = async (...words: readonly string[]) => {
        const env = SMALL_DRIVE;
        const inDrive = Object.assign(Object.create(harness) as DownloadHarness, {
          command: (act: Parameters<DownloadHarness['command']>[0]) =>
            harness.command(act, { env }),
        });
        return runCommand(inDrive, ...words);
      };
      const download = (...words: readonly string[]) =>
        run('download', TARGET, '--language', 'en', '-o', output, ...words);
      const names = (path = '') =>
        readdirSync(join(output, path), { recursive: true, encoding: 'utf8' })
          .filter((each) => statSync(join(output, path, each)).isFile())
          .sort();
      const change = (number: string, at: string, changes: Partial<ChapterAttributes>) => {
        const { library } = harness.service;
        const found = library.chapter(uuidOf('one', number, 'en'));
        if (!found) throw new Error(number);
        library.putChapter(editChapter(found, at, changes));
      };
      const pathOf = (number: string, text: string, series = 'Old') =>
        `${series}/${series} Ch.${number} Vol.01 - ${text} [Scans].cbz`;
      const bytesOf = () =>
        new Map(names().map((each) => [each, readFileSync(join(output, each)).toString('base64')]));

      /** A second run changes nothing, and says nothing of files. */
      async function expectSilent(...words: readonly string[]): Promise<void> {
        const before = bytesOf();
        const { code, stdout, stderr } = await run(...words);
        expect([code, stdout]).toEqual([0, '']);
        expect(stderr).not.toMatch(/warning|error|Kept/);
        expect(bytesOf()).toEqual(before);
      }

      test('retag --rename-titles renames chapters, books, covers, JSON and the folder, and loses nothing', async () => {
        expect((await download('--cover', 'all', '--series-metadata')).code).toBe(0);
        for (const format of FORMATS)
          expect((await run('bind', output, '-o', output, '--format', format)).code).toBe(0);
        writeFileSync(join(output, 'Old/notes.txt'), 'mine');
        writeFileSync(join(output, 'Old/cover Vol.07.png'), 'my image');
        const before = names();
        const same = ['notes.txt', 'cover.png', 'cover Vol.01.png', 'cover Vol.07.png'];
        const bytes = same.map((each) => readFileSync(join(output, 'Old', each)));
        renameTitle(harness.service.library, 'one', 'OLD');
        const words = ['retag', output, '--rename-titles'];
        const dryRun = await run(...words, '--dry-run');
        expect(dryRun.stderr).not.toContain('with their id');
        const { code, stdout, stderr } = await run(...words);
        expect([code, stderr]).toEqual([
          0,
          expect.stringMatching(/3 changed, 0 unchanged, 4 books\n$/),
        ]);
        expect(stderr).not.toContain('Kept');
        expect(stdout).toContain(`renamed to ${join(output, 'OLD/OLD Vol.01.cbz')}`);
        expect(readdirSync(output)).toEqual(['OLD']);
        expect(names()).toEqual(before.map((each) => each.replaceAll('Old', 'OLD')).sort());
        for (const [index, each] of same.entries())
          expect(
            readFileSync(join(output, 'OLD', each)).equals(bytes[index] ?? Buffer.alloc(0)),
          ).toBe(true);
        const text = readFileSync(join(output, 'OLD/series.json'), 'utf8');
        expect(JSON.parse(text)).toMatchObject({ metadata: { name: 'OLD' } });
        const book = await readEntry(join(output, 'OLD/OLD Vol.01.cbz'), 'ComicInfo.xml');
        expect(book).toContain('<Series>OLD</Series>');
        await expectSilent(...words);
        expect((await run('verify', output)).stderr).toMatch(/^7 files checked, 0 damaged/);
        const again = await download('--cover', 'all', '--series-metadata');
        expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('3 skipped')]);
      });

      test('retag gives a chapter the new case of its title, without its id', async () => {
        await download();
        change('1', LATER, { title: 'Storm' });
        const renamed = `renamed to ${join(output, pathOf('001', 'Storm'))}\n`;
        expect((await run('retag', output, '--dry-run')).stdout).toContain(renamed);
        const { code, stdout } = await run('retag', output);
        expect([code, stdout]).toEqual([0, expect.stringContaining(renamed)]);
        expect(names('Old')).toContain('Old Ch.001 Vol.01 - Storm [Scans].cbz');
        await expectSilent('retag', output);
      });

      test('retag exchanges names that differ from each other in case too', async () => {
        await download('--name', '{title}');
        change('1', LATER, { title: 'RAIN' });
        change('2', LATER, { title: 'STORM' });
        const { code } = await run('retag', output, '--name', '{title}');
        expect([code, names()]).toEqual([0, ['RAIN.cbz', 'STORM.cbz', 'sun.cbz']]);
        expect(await readEntry(join(output, 'RAIN.cbz'), 'ComicInfo.xml')).toContain('<Number>1<');
        await expectSilent('retag', output, '--name', '{title}');
      });

      test('--update renames a file with new metadata, and one with new pages, and keeps the old pages', async () => {
        await download();
        change('1', LATER, { title: 'Storm' });
        const { library } = harness.service;
        const second = library.chapter(uuidOf('one', '2', 'en'));
        if (second) library.putChapter(reuploadChapter(second, LATER, chapter('other', '9')));
        change('2', LATEST, { title: 'RAIN' });
        const old = readFileSync(join(output, pathOf('002', 'rain')));
        const { code, stdout, stderr } = await download('--update');
        expect([code, stdout + stderr]).toEqual([
          0,
          expect.stringContaining(`renamed from ${join(output, pathOf('002', 'rain'))}`),
        ]);
        expect(names('Old')).toEqual([
          'Old Ch.001 Vol.01 - Storm [Scans].cbz',
          'Old Ch.002 Vol.01 - RAIN [Scans].cbz',
          'Old Vol.01 - sun [Scans].cbz',
        ]);
        const [kept = ''] = names().filter((each) => each.endsWith('.replaced'));
        expect(readFileSync(join(output, kept)).equals(old)).toBe(true);
        await expectSilent('verify', output);
        const again = await download('--update');
        expect([again.stdout, again.stderr]).toEqual(['', expect.stringContaining('3 skipped')]);
      });

      test('a chapter that was uploaded again, with its title in another case, takes the place of the old one', async () => {
        await download();
        const { library } = harness.service;
        const old = library.chapter(uuidOf('one', '2', 'en'));
        library.removeChapter(uuidOf('one', '2', 'en'));
        const again = old && { ...editChapter(old, LATER, { title: 'RAIN' }), id: uuidOf('again') };
        if (again) library.putChapter(again);
        const { code } = await download('--update');
        expect([code, names('Old')]).toEqual([
          0,
          [
            'Old Ch.001 Vol.01 - storm [Scans].cbz',
            'Old Ch.002 Vol.01 - RAIN [Scans].cbz',
            'Old Vol.01 - sun [Scans].cbz',
          ],
        ]);
        expect((await download('--update')).stdout).toBe('');
      });

      test('sync with upgrade renames a file', async () => {
        const file = join(harness.folder, 'subscriptions.yaml');
        const sync = async () => run('sync', '--file', file);
        writeFileSync(
          file,
          `defaults: { output: ${output}, language: en, upgrade: true }\nseries: [{ target: '${TARGET}' }]\n`,
        );
        expect((await sync()).code).toBe(0);
        change('1', LATER, { title: 'Storm' });
        harness.service.library.putChapter(chapter('one', '4', { at: LATEST, volume: '1' }));
        expect((await sync()).code).toBe(0);
        expect(names('Old')).toContain('Old Ch.001 Vol.01 - Storm [Scans].cbz');
        expect(names('Old')).toHaveLength(4);
        const before = bytesOf();
        expect((await sync()).stdout).toBe('');
        expect(bytesOf()).toEqual(before);
      });

      test('verify --repair renames the file that it loads again, and keeps the damaged one', async () => {
        await download();
        change('1', LATER, { title: 'Storm' });
        const file = join(output, pathOf('001', 'storm'));
        const damaged = readFileSync(file);
        damaged[200] = (damaged[200] ?? 0) ^ 0xff;
        writeFileSync(file, damaged);
        const { code, stderr } = await run('verify', output, '--repair');
        expect([code, stderr]).toEqual([
          0,
          expect.stringContaining(`renamed to ${join(output, pathOf('001', 'Storm'))}`),
        ]);
        expect(names('Old')).toContain('Old Ch.001 Vol.01 - Storm [Scans].cbz');
        expect(readFileSync(`${file}.damaged`).equals(damaged)).toBe(true);
        await expectSilent('verify', output, '--repair');
      });

      test('bind writes the books of chapters whose title got another case in place of the old ones', async () => {
        await download();
        const words = (format: string) => ['bind', output, '-o', output, '--format', format];
        for (const format of FORMATS) await run(...words(format));
        const count = names().length;
        change('extra', LATER, { title: 'SUN' });
        await run('retag', output);
        for (const format of FORMATS) expect((await run(...words(format), '--force')).code).toBe(0);
        expect(names()).toHaveLength(count);
        expect(names('Old/Vol.01')).toContain('SUN/001.png');
        for (const format of FORMATS) await expectSilent(...words(format));
        expect((await run('verify', output)).stderr).toMatch(/^7 files checked, 0 damaged/);
      });

      test('a folder that its owner renamed by its case stays, and new names are given in it', async () => {
        await download();
        renameSync(join(output, 'Old'), join(output, 'rename'));
        renameSync(join(output, 'rename'), join(output, 'oLD'));
        await expectSilent('retag', output, '--rename-titles');
        expect((await download('--update')).stderr).toContain('3 skipped');
        change('1', LATER, { title: 'Storm' });
        await run('retag', output);
        expect(readdirSync(output)).toEqual(['oLD']);
        expect(names('oLD')).toContain('Old Ch.001 Vol.01 - Storm [Scans].cbz');
        await expectSilent('retag', output);
      });
    });
  },
);
