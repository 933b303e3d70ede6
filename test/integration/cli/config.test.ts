/** The settings that stay: what is in force and why, what is refused, and how a wrong file is mended. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTING_KEYS } from '../../../src/app/setting-definitions.js';
import { tankobon, type Finished } from '../../support/command.js';

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
  tankobon(['config', ...words], { env: { TANKOBON_HOME: home, ...env } });

function put(text: string): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(file, text);
}

test('a value that is set is got, listed with its source, and gone when it is unset', async () => {
  expect((await config(['set', 'quality', 'data-saver'])).code).toBe(0);
  expect((await config(['get', 'quality'])).stdout).toBe('data-saver\n');
  expect((await config(['list'])).stdout).toMatch(/^quality +data-saver {2}\(file\)$/m);
  expect((await config(['unset', 'quality'])).code).toBe(0);
  expect((await config(['list'])).stdout).toMatch(/^quality +data {2}\(default\)$/m);
});

test('path is where the file is', async () => {
  expect((await config(['path'])).stdout).toBe(`${file}\n`);
  await config(['set', 'concurrency', '3']);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ concurrency: 3 });
});

test('the environment goes before the file, the list names the variable, and set says so', async () => {
  const env = { TANKOBON_REALM: 'practice' };
  const set = await config(['set', 'realm', 'mine'], env);
  expect(set.code).toBe(0);
  expect(set.stderr).toContain('TANKOBON_REALM');
  expect((await config(['get', 'realm'], env)).stdout).toBe('practice\n');
  expect((await config(['list'], env)).stdout).toMatch(/^realm +practice {2}\(TANKOBON_REALM\)$/m);
  expect((await config(['get', 'realm'])).stdout).toBe('mine\n');
});

test('list --json is one object of all settings', async () => {
  await config(['set', 'reports', 'false']);
  const { stdout } = await config(['list', '--json'], { TANKOBON_REALM: 'practice' });
  const all = JSON.parse(stdout) as Record<string, unknown>;
  expect(Object.keys(all)).toEqual(SETTING_KEYS);
  expect(all).toMatchObject({
    reports: { value: false, source: 'file' },
    realm: { value: 'practice', source: 'environment' },
    concurrency: { value: 6, source: 'default' },
  });
});

test.each([
  [
    'a key that is none',
    ['set', 'concurency', '3'],
    /"concurency".*Did you mean concurrency\?.*apiUrl/s,
  ],
  ['a key far from any', ['get', 'xyzzy'], /"xyzzy".*The settings are: apiUrl/s],
  [
    'a number out of its range',
    ['set', 'concurrency', '17'],
    /from 1 to 16.*config set concurrency 6/s,
  ],
  ['no number', ['set', 'concurrency', 'six'], /whole number.*config set concurrency 6/s],
  ['a word that is none', ['set', 'quality', 'best'], /data, data-saver.*config set quality data/s],
  [
    'neither true nor false',
    ['set', 'metadata', 'yes'],
    /true or false.*config set metadata true/s,
  ],
  ['no address', ['set', 'apiUrl', 'mangadex'], /apiUrl/],
  ['a plain http: address', ['set', 'apiUrl', 'http://example.com'], /https:/],
])('%s is exit 2 and names the right one', async (_what, words, told) => {
  const { code, stderr } = await config(words);
  expect(code).toBe(2);
  expect(stderr).toMatch(told);
  expect(readdirSync(join(home, '..'))).toEqual([]);
});

test('a secret is refused as a setting, and not repeated', async () => {
  const { code, stdout, stderr } = await config(['set', 'clientSecret', 'hush-hush']);
  expect(code).toBe(2);
  expect(stderr).toContain('tankobon login');
  expect(stdout + stderr).not.toContain('hush-hush');
});

test('what stands in the file under a name that is no setting is told, and its value is not', async () => {
  put('{"concurency": 3, "password": "hush-hush"}');
  const { code, stdout, stderr } = await config(['list']);
  expect(code).toBe(0);
  expect(stderr).toMatch(/"concurency".*Did you mean concurrency\?/);
  expect(stderr).toContain('"password"');
  expect(stdout + stderr).not.toContain('hush-hush');
});

test('a wrong value in the file stops a command and names the mend, which works', async () => {
  put('{"concurrency": 99, "quality": "data-saver", "reports": "no"}');
  const download = await tankobon(['whoami'], { env: { TANKOBON_HOME: home } });
  expect(download.code).toBe(2);
  expect(download.stderr).toMatch(/concurrency is "99".*tankobon config set concurrency 6/s);
  const list = await config(['list']);
  expect(list.code).toBe(2);
  expect(list.stdout).toMatch(/^concurrency +99 {2}\(file; wrong\)$/m);
  expect(list.stdout).toMatch(/^reports +no {2}\(file; wrong\)$/m);
  expect((await config(['get', 'quality'])).stdout).toBe('data-saver\n');
  expect((await config(['set', 'concurrency', '4'])).code).toBe(0);
  expect((await config(['unset', 'reports'])).code).toBe(0);
  expect((await config(['list'])).code).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ concurrency: 4, quality: 'data-saver' });
});

test('a wrong value in the environment names its variable', async () => {
  const { code, stderr } = await config(['list'], { TANKOBON_API_URL: 'not an address' });
  expect(code).toBe(2);
  expect(stderr).toContain('TANKOBON_API_URL');
});

test.each(['{"quality": "da', '', '[1]', 'null'])(
  'a file that holds %j is named and set aside, and nothing takes its place unasked',
  async (text) => {
    put(text);
    const { code, stderr } = await config(['set', 'quality', 'data-saver']);
    expect(code).toBe(2);
    const [aside = '', ...others] = readdirSync(home);
    expect(others).toEqual([]);
    expect(aside).toMatch(/^settings\.json\.damaged-/);
    expect(readFileSync(join(home, aside), 'utf8')).toBe(text);
    expect(stderr).toContain(file);
    expect(stderr).toContain(aside);
    expect((await config(['set', 'quality', 'data-saver'])).code).toBe(0);
    expect(readFileSync(join(home, aside), 'utf8')).toBe(text);
  },
);
