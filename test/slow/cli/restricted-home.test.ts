/** Without a home folder or with a read-only one, and with another folder for temporary files. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testImage, writeChapterFile } from '../../support/chapter-files.js';
import { PROGRAM } from '../../support/command.js';
import { otherUid, startAsOtherUser, type OtherUserHarness } from '../../support/other-user.js';
import { longRunRows } from '../../support/long-run.js';
import { posixTest } from '../../support/platform.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0061';
const TITLE = 'https://mangadex.org/title/3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101';
/** A user that the system does not know. */
const uid = otherUid(64_003);
const FOLDERS = ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'TANKOBON_HOME', 'TANKOBON_LEDGER'];

let harness: OtherUserHarness;
let folder: string;
let home: string;
let output: string;
beforeAll(async () => {
  harness = await startAsOtherUser(ID, uid);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-restricted-'));
  [home, output] = [join(folder, 'home'), join(folder, 'output')];
  for (const path of [home, output]) mkdirSync(path);
  for (const path of [folder, output]) chmodSync(path, 0o777);
  chmodSync(home, 0o555);
});
afterEach(() => {
  chmodSync(home, 0o755);
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => harness.stop());

/** Runs a command line that writes its files to `output`. */
const run = (line: string, env: Readonly<Record<string, string>>, input?: string) =>
  harness.run(line, {
    env: { ...Object.fromEntries(FOLDERS.map((name) => [name, ''])), ...env },
    cwd: output,
    input,
  });

posixTest('bind names an output folder that it cannot write to, and leaves nothing', async () => {
  const file = join(output, '1.cbz');
  await writeChapterFile(file, { number: '1', volume: '1', images: [await testImage('png')] });
  chmodSync(file, 0o644);
  const { code, stdout, stderr } = await run(`bind ${file} -o ${home}`, {
    TANKOBON_HOME: join(output, 'state'),
  });
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: The output folder cannot be used: permission denied (EACCES): ${home}\nhint: Choose a writable folder: --output DIR\n`,
  });
  expect([readdirSync(home), readdirSync(output)]).toEqual([[], ['1.cbz']]);
});

describe('with a read-only HOME', () => {
  const readOnly = () => ({ HOME: home });

  posixTest.each([
    [`download ${ID}`],
    ['login --insecure-storage'],
    ['config set quality data-saver'],
    ...longRunRows(
      ['search light'],
      ['login --for komga --stdin --insecure-storage'],
      ['logout'],
      [`sync add ${TITLE} -o /tmp/comics`],
    ),
  ])('%s is refused with a sentence and what to do, and sends nothing', async (line) => {
    const before = harness.service.log.length;
    const { code, stdout, stderr } = await run(line, readOnly(), '{"key":"secret"}');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(`^error: .*cannot be used.*${home}`),
      expect.stringMatching(/^hint: .*\bset TANKOBON_HOME to /i),
    ]);
    expect(harness.service.log.length).toBe(before);
    expect(readdirSync(home)).toEqual([]);
  });

  posixTest.each([
    ['config list'],
    ...longRunRows(['demo'], ['limits'], ['report-status'], ['sync status']),
  ])('%s works', async (line) => {
    expect(await run(line, readOnly())).toMatchObject({ code: 0 });
  });

  posixTest('TANKOBON_HOME is enough, and a ledger that cannot be written is named', async () => {
    const env = { ...readOnly(), TANKOBON_HOME: join(output, 'state') };
    expect(await run('login --insecure-storage', env)).toMatchObject({ code: 0, stderr: '' });
    expect(await run(`download ${ID}`, env)).toMatchObject({ code: 0 });
    expect(readdirSync(output).sort()).toEqual([`${ID}.cbz`, 'state']);

    const TANKOBON_LEDGER = join(home, 'ledger');
    const refused = await run(`download ${ID} --force`, { ...env, TANKOBON_LEDGER });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/error: The rate ledger cannot be used. .*\(EACCES\): .*home\n/);
    expect(refused.stderr).toContain('hint: Set TANKOBON_LEDGER');
  });

  posixTest('credentials that became read-only are named, with what to do', async () => {
    const state = join(output, 'state');
    const env = { HOME: home, TANKOBON_HOME: state };
    expect(await run('login --insecure-storage', env)).toMatchObject({ code: 0 });
    chmodSync(join(state, 'credentials'), 0o500);
    const { code, stderr } = await run('logout', env);
    chmodSync(join(state, 'credentials'), 0o700);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: .*\(EACCES\): .*credentials/);
    expect(stderr).toContain('hint: Check its permissions, or set TANKOBON_HOME to another folder');
  });
});

describe('a folder of tankobon’s own files that this user cannot read', () => {
  /** The owner is this user: such a mode shuts out everybody but root. */
  const unreadable = (...names: readonly string[]) => {
    const path = join(output, ...names);
    mkdirSync(path, { recursive: true, mode: 0o777 });
    chmodSync(path, 0o000);
    if (uid !== undefined) chownSync(path, uid, uid);
    return path;
  };

  posixTest.each([['whoami'], ...longRunRows(['report-status'], ['sync status'], ['limits'])])(
    'the state folder: %s names it',
    async (line) => {
      const XDG_STATE_HOME = join(output, 'state');
      const path = unreadable('state', 'tankobon');
      const { code, stdout, stderr } = await run(line, { HOME: home, XDG_STATE_HOME });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(path);
      expect(stderr).toMatch(/\nhint: .*TANKOBON_HOME/);
    },
  );

  posixTest.each([['limits'], ...longRunRows(['report-status'], ['whoami'], ['sync status'])])(
    'TANKOBON_HOME is a file: %s refuses it',
    async (line) => {
      const TANKOBON_HOME = join(output, 'file');
      writeFileSync(TANKOBON_HOME, '');
      const { code, stdout, stderr } = await run(line, { TANKOBON_HOME });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(TANKOBON_HOME);
    },
  );

  posixTest.each([
    ['credentials', 'whoami'],
    ['ledger', `download ${ID}`],
    ...longRunRows(
      ['sync', 'sync status'],
      ['health-reports', 'report-status'],
      ['credentials', `download ${ID}`],
      ['sync', `sync add ${TITLE} -o /tmp/comics`],
      ['health-reports', 'report-status --flush'],
      ['health-reports', 'report-status --clear --yes'],
      ['ledger', 'limits'],
    ),
  ])('%s: %s names it, and it is not a bug', async (name, line) => {
    const path = unreadable('state', name);
    chmodSync(join(output, 'state'), 0o777);
    if (uid !== undefined) chownSync(join(output, 'state'), uid, uid);
    const { code, stderr } = await run(line, { TANKOBON_HOME: join(output, 'state') });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: .*\(EACCES\)/m);
    expect(stderr).toContain(path);
    expect(stderr).toMatch(/\nhint: .*TANKOBON_HOME/);
  });
});

posixTest('a current folder that was deleted is named as that', async () => {
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$NODE" "$PROGRAM" download "$ID"';
  const { code, stderr } = await new Promise<{ code: number | null; stderr: string }>((done) => {
    const child = execFile(
      'sh',
      ['-c', script],
      { cwd: output, env: { ...harness.service.environment, NODE: process.execPath, PROGRAM, ID } },
      (_error, _stdout, text) => {
        done({ code: child.exitCode, stderr: text });
      },
    );
  });
  expect(code).toBe(3);
  expect(stderr).toBe(
    'error: The current folder no longer exists.\nhint: Change to a folder that exists: cd\n',
  );
});

describe('with TMPDIR elsewhere', () => {
  const elsewhere = (TMPDIR: string) => ({
    HOME: '/nonexistent',
    TANKOBON_HOME: join(output, 'state'),
    TMPDIR,
    TEMP: TMPDIR,
    TMP: TMPDIR,
  });

  test('only demo uses it, and leaves nothing there', async () => {
    const temporary = join(output, 'for temporary files');
    mkdirSync(temporary);
    chmodSync(temporary, 0o777);
    expect(await run('demo', elsewhere(temporary))).toMatchObject({ code: 0 });
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('a missing one is a sentence of demo, and nothing to the others', async () => {
    const missing = elsewhere(join(folder, 'missing'));
    const others = longRunRows('login --insecure-storage', 'config set quality data');
    for (const line of [`download ${ID}`, ...others])
      expect({ line, ...(await run(line, missing)) }).toMatchObject({ line, code: 0 });
    const refused = await run('demo', missing);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' });
    expect(refused.stderr.trimEnd().split('\n')).toEqual([
      `error: The folder for temporary files cannot be used (ENOENT): ${join(folder, 'missing')}`,
      expect.stringMatching(/^hint: Set (TMPDIR|TEMP) to a folder that you can write to\.$/),
    ]);
  });
});

test('demo needs neither a home folder nor the configured ledger', async () => {
  const env = { HOME: '', TANKOBON_LEDGER: '/nonexistent/ledger' };
  expect(await run('demo', env)).toMatchObject({ code: 0 });
});
