/** The settings in force and their sources, what is refused, and how an invalid file is corrected. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interruptedError } from '../../../src/core/errors.js';
import { MAX_IMAGE_BYTES } from '../../../src/core/image-format.js';
import { SETTING_NAMES } from '../../../src/config/options.js';
import type { Finished } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';
import { posixTest } from '../../support/platform.js';

let home: string;
let file: string;
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'tankobon-config-')), 'home');
  file = join(home, 'settings.json');
});
afterEach(() => {
  rmSync(join(home, '..'), { recursive: true, force: true });
});

const config = (words: readonly string[], env: Record<string, string> = {}): Promise<Finished> =>
  tankobonHere(['config', ...words], { env: { TANKOBON_HOME: home, ...env } });

function put(text: string): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(file, text);
}

test('set, get, list with the source, and unset', async () => {
  expect((await config(['set', 'quality', 'data-saver'])).code).toBe(0);
  expect((await config(['get', 'quality'])).stdout).toBe('data-saver\n');
  expect((await config(['list'])).stdout).toMatch(/^quality +data-saver {2}\(file\)$/m);
  expect((await config(['unset', 'quality'])).code).toBe(0);
  expect((await config(['list'])).stdout).toMatch(/^quality +data {2}\(default\)$/m);
});

test('unset removes a key that list does not know, and names it in the hint', async () => {
  put('{ "qualty": "data-saver", "language": "en" }');
  const hint = 'hint: To remove it, run: tankobon config unset qualty\n';
  expect((await config(['list'])).stderr).toContain(hint);
  expect(await config(['unset', 'qualty'])).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ language: 'en' });
  expect(await config(['unset', 'qualty'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Unknown setting: "qualty"'),
  });
});

test('no larger pages can be asked for than are read from archives', async () => {
  expect((await config(['set', 'maxPageBytes', String(MAX_IMAGE_BYTES)])).code).toBe(0);
  expect(await config(['set', 'maxPageBytes', String(MAX_IMAGE_BYTES + 1)])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`must be a whole number from 1048576 to ${MAX_IMAGE_BYTES}`),
  });
});

test('a size that can be off names the value for it', async () => {
  expect(await config(['set', 'minFree', '0'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('and 100k at least, or false.'),
  });
  expect((await config(['set', 'minFree', 'false'])).code).toBe(0);
});

test('path prints the path of the settings file', async () => {
  expect((await config(['path'])).stdout).toBe(`${file}\n`);
  await config(['set', 'concurrency', '3']);
  const { $schema, ...settings } = JSON.parse(readFileSync(file, 'utf8')) as { $schema: string };
  expect(settings).toEqual({ concurrency: 3 });
  expect(existsSync(new URL($schema))).toBe(true);
});

test('a new file names its schema, also after the package moved; a file of yours names what you chose', async () => {
  await config(['set', 'concurrency', '3']);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/file:.*(?=\/schemas)/, 'file:///old/tankobon'));
  await config(['set', 'concurrency', '4']);
  expect(readFileSync(file, 'utf8')).toBe(text.replace('3', '4'));
  expect((await config(['list'])).stderr).toBe('');
  writeFileSync(file, '{"quality":"data"}');
  await config(['set', 'concurrency', '4']);
  expect(readFileSync(file, 'utf8')).not.toContain('$schema');
});

test('the environment overrides the file; list names the variable, and set warns of it', async () => {
  const env = { TANKOBON_REALM: 'practice' };
  const set = await config(['set', 'realm', 'mine'], env);
  expect(set.code).toBe(0);
  expect(set.stderr).toContain('TANKOBON_REALM');
  expect((await config(['get', 'realm'], env)).stdout).toBe('practice\n');
  expect((await config(['list'], env)).stdout).toMatch(/^realm +practice {2}\(TANKOBON_REALM\)$/m);
  expect((await config(['get', 'realm'])).stdout).toBe('mine\n');
});

test('list --json prints one object with all settings', async () => {
  await config(['set', 'reports', 'false']);
  const { stdout } = await config(['list', '--json'], { TANKOBON_REALM: 'practice' });
  const all = JSON.parse(stdout) as Record<string, unknown>;
  expect(Object.keys(all)).toEqual(SETTING_NAMES);
  expect(all).toMatchObject({
    reports: { value: false, source: 'file' },
    realm: { value: 'practice', source: 'environment' },
    concurrency: { value: 6, source: 'default' },
  });
});

test.each([
  [
    'an unknown key',
    ['set', 'concurency', '3'],
    /"concurency"\nhint: Did you mean concurrency\? Run: tankobon help settings\n$/,
  ],
  ['a key similar to none', ['get', 'xyzzy'], /"xyzzy"\nhint: Run: tankobon help settings\n$/],
  [
    'a number out of range',
    ['set', 'concurrency', '17'],
    /from 1 to 16.*config set concurrency 6/s,
  ],
  ['not a number', ['set', 'concurrency', 'six'], /whole number.*config set concurrency 6/s],
  ['an unknown choice', ['set', 'quality', 'best'], /data, data-saver.*config set quality data/s],
  [
    'neither true nor false',
    ['set', 'metadata', 'yes'],
    /true or false.*config set metadata true/s,
  ],
  [
    'a template with an unknown field',
    ['set', 'name', '{serie}'],
    /\{serie\}\nhint: The fields are \{series\}, \{volume\}, .*\{date\};/,
  ],
  ['the name of a language', ['set', 'language', 'en,german'], /"german"\nhint: Did you mean de\?/],
  [
    'not a rate',
    ['set', 'limitRate', 'fast'],
    /a rate such as 500k or 2M.*config set limitRate 2M\n/s,
  ],
  ['an empty folder', ['set', 'output', ''], /output is "", but must not be empty.*output \.\n/s],
  ['an empty realm', ['set', 'realm', ''], /realm is "", but must not be empty/],
  ['not an address', ['set', 'apiUrl', 'mangadex'], /apiUrl/],
  ['a plain http: address', ['set', 'apiUrl', 'http://example.com'], /https:/],
])('%s is exit 2 and suggests a valid one', async (_what, words, message) => {
  const { code, stderr } = await config(words);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
  expect(readdirSync(join(home, '..'))).toEqual([]);
});

test('a secret is refused as a setting and not repeated', async () => {
  const { code, stdout, stderr } = await config(['set', 'clientSecret', 'hush-hush']);
  expect(code).toBe(2);
  expect(stderr).toContain('tankobon login');
  expect(stdout + stderr).not.toContain('hush-hush');
});

test('an unknown name in the file is reported without its value', async () => {
  put('{"concurency": 3, "password": "hush-hush"}');
  const { code, stdout, stderr } = await config(['list']);
  expect(code).toBe(0);
  expect(stderr).toMatch(/"concurency".*Did you mean concurrency\?/);
  expect(stderr).toContain('"password"');
  expect(stdout + stderr).not.toContain('hush-hush');
});

test('an invalid value in the file stops a command, and the hint corrects it', async () => {
  put('{"concurrency": 99, "quality": "data-saver", "reports": "no"}');
  const download = await tankobonHere(['whoami'], { env: { TANKOBON_HOME: home } });
  expect(download.code).toBe(2);
  expect(download.stderr).toMatch(/concurrency is 99.*tankobon config set concurrency 6/s);
  const list = await config(['list']);
  expect(list.code).toBe(2);
  expect(list.stdout).toMatch(/^concurrency +99 {2}\(file; invalid\)$/m);
  expect(list.stdout).toMatch(/^reports +no {2}\(file; invalid\)$/m);
  expect((await config(['get', 'quality'])).stdout).toBe('data-saver\n');
  expect((await config(['set', 'concurrency', '4'])).code).toBe(0);
  expect((await config(['unset', 'reports'])).code).toBe(0);
  expect((await config(['list'])).code).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ concurrency: 4, quality: 'data-saver' });
});

test.each([
  ['{"quality": 5}', 'quality is 5, but must be one of: data, data-saver.', 'quality data'],
  ['{"output": ""}', 'output is "", but must not be empty.', 'output .'],
  ['{"limitRate": 1}', 'limitRate is 1, but must be a string.', 'limitRate 2M'],
  ['{"language": 1}', 'language is 1, but must be a string.', 'language en'],
  ['{"group": []}', 'group is [], but must be a string.', 'group "Preferred Scans"'],
  ['{"name": true}', 'name is true, but must be a string.', 'name "{series}/{chapter}"'],
])('the file %s is an error with a command that corrects it', async (text, message, words) => {
  put(text);
  const { code, stderr } = await tankobonHere(['whoami'], { env: { TANKOBON_HOME: home } });
  expect(code).toBe(2);
  expect(stderr).toBe(
    `error: ${message}\nhint: Correct it, for example: tankobon config set ${words}\n`,
  );
});

test('a byte order mark before the settings is ignored', async () => {
  put('\uFEFF{"quality": "data-saver"}');
  expect(await config(['get', 'quality'])).toMatchObject({ code: 0, stdout: 'data-saver\n' });
  expect((await config(['set', 'concurrency', '3'])).code).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ quality: 'data-saver', concurrency: 3 });
});

posixTest('a link to the settings file is followed, and stays a link', async () => {
  const target = join(home, '..', 'dotfiles.json');
  writeFileSync(target, '{"quality": "data-saver"}');
  mkdirSync(home);
  symlinkSync(target, file);
  expect(await config(['get', 'quality'])).toMatchObject({ code: 0, stdout: 'data-saver\n' });
  expect((await config(['set', 'concurrency', '3'])).code).toBe(0);
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({
    quality: 'data-saver',
    concurrency: 3,
  });
});

test('neither reading nor writing the file adds a listener for signals', async () => {
  const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
  const counts = () => signals.map((signal) => process.listenerCount(signal));
  const before = counts();
  await config(['set', 'quality', 'data-saver']);
  await config(['list']);
  expect(counts()).toEqual(before);
});

test('a setting is not stored after an interrupt', async () => {
  const signal = AbortSignal.abort(interruptedError());
  const { code, stderr } = await tankobonHere(['config', 'set', 'quality', 'data-saver'], {
    env: { TANKOBON_HOME: home },
    signal,
  });
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('Interrupted') });
  expect(readdirSync(join(home, '..'))).toEqual([]);
});

test('an error for an invalid value in the environment names the variable', async () => {
  const { code, stderr } = await config(['list'], { TANKOBON_API_URL: 'not an address' });
  expect(code).toBe(2);
  expect(stderr).toContain('TANKOBON_API_URL');
});

test.each(['{"quality": "da', '', '[1]', 'null'])(
  'a file with %j is an error for every command until it is mended, and stays as it is',
  async (text) => {
    put(text);
    for (const words of [['config', 'set', 'quality', 'data-saver'], ['whoami'], ['whoami']]) {
      const { code, stderr } = await tankobonHere(words, { env: { TANKOBON_HOME: home } });
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: The settings file is damaged, .*\nhint: Repair it, .*\n$/);
      expect(stderr).toContain(file);
    }
    expect(readdirSync(home)).toEqual(['settings.json']);
    expect(readFileSync(file, 'utf8')).toBe(text);
    put('{}');
    expect((await config(['set', 'quality', 'data-saver'])).code).toBe(0);
  },
);
