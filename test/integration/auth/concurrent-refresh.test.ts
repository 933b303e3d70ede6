import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import {
  BARE_ENV,
  cli,
  ended,
  entriesOf,
  LOGIN_ENV,
  MAIN,
  newFolder,
  startCli,
  startSecretService,
  type Env,
  type SecretService,
} from '../../support/auth/harness.js';

const EIGHT = Array.from({ length: 8 });

let practice: PracticeService;
let folder: string;
let env: Env;
let secretService: SecretService | undefined;

beforeEach(() => {
  folder = newFolder();
});
afterEach(async () => {
  await practice.stop();
  await secretService?.stop();
  secretService = undefined;
  rmSync(folder, { recursive: true });
});

async function begin(kind: 'keychain' | 'file'): Promise<readonly string[]> {
  practice = await startPracticeService({ latencyMs: { auth: 150 } });
  env = { ...practice.environment, TANKOBON_HOME: join(folder, 'home') };
  if (kind === 'file') return ['--insecure-storage'];
  secretService = await startSecretService(folder);
  env = { ...env, ...secretService.env };
  return [];
}

const grants = (type: string) =>
  practice.log.filter(({ body }) => body.startsWith(`grant_type=${type}`)).length;

const takeToken = () =>
  ended(
    spawn(process.execPath, [resolve('test/support/auth/take-token.mjs'), dirname(dirname(MAIN))], {
      env: { ...BARE_ENV, ...env, ...AHEAD },
    }),
  );
/** The clock of the eight is an hour ahead of that of the login, so that they find the token expired. */
const AHEAD = { NODE_OPTIONS: `--import=${resolve('test/support/auth/an-hour-later.mjs')}` };

test.each(['keychain', 'file'] as const)(
  'eight processes at once with an expired token and a rotating refresh token (%s): one refresh, eight tokens',
  async (kind) => {
    const words = await begin(kind);
    expect(await cli(['login', ...words], { ...env, ...LOGIN_ENV })).toMatchObject({ code: 0 });
    const all = await Promise.all(EIGHT.map(takeToken));
    expect(all.map(({ code, stderr }) => `${String(code)} ${stderr}`)).toEqual(
      EIGHT.map(() => '0 '),
    );
    expect(new Set(all.map(({ stdout }) => stdout)).size).toBe(1);
    expect(practice.secrets()).toContain(all[0]?.stdout);
    expect(grants('refresh_token')).toBe(1);
    expect(practice.violations()).toEqual([]);
    // The refresh token that was stored is the one that goes on.
    expect(await cli(['refresh'], env)).toMatchObject({ code: 0 });
  },
);

/** Kills a program of its own `afterMs` milliseconds after the token endpoint was asked. */
async function killedAfter(words: readonly string[], own: Env, afterMs: number): Promise<void> {
  const asked = practice.log.length;
  const child = startCli(words, own);
  const over = ended(child);
  while (practice.log.length === asked && child.exitCode === null) await pause(1);
  await pause(afterMs);
  child.kill('SIGKILL');
  await over;
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** From before the answer (150 ms after the question) to after the store. */
const MOMENTS_MS = {
  keychain: [165, 200, 240, 300],
  file: [152, 158, 166],
} as const;

test.each(['keychain', 'file'] as const)(
  'a refresh killed between the answer and the end of the store (%s): the next command works or asks for a login',
  async (kind) => {
    const words = await begin(kind);
    const login = () => cli(['login', ...words], { ...env, ...LOGIN_ENV });
    expect(await login()).toMatchObject({ code: 0 });
    for (const afterMs of MOMENTS_MS[kind]) {
      await killedAfter(['refresh'], env, afterMs);
      const next = await cli(['refresh'], env);
      if (next.code === 0) continue;
      expect(next).toMatchObject({ code: 4, stdout: '' });
      expect(next.stderr).toContain('ended the session');
      expect(next.stderr).toContain('Type: tankobon login');
      expect(await login()).toMatchObject({ code: 0, stderr: '' });
    }
  },
);

test('a login killed between the answer and the end of the store: logged in, or not; nothing stays after logout', async () => {
  await begin('keychain');
  const { authUrl, realm } = practice.addresses;
  for (const afterMs of MOMENTS_MS.keychain) {
    await killedAfter(['login'], { ...env, ...LOGIN_ENV }, afterMs);
    const who = await cli(['whoami'], env);
    expect([0, 4]).toContain(who.code);
    expect(who.stderr).toBe(who.code === 0 ? '' : NOBODY);
    expect(await cli(['logout'], env)).toMatchObject({ code: 0, stderr: '' });
    expect(await entriesOf(`tankobon ${authUrl}/realms/${realm}`, env)).toEqual([]);
  }
});

const NOBODY = 'tankobon: Nobody is logged in.\n  Type: tankobon login\n';
