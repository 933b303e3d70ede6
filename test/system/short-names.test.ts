/**
 * A file system that takes names of 143 bytes only, as the encrypted folders of some NAS do: whatever tankobon writes or
 * renames gets a name that fits, with its number, and the same one in each run.
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
import { basename, join } from 'node:path';
import {
  createLibrary,
  editChapter,
  reuploadChapter,
  uuidOf,
  type ChapterAttributes,
} from '../../src/practice-server/library/library.js';
import { drawnCover } from '../../src/practice-server/library/story-pages.js';
import { DownloadHarness } from '../support/download-harness.js';
import { readArchive, writeArchive } from '../support/archive.js';
import { mountSpecial, SMALL_DRIVE, SPECIAL_NEEDS } from '../support/drives.js';
import { tankobon } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { runCommand } from '../support/retag-harness.js';
import { chapter, LATER, renameTitle, title } from '../support/title-library.js';

const MAX_NAME_BYTES = 143;
const FORMATS = ['cbz', 'epub', 'pdf', 'folder'] as const;
/** 250 letters of three bytes. */
const LONG_TITLE = '嵐の夜に灯台守は海を見ていた'.repeat(18).slice(0, 250);
const SERIES = '灯台守の長い長い物語、そしてその後の日々について '.repeat(4).trim();
const LATEST = '2024-03-05T12:00:00+00:00';

describeWith('names of 143 bytes', SPECIAL_NEEDS, () => {
  let folder: string;
  let output: string;
  let unmount: () => void = () => undefined;
  let harness: DownloadHarness;
  let count = 0;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-short-'));
    unmount = await mountSpecial(folder, [`max-name=${MAX_NAME_BYTES}`]);
  });
  afterAll(() => {
    unmount();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    output = join(folder, 'drive', `comics ${(count += 1)}`);
    const covers = [drawnCover(uuidOf('long'), '1', 'stairs-cover')];
    const titles = [
      title('long', SERIES, { covers, year: 2019 }),
      title('twin', `${SERIES}、続き`, { year: 2021 }),
      title('short', 'Lighthouse'),
    ];
    const chapters = [
      ...['1', '2', '10.5'].map((number) =>
        chapter('long', number, { title: LONG_TITLE, volume: '1' }),
      ),
      ...['a', 'b'].map((end) =>
        chapter('long', `extra ${end}`, { title: LONG_TITLE + end, volume: '1', chapter: null }),
      ),
      chapter('twin', '1', { title: LONG_TITLE }),
      chapter('short', '1', { title: LONG_TITLE }),
    ];
    harness = await DownloadHarness.start({ library: createLibrary({ titles, chapters }) });
  });
  afterEach(() => harness.stop());

  const run = (...words: readonly string[]) => {
    const inDrive = Object.assign(Object.create(harness) as DownloadHarness, {
      command: (act: Parameters<DownloadHarness['command']>[0]) =>
        harness.command(act, { env: SMALL_DRIVE }),
    });
    return runCommand(inDrive, ...words);
  };
  const download = (...words: readonly string[]) =>
    run('download', `title:${uuidOf('long')}`, '-l', 'en', '-o', output, ...words);
  const names = () =>
    readdirSync(output, { recursive: true, encoding: 'utf8' })
      .filter((each) => statSync(join(output, each)).isFile())
      .sort();
  const bytesOf = () =>
    new Map(names().map((each) => [each, readFileSync(join(output, each)).toString('base64')]));
  const change = (number: string, changes: Partial<ChapterAttributes>) => {
    const { library } = harness.service;
    const found = library.chapter(uuidOf('long', number, 'en'));
    if (!found) throw new Error(number);
    library.putChapter(editChapter(found, LATER, changes));
  };
  const file = (start: string) => {
    const found = names().filter((each) => basename(each).includes(start) && each.endsWith('.cbz'));
    if (found.length !== 1) throw new Error(`${start}: ${names().join('\n')}`);
    return found[0] ?? '';
  };

  /** A second run changes nothing, and says nothing of files. */
  async function expectSilent(...words: readonly string[]): Promise<void> {
    const before = bytesOf();
    const { code, stdout, stderr } = await run(...words);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).not.toMatch(/warning|error|Kept/);
    expect(bytesOf()).toEqual(before);
  }

  test('doctor measures what it takes, and leaves nothing', async () => {
    const { stdout } = await tankobon(['doctor', '--json', '-o', output], {
      env: {
        ...harness.service.environment,
        TANKOBON_HOME: join(folder, 'home'),
        ...SMALL_DRIVE,
      },
    });
    const line = stdout.split('\n').find((each) => each.includes('"check":"file-system"'));
    expect(line).toContain('names of at most 143 bytes');
    expect(readdirSync(join(folder, 'drive'))).not.toContain(basename(output));
  });

  test('a download shortens names of files and folders, with covers and series metadata beside them', async () => {
    const { code, stderr } = await download('--cover', 'all', '--series-metadata');
    expect([code, stderr]).toEqual([0, expect.stringContaining('5 saved')]);
    const [series = '', ...others] = readdirSync(output).filter((each) => !each.startsWith('.'));
    expect(others).toEqual([]);
    expect(SERIES.startsWith(series)).toBe(true);
    expect(Buffer.byteLength(series)).toBeGreaterThan(MAX_NAME_BYTES - 4);
    const files = readdirSync(join(output, series)).sort();
    expect(files).toEqual(
      [
        'cover Vol.01.png',
        'cover.png',
        'details.json',
        'series.json',
        ...['Ch.001', 'Ch.002', 'Ch.010.5'].map((number) =>
          expect.stringMatching(
            `^灯台守.* ${number.replace('.', '[.]')} Vol\\.01 - 嵐.* \\[Scans\\]\\.cbz$`,
          ),
        ),
        ...['a', 'b'].map((end) =>
          expect.stringMatching(
            `^灯台守.* Vol\\.01 - 嵐.*\\(${uuidOf('long', `extra ${end}`, 'en').slice(0, 8)}\\)\\.cbz$`,
          ),
        ),
      ].sort((a, b) => Number(typeof a === 'object') - Number(typeof b === 'object')),
    );
    await expectSilent('retag', output);
    await expectSilent('retag', output, '--rename');
    await expectSilent('verify', output);
    const before = bytesOf();
    for (const words of [[], ['--update'], ['--cover', 'all', '--series-metadata']]) {
      expect((await download(...words)).stderr).toContain('5 skipped');
      expect(bytesOf()).toEqual(before);
    }
  });

  test('titles whose folders are the same once they are cut get two folders', async () => {
    await download();
    const { code } = await run('download', `title:${uuidOf('twin')}`, '-l', 'en', '-o', output);
    expect(code).toBe(0);
    const folders = readdirSync(output)
      .filter((each) => !each.startsWith('.'))
      .sort();
    expect(folders).toHaveLength(2);
    expect(folders.filter((each) => each.endsWith(' (2021)'))).toHaveLength(1);
    await expectSilent('retag', output);
  });

  test('a corrected number renames a file, and the owner’s name stays', async () => {
    await download();
    const own = join(output, 'Mine.cbz');
    renameSync(join(output, file('Ch.002')), own);
    const before = file('Ch.001');
    change('1', { chapter: '3' });
    change('2', { chapter: '4' });
    expect((await run('retag', output)).code).toBe(0);
    expect(file('Ch.003')).toBe(before.replace('Ch.001', 'Ch.003'));
    expect(names()).toContain('Mine.cbz');
    await expectSilent('retag', output);
    await expectSilent('retag', output, '--rename');
  });

  test('retag exchanges names', async () => {
    await download();
    change('1', { chapter: '2' });
    change('2', { chapter: '1' });
    const before = names();
    expect((await run('retag', output)).code).toBe(0);
    expect(names()).toEqual(before);
    await expectSilent('retag', output);
  });

  test('--update renames a file with new pages, and keeps the old pages', async () => {
    await download();
    const { library } = harness.service;
    const second = library.chapter(uuidOf('long', '2', 'en'));
    if (second) {
      const pages = reuploadChapter(second, LATER, chapter('other', '9'));
      library.putChapter(editChapter(pages, LATEST, { chapter: '5' }));
    }
    const old = file('Ch.002');
    const bytes = readFileSync(join(output, old));
    const { code, stderr } = await download('--update');
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
    expect(file('Ch.005')).toBe(old.replace('Ch.002', 'Ch.005'));
    const [kept = ''] = names().filter((each) => each.endsWith('.replaced'));
    expect(readFileSync(join(output, kept)).equals(bytes)).toBe(true);
    await expectSilent('verify', output);
    expect((await download('--update')).stdout).toBe('');
  });

  test('verify --repair keeps the damaged file, whose name is as long as it may be', async () => {
    await download();
    const damagedFile = join(output, file('Ch.001'));
    const damaged = readFileSync(damagedFile);
    damaged[200] = (damaged[200] ?? 0) ^ 0xff;
    writeFileSync(damagedFile, damaged);
    const { code, stderr } = await run('verify', output, '--repair');
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 repaired')]);
    const [kept = ''] = names().filter((each) => each.endsWith('.cbz.damaged'));
    expect(readFileSync(join(output, kept)).equals(damaged)).toBe(true);
    await expectSilent('verify', output, '--repair');
  });

  test.each(FORMATS)(
    'bind gives a book a name that fits (%s), and retag gives it the new one of its title',
    async (format) => {
      await download();
      const words = ['bind', output, '-o', output, '--format', format];
      expect((await run(...words)).code).toBe(0);
      const chapters = 5;
      const books = new Set(
        names().flatMap(
          (each) => /^[^/]+\/[^/]*Vol\.01(?:\.(?:cbz|epub|pdf)$|(?=\/))/.exec(each) ?? [],
        ),
      );
      expect([...books]).toHaveLength(1);
      await expectSilent(...words);
      expect((await run('verify', output)).stderr).toMatch(
        new RegExp(`^${chapters + 1} files checked, 0 damaged`),
      );
      renameTitle(harness.service.library, 'long', `新しい名前の${SERIES}`);
      expect((await run('retag', output, '--rename-titles')).code).toBe(0);
      expect(readdirSync(output).filter((each) => !each.startsWith('.'))).toEqual([
        expect.stringMatching(/^新しい名前の灯台守/),
      ]);
      for (const each of names().filter((name) => /\.(cbz|epub|pdf)$/.test(name)))
        expect(basename(each)).toMatch(/^新しい名前の灯台守/);
      await expectSilent('retag', output, '--rename-titles');
      // A PDF is bound anew, with the new name inside.
      if (format === 'pdf') expect((await run(...words)).code).toBe(0);
      await expectSilent(...words);
    },
  );

  test('sync shortens the names of new chapters, and of upgraded ones', async () => {
    const subscriptions = join(harness.folder, 'subscriptions.yaml');
    const folderName = `A folder of my own ${'x'.repeat(150)}`;
    writeFileSync(
      subscriptions,
      `defaults: { output: ${output}, language: en, upgrade: true }\nseries: [{ target: 'title:${uuidOf('long')}', folder: '${folderName}' }]\n`,
    );
    const sync = () => run('sync', '--file', subscriptions);
    expect((await sync()).code).toBe(0);
    expect(readdirSync(output).filter((each) => !each.startsWith('.'))).toEqual([
      folderName.slice(0, MAX_NAME_BYTES),
    ]);
    change('1', { chapter: '3' });
    harness.service.library.putChapter(
      chapter('long', '4', { at: LATEST, title: LONG_TITLE, volume: '1' }),
    );
    expect((await sync()).code).toBe(0);
    expect(file('Ch.003')).toContain('嵐');
    expect(names()).toHaveLength(6);
    const before = bytesOf();
    expect((await sync()).stdout).toBe('');
    expect(bytesOf()).toEqual(before);
  });

  test('adopt gives a file whose name is as long as it may be its record, and takes it out again', async () => {
    await run('download', `title:${uuidOf('short')}`, '-l', 'en', '-o', output);
    const pages = (await readArchive(join(output, file('Ch.001')))).filter(({ name }) =>
      /^\d+\./.test(name),
    );
    rmSync(join(output, file('Ch.001')));
    const letters = Math.floor((MAX_NAME_BYTES - 'Lighthouse Ch.001 - .cbz'.length) / 3);
    const name = `Lighthouse Ch.001 - ${LONG_TITLE.slice(0, letters)}`;
    const rest = 'x'.repeat(MAX_NAME_BYTES - Buffer.byteLength(`${name}.cbz`));
    const padded = `Lighthouse/${name}${rest}.cbz`;
    expect(Buffer.byteLength(basename(padded))).toBe(MAX_NAME_BYTES);
    const path = join(output, padded);
    await writeArchive(path, Object.fromEntries(pages.map((page) => [page.name, page.bytes])));
    const foreign = readFileSync(path);
    const applied = await run('adopt', output, '--language', 'en', '--apply');
    expect([applied.code, applied.stderr]).toEqual([0, expect.stringContaining('1 adopted')]);
    expect(names()).toContain(padded);
    await expectSilent('verify', output);
    expect(
      (await run('download', `title:${uuidOf('short')}`, '-l', 'en', '-o', output)).stdout,
    ).toBe('');
    expect((await run('adopt', output, '--undo')).code).toBe(0);
    expect(readFileSync(path).equals(foreign)).toBe(true);
  });
});
