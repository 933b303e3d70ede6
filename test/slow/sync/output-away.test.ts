/** A mount point that comes and goes: nothing is written into the folder that is there instead, and nothing is missing afterwards. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { tankobon } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  syncChapter,
  syncLibrary,
  titleId,
} from '../../support/sync-harness.js';

let service: PracticeService;
let folder: string;
let onRequest: ((path: string) => void) | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-away-'));
  const library = syncLibrary(['Alpha', 'Beta', 'Gamma'], Date.now() - 9 * DAY_MS);
  service = await startPracticeService({ library, onRequest: ({ path }) => onRequest?.(path) });
  writeFileSync(
    join(folder, 'subscriptions.yaml'),
    `series:\n${['Alpha', 'Beta'].map((name) => `  - { target: 'title:${titleId(name)}', output: nas }\n`).join('')}` +
      `  - { target: 'title:${titleId('Gamma')}', output: local }\n`,
    { mode: 0o600 },
  );
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const nas = () => join(folder, 'nas');
const env = () => ({ ...service.environment, TANKOBON_HOME: join(folder, 'home') });
const run = (...words: readonly string[]) => tankobonHere(words, { env: env() });
const syncWords = (words: readonly string[]) => [
  'sync',
  '--file',
  join(folder, 'subscriptions.yaml'),
  ...words,
];
const sync = (...words: readonly string[]) => run(...syncWords(words));
const syncProcess = (...words: readonly string[]) => tankobon(syncWords(words), { env: env() });
const put = (number: string) => {
  for (const name of ['Alpha', 'Beta', 'Gamma'])
    service.library.putChapter(syncChapter(name, number, Date.now() - HOUR_MS));
};
const files = (name: string) =>
  readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.cbz'))
    .sort();
const unmount = (emptyFolder: boolean) => {
  renameSync(nas(), join(folder, 'disk'));
  if (emptyFolder) mkdirSync(join(nas(), '.hidden'), { recursive: true });
};
const mount = () => {
  rmSync(nas(), { recursive: true, force: true });
  renameSync(join(folder, 'disk'), nas());
};

test.each([
  ['an empty mount point', true, syncProcess],
  ['a missing mount point', false, sync],
])(
  '%s is refused once for all its titles, others go on, and nothing is missing afterwards',
  async (_, isThere, act) => {
    expect(await act('--quiet')).toMatchObject({ code: 0 });
    put('3');
    unmount(isThere);
    const away = await act('--quiet');
    expect(away.code).toBe(3);
    expect(away.stderr.split(nas())).toHaveLength(3);
    expect(away.stderr).toContain(`hint: `);
    expect(away.stderr).toContain(`tankobon sync --new-folder ${nas()} --file ${folder}/`);
    expect(isThere ? files('nas') : readdirSync(folder)).not.toContain('nas');
    expect(files('local')).toHaveLength(3);
    mount();
    expect(await act('--quiet')).toMatchObject({ code: 0, stderr: '' });
    expect(files('nas')).toHaveLength(6);
    expect(service.violations()).toEqual([]);
  },
);

test('a disk that is unmounted within a run gets no folder in its place, and others go on', async () => {
  await sync('--quiet');
  put('3');
  put('4');
  onRequest = (path) => {
    if (!path.startsWith('/at-home/')) return;
    onRequest = undefined;
    unmount(true);
  };
  const { code, stderr } = await sync('--quiet');
  expect(code).toBe(3);
  expect(stderr).toContain(`error: The output folder is empty, and chapters were saved in it`);
  expect(readdirSync(nas(), { recursive: true })).toEqual(['.hidden']);
  expect(files('local')).toHaveLength(4);
  mount();
  expect((await sync('--quiet')).code).toBe(0);
  expect(files('nas')).toHaveLength(8);
});

test('doctor names the folder that is away, and the command for who emptied it', async () => {
  await sync('--quiet');
  unmount(true);
  const { code, stdout } = await run('doctor', '--file', join(folder, 'subscriptions.yaml'));
  expect(code).toBe(3);
  expect(stdout).toMatch(new RegExp(`error +output-folder .*${nas()}`));
  // Nothing is said of the disk that is there in its place.
  expect(stdout).toMatch(/ok +output-space .*local/);
  expect(stdout).not.toMatch(new RegExp(`ok .*${nas()}`));
  expect(stdout).toContain(`tankobon sync --new-folder ${nas()} --file ${folder}/`);
});

test('doctor names the key for another folder of a subscription', async () => {
  writeFileSync(nas(), '');
  const { code, stdout } = await run('doctor', '--file', join(folder, 'subscriptions.yaml'));
  expect(code).toBe(3);
  expect(stdout).toContain(
    `Make it writable, or change the key output: tankobon sync edit --file ${folder}/`,
  );
});

test('--json names the code of a folder that is away', async () => {
  await sync('--quiet');
  put('3');
  unmount(false);
  const { stdout } = await sync('--json');
  const reasons = stdout.split('\n').flatMap((line) => /"reason":"([^"]+)"/.exec(line)?.[1] ?? []);
  expect(reasons).toContain('output-away');
});

test('a folder that was emptied on purpose is used again after sync --new-folder', async () => {
  await sync('--quiet');
  put('3');
  rmSync(nas(), { recursive: true });
  expect((await sync('--quiet')).code).toBe(3);
  expect((await sync('--dry-run', '--new-folder', nas())).code).toBe(0);
  expect((await sync('--quiet')).code).toBe(3);
  expect((await sync('--quiet', '--new-folder', nas())).code).toBe(0);
  expect(files('nas')).toHaveLength(2);
  expect((await sync('--quiet')).code).toBe(0);
});

test('--new-folder of a folder that no subscription uses is refused', async () => {
  const { code, stderr } = await sync('--new-folder', join(folder, 'typo'));
  expect(code).toBe(2);
  expect(stderr).toContain(join(folder, 'typo'));
});

test('a folder in which anything else of the owner is left is used as before', async () => {
  await sync('--quiet');
  put('3');
  rmSync(nas(), { recursive: true });
  mkdirSync(nas());
  writeFileSync(join(nas(), 'read.me'), '');
  expect((await sync('--quiet')).code).toBe(0);
  expect(files('nas')).toHaveLength(2);
});

test('download refuses such a folder only with a download archive, and takes it with --new-folder', async () => {
  const archive = join(folder, 'archive.txt');
  const download = (number: string, ...words: readonly string[]) =>
    run('download', chapterId('Alpha', number), '-o', nas(), '--quiet', ...words);
  const withArchive = ['--download-archive', archive];
  expect((await download('1', ...withArchive)).code).toBe(0);
  unmount(true);
  const refused = await download('2', ...withArchive);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain(nas());
  expect(refused.stderr).toContain('--new-folder');
  expect((await download('2')).code).toBe(0);
  rmSync(nas(), { recursive: true });
  expect((await download('2', ...withArchive, '--new-folder', nas())).code).toBe(0);
  expect(files('nas')).toHaveLength(1);
});

test('verify of a folder without an archive is an error, as in overview and retag', async () => {
  mkdirSync(nas());
  mkdirSync(join(folder, 'local'));
  const { code, stderr } = await run('verify', nas());
  expect(code).toBe(2);
  expect(stderr).toContain(nas());
});

test('the folder of the run is named where neither the file nor a setting has one', async () => {
  const file = join(folder, 'by-hand.yaml');
  writeFileSync(file, `series:\n  - { target: 'title:${titleId('Alpha')}' }\n`);
  const from = (more: NodeJS.ProcessEnv) =>
    tankobon(['sync', '--file', file], { env: { ...env(), ...more }, cwd: folder });
  const { code, stderr } = await from({});
  expect(code).toBe(0);
  expect(stderr).toContain(`save into the folder of this run: ${folder}\n`);
  expect(stderr).toContain('tankobon config set output DIR');
  expect((await from({ TANKOBON_OUTPUT: folder })).stderr).not.toContain('warning');
});
