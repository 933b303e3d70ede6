/** A drive with FAT or exFAT as the output folder: no links, no modes, names without regard to case. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateChapter, reuploadChapter } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { LOGIN_ENV } from '../support/auth/harness.js';
import { readPages } from '../support/archive.js';
import { tankobon } from '../support/command.js';
import { DRIVES, mountDrive, SMALL_DRIVE } from '../support/drives.js';
import { describeWith } from '../support/requirements.js';

/** Reserved on Windows, with characters that FAT lacks, the same but for the case, ending in dots, and too long. */
const NAMES = [
  'CON.cbz',
  'Comic: 1?.cbz',
  'COMIC_ 1_.cbz',
  'Ends in dots.../Part.cbz',
  `${'long '.repeat(60)}.cbz`,
];
const IDS = [1, 2, 3, 4, 5].map((number) => `0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f008${number}`);
const LATER = '2025-03-01T12:00:00+00:00';
const PAGES = 4;
describe.each(Object.entries(DRIVES))('a drive with', (fileSystem, kind) => {
  const { needs, hasNoModes } = kind;
  describeWith(fileSystem, needs, () => {
    let folder: string;
    let drive: string;
    let service: PracticeService;
    let unmount: () => void = () => undefined;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'tankobon-fat-'));
      drive = join(folder, 'drive');
      unmount = mountDrive(kind, folder);
      const chapters = IDS.map((id, seed) =>
        generateChapter({ id, pages: PAGES, bytesPerPage: 5_000, seed }),
      );
      service = await startPracticeService({ chapters });
    });
    afterAll(async () => {
      await service.stop();
      unmount();
      rmSync(folder, { recursive: true, force: true });
    });

    const download = (...words: string[]) =>
      tankobon(['download', ...words, '--quiet'], {
        env: { ...service.environment, TANKOBON_HOME: join(folder, 'home'), ...SMALL_DRIVE },
      });

    test('chapters are saved whole, also under names that it does not have, and found again', async () => {
      expect(readFileSync('/proc/mounts', 'utf8')).toContain(` ${drive} fuse`);
      const output = join(drive, 'comics');
      for (const [index, id] of IDS.entries()) {
        const words = [id, '-o', output, '--name', NAMES[index] ?? ''];
        expect(await download(...words)).toMatchObject({ code: 0, stderr: '' });
      }
      const files = readdirSync(output, { recursive: true, encoding: 'utf8' }).filter(
        (name) => !statSync(join(output, name)).isDirectory(),
      );
      expect(files.filter((name) => !name.endsWith('.cbz'))).toEqual([]);
      expect(new Set(files.map((name) => name.toLowerCase())).size).toBe(IDS.length);
      for (const file of files) expect(await readPages(join(output, file))).toHaveLength(PAGES);
      const again = await download(...IDS, '-o', output, '--json');
      expect(again.code).toBe(0);
      expect(again.stdout).toContain(`"skipped":${IDS.length}`);
    });

    test('a replaced file is kept as a copy, and removed later', async () => {
      const [id = ''] = IDS;
      const output = join(drive, 'replaced');
      await download(id, '-o', output, '--no-metadata');
      const file = join(output, `${id}.cbz`);
      const before = readFileSync(file);
      const next = generateChapter({ id, pages: PAGES, bytesPerPage: 5_000, seed: 77 });
      const saved = service.library.chapter(id);
      if (saved) service.library.putChapter(reuploadChapter(saved, LATER, next));
      expect(await download(id, '-o', output, '--no-metadata', '--force')).toMatchObject({
        code: 0,
        stderr: '',
      });
      const names = () => readdirSync(output, { recursive: true, encoding: 'utf8' });
      const kept = names().filter((name) => name.endsWith('.replaced'));
      expect(kept).toEqual([
        expect.stringMatching(/^\.tankobon-replaced\/[\d-]+\/.*\.cbz\.replaced$/),
      ]);
      expect(readFileSync(join(output, kept[0] ?? '')).equals(before)).toBe(true);
      expect(readFileSync(file).equals(before)).toBe(false);
      const env = { ...service.environment, TANKOBON_KEEP_REPLACED: '0' };
      await tankobon(['download', id, '-o', output, '--no-metadata', '--quiet'], {
        env: { ...env, TANKOBON_HOME: join(folder, 'home'), ...SMALL_DRIVE },
      });
      expect(names().filter((name) => name.includes('.tankobon-replaced'))).toEqual([]);
    });

    test('of an output folder above it keeps a replaced file on itself', async () => {
      const [, , , , id = ''] = IDS;
      const output = join(drive, 'above');
      await download(id, '-o', output, '--no-metadata');
      const now = service.library.chapter(id);
      const next = generateChapter({ id, pages: PAGES, bytesPerPage: 5_000, seed: 78 });
      if (now) service.library.putChapter(reuploadChapter(now, LATER, next));
      // The folder above the drive is on another file system.
      await download(id, '-o', folder, '--no-metadata', '--force');
      const names = readdirSync(drive, { recursive: true, encoding: 'utf8' });
      expect(names.filter((name) => name.endsWith('.replaced'))).toEqual([
        expect.stringMatching(/^\.tankobon-replaced\/[\d-]+\/(above|comics)\/.*\.replaced$/),
      ]);
      expect(readdirSync(folder)).not.toContain('.tankobon-replaced');
    });

    test('doctor says what it can do, and leaves nothing', async () => {
      const before = readdirSync(drive);
      const { code, stdout } = await tankobon(['doctor', '--json', '-o', drive], {
        env: { ...service.environment, TANKOBON_HOME: join(folder, 'home'), ...SMALL_DRIVE },
      });
      expect(code).toBe(0);
      const line = stdout.split('\n').find((each) => each.includes('"check":"file-system"'));
      expect(line).toContain('no hard links, so a lock protects new files');
      expect(line).toContain('upper and lower case are the same');
      expect(line).toContain(hasNoModes ? 'no file modes' : 'file modes');
      expect(line).toContain('a driver in user space');
      expect(readdirSync(drive)).toEqual(before);
    });

    test('the state, the ledger and a login can be on it, with one warning if it has no modes', async () => {
      const env = { ...service.environment, TANKOBON_HOME: join(drive, 'home'), ...SMALL_DRIVE };
      const [id = ''] = IDS;
      const warning = `The file system of ${join(drive, 'home')} has no modes`;
      const warnings = (text: string) => text.split(warning).length - 1;
      const saved = await tankobon(['download', id, '-o', join(folder, 'output')], { env });
      expect(saved).toMatchObject({ code: 0, stderr: expect.stringContaining('1 saved') });
      const login = await tankobon(['login', '--insecure-storage'], {
        env: { ...env, ...LOGIN_ENV },
      });
      expect(login.code).toBe(0);
      const count = hasNoModes ? 1 : 0;
      expect([warnings(saved.stderr), warnings(login.stderr)]).toEqual([count, count]);
    });

    test('a subscriptions file on it is used, with a warning if others can write to it', async () => {
      const file = join(drive, 'subscriptions.yaml');
      writeFileSync(file, '');
      const { code, stderr } = await tankobon(['sync', '--file', file], {
        env: { ...service.environment, TANKOBON_HOME: join(folder, 'home'), ...SMALL_DRIVE },
      });
      expect(code).toBe(0);
      const isShared = (statSync(file).mode & 0o022) !== 0;
      expect(isShared).toBe(hasNoModes);
      expect(stderr.includes('warning: The file system has no modes')).toBe(hasNoModes);
    });
  });
});
