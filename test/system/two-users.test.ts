/** Two users of one machine: what one of them puts into a folder that both may write to.  */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateChapter } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { chapterId, testImage, writeChapterFile } from '../support/chapter-files.js';
import { tankobon } from '../support/command.js';
import { copyProgram, type ReadableProgram } from '../support/readable-program.js';
import { describeWith } from '../support/requirements.js';

/** Ids that no real user has. */
const ALICE = 64_001;
const MALLORY = 64_002;
const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0071';

let service: PracticeService;
let copy: ReadableProgram;
let folder: string;
let home: string;
let output: string;

/** Runs the program as Alice. */
async function asAlice(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [copy.program, ...words], {
    uid: ALICE,
    gid: ALICE,
    cwd: '/',
    env: { PATH: process.env['PATH'], ...service.environment, TANKOBON_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => (stdout += String(data)));
  child.stderr.on('data', (data) => (stderr += String(data)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

const download = () => asAlice(['download', ID, '--json', '-o', output]);

describeWith('two users', { root: true }, () => {
  beforeAll(async () => {
    copy = copyProgram();
    const chapter = generateChapter({ id: ID, pages: 3, bytesPerPage: 20_000 });
    service = await startPracticeService({ chapters: [chapter], specificationOnly: true });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-users-'));
    chmodSync(folder, 0o755);
    home = join(folder, 'home');
    output = join(folder, 'output');
    mkdirSync(home, { mode: 0o700 });
    chownSync(home, ALICE, ALICE);
    mkdirSync(output);
    chmodSync(output, 0o777);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(copy.folder, { recursive: true });
  });

  test('a workspace of another user is refused, and stays as it is', async () => {
    const workspace = join(output, `.${ID}.data.tankobon`);
    mkdirSync(workspace);
    chmodSync(workspace, 0o777);
    writeFileSync(join(workspace, '1.part'), 'planted');
    chownSync(workspace, MALLORY, MALLORY);
    const { code, stdout, stderr } = await download();
    expect(code).toBe(3);
    expect(stdout).toContain('"reason":"unsafe-path"');
    expect(stdout).toContain(`belongs to another user (uid ${MALLORY})`);
    expect(stderr).toContain('move it away');
    expect(readdirSync(workspace)).toEqual(['1.part']);
    expect(statSync(workspace).mode & 0o777).toBe(0o777);
  });

  test('a file of another user in the own workspace is not read', async () => {
    const workspace = join(output, `.${ID}.data.tankobon`);
    mkdirSync(workspace);
    writeFileSync(join(workspace, 'chapter.json'), '{}');
    writeFileSync(join(workspace, 'lock'), '', { mode: 0o666 });
    for (const path of [workspace, join(workspace, 'chapter.json')]) chownSync(path, ALICE, ALICE);
    chmodSync(join(workspace, 'lock'), 0o666);
    chownSync(join(workspace, 'lock'), MALLORY, MALLORY);
    const refused = await download();
    expect(refused.code).toBe(3);
    expect(refused.stdout).toContain(`belongs to another user (uid ${MALLORY})`);

    rmSync(join(workspace, 'lock'));
    chmodSync(join(workspace, 'chapter.json'), 0o666);
    chownSync(join(workspace, 'chapter.json'), MALLORY, MALLORY);
    expect((await download()).code).toBe(0);
    expect(readdirSync(output)).toEqual([`${ID}.cbz`]);
  });

  test('a state folder of another user is refused; what is in the own one is in force, also of other owners', async () => {
    const settings = join(home, 'settings.json');
    writeFileSync(settings, '{"quality":"data-saver"}', { mode: 0o644 });
    for (const owner of [0, MALLORY]) {
      chownSync(settings, owner, owner);
      expect(await asAlice(['config', 'get', 'quality'])).toMatchObject({ stdout: 'data-saver\n' });
    }
    chownSync(home, MALLORY, MALLORY);
    chmodSync(home, 0o777);
    const refused = await download();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`it belongs to another user (uid ${MALLORY}): ${home}`);
  });

  test('a user id that the system does not know, without HOME, needs TANKOBON_HOME alone', async () => {
    const nowhere = { TANKOBON_HOME: '' };
    for (const words of [['--help'], ['--version'], ['help', 'download']]) {
      expect(await asAlice(words, nowhere)).toMatchObject({ code: 0, stderr: '' });
    }
    const refused = await asAlice(['limits'], nowhere);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining(`HOME is not set, and the system has no user with the id ${ALICE}.`),
      expect.stringContaining('Set TANKOBON_HOME'),
    ]);

    expect(await asAlice(['config', 'set', 'quality', 'data'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect((await download()).code).toBe(0);
    expect(existsSync(join(output, `${ID}.cbz`))).toBe(true);
  });

  describe('files of another user', () => {
    const bind = (uid?: number, state = home) =>
      tankobon(['bind', output, '--by', 'title', '--json', '-o', join(state, 'books')], {
        env: { TANKOBON_HOME: state },
        program: copy.program,
        uid,
      });
    const writeChapter = async (number: number, owner: number): Promise<string> => {
      const file = join(output, `${number}.cbz`);
      const chapter = { id: chapterId(number), number: String(number) };
      await writeChapterFile(file, { ...chapter, images: [await testImage('png', number)] });
      chownSync(file, owner, owner);
      return file;
    };

    test('are not bound, and are named; those of root and of the user are', async () => {
      await writeChapter(1, ALICE);
      await writeChapter(2, 0);
      const planted = await writeChapter(3, MALLORY);
      const { code, stdout, stderr } = await bind(ALICE);
      expect(code).toBe(3);
      expect(stdout).toContain('"pages":2');
      expect(stdout + stderr).toContain(
        `Cannot read the chapter (it belongs to another user (uid ${MALLORY})): ${planted}`,
      );
    });

    test('are bound by root if they belong to the owner of their folder', async () => {
      chownSync(output, ALICE, ALICE);
      await writeChapter(1, ALICE);
      const planted = await writeChapter(2, MALLORY);
      const { code, stdout } = await bind(undefined, join(folder, 'root'));
      expect(code).toBe(3);
      expect(stdout).toContain('"pages":1');
      expect(stdout).toContain(planted);
    });

    test('are chapters that exist, and are checked by verify', async () => {
      const chapter = { id: ID, number: '1' };
      const file = join(output, 'theirs.cbz');
      await writeChapterFile(file, { ...chapter, images: [await testImage('png', 1)] });
      chownSync(file, MALLORY, MALLORY);
      const { code, stdout } = await download();
      expect(code).toBe(0);
      expect(stdout).toContain('"type":"chapter-skipped"');
      expect(readdirSync(output)).toEqual(['theirs.cbz']);
      expect(await asAlice(['verify', output])).toMatchObject({ code: 0 });
    });
  });
});
