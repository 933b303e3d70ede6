import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import {
  cli,
  ended,
  entriesOf,
  KEYCHAIN_PROGRAMS,
  LOGIN_ENV,
  newFolder,
  run,
  secretServicePid,
  startCli,
  startSecretService,
  type Env,
  type SecretService,
} from '../support/auth/harness.js';
import { describeWith } from '../support/requirements.js';

/** Longer than the 2 s that the keychain library waits for a reply. */
const STALL_MS = 3_500;

describeWith('the keychain', { programs: KEYCHAIN_PROGRAMS }, () => {
  let practice: PracticeService;
  let folder: string;
  let base: Env;
  let entryService: string;
  let secretService: SecretService | undefined;

  beforeAll(async () => {
    practice = await startPracticeService({ tokens: { tokenBytes: 6_000 } });
    const { authUrl, realm } = practice.addresses;
    entryService = `tankobon ${authUrl}/realms/${realm}`;
  });
  afterAll(() => practice.stop());
  beforeEach(() => {
    folder = newFolder();
    base = { ...practice.environment, TANKOBON_HOME: join(folder, 'home') };
  });
  afterEach(async () => {
    await secretService?.stop();
    secretService = undefined;
    rmSync(folder, { recursive: true });
  });

  /** The environment with a Secret Service in it. */
  async function withKeychain(state?: Parameters<typeof startSecretService>[1]): Promise<Env> {
    await secretService?.stop();
    secretService = await startSecretService(folder, state);
    return { ...base, ...secretService.env };
  }

  const login = (env: Env, ...words: string[]) =>
    cli(['login', ...words], { ...env, ...LOGIN_ENV });

  /** The code of what the program ends with. */
  async function codeAfter(words: readonly string[], env: Env): Promise<string | undefined> {
    const { stderr } = await cli(words, { ...env, DEBUG: 'tankobon' });
    return /^code: (\S+)$/m.exec(stderr)?.[1];
  }

  test('doctor writes to it and leaves nothing, also beside a login', async () => {
    const env = await withKeychain();
    const words = ['doctor', '-o', folder];
    const keychain = /^ok +keychain +the operating system’s keychain, as /m;
    expect(await cli(words, env)).toMatchObject({ stdout: expect.stringMatching(keychain) });
    expect(await entriesOf(entryService, env)).toEqual([]);
    await login(env);
    const entries = await entriesOf(entryService, env);
    const beside = await cli(words, env);
    expect(beside.stdout).toMatch(keychain);
    expect(beside.stdout).toMatch(/^ok +login +reader, in the operating system’s keychain/m);
    expect(await entriesOf(entryService, env)).toEqual(entries);
    const whole = await cli(['whoami', '--json'], env);
    expect(JSON.parse(whole.stdout)).toHaveProperty('accessExpiresAt');
  });

  test('a login lies in the Secret Service, in two entries and more for a long one; after logout nothing does', async () => {
    const env = await withKeychain();
    expect(await login(env)).toMatchObject({ code: 0, stderr: '' });
    const first = await entriesOf(entryService, env);
    const parts = (slot: string) => [1, 2, 3].map((part) => `access-token.${slot}.${part}`);
    expect(first).toEqual(['access-token', ...parts('a'), 'login']);
    expect(await cli(['refresh'], env)).toMatchObject({ code: 0, stderr: '' });
    expect(await entriesOf(entryService, env)).toEqual(['access-token', ...parts('b'), 'login']);
    const who = await cli(['whoami'], env);
    expect(who).toMatchObject({ code: 0, stderr: '' });
    expect(who.stdout).toContain('Storage:   keychain (');
    expect(await cli(['logout'], env)).toMatchObject({
      code: 0,
      stdout: 'Logged out. Login removed from the keychain.\n',
    });
    expect(await entriesOf(entryService, env)).toEqual([]);
    expect((await cli(['logout'], env)).stdout).toContain('not logged in');
  });

  test('login --for stores the key of a media server in the Secret Service, and an empty key removes it', async () => {
    const env = await withKeychain();
    const store = (key: string) =>
      cli(['login', '--for', 'komga', '--stdin'], env, JSON.stringify({ key }));
    const key = 'a-key-for-tests';
    const stored = await store(key);
    expect(stored).toMatchObject({ code: 0, stderr: '' });
    expect(stored.stdout).not.toContain(key);
    expect(await entriesOf('tankobon hooks', env)).toEqual(['komga']);
    const words = ['lookup', 'service', 'tankobon hooks', 'username', 'komga'];
    expect((await run('secret-tool', words, env)).stdout).toBe(key);
    expect((await store('')).stdout).toBe('Komga API key removed.\n');
    expect(await entriesOf('tankobon hooks', env)).toEqual([]);
  });

  test('an access token that was removed by hand is renewed, a changed login is noticed, and logout removes what is left', async () => {
    const env = await withKeychain();
    await login(env);
    const entry = (name: string) => ['service', entryService, 'username', name];
    await run('secret-tool', ['clear', ...entry('access-token.a.2')], env);
    expect(await cli(['whoami'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Access token: expired'),
    });
    expect(await cli(['refresh'], env)).toMatchObject({ code: 0, stderr: '' });
    await run('secret-tool', ['clear', ...entry('login')], env);
    expect(await codeAfter(['whoami'], env)).toBe('not-logged-in');
    const words = ['store', '--label', 'tankobon', ...entry('login'), 'target', 'default'];
    await run('secret-tool', words, env, 'changed');
    expect(await cli(['whoami'], env)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('an entry is missing or was changed'),
    });
    expect(await codeAfter(['whoami'], env)).toBe('credentials-damaged');
    expect(await cli(['logout'], env)).toMatchObject({ code: 0 });
    expect(await entriesOf(entryService, env)).toEqual([]);
  });

  test('a locked keyring, no keyring, a bus without keychain and no bus at all each say so, before anything is sent', async () => {
    await login(await withKeychain());
    const asked = practice.log.length;
    const locked = await withKeychain('locked');
    for (const refused of [await login(locked), await cli(['whoami'], locked)]) {
      expect(refused).toMatchObject({ code: 7, stdout: '' });
      expect(refused.stderr).toContain('The keychain is locked');
      expect(refused.stderr).toContain('Unlock it');
    }
    expect(await codeAfter(['whoami'], locked)).toBe('keychain-locked');
    const empty = await withKeychain('empty');
    expect(await login(empty)).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/has no keyring[^]*--insecure-storage/),
    });
    expect(await codeAfter(['login'], { ...empty, ...LOGIN_ENV })).toBe('no-keychain');
    const absent = await withKeychain('absent');
    expect(await login(absent)).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('--insecure-storage'),
    });
    expect(await codeAfter(['login'], { ...absent, ...LOGIN_ENV })).toBe('no-keychain');
    for (const refused of [
      await login(base),
      await cli(['whoami'], base),
      await cli(['logout'], base),
    ]) {
      expect(refused).toMatchObject({ code: 7, stdout: '' });
      expect(refused.stderr).toMatch(/No keychain is available[^]*--insecure-storage/);
    }
    expect(await codeAfter(['whoami'], base)).toBe('no-keychain');
    expect(practice.log).toHaveLength(asked);
  });

  test('a Secret Service that replies only after some seconds is waited for', async () => {
    const env = await withKeychain();
    await login(env);
    const pid = await secretServicePid(env);
    for (const words of [['whoami'], ['refresh'], ['logout']]) {
      process.kill(pid, 'SIGSTOP');
      const over = cli(words, env);
      await delay(STALL_MS);
      process.kill(pid, 'SIGCONT');
      const { code, stderr } = await over;
      expect(code).toBe(0);
      // The stall is about as long as the time after which it is reported.
      expect(stderr).toMatch(
        /^(warning: Waiting for the keychain, for at most 30 s\.\nhint: .*\n)?$/,
      );
    }
    expect(await entriesOf(entryService, env)).toEqual([]);
  });

  test('an interruption ends the wait for a Secret Service that does not reply', async () => {
    const env = await withKeychain();
    await login(env);
    const pid = await secretServicePid(env);
    process.kill(pid, 'SIGSTOP');
    const [chapter] = practice.library.chapters();
    const waiting = [
      ['whoami'],
      ['refresh'],
      ['logout'],
      ['download', chapter?.id ?? '', '-o', folder],
    ].map(async (words) => {
      const child = startCli(words, env);
      const over = ended(child);
      await delay(STALL_MS);
      child.kill('SIGINT');
      return (await over).code;
    });
    const codes = await Promise.all(waiting);
    process.kill(pid, 'SIGCONT');
    expect(codes).toEqual([130, 130, 130, 130]);
  });

  test('who logs in elsewhere moves: from the keychain to a file and back, leaving nothing behind', async () => {
    const env = await withKeychain();
    await login(env);
    expect((await login(env, '--insecure-storage')).code).toBe(0);
    expect(await entriesOf(entryService, env)).toEqual([]);
    expect((await cli(['whoami'], env)).stdout).toContain('Storage:   file (');
    // Without a keychain the choice of the file stands.
    expect((await login(base)).stdout).toContain('unencrypted');
    expect((await login(env)).code).toBe(0);
    expect((await cli(['whoami'], env)).stdout).toContain('Storage:   keychain (');
    expect(await cli(['logout'], env)).toMatchObject({
      stdout: 'Logged out. Login removed from the keychain.\n',
    });
  });

  test('an anonymous run does not touch the keychain', async () => {
    const env = await withKeychain('locked');
    expect(await cli(['whoami'], env)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Not logged in'),
    });
  });
});
