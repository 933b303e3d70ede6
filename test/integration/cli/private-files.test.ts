/** Private stays private: what is made of private files, or is put into a private folder, has no more readers. */
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { maxModeIn } from '../../../src/core/files.js';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { tankobonHere } from '../../support/in-process.js';
import { posixDescribe } from '../../support/platform.js';
import { chapterId, DAY_MS, syncLibrary } from '../../support/sync-harness.js';

const ID = chapterId('Alpha', '1');

posixDescribe('private files', () => {
  let service: PracticeService;
  let folder: string;
  let output: string;
  let umask: number;
  beforeAll(async () => {
    const limits = { general: { requests: 10_000, periodMs: 1_000 }, periodScale: 0.001 };
    const library = syncLibrary(['Alpha'], Date.now() - DAY_MS);
    service = await startPracticeService({ limits, library });
  });
  afterAll(() => service.stop());
  beforeEach(() => {
    umask = process.umask(0o022);
    folder = mkdtempSync(join(tmpdir(), 'tankobon-private-'));
    chmodSync(folder, 0o755);
    output = join(folder, 'comics');
    mkdirSync(output);
  });
  afterEach(() => {
    process.umask(umask);
    rmSync(folder, { recursive: true, force: true });
  });

  const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

  async function run(...words: readonly string[]) {
    const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
    const { code, stdout, stderr } = await tankobonHere(words, { env });
    expect([code, stdout + stderr]).toEqual([0, expect.anything()]);
  }

  async function chapters(modes: readonly number[]): Promise<void> {
    for (const [index, mode] of modes.entries()) {
      const number = String(index + 1);
      const file = join(output, `${number}.cbz`);
      const images = [await testImage('png', index + 1)];
      await writeChapterFile(file, { number, volume: '1', images });
      chmodSync(file, mode);
    }
  }

  const modesBelow = (root: string): string[] => {
    const paths = readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true });
    const files = paths.filter((entry) => entry.isFile());
    return [...new Set(files.map(({ parentPath, name }) => modeOf(join(parentPath, name))))];
  };

  test.each(['cbz', 'epub', 'pdf', 'folder'])(
    'a %s gets the strictest rights of its chapters',
    async (format) => {
      await chapters([0o644, 0o640]);
      const books = join(folder, 'books');
      await run('bind', output, '-o', books, '--format', format);
      expect(modesBelow(books)).toEqual(['640']);
      chmodSync(join(output, '1.cbz'), 0o600);
      await run('bind', output, '-o', books, '--format', format, '--force');
      rmSync(books, { recursive: true });
      await run('bind', output, '-o', books, '--format', format);
      expect(modesBelow(books)).toEqual(['600']);
    },
  );

  test('a book that is replaced gets no more rights than its chapters, and no more than it had', async () => {
    await chapters([0o644, 0o644]);
    const bind = ['bind', output, '-o', output, '--force'];
    await run(...bind);
    const names = readdirSync(output, { recursive: true, encoding: 'utf8' });
    const book = names.find((name) => /Vol.*\.cbz$/.test(name)) ?? '';
    expect(modeOf(join(output, book))).toBe('644');
    chmodSync(join(output, book), 0o604);
    chmodSync(join(output, '1.cbz'), 0o640);
    await writeChapterFile(join(output, '3.cbz'), {
      number: '3',
      volume: '1',
      images: [await testImage('png', 5)],
    });
    await run(...bind);
    expect(modeOf(join(output, book))).toBe('600');
  });

  test('a chapter that is packed gets the strictest rights of its images', async () => {
    const images = join(output, 'Alpha', 'Alpha Ch.001');
    mkdirSync(images, { recursive: true });
    const xml = `<ComicInfo><Web>https://mangadex.org/chapter/${ID}</Web></ComicInfo>`;
    writeFileSync(join(images, 'ComicInfo.xml'), xml);
    for (const seed of [1, 2])
      writeFileSync(join(images, `${seed}.png`), await testImage('png', seed));
    chmodSync(join(images, '2.png'), 0o600);
    await run('adopt', output, '--pack', '--apply');
    const packed = readdirSync(dirname(images)).find((name) => name.endsWith('.cbz'));
    expect(modeOf(join(dirname(images), packed ?? ''))).toBe('600');
  });

  test('a page that replaces a private one stays private', async () => {
    await run('download', ID, '-o', output);
    const page = join(folder, 'page.html');
    const overview = ['overview', output, '--html', page];
    await run(...overview);
    expect(modeOf(page)).toBe('644');
    chmodSync(page, 0o600);
    await run(...overview);
    expect(modeOf(page)).toBe('600');
  });

  test.each([
    ['700', '600'],
    ['750', '640'],
    ['711', '644'],
    ['755', '644'],
  ])('a chapter in a folder of mode %s has mode %s', async (mode, expected) => {
    chmodSync(output, Number.parseInt(mode, 8));
    await run('download', ID, '-o', output, '--name', '{chapter-id}.cbz');
    expect([modeOf(join(output, `${ID}.cbz`)), modeOf(output)]).toEqual([expected, mode]);
  });

  test('folders in the state folder are 0700 under a umask that takes rights of the user', async () => {
    process.umask(0o277);
    await run('download', ID, '-o', output);
    const home = join(folder, 'home');
    const folders = readdirSync(home, { recursive: true, encoding: 'utf8' })
      .map((path) => join(home, path))
      .filter((path) => lstatSync(path).isDirectory());
    expect(folders.length).toBeGreaterThan(1);
    expect([...new Set([home, ...folders].map(modeOf))]).toEqual(['700']);
  });

  test('members of another group are the others of a file', () => {
    const gid = process.getegid?.() ?? 0;
    const mode = (source: { mode: number; gid: number }) => maxModeIn(folder, [source]);
    chmodSync(folder, 0o755);
    expect(mode({ mode: 0o640, gid })).toBe(0o640);
    expect(mode({ mode: 0o640, gid: gid + 1 })).toBe(0o600);
    expect(mode({ mode: 0o644, gid: gid + 1 })).toBe(0o644);
    if (process.getuid?.() !== 0) return;
    chownSync(folder, 0, gid + 1);
    chmodSync(folder, 0o2755);
    expect(mode({ mode: 0o640, gid: gid + 1 })).toBe(0o640);
  });
});
