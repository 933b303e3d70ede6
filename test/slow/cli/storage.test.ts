/** Errors of the disk and the network as the program reports them, and two processes at the same chapter. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { checkOutputFolder } from '../../../src/core/output-folder.js';
import { EXAMPLE_TITLES, generateChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { ERROR_CODES, type ErrorCode } from '../../../src/core/error-codes.js';
import { readPages } from '../../support/archive.js';
import { PROGRAM, tankobon } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';
import { longRunRows } from '../../support/long-run.js';
import { linuxTest, posixTest } from '../../support/platform.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0051';
const PAGES = 20;
/** Chapters of one page. */
const SMALL_IDS = [2, 3, 4].map((digit) => `0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f005${digit}`);
const [SMALL_ID = ''] = SMALL_IDS;
let service: PracticeService;
let folder: string;
/** One ledger for all, as the limits are those of one service. */
let ledger: string;
let env: Record<string, string>;
beforeAll(async () => {
  ledger = mkdtempSync(join(tmpdir(), 'tankobon-disk-ledger-'));
  const chapter = generateChapter({ id: ID, pages: PAGES, bytesPerPage: 60_000 });
  const small = SMALL_IDS.map((id) => generateChapter({ id, pages: 1, bytesPerPage: 2_000 }));
  service = await startPracticeService({
    chapters: [chapter, ...small],
    latencyMs: { node: 150 },
    specificationOnly: true,
  });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-disk-'));
  env = {
    ...service.environment,
    TANKOBON_HOME: join(folder, 'home'),
    TANKOBON_LEDGER: ledger,
  };
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
afterAll(async () => {
  await service.stop();
  rmSync(ledger, { recursive: true, force: true });
});

/** The events among the lines that were written. */
const eventsIn = (stdout: string): unknown[] =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): unknown => JSON.parse(line));

/** The event of a chapter that fails for this reason, with a message such as this. */
const failure = (reason: ErrorCode, words: string): unknown =>
  expect.objectContaining({
    type: 'chapter-failed',
    reason,
    message: expect.stringContaining(words),
  });

linuxTest.each(['help', '--version', 'limits', ...longRunRows('config list', 'completion bash')])(
  'standard output of %s on a full disk is disk-full, exit 3',
  (line) => {
    const full = openSync('/dev/full', 'w');
    try {
      const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...line.split(' ')], {
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      });
      const { exitCode, hint } = ERROR_CODES['disk-full'];
      expect({ status, stderr }).toEqual({
        status: exitCode,
        stderr: `error: No space left on the device: standard output\nhint: ${hint}\n`,
      });
    } finally {
      closeSync(full);
    }
  },
);

linuxTest('a demo whose output cannot be written leaves no temporary files', () => {
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  const full = openSync('/dev/full', 'w');
  try {
    const { status } = spawnSync(process.execPath, [PROGRAM, 'demo', '-o', join(folder, 'demo')], {
      env: { PATH: process.env['PATH'], ...env, TMPDIR: temporary },
      stdio: ['ignore', full, 'ignore'],
    });
    expect([status, readdirSync(temporary)]).toEqual([3, []]);
  } finally {
    closeSync(full);
  }
});

posixTest(
  'an error of the file system without a code of its own names the file and helps, and exits 3',
  async () => {
    const output = join(folder, 'limited');
    // No file may grow beyond 40 blocks of 512 bytes; the page does, and the answer is EFBIG.
    const script = 'trap \'\' XFSZ; ulimit -f 40; exec "$@"';
    const words = [PROGRAM, 'download', ID, '--json', '-o', output];
    const child = execFile('sh', ['-c', script, 'sh', process.execPath, ...words], {
      env: { PATH: process.env['PATH'], ...env },
    });
    const stdout = child.stdout ? textOf(child.stdout) : '';
    const stderr = child.stderr ? textOf(child.stderr) : '';
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(3);
    expect(eventsIn(await stdout)).toContainEqual(failure('storage-failed', 'EFBIG'));
    expect(await stderr).toContain('download, search and bind have --output DIR');
    expect(await stderr).not.toContain('unexpected');
  },
);

test('a name too long for the file system is said so', async () => {
  const name = `${`${'x'.repeat(240)}/`.repeat(18)}{chapter}`;
  const targets = [`title:${EXAMPLE_TITLES.lighthouse}`, '--language', 'en', '--chapters', '1'];
  const words = ['download', ...targets, '--json', '--name', name, '-o', join(folder, 'deep')];
  const catalogue = await startPracticeService();
  const { code, stdout, stderr } = await tankobonHere(words, {
    env: { ...env, ...catalogue.environment },
  });
  await catalogue.stop();
  expect(code).toBe(3);
  expect(eventsIn(stdout)).toContainEqual(failure('name-too-long', 'too long'));
  expect(stderr).toContain('--name TEMPLATE');
});

test('the check of an output folder leaves nothing, and removes what a killed run left of it', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'tankobon-output-'));
  mkdirSync(join(parent, '.tankobon.check'));
  await checkOutputFolder(join(parent, 'comics', 'new'));
  expect(readdirSync(parent)).toEqual([]);
  rmSync(parent, { recursive: true });
});

posixTest('an output folder that is a link to nothing is refused by its name', async () => {
  const link = join(folder, 'dangling');
  symlinkSync(join(folder, 'nowhere'), link);
  await expect(checkOutputFolder(link)).rejects.toMatchObject({
    code: 'bad-output',
    message: `The output folder cannot be used: it is not a folder: ${link}`,
  });
  await expect(checkOutputFolder(join(link, 'new'))).rejects.toMatchObject({
    message: `The output folder cannot be used: ${link} is not a folder: ${join(link, 'new')}`,
  });
});

linuxTest.each([
  ['a file', '/etc/hostname', /cannot be used: it is not a folder: \/etc\/hostname\n/],
  ['below a file', '/etc/hostname/comics', /a part of the path is not a folder/],
  [
    'in a file system that takes no folders',
    '/proc/tankobon/comics',
    /it cannot be created \(ENOENT\)/,
  ],
  ['longer than the file system allows', join('/tmp', 'x'.repeat(300)), /its name is too long/],
])(
  'an output folder that is %s is exit 2 at once: nothing is sent',
  async (_what, output, reason) => {
    const before = service.log.length;
    for (const more of [[], ['--dry-run']]) {
      const { code, stderr } = await tankobonHere(['download', ID, '-o', output, ...more], { env });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(reason) });
      expect(stderr).toMatch(
        /^error: The output folder cannot be used: .*\nhint: Choose a writable folder: --output DIR\n$/,
      );
    }
    expect(service.log.length).toBe(before);
  },
);

linuxTest.each([
  ['in a file system that takes no folders', '/proc/tankobon'],
  ['a file', '/etc/hostname'],
])('a TANKOBON_HOME that is %s is exit 2 at once, and is named', async (_what, home) => {
  const before = service.log.length;
  for (const words of [
    ['download', ID, '-o', folder],
    ['search', 'light'],
    ['config', 'set', 'quality', 'data'],
  ]) {
    const { code, stderr } = await tankobonHere(words, { env: { ...env, TANKOBON_HOME: home } });
    expect({ words, code, stderr }).toEqual({
      words,
      code: 2,
      stderr: expect.stringContaining(home),
    });
    expect(stderr).toContain('TANKOBON_HOME');
  }
  expect(service.log.length).toBe(before);
});

test('~/ at the start of a quoted folder is the home folder, in the option and in the setting', async () => {
  const home = join(folder, 'user');
  const atHome = { ...env, HOME: home, TANKOBON_HOME: join(folder, 'tilde-state') };
  const words = ['download', SMALL_ID, '--output=~/by-option'];
  expect((await tankobon(words, { env: atHome, cwd: folder })).code).toBe(0);
  expect(readdirSync(join(home, 'by-option'))).toEqual([`${SMALL_ID}.cbz`]);
  await tankobonHere(['config', 'set', 'output', '~/by-setting'], { env: atHome });
  expect((await tankobon(['download', SMALL_ID], { env: atHome, cwd: folder })).code).toBe(0);
  expect(readdirSync(join(home, 'by-setting'))).toEqual([`${SMALL_ID}.cbz`]);
});

test('two processes at the same chapters and folder: one does each, the other waits, and says so once', async () => {
  const before = service.log.length;
  const output = join(folder, 'both');
  const both = await Promise.all(
    [1, 2].map(() =>
      tankobon(['download', ID, ...SMALL_IDS, '-o', output, '--concurrency', '1'], { env }),
    ),
  );
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  const warnings = both.map(({ stderr }) => stderr.match(/^warning: (?!No metadata).*$/gm) ?? []);
  expect(warnings.map(({ length }) => length).sort()).toEqual([0, 1]);
  expect(warnings.flat()[0]).toBe(
    `warning: Another tankobon downloads to this folder too. This run waits for the chapters that it has begun, and skips what it saves: ${output}`,
  );
  expect(readdirSync(output)).toEqual([ID, ...SMALL_IDS].map((id) => `${id}.cbz`));
  expect(await readPages(join(output, `${ID}.cbz`))).toHaveLength(PAGES);
  const loads = service.log.slice(before).filter(({ host }) => host === 'node');
  expect(loads).toHaveLength(PAGES + SMALL_IDS.length);
});

test('a chapter from a file, from standard input, and twice on the command line is done once', async () => {
  const input = `# a shelf\n\n${ID}\nnonsense\nhttps://mangadex.org/chapter/${ID}/3 # again\n`;
  const { code, stdout, stderr } = await tankobonHere(
    ['download', ID, '--from-file', '-', '-o', folder],
    { env, input },
  );
  expect(code).toBe(3);
  expect(stdout.trim().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(/standard input, line 4: .*"nonsense"/);
});

test('the network being dead is said in a sentence that helps', async () => {
  const dead = { ...env, TANKOBON_API_URL: 'http://127.0.0.1:9' };
  const { code, stderr } = await tankobonHere(['download', ID, '-o', folder], { env: dead });
  expect(code).toBe(3);
  expect(stderr).toMatch(/127\.0\.0\.1:9/);
  expect(stderr).toContain('Check the network');
  expect(stderr).not.toMatch(/\bat .*\.js:\d+/);
});

test('a folder of our own that cannot be one is said with the variable that names it', async () => {
  const file = join(folder, 'file');
  closeSync(openSync(file, 'w'));
  const noLedger = await tankobonHere(['download', ID, '-o', folder, '--json'], {
    env: { ...env, TANKOBON_LEDGER: file },
  });
  expect(noLedger.code).toBe(3);
  expect(eventsIn(noLedger.stdout)).toContainEqual(failure('name-taken', 'is in the way'));
  expect(noLedger.stderr).toContain('Set TANKOBON_LEDGER');
  const noHome = { ...service.environment, TANKOBON_HOME: file };
  expect(await tankobonHere(['limits'], { env: noHome })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Set TANKOBON_HOME to a folder'),
  });
});
