/** Platforms without prebuilt binaries: every command works but those that need a keychain. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { LOGIN_ENV } from '../../support/auth/harness.js';
import { tankobon } from '../../support/command.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0071';
const HIDDEN = `--require=${resolve('test/support/hide-native-binaries.cjs')}`;

let service: PracticeService;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  const chapters = [generateChapter({ id: ID, pages: 3, bytesPerPage: 4_000 })];
  service = await startPracticeService({ chapters });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-hidden-'));
  env = { ...service.environment, TANKOBON_HOME: join(folder, 'home'), NODE_OPTIONS: HIDDEN };
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => service.stop());

test('download works by heartbeats, and leaves none of them', async () => {
  const { code, stderr } = await tankobon(['download', ID, '-o', join(folder, 'out')], { env });
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 saved')]);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => name.endsWith('.cbz'))).toHaveLength(1);
  expect(names.filter((name) => /(^|\/)\.lock-\d+$/.test(name))).toEqual([]);
});

test('login needs --insecure-storage, and says so', async () => {
  const login = (...words: string[]) =>
    tankobon(['login', ...words], { env: { ...env, ...LOGIN_ENV } });
  const refused = await login();
  expect(refused).toMatchObject({ code: 7, stdout: '' });
  expect(refused.stderr).toContain('tankobon login --insecure-storage');
  expect(await login('--insecure-storage')).toMatchObject({ code: 0 });
});
