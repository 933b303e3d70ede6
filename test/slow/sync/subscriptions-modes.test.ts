/** The subscriptions file names commands that sync runs: only its user may write to it. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { tankobonHere } from '../../support/in-process.js';
import { posixDescribe, posixTest } from '../../support/platform.js';
import { DAY_MS, syncLibrary, titleId } from '../../support/sync-harness.js';

const ALPHA = titleId('Alpha');

let folder: string;
let file: string;
let service: PracticeService;
let env: Record<string, string>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tankobon-modes-o'-"));
  const home = join(folder, 'home');
  file = join(home, 'subscriptions.yaml');
  service = await startPracticeService({ library: syncLibrary(['Alpha'], Date.now() - DAY_MS) });
  env = { ...service.environment, TANKOBON_HOME: home };
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const sync = (...words: readonly string[]) => tankobonHere(['sync', ...words], { env });
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const ranFile = () => join(folder, 'the-hook-ran');

/** Subscribes to a title, with a hook that leaves a file. */
function subscribe(mode: number): void {
  mkdirSync(dirname(file), { recursive: true });
  const hook = JSON.stringify(['touch', ranFile()]);
  const series = `series: [{ target: title:${ALPHA}, output: ${JSON.stringify(join(folder, 'out'))} }]`;
  writeFileSync(file, `hooks: { exec: ${hook} }\n${series}\n`);
  chmodSync(file, mode);
}

posixTest.each([
  [0o000, 0o777],
  [0o022, 0o755],
  [0o777, 0o700],
])('sync add under umask %o in a folder of mode %o creates it with 0600', async (umask, mode) => {
  mkdirSync(dirname(file));
  mkdirSync(join(dirname(file), 'locks'));
  chmodSync(dirname(file), mode);
  const previous = process.umask(umask);
  const run = await sync('add', ALPHA, '-o', join(folder, 'out')).finally(() =>
    process.umask(previous),
  );
  expect(run).toMatchObject({ code: 0 });
  expect(modeOf(file)).toBe('600');
});

posixDescribe.each([0o602, 0o646, 0o666])('mode %o', (mode) => {
  test.each([[[]], [['--every', '6h']], [['add', ALPHA]], [['list']], [['import', 'follows']]])(
    'sync %j is exit 2 with the chmod to type, and nothing is sent or run',
    async (words) => {
      subscribe(mode);
      const { code, stdout, stderr } = await sync(...words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`other users can write to it: ${file}`);
      expect([service.log, existsSync(ranFile())]).toEqual([[], false]);
      const [, command = ''] = /then type: (chmod .*)$/m.exec(stderr) ?? [];
      execFileSync('sh', ['-c', command]);
      expect(await sync()).toMatchObject({ code: 0 });
      expect(existsSync(ranFile())).toBe(true);
    },
  );
});

describe('a group', () => {
  posixTest('that is the user’s own may write to it', async () => {
    subscribe(0o660);
    chownSync(file, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    expect(await sync('list')).toMatchObject({ code: 0 });
  });

  const [otherGroup] = (process.getgroups?.() ?? []).filter((gid) => gid !== process.getgid?.());
  const gid = process.getuid?.() === 0 ? 64_005 : otherGroup;
  (gid === undefined ? test.skip : test)('that is another may not', async () => {
    subscribe(0o660);
    chownSync(file, process.getuid?.() ?? 0, gid ?? 0);
    expect(await sync()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('other users can write to it'),
    });
    expect(service.log).toEqual([]);
  });
});

posixTest('through a link, the mode of its target counts', async () => {
  subscribe(0o666);
  const link = join(folder, 'link.yaml');
  symlinkSync(file, link);
  const { code, stderr } = await sync('--file', link);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(file) });
});
