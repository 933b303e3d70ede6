/** Tests of several processes with one login, and of processes that are killed while they store one. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MODULES_URL } from '../build-folders.js';
import { tankobonHere } from '../in-process.js';
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
  newFolder,
  startCli,
  startSecretService,
  type Env,
  type SecretService,
} from './harness.js';

const AUTH_LATENCY_MS = 150;
/** When the process is killed, after the token endpoint was asked: from before the answer to after the store. */
const KILL_AFTER_MS = {
  keychain: [165, 200, 240, 300],
  file: [152, 158, 166],
} as const;
const LOGGED_OUT = 'error: Not logged in.\nhint: Run: tankobon login\n';

/** Defines the tests for logins that are kept in the keychain or in a file. */
export function defineTokenProcessTests(storage: 'keychain' | 'file', processes = 8): void {
  let practice: PracticeService;
  let folder: string;
  let env: Env;
  let secretService: SecretService | undefined;

  beforeEach(async () => {
    folder = newFolder();
    practice = await startPracticeService({ latencyMs: { auth: AUTH_LATENCY_MS } });
    env = { ...practice.environment, TANKOBON_HOME: join(folder, 'home') };
    if (storage === 'file') return;
    secretService = await startSecretService(folder);
    env = { ...env, ...secretService.env };
  });
  afterEach(async () => {
    await practice.stop();
    await secretService?.stop();
    secretService = undefined;
    rmSync(folder, { recursive: true });
  });

  const login = ['login', ...(storage === 'file' ? ['--insecure-storage'] : [])];
  /** In this process where that cannot reach a real keychain. */
  const command = (words: readonly string[], own: Env = env) =>
    storage === 'file' ? tankobonHere(words, { env: own }) : cli(words, own);
  const logIn = () => command(login, { ...env, ...LOGIN_ENV });
  const refreshes = () =>
    practice.log.filter(({ body }) => body.startsWith('grant_type=refresh_token')).length;

  /** The process's clock is an hour ahead of that of the login, so that it finds the token expired. */
  const takeToken = () => {
    const script = resolve('test/support/auth/take-token.mjs');
    const NODE_OPTIONS = `--import=${resolve('test/support/auth/an-hour-later.mjs')}`;
    const words = [script, MODULES_URL];
    return ended(spawn(process.execPath, words, { env: { ...BARE_ENV, ...env, NODE_OPTIONS } }));
  };

  /** Kills the program this long after it asked the token endpoint. */
  async function runKilled(words: readonly string[], own: Env, afterMs: number): Promise<void> {
    const before = practice.log.length;
    const child = startCli(words, own);
    const over = ended(child);
    while (practice.log.length === before && child.exitCode === null) await delay(1);
    await delay(afterMs);
    child.kill('SIGKILL');
    await over;
  }

  test('processes at once with an expired token and a rotating refresh token: one refresh, one token for all', async () => {
    expect(await logIn()).toMatchObject({ code: 0 });
    const all = await Promise.all(Array.from({ length: processes }, takeToken));
    expect(all.filter(({ code, stderr }) => code !== 0 || stderr !== '')).toEqual([]);
    expect(new Set(all.map(({ stdout }) => stdout)).size).toBe(1);
    expect(practice.secrets()).toContain(all[0]?.stdout);
    expect(refreshes()).toBe(1);
    expect(practice.violations()).toEqual([]);
    // The refresh token that was stored is the valid one.
    expect(await command(['refresh'])).toMatchObject({ code: 0 });
  });

  test('a refresh killed between the answer and the end of the store: the next command works or asks for a login', async () => {
    expect(await logIn()).toMatchObject({ code: 0 });
    for (const afterMs of KILL_AFTER_MS[storage]) {
      await runKilled(['refresh'], env, afterMs);
      const next = await command(['refresh']);
      if (next.code === 0) continue;
      expect(next).toMatchObject({ code: 4, stdout: '' });
      expect(next.stderr).toContain('The session has ended');
      expect(next.stderr).toContain('Run: tankobon login');
      expect(await logIn()).toMatchObject({ code: 0, stderr: '' });
    }
  });

  if (storage === 'file') return;

  /** Kills the program before its n-th change of the keychain. Resolves with whether it got that far. */
  async function killedAtChange(words: readonly string[], own: Env, change: number) {
    const NODE_OPTIONS = `--import=${resolve('test/support/auth/kill-keychain.mjs')}`;
    const { code } = await cli(words, { ...own, NODE_OPTIONS, KILL_AT: String(change) });
    return code === null;
  }

  test.each([
    ['short', 900],
    ['long', 6_000],
  ])(
    'a refresh with %s tokens, killed at any write after the first, keeps the login',
    async (_, tokenBytes) => {
      await practice.stop();
      practice = await startPracticeService({ tokens: { tokenBytes } });
      env = { ...env, ...practice.environment };
      expect(await logIn()).toMatchObject({ code: 0, stderr: '' });
      for (let change = 2; await killedAtChange(['refresh'], env, change); change += 1) {
        const next = await cli(['refresh'], env);
        expect({ change, ...next }).toMatchObject({ change, code: 0, stderr: '' });
        expect(change).toBeLessThan(20);
      }
      expect(practice.violations()).toEqual([]);
    },
  );

  test('a second login killed at any write keeps the first login or has the second', async () => {
    expect(await logIn()).toMatchObject({ code: 0 });
    let change = 1;
    for (; await killedAtChange(login, { ...env, ...LOGIN_ENV }, change); change += 1) {
      const next = await cli(['refresh'], env);
      expect({ change, ...next }).toMatchObject({ change, code: 0, stderr: '' });
    }
    expect(change).toBeGreaterThan(3);
  });

  test('a login killed between the answer and the end of the store: logged in or not, and logout removes all of it', async () => {
    const { authUrl, realm } = practice.addresses;
    for (const afterMs of KILL_AFTER_MS.keychain) {
      await runKilled(login, { ...env, ...LOGIN_ENV }, afterMs);
      const who = await cli(['whoami'], env);
      expect([0, 4]).toContain(who.code);
      expect(who.stderr).toBe(who.code === 0 ? '' : LOGGED_OUT);
      expect(await cli(['logout'], env)).toMatchObject({ code: 0, stderr: '' });
      expect(await entriesOf(`tankobon ${authUrl}/realms/${realm}`, env)).toEqual([]);
    }
  });
}
