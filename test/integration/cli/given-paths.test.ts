/** Paths and languages mean the same wherever they are given: on the command line, in a setting, in a page. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { tankobonHere } from '../../support/in-process.js';
import { virtualClock } from '../../support/virtual-clock.js';

let service: PracticeService;
let folder: string;
const clock = virtualClock();
beforeAll(async () => {
  service = await startPracticeService({ clock });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-paths-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => service.stop());

const run = (...words: string[]) =>
  tankobonHere(words, {
    env: { ...service.environment, TANKOBON_HOME: join(folder, 'home') },
    clock,
  });

describe('a path in a setting', () => {
  test.each(['output', 'downloadArchive'])(
    '%s: a relative one is stored absolute',
    async (name) => {
      expect(await run('config', 'set', name, 'comics')).toMatchObject({ code: 0 });
      expect((await run('config', 'get', name)).stdout).toBe(`${join(process.cwd(), 'comics')}\n`);
    },
  );

  test('~ is the home folder', async () => {
    await run('config', 'set', 'output', '~/comics');
    expect((await run('config', 'get', 'output')).stdout).toBe('~/comics\n');
    const one = ['--language', 'en', '--latest', '1', '--dry-run', '--print', '{file}'];
    const { stdout } = await run('download', `title:${EXAMPLE_TITLES.lighthouse}`, ...one);
    expect(stdout).toMatch(new RegExp(`^${join(homedir(), 'comics')}/`));
  });

  test('false is not a path', async () => {
    await run('config', 'set', 'downloadArchive', 'false');
    expect((await run('config', 'get', 'downloadArchive')).stdout).toBe('false\n');
  });
});

describe('~ in a quoted word is the home folder', () => {
  // A folder that is not there: the message names it.
  const rows = [
    ['bind'],
    ['overview'],
    ['verify'],
    ['retag'],
    ['adopt'],
    ['download', '--from-file'],
    ['sync', 'import'],
    ['sync', '--file'],
  ];
  test.each(rows.map((words) => [words.join(' '), words] as const))('%s', async (_, words) => {
    const { code, stderr } = await run(...words, '~/no-such-folder');
    expect([code, stderr]).toEqual([2, expect.stringContaining(join(homedir(), 'no-such-folder'))]);
  });
});

test('the command on a page of the overview works in any folder', async () => {
  const output = join(folder, 'comics');
  const one = ['--language', 'en', '--chapters', '1', '-o', output];
  await run('download', `title:${EXAMPLE_TITLES.lighthouse}`, ...one);
  const page = join(folder, 'page.html');
  await run('overview', relative(process.cwd(), output), '--html', page);
  expect(readFileSync(page, 'utf8')).toMatch(`-o ${output}`);
});

test('a folder that is given in several ways, or with one in it, has each file once', async () => {
  const output = join(folder, 'comics');
  const two = ['--language', 'en', '--chapters', '1-2', '-o', output];
  await run('download', `title:${EXAMPLE_TITLES.lighthouse}`, ...two);
  const link = join(folder, 'link');
  symlinkSync(output, link);
  const title = join(link, readdirSync(output).find((name) => !name.startsWith('.')) ?? '');
  const inputs = [title, relative(process.cwd(), output), link, output];
  const { stdout } = await run('overview', ...inputs, '--offline', '--json');
  const [overview] = stdout
    .split('\n')
    .map((line) => (line === '' ? {} : JSON.parse(line)) as object);
  expect(overview).toMatchObject({ have: 2, duplicates: [] });
  const summaries = [
    ['verify', { checked: 2 }],
    ['adopt', { already: 2 }],
    ['retag', { unchanged: 2 }],
  ] as const;
  for (const [command, summary] of summaries) {
    const inFolders = command === 'retag' ? inputs.slice(1) : inputs;
    const done = await run(command, ...inFolders, '--json');
    expect(JSON.parse(done.stdout)).toMatchObject(summary);
  }
});

test('es-419 is es-la', async () => {
  const title = `title:${EXAMPLE_TITLES.lighthouse}`;
  const { code, stderr } = await run('download', title, '--language', 'es-419', '--dry-run');
  expect([code, stderr]).toEqual([0, expect.stringContaining('--language es-la; available')]);
});
