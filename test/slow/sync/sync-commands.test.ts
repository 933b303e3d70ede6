/** `tankobon sync` as a user runs it: edits, status, and in a process of its own repetition and signals. */
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { start } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';
import { DAY_MS, HOUR_MS, syncChapter, syncLibrary, titleId } from '../../support/sync-harness.js';
import { posixDescribe, posixTest } from '../../support/platform.js';

const ALPHA = titleId('Alpha');

let folder: string;
let service: PracticeService;
let env: Record<string, string>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-sync-commands-'));
  const library = syncLibrary(['Alpha'], Date.now() - 9 * DAY_MS);
  service = await startPracticeService({ library, latencyMs: { node: 100 } });
  env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...words: string[]) => tankobonHere(['sync', ...words], { env });

test('add -o is relative to the current folder, as every -o is; ~/ stays the home folder', async () => {
  const elsewhere = join(folder, 'elsewhere', 'subs.yaml');
  const outputOf = async (output: string): Promise<unknown> => {
    expect(await run('add', ALPHA, '-o', output, '--file', elsewhere)).toMatchObject({ code: 0 });
    const { stdout } = await run('list', '--json', '--file', elsewhere);
    return (JSON.parse(stdout) as { options: { output: string } }[])[0]?.options.output;
  };
  expect(await outputOf('Comics')).toBe(resolve('Comics'));
  expect(await outputOf(join(folder, 'comics'))).toBe(join(folder, 'comics'));
  expect(await outputOf('~/Comics')).toBe('~/Comics');
});

test.each([
  [80, /^title +new +replaced +skipped +failed\nAlpha +2 +0 +0 +0\n$/m, /^1 title checked/],
  [40, /\.cbz\n$/, /^Alpha: 2 new\n1 title checked/],
])(
  'a terminal of %i columns has the report that fits: a table, or one line a title',
  async (columns, out, err) => {
    await run('add', ALPHA, '-o', join(folder, 'comics'));
    const { stdout, stderr } = await tankobonHere(['sync'], { env, columns });
    const [table, lines] = [stdout, stderr].map(stripVTControlCharacters);
    expect(table).toMatch(out);
    expect(lines).toMatch(err);
  },
);

test('a sync that ended checks nothing any more: with --every, it waits for hours', async () => {
  const running = new Set<unknown>();
  const { setInterval, clearInterval } = globalThis;
  const replaced = {
    // None is called: a check ends by itself where the heap is large, as that of this process.
    setInterval: () => {
      const timer = setInterval(() => undefined, DAY_MS).unref();
      running.add(timer);
      return timer;
    },
    clearInterval: (timer: Parameters<typeof clearInterval>[0]) => {
      running.delete(timer);
      clearInterval(timer);
    },
  };
  await run('add', ALPHA, '-o', join(folder, 'comics'));
  Object.assign(globalThis, replaced);
  try {
    expect(await run()).toMatchObject({ code: 0 });
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
  }
  expect([...running]).toEqual([]);
});

test('an invalid option, target or file exits with 2 and changes nothing', async () => {
  expect(await run()).toMatchObject({ code: 2 });
  expect((await run('add', `title:${ALPHA}`, '--chapters', 'x')).code).toBe(2);
  expect((await run('add', `title:${ALPHA}`, '--format', 'epub')).code).toBe(2);
  expect((await run('--every', '5m')).stderr).toContain('at least 15 minutes');
  const file = join(folder, 'bad.yaml');
  writeFileSync(file, 'series:\n  - target: 7\n');
  const { code, stderr } = await run('--file', file);
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${file}:2:13: series[0].target`),
  });
  expect(service.log).toEqual([]);
});

test.each([
  [
    '--folder',
    '../x',
    "Option '--folder <name>' argument '../x' is invalid. It must be a relative path",
  ],
  [
    '--exclude-uploader',
    'bob',
    "Option '--exclude-uploader <ids>' argument 'bob' is invalid. It must be a UUID.",
  ],
  ['--chapters', '5-1', 'Reversed range for --chapters: "5-1"'],
  ['--volumes', '5-1', 'Reversed range for --volumes: "5-1"'],
  ['--name', '{bad}', 'Unknown field in the name template: {bad}'],
  ['--name', '', 'Invalid --name "": must not be empty'],
])('add %s %j is an error of the option, not of the file', async (option, value, message) => {
  const { code, stderr } = await run('add', ALPHA, option, value);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: .*\nhint: .*\n$/);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('subscriptions.yaml');
});

posixTest('a link to the file stays one, and the mode of the file is kept', async () => {
  const file = join(folder, 'real.yaml');
  writeFileSync(file, '# mine\n', { mode: 0o640 });
  symlinkSync(file, join(folder, 'link.yaml'));
  expect((await run('add', ALPHA, '-o', folder, '--file', join(folder, 'link.yaml'))).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('# mine');
  expect(statSync(file).mode & 0o777).toBe(0o640);
});

describe('status', () => {
  test('shows the last run and what waits for a group', async () => {
    const release = syncChapter('Alpha', '3', Date.now() - HOUR_MS, { group: 'Other' });
    service.library.putChapter(release);
    await run(
      'add',
      ALPHA,
      '-o',
      join(folder, 'comics'),
      '--group',
      'Preferred',
      '--wait-for-group',
      '2d',
    );
    expect((await run('status')).stdout).toBe('Last run: never\n');
    expect((await run('--quiet')).code).toBe(0);
    const { stdout } = await run('status');
    expect(stdout).toContain('2 new chapters');
    expect(stdout).toMatch(/Waiting for a group:\n {2}Alpha, chapter 3: until \d{4}-/);
    expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({
      lastRun: { saved: 2, failed: 0 },
      waiting: [{ title: ALPHA, name: 'Alpha', chapter: release.id, number: '3' }],
    });
  });
});

posixDescribe('SIGTERM', () => {
  /** Resolves when the process has printed `text`. */
  const printed = ({ child }: ReturnType<typeof start>, text: string) =>
    new Promise<void>((resolve) => {
      let all = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: string) => {
          all += chunk;
          if (all.includes(text)) resolve();
        });
    });

  test('within a run stops it; the next one continues', async () => {
    await run('add', ALPHA, '-o', join(folder, 'comics'));
    const running = start(['sync', '--every', '6h'], { env });
    while (!service.log.some(({ host }) => host === 'node')) await delay(5);
    running.child.kill('SIGTERM');
    const { code, stderr } = await running.finished;
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: expect.stringMatching(/^Stopped after [^]*Interrupted/m) as unknown,
    });
    expect(stderr).not.toContain('checked');
    expect(await run()).toMatchObject({ code: 0 });
  });

  test('between two runs ends it with 0; until then, status names the next run, and other commands run', async () => {
    await run('add', ALPHA, '-o', join(folder, 'comics'));
    const running = start(['sync', '--every', '6h'], { env });
    await printed(running, 'Next run');
    expect((await run('status')).stdout).toMatch(/Running: process \d+\n[^]*Next run: /);
    expect(await run('--every', '6h')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`process ${running.child.pid ?? ''}`),
    });
    expect(await run('--redownload', '--only', 'Alpha')).toMatchObject({ code: 0 });
    expect((await run('status')).stdout).toMatch(/Running: process \d+\n[^]*Next run: /);
    running.child.kill('SIGTERM');
    expect((await running.finished).code).toBe(0);
  });
});
