/** Where the value of an option comes from: flag, subscriptions file, variable, setting, default, in this order. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionDefinition, SETTING_NAMES, variableOf } from '../../../src/config/options.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { tankobonHere } from '../../support/in-process.js';
import { DAY_MS, syncLibrary, titleId } from '../../support/sync-harness.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0027';

let folder: string;
let home: string;
let service: PracticeService;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-sources-'));
  home = join(folder, 'home');
  mkdirSync(home);
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (words: readonly string[], variables: Record<string, string> = {}) =>
  tankobonHere(words, {
    env: { ...service.environment, TANKOBON_HOME: home, ...variables },
  });
const settings = (values: Record<string, unknown>) => {
  writeFileSync(join(home, 'settings.json'), JSON.stringify(values));
};
const saved = (path: string): readonly string[] =>
  readdirSync(join(folder, path), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(cbz|epub)$/.test(name),
  );

test('download: a flag overrides the variable, which overrides the setting, which overrides the default', async () => {
  service = await startPracticeService({ chapters: [generateChapter({ id: ID, pages: 2 })] });
  const output = join(folder, 'out');
  const variables = { TANKOBON_OUTPUT: output, TANKOBON_NAME: 'variable' };
  const download = async (words: readonly string[], given: Record<string, string>) => {
    expect(await run(['download', ID, '--force', ...words], given)).toMatchObject({ code: 0 });
    const names = saved('out');
    rmSync(output, { recursive: true });
    return names;
  };
  const { TANKOBON_OUTPUT } = variables;
  expect(await download([], { TANKOBON_OUTPUT })).not.toEqual(['setting.cbz']);
  settings({ name: 'setting' });
  expect(await download([], { TANKOBON_OUTPUT })).toEqual(['setting.cbz']);
  expect(await download([], variables)).toEqual(['variable.cbz']);
  expect(await download(['--name', 'flag'], variables)).toEqual(['flag.cbz']);
});

test('sync: the subscriptions file overrides the variable and the setting', async () => {
  const library = syncLibrary(['Alpha', 'Beta'], Date.now() - 9 * DAY_MS);
  service = await startPracticeService({ library });
  settings({ name: 'setting {chapter}', output: join(folder, 'out'), bind: 'title' });
  const [alpha, beta] = ['Alpha', 'Beta'].map((name) => `title:${titleId(name)}`);
  writeFileSync(
    join(home, 'subscriptions.yaml'),
    `series:\n  - target: ${alpha}\n    name: file {chapter}\n    folder: a\n    bind: { by: false }\n` +
      `  - target: ${beta}\n    folder: b\n    bind: { by: title, format: epub }\n`,
  );
  const { code } = await run(['sync'], {
    TANKOBON_NAME: 'variable {chapter}',
    TANKOBON_FORMAT: 'cbz',
  });
  expect(code).toBe(0);
  expect([...saved('out')].sort()).toEqual([
    'Beta/Beta (all).epub',
    'a/file 1.cbz',
    'a/file 2.cbz',
    'b/variable 1.cbz',
    'b/variable 2.cbz',
  ]);
});

test('a flag turns off what a setting turned on, and on what a setting turned off', async () => {
  service = await startPracticeService({ chapters: [generateChapter({ id: ID, pages: 2 })] });
  const archive = join(folder, 'archive.txt');
  settings({ metadata: false, reports: false, bind: 'title', downloadArchive: archive });
  const output = join(folder, 'out');
  const refused = await run(['download', ID, '-o', output]);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('Chapters without metadata cannot be bound.');
  const words = ['download', ID, '-o', output, '--metadata', '--no-bind', '--no-download-archive'];
  expect((await run([...words, '--reports'])).stderr).not.toContain(
    'Health reports are turned off',
  );
  expect(saved('out')).not.toEqual([`${ID}.cbz`]);
  expect(readdirSync(folder)).not.toContain('archive.txt');
});

/** Any text is valid for the others. */
const CHECKED = SETTING_NAMES.filter(
  (name) => !['text', 'path', 'groups'].includes(optionDefinition(name).kind),
);

test.each(CHECKED)(
  'an invalid value in the variable of %s is exit 2, names the variable, and says what to do',
  async (name) => {
    service = await startPracticeService();
    const variable = variableOf(name);
    const { code, stderr } = await run(['whoami'], { [variable]: '{wrong' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: .+\nhint: .+\n$/);
    expect(stderr).toContain(variable);
  },
);

test('the demo ignores the variables and the settings of the user', async () => {
  service = await startPracticeService();
  const variables = { TANKOBON_QUALITY: 'best', TANKOBON_METADATA: 'no' };
  expect(await run(['demo', '-o', join(folder, 'out')], variables)).toMatchObject({ code: 0 });
});

test('help settings lists each setting with its default, its flags and its variable', async () => {
  service = await startPracticeService();
  const { code, stdout } = await run(['help', 'settings']);
  expect(code).toBe(0);
  const text = stdout.replace(/\s+/g, ' ');
  for (const name of SETTING_NAMES) expect(text).toContain(`${variableOf(name)})`);
  expect(text).toContain('(default: data; --quality; TANKOBON_QUALITY)');
  expect(text).toContain('--mark-read, --no-mark-read; TANKOBON_MARK_READ)');
});
