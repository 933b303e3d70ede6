/** Usage errors that depend on a file: their codes, and the messages of the process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../../src/cli/program.js';
import { ERROR_CODES } from '../../../src/core/error-codes.js';
import { runWith } from '../../support/auth/context.js';
import { tankobonHere } from '../../support/in-process.js';

const ID = '3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101';
const TITLE = `title:${ID}`;

let folder: string;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-usage-'));
  env = { TANKOBON_HOME: join(folder, 'home') };
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command line in this process, to see what it throws. */
async function runHere(words: readonly string[]): Promise<unknown> {
  return runProgram(words, await runWith(env));
}

test('a missing file is bad-input-file, and the hint is about its path, not its content', async () => {
  const missing = join(folder, 'missing.txt');
  const words = ['download', '--from-file', missing];
  await expect(runHere(words)).rejects.toMatchObject({ code: 'bad-input-file' });
  const { code, stderr } = await tankobonHere(words, { env });
  expect(code).toBe(2);
  expect(stderr).toContain(missing);
  const hint = '\nhint: Check the path, and that you may read it.\n';
  expect(stderr).toContain(hint);
  const imported = await tankobonHere(['sync', 'import', missing], { env });
  expect(imported).toMatchObject({ code: 2, stderr: expect.stringContaining(hint) });
});

test('a file in the place of a target hints --from-file', async () => {
  const file = join(folder, 'my titles.txt');
  writeFileSync(file, `${TITLE}\n`);
  const { code, stderr } = await tankobonHere(['download', file], { env });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /\nhint: To read the targets in the file, run: tankobon download --from-file '.*my titles\.txt'\n$/,
    ),
  ]);
});

test('an argument is not a position in the subscriptions file', async () => {
  const file = join(folder, 'subscriptions.yaml');
  writeFileSync(file, `series:\n  - target: ${TITLE}\n`, { mode: 0o600 });
  const words = ['sync', 'hook', 'add', 'ntfy', 'ftp://host/topic', '--file', file];
  const { code, stderr } = await tankobonHere(words, { env });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^error: Invalid hooks\.ntfy: must be a URL: .+\nhint: .+ tankobon help subscriptions\n$/,
    ),
  ]);
});

test('a hook whose program is missing is a command that was not found', async () => {
  const file = join(folder, 'subscriptions.yaml');
  writeFileSync(file, `series:\n  - target: ${TITLE}\n`, { mode: 0o600 });
  const words = ['sync', 'hook', 'add', 'exec', '--file', file, '--', 'no-such-program', 'a'];
  const { stderr } = await tankobonHere(words, { env });
  expect(stderr).toContain('error: The hook exec failed: command not found: no-such-program\n');
});

test('a folder as the target file is bad-input-file, and named', async () => {
  await expect(runHere(['download', '--from-file', folder])).rejects.toMatchObject({
    code: 'bad-input-file',
    message: `The target file cannot be read, it is a folder: ${folder}`,
  });
});

test('a target file without targets is bad-input-file, and named', async () => {
  const file = join(folder, 'comments.txt');
  writeFileSync(file, '# nothing yet\n\n');
  await expect(runHere(['download', '--from-file', file])).rejects.toMatchObject({
    code: 'bad-input-file',
    message: `No targets in: ${file}`,
  });
  await expect(runHere(['download'])).rejects.toMatchObject({ code: 'bad-target' });
});

test('a binary target file is refused as a whole, with one error', async () => {
  const file = join(folder, 'list.bin');
  writeFileSync(file, 'a\0b\n'.repeat(500));
  const { code, stderr } = await tankobonHere(['download', '--from-file', file], { env });
  expect([code, stderr]).toEqual([
    2,
    `error: Not a text file: ${file}\nhint: ${ERROR_CODES['bad-input-file'].hint}\n`,
  ]);
});

test('a target file in UTF-16, as Windows PowerShell writes it, is read', async () => {
  const file = join(folder, 'utf16.txt');
  writeFileSync(file, '\uFEFFnot-a-target\r\n', 'utf16le');
  const { code, stderr } = await tankobonHere(['download', '--from-file', file], { env });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('line 1: Not a chapter, title or list: "not-a-target"'),
  ]);
});

test.each([
  ['download', 'x', '--output', ''],
  ['download', '--from-file', 'list.txt', '--from-file', ''],
  ['sync', '--only', ''],
  ['sync', 'add', 'x', '--file', ''],
])('an empty value, as of an unset variable, is bad-option: %s', async (...words) => {
  await expect(runHere(words)).rejects.toMatchObject({
    code: 'bad-option',
    message: expect.stringContaining("argument '' is invalid. It must not be empty."),
  });
});

test.each([
  ['download', TITLE, '--language', 'all,en'],
  ['search', 'lighthouse', '--language', 'en,all'],
  ['sync', 'add', TITLE, '--language', 'all,en'],
  ['config', 'set', 'language', 'all,en'],
])('a language beside all is refused before anything is sent: %s %s', async (...words) => {
  await expect(runHere(words)).rejects.toMatchObject({
    code: words[0] === 'config' ? 'bad-setting' : 'bad-option',
    message: expect.stringContaining('"all" cannot be combined with other languages'),
    hint: 'Use all alone, or codes such as en,pt-br.',
  });
});

test.each([
  ['xx', ['--cover=xx', TITLE]],
  ['ALL', ['--cover=ALL', TITLE]],
  ['lighthouse', ['--cover', 'lighthouse']],
  ['nosuch.jpg', ['--cover', 'nosuch.jpg', TITLE]],
])('what follows --cover is all or a target: %s is bad-option', async (word, words) => {
  await expect(runHere(['download', ...words])).rejects.toMatchObject({
    code: 'bad-option',
    message: `Option '--cover [which]' argument '${word}' is invalid. It saves the cover from MangaDex, and takes no file. For an image of your own: tankobon bind --cover FILE.`,
    hint: 'Run: tankobon help download',
  });
});

test.each([
  [
    ['completion', 'bahs'],
    'shell',
    'Did you mean bash? Use one of: bash, zsh, fish, powershell. Run: tankobon help completion',
  ],
  [
    ['sync', 'hook', 'add', 'kmoga', 'http://nas:25600'],
    'hook',
    'Did you mean komga? Use one of: komga, kavita, ntfy, webhook, exec. Run: tankobon help sync hook add',
  ],
])('a mistyped choice is bad-option with a similar one: %j', async (words, name, hint) => {
  const word = words.find((each) => /^(bahs|kmoga)$/.test(each));
  await expect(runHere(words)).rejects.toMatchObject({
    code: 'bad-option',
    message: `Unknown ${name} '${word}'.`,
    hint,
  });
});

test('a report page that cannot be written is bad-output', async () => {
  const words = ['report-status', '--html', join(folder, 'no', 'such', 'nodes.html')];
  await expect(runHere(words)).rejects.toMatchObject({ code: 'bad-output' });
  const { code, stderr } = await tankobonHere(words, { env });
  expect(code).toBe(2);
  expect(stderr).toContain('cannot be written');
});
