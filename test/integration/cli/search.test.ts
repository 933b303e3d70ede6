/** `tankobon search` against the practice service: the table and the JSON. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import { virtualClock } from '../../support/virtual-clock.js';
import { tankobonHere } from '../../support/in-process.js';

let service: PracticeService;
let folder: string;
let env: Record<string, string>;
let before = 0;
/** Shared with the service, so that its limits cost less. */
const clock = virtualClock();
beforeAll(async () => {
  service = await startPracticeService({ clock });
  folder = mkdtempSync(join(tmpdir(), 'tankobon-search-'));
  env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
});
beforeEach(() => {
  before = service.log.length;
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const requests = () =>
  service.log.slice(before).map(({ method, path }) => `${method} ${path.split('?')[0] ?? ''}`);

test('a row for each title, the title first, and what comes next; one request', async () => {
  const { code, stdout, stderr } = await tankobonHere(['search', 'lighthouse'], { env, clock });
  expect(code).toBe(0);
  const [head, row, ...more] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^title +year +status +languages +id$/);
  expect(row).toMatch(/^.*Lighthouse.* {2}(\d{4}|–) +\w+ +[a-z-]+(, [a-z-]+)* +[0-9a-f-]{36}$/i);
  expect(more).toEqual([]);
  const [id = ''] = /[^ ]+$/.exec(row ?? '') ?? [];
  expect(stderr).toBe(`To download one, run: tankobon download title:${id}\n`);
  expect(requests()).toEqual(['GET /manga']);
});

test('more titles than are shown are counted on standard error, with what shows them', async () => {
  const { code, stdout, stderr } = await tankobonHere(['search', '--limit', '1', 'e'], {
    env,
    clock,
  });
  expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 2]);
  const [, total = ''] =
    /^1 of (\d+) titles; more: --limit \d+, or more words\nTo download one, run: .*\n$/.exec(
      stderr,
    ) ?? [];
  expect(Number(total)).toBeGreaterThan(1);
  const all = await tankobonHere(['search', '--limit', total, 'e'], { env, clock });
  expect(all.stdout.trimEnd().split('\n')).toHaveLength(Number(total) + 1);
  expect(all.stderr).not.toContain('more:');
});

test('sync add with a name names the search in a pipe, and sends nothing', async () => {
  const { code, stdout, stderr } = await tankobonHere(['sync', 'add', 'the', "keeper's house"], {
    env,
    clock,
  });
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: Not an address, a UUID or a subscription: "the keeper\'s house"\n' +
      "hint: To search for a title, run: tankobon search the 'keeper'\\''s' house\n",
  });
  expect(requests()).toEqual([]);
});

test('--json is one array of objects', async () => {
  const { stdout } = await tankobonHere(['search', '--json', 'light', 'house'], { env, clock });
  const titles = JSON.parse(stdout) as Record<string, unknown>[];
  for (const title of titles)
    expect(Object.keys(title)).toEqual(['id', 'title', 'year', 'status', 'languages']);
});

test('nothing found is reported on standard error and exits 3, with --first and --json too', async () => {
  for (const [flags, printed] of [
    [[], ''],
    [['--first'], ''],
    [['--json'], '[]\n'],
  ] as const) {
    const { code, stdout, stderr } = await tankobonHere(['search', ...flags, 'xyzzy'], {
      env,
      clock,
    });
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: printed,
      stderr: 'error: No title found: xyzzy\nhint: Try fewer words, or another of its names.\n',
    });
  }
  const inLanguage = await tankobonHere(['search', '--language', 'en', 'xyzzy'], { env, clock });
  expect(inLanguage.stderr).toMatch(
    /^error: No title with chapters in en found: xyzzy\nhint: .* For all languages: --language all\n$/,
  );
});

test('the address of a title is that title, by one request; one that does not exist is exit 3', async () => {
  const id = EXAMPLE_TITLES.lighthouse;
  for (const target of [`https://mangadex.org/title/${id}/slug,`, `title:${id}`, id]) {
    before = service.log.length;
    const { code, stdout } = await tankobonHere(['search', '--json', target], { env, clock });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ id, title: expect.stringMatching(/Lighthouse/) }]);
    expect(requests()).toEqual(['GET /manga']);
  }
  const missing = 'title:00000000-6a0b-4e7e-9b1d-0a4c5e2f7101';
  expect((await tankobonHere(['search', missing], { env, clock })).code).toBe(3);
});

test('the address of a chapter is downloaded', async () => {
  const chapter = service.library.chapters().find((each) => each.pages('data').length >= 12);
  const words = ['search', `https://mangadex.org/chapter/${chapter?.id}`];
  const output = join(folder, 'one');
  const { code, stdout } = await tankobonHere([...words, '-o', output], { env, clock });
  expect(code).toBe(0);
  expect(existsSync(stdout.trim())).toBe(true);
  expect(stdout.startsWith(output)).toBe(true);
});

test('--output, --quality and --chapters are those of download', async () => {
  const output = join(folder, 'options');
  const words = ['search', '--first', '--language', 'en', '--chapters', '1', 'lighthouse'];
  const { code, stdout } = await tankobonHere(
    [...words, '--output', output, '--quality', 'data-saver'],
    { env, clock },
  );
  expect(code).toBe(0);
  const [file = '', ...others] = stdout.trimEnd().split('\n');
  expect(file.startsWith(output) && existsSync(file)).toBe(true);
  expect(others).toEqual([]);
  expect(requests().some((request) => request.includes('/data-saver/'))).toBe(true);
});

test('the command for new chapters has the options that were given', async () => {
  const output = join(folder, "it's new");
  const given = ['--language', 'en', '--chapters', '1-2,none', '-q', 'data-saver', '-o', output];
  const { stderr } = await tankobonHere(['search', '--first', ...given, 'lighthouse'], {
    env,
    clock,
  });
  const [, flags = ''] = /\nNew chapters later: tankobon sync add \S+ (.*)\n$/.exec(stderr) ?? [];
  expect(flags).toBe(
    `--language en --chapters 1-2,none --output '${output.replace("'", "'\\''")}' --quality data-saver`,
  );
});

test('the languages of the flag narrow the search', async () => {
  const { stdout } = await tankobonHere(['search', '--json', '--language', 'xx', 'lighthouse'], {
    env,
    clock,
  });
  expect(JSON.parse(stdout)).toEqual([]);
});

test('the name of a language is refused before anything is sent', async () => {
  const { code, stderr } = await tankobonHere(['search', '--language', 'german', 'light'], {
    env,
    clock,
  });
  expect(code).toBe(2);
  expect(stderr).toMatch(/"german"\nhint: Did you mean de\?/);
  expect(requests()).toEqual([]);
});

test('--first downloads the best match without a question, and with --json only names it', async () => {
  const output = join(folder, 'first');
  await tankobonHere(['config', 'set', 'output', output], { env, clock });
  const words = ['search', '--first', '--language', 'en', 'lighthouse'];
  const { code, stdout, stderr } = await tankobonHere(words, { env, clock });
  expect(code).toBe(0);
  const files = stdout.trimEnd().split('\n');
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(existsSync(file)).toBe(true);
  expect(stderr).toMatch(/^The Lighthouse/);
  const next = `tankobon sync add https://mangadex.org/title/${EXAMPLE_TITLES.lighthouse} --language en`;
  expect(stderr.endsWith(`\nNew chapters later: ${next}\n`)).toBe(true);
  const { stdout: json } = await tankobonHere([...words, '--json'], { env, clock });
  expect(JSON.parse(json)).toHaveLength(1);
  // All languages, where the settings name one.
  const others = { ...env, TANKOBON_LANGUAGE: 'pt-br' };
  const all = await tankobonHere(
    ['search', '--first', '--language', 'all', '--chapters', '1', 'lighthouse'],
    { env: others, clock },
  );
  expect(all.stderr.endsWith(`${next.replace(/en$/, 'all')} --chapters 1\n`)).toBe(true);
});

test('an address without a command is downloaded', async () => {
  const id = EXAMPLE_TITLES.lighthouse;
  const dry = ['--language', 'en', '--dry-run'];
  for (const target of [
    `https://mangadex.org/title/${id}`,
    `title:${id}`,
    `mangadex.org/title/${id}`,
  ]) {
    const { code, stdout } = await tankobonHere([target, ...dry], { env, clock });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Nothing new\.$/m);
  }
  expect((await tankobonHere([...dry, id], { env, clock })).stdout).toMatch(/^Nothing new\.$/m);
  const user = await tankobonHere([`https://mangadex.org/user/${id}`], { env, clock });
  expect(user.code).toBe(2);
  expect(user.stderr).toMatch(/^error: The address of a user, .*\nhint: .*list:UUID\n$/);
  expect((await tankobonHere(['lighthouse'], { env, clock })).stderr).toMatch(/unknown command/i);
});
