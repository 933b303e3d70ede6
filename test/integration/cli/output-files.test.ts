/** Files named for results: a missing or a regular file, or standard output. Nothing else is replaced. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { tankobonHere } from '../../support/in-process.js';
import { posixDescribe } from '../../support/platform.js';
import { DAY_MS, chapterId, syncLibrary, titleId } from '../../support/sync-harness.js';

let folder: string;
let service: PracticeService;
let env: Record<string, string>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-output-files-'));
  service = await startPracticeService({ library: syncLibrary(['Alpha'], Date.now() - DAY_MS) });
  const home = join(folder, 'home');
  env = { ...service.environment, TANKOBON_HOME: home };
  mkdirSync(home);
  writeFileSync(
    join(home, 'subscriptions.yaml'),
    `defaults: { output: ${join(folder, 'out')} }\nseries: [{ target: title:${titleId('Alpha')} }]\n`,
    { mode: 0o600 },
  );
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...words: readonly string[]) => tankobonHere(words, { env });

/** A mistake of root would replace the device of the machine. */
const makeDevice = (path: string): void => {
  if (process.getuid?.() === 0) execFileSync('mknod', [path, 'c', '1', '3']);
  else symlinkSync('/dev/null', path);
};
const KINDS: readonly (readonly [string, (path: string) => unknown])[] = [
  ['a named pipe', (path) => execFileSync('mkfifo', [path])],
  [
    'a symbolic link',
    (path) => {
      symlinkSync(join(folder, 'target'), path);
    },
  ],
  [
    'a folder',
    (path) => {
      mkdirSync(path);
    },
  ],
  [process.getuid?.() === 0 ? 'a device' : 'a symbolic link', makeDevice],
];
const COMMANDS: readonly (readonly [string, (file: string) => readonly string[]])[] = [
  ['report-status --html', (file) => ['report-status', '--flush', '--html', file]],
  ['sync --html', (file) => ['sync', '--html', file]],
  [
    'download --download-archive',
    (file) => [
      'download',
      chapterId('Alpha', '1'),
      '-o',
      join(folder, 'out'),
      '--download-archive',
      file,
    ],
  ],
];

posixDescribe.each(KINDS)('%s in place of the file', (kind, make) => {
  test.each(COMMANDS)('%s refuses it before anything is sent', async (_, words) => {
    const file = join(folder, 'file');
    writeFileSync(join(folder, 'target'), 'mine');
    make(file);
    const before = lstatSync(file);
    const { code, stdout, stderr } = await run(...words(file));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(`error: ${file} is ${kind}, not a regular file.\nhint: Choose `);
    const { ino, mode } = lstatSync(file);
    expect({ ino, mode }).toEqual({ ino: before.ino, mode: before.mode });
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('mine');
    expect(service.log).toEqual([]);
  });
});

describe('--html', () => {
  const page = 'page.html';

  test.each([[['report-status']], [['sync']]])(
    '%j writes a file, and replaces a page of tankobon and an empty file',
    async (words) => {
      const file = join(folder, page);
      expect(await run(...words, '--html', file)).toMatchObject({ code: 0 });
      const head = readFileSync(file, 'utf8').slice(0, 400);
      for (const older of ['', `${head} of an earlier version`]) {
        writeFileSync(file, older);
        expect(await run(...words, '--html', file)).toMatchObject({ code: 0 });
        expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
      }
    },
  );

  test.each([['report-status'], ['sync'], ['overview']])(
    '%s does not replace a file that another program wrote',
    async (word) => {
      const file = join(folder, page);
      const mine = '<!doctype html>\n<html lang="en">\n<p>mine</p>\n';
      writeFileSync(file, mine);
      const { code, stderr } = await run(
        word,
        ...(word === 'overview' ? [folder] : []),
        '--html',
        file,
      );
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `error: ${file} was not written by tankobon.\nhint: Choose another file: --html FILE\n`,
      });
      expect(readFileSync(file, 'utf8')).toBe(mine);
      expect(service.log).toEqual([]);
    },
  );

  test.each([[['report-status']], [['sync']]])(
    '%j prints the page alone to standard output for -',
    async (words) => {
      const { code, stdout } = await run(...words, '--html', '-');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
      expect(existsSync('-')).toBe(false);
    },
  );

  test.each([['report-status'], ['sync']])('%s refuses - together with --json', async (word) => {
    const { code, stderr } = await run(word, '--json', '--html', '-');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--json') });
    expect(service.log).toEqual([]);
  });
});
