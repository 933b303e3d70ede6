/** What may stand in TANKOBON_HOME in place of our own files, and running without a home folder. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  openSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileCredentialStore } from '../../../src/service/login/file-credential-store.js';
import { start, tankobon } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';
import { posixDescribe, posixTest } from '../../support/platform.js';

let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-home-'));
  home = join(folder, 'home');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const config = (...words: string[]) =>
  tankobonHere(['config', ...words], { env: { TANKOBON_HOME: home } });

const PLANTED: readonly (readonly [string, (path: string) => void])[] = [
  ['a named pipe', (path) => void execFileSync('mkfifo', [path])],
  [
    'a folder',
    (path) => {
      mkdirSync(path);
    },
  ],
  [
    'a device',
    (path) => {
      symlinkSync('/dev/zero', path);
    },
  ],
];

posixDescribe.each(PLANTED)('%s', (kind, plant) => {
  test('in place of the settings file is refused by every command at once', async () => {
    mkdirSync(home);
    const file = join(home, 'settings.json');
    plant(file);
    for (const words of [['list'], ['get', 'quality'], ['set', 'quality', 'data-saver']]) {
      const { code, stderr } = await config(...words);
      expect(stderr).toContain(`The settings file cannot be used: ${file} is ${kind}`);
      expect(stderr).toContain('Move it away');
      expect(code).toBe(2);
    }
  });

  test('in place of the credentials is refused at once', async () => {
    mkdirSync(home);
    const file = join(home, 'login.json');
    plant(file);
    await expect(fileCredentialStore(file).read()).rejects.toMatchObject({
      code: 'credentials-damaged',
      message: `${file} is ${kind} and is not used.`,
    });
  });
});

test('a settings file that is far too large is not read', async () => {
  mkdirSync(home);
  writeFileSync(join(home, 'settings.json'), ' '.repeat(2 ** 20 + 1));
  expect(await config('list')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('too large'),
  });
});

posixDescribe('without a home folder', () => {
  const homeless = { HOME: '' };

  test.each([['--help'], ['--version'], ['help'], ['download --help'], ['completion bash']])(
    '%s works',
    async (line) => {
      const { code, stdout, stderr } = await tankobon(line.split(' '), { env: homeless });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).not.toBe('');
    },
  );

  test('a command that needs a folder says so in one sentence and what to do', async () => {
    const { code, stdout, stderr } = await tankobon(['limits'], { env: homeless });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^error: No home folder found: it must be an absolute path, and HOME is ""/,
      ),
      expect.stringContaining('Set TANKOBON_HOME'),
    ]);
  });

  test('TANKOBON_HOME is enough', async () => {
    const env = { ...homeless, TANKOBON_HOME: home };
    expect(await tankobon(['config', 'set', 'quality', 'data-saver'], { env })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8'))).toMatchObject({
      quality: 'data-saver',
    });
  });
});

posixTest(
  'targets are read from a named pipe, as a shell’s process substitution gives one',
  async () => {
    const pipe = join(folder, 'targets');
    execFileSync('mkfifo', [pipe]);
    const reading = tankobon(['download', '--from-file', pipe, '-o', folder], {
      env: { TANKOBON_HOME: home },
    });
    execFileSync('sh', ['-c', 'echo nonsense > "$0"', pipe]);
    const { code, stderr } = await reading;
    expect(stderr).toMatch(/line 1: .*"nonsense"/);
    expect(code).toBe(2);
  },
);

posixTest('reading targets from a named pipe that stays open can be interrupted', async () => {
  const pipe = join(folder, 'targets');
  execFileSync('mkfifo', [pipe]);
  const { child, finished } = start(['download', '--from-file', pipe, '-o', folder], {
    env: { TANKOBON_HOME: home },
  });
  const writer = await openForWriting(pipe);
  child.kill('SIGINT');
  expect(await finished).toMatchObject({ code: 130 });
  closeSync(writer);
});

/** Opens the pipe as soon as somebody reads from it. */
async function openForWriting(pipe: string): Promise<number> {
  for (;;) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENXIO' });
    }
    await setTimeout(20);
  }
}

posixTest('a target file that is too large is not read to its end', async () => {
  const { code, stderr } = await tankobonHere(['download', '--from-file', '/dev/zero'], {
    env: { TANKOBON_HOME: home },
  });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('The target file is larger than 16 MiB: /dev/zero'),
  });
});
