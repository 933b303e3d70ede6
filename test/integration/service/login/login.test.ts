import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Redactor } from '../../../../src/core/redactor.js';
import { credentialsOf } from '../../../../src/service/login.js';
import { login as loginCommand } from '../../../../src/cli/commands/login.js';
import { fieldsInJson } from '../../../../src/cli/commands/login-input.js';
import { errorMessage } from '../../../../src/cli/output/error-message.js';
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../../../src/practice-server/accounts.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../../src/practice-server/practice-service.js';
import { LOGIN_ENV, newFolder, type Env } from '../../../support/auth/harness.js';
import { tankobonHere } from '../../../support/in-process.js';
import { runWith } from '../../../support/auth/context.js';

const cli = (words: readonly string[], env: Env, input?: string) =>
  tankobonHere(words, { env, input });

const TRICKY_PASSWORD = ' a&b=c+d%e%20f é 🐉; "q" \\ ';
const TRICKY_SECRET = 's&=+% é🐉/?#';
const TRICKY = {
  username: 'leser+in é',
  password: TRICKY_PASSWORD,
  clientId: 'personal-client-tricky',
  clientSecret: TRICKY_SECRET,
};

let practice: PracticeService;
let folder: string;
let env: Env;

beforeAll(async () => {
  practice = await startPracticeService({
    tokens: {
      accounts: [PRACTICE_ACCOUNT, { username: TRICKY.username, password: TRICKY_PASSWORD }],
      clients: [
        PRACTICE_CLIENT,
        { id: 'personal-client-new', secret: 'new', owner: 'reader', state: 'pending' },
        { id: TRICKY.clientId, secret: TRICKY_SECRET, owner: TRICKY.username, state: 'approved' },
      ],
    },
  });
});
afterAll(() => practice.stop());
beforeEach(() => {
  folder = newFolder();
  env = { ...practice.environment, TANKOBON_HOME: join(folder, 'home') };
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const login = (changes: Env = {}, words: readonly string[] = [], input?: string) =>
  cli(['login', '--insecure-storage', ...words], { ...env, ...LOGIN_ENV, ...changes }, input);
/** The command without a process, for what it throws. */
const loginHere = async (changes: Env = {}, input?: string) => {
  const run = await runWith({ ...env, ...LOGIN_ENV, ...changes }, undefined, input);
  return loginCommand({ insecureStorage: true, stdin: input !== undefined }, run);
};
const asked = () => practice.log.length;

test('the output of login, whoami, refresh and logout', async () => {
  const loggedIn = await login();
  expect(loggedIn).toMatchObject({ code: 0, stderr: '' });
  expect(loggedIn.stdout).toMatch(/^Logged in as reader\. Stored in the file .*, unencrypted\.\n/);
  const before = asked();
  const who = await cli(['whoami'], env);
  expect(who).toMatchObject({ code: 0, stderr: '' });
  expect(who.stdout).toContain('Account:   reader\n');
  expect(who.stdout).toContain(`Client id: ${PRACTICE_CLIENT.id}\n`);
  expect(who.stdout).toContain('Storage:   file (');
  expect(who.stdout).toMatch(/Access token: valid until (\S+ )?\d\d:\d\d:\d\d \S+ \(1[45] min/);
  expect(who.stdout).toMatch(/Refresh token: valid until \S/);
  const entry = JSON.parse((await cli(['whoami', '--json'], env)).stdout) as Record<
    string,
    unknown
  >;
  expect(entry).toMatchObject({
    username: 'reader',
    clientId: PRACTICE_CLIENT.id,
    storage: 'file',
  });
  expect(entry['accessExpiresAt']).toMatch(/^\d{4}-.*Z$/);
  expect(JSON.stringify(entry)).not.toContain(PRACTICE_CLIENT.secret);
  expect(asked()).toBe(before);
  const refreshed = await cli(['refresh'], env);
  expect(refreshed.stdout).toMatch(/^Renewed\. Access token: valid until \S/);
  expect(asked()).toBe(before + 1);
  expect(await cli(['logout'], env)).toMatchObject({
    code: 0,
    stdout: 'Logged out. Login removed from the file.\n',
  });
  expect((await cli(['logout'], env)).stdout).toContain('not logged in');
  for (const command of ['whoami', 'refresh']) {
    const out = await cli([command], env);
    expect(out).toMatchObject({ code: 4, stdout: '' });
    expect(out.stderr).toContain('Not logged in.\nhint: Run: tankobon login\n');
  }
  expect(practice.violations()).toEqual([]);
});

test('login --check renews the login, and says whether it is valid', async () => {
  const check = () => cli(['login', '--check'], env);
  expect(await check()).toMatchObject({
    code: 4,
    stdout: '',
    stderr: 'error: Not logged in.\nhint: Run: tankobon login\n',
  });
  await login();
  const before = asked();
  const valid = await check();
  expect(valid).toMatchObject({ code: 0, stderr: '' });
  expect(valid.stdout).toMatch(
    /^The login of reader is valid\.\nAccess token: valid until \S.*; renewed when needed\.\n$/,
  );
  expect(asked()).toBe(before + 1);
  expect(await cli(['login', '--check', '--for', 'komga'], env)).toMatchObject({ code: 2 });
  expect(practice.violations()).toEqual([]);
});

test.each([
  ['the environment', {}, [], ''],
  ['standard input', {}, ['--stdin'], JSON.stringify(TRICKY)],
])(
  'a password of & = + %% spaces é and an emoji logs in from %s',
  async (from, _, words, input) => {
    const fromEnv = {
      TANKOBON_USERNAME: TRICKY.username,
      TANKOBON_PASSWORD: TRICKY_PASSWORD,
      TANKOBON_CLIENT_ID: TRICKY.clientId,
      TANKOBON_CLIENT_SECRET: TRICKY_SECRET,
    };
    const given = from === 'the environment' ? fromEnv : {};
    const command = ['login', '--insecure-storage', ...words];
    expect(await cli(command, { ...env, ...given }, input)).toMatchObject({ code: 0, stderr: '' });
    expect(await cli(['refresh'], env)).toMatchObject({ code: 0 });
  },
);

describe('one line break at the end of a value is cut off', () => {
  const values = Object.entries(LOGIN_ENV);
  const withBreak = (text: string): Env =>
    Object.fromEntries(values.map(([name, value]) => [name, `${value}${text}`]));
  const files = (text: string): Env =>
    Object.fromEntries(
      values.map(([name, value]) => {
        const file = join(folder, name);
        writeFileSync(file, `${value}${text}`);
        return [`${name}_FILE`, file];
      }),
    );
  const json = (text: string) =>
    JSON.stringify({
      username: `${PRACTICE_ACCOUNT.username}${text}`,
      password: `${PRACTICE_ACCOUNT.password}${text}`,
      clientId: `${PRACTICE_CLIENT.id}${text}`,
      clientSecret: `${PRACTICE_CLIENT.secret}${text}`,
    });

  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['nothing', ''],
  ])(
    '%s: from variables, from the files that variables name, and from standard input',
    async (_, text) => {
      const words = ['login', '--insecure-storage'];
      const ok = { code: 0, stderr: '' };
      expect(await cli(words, { ...env, ...withBreak(text) })).toMatchObject(ok);
      expect(await cli(words, { ...env, ...files(text) })).toMatchObject(ok);
      expect(await cli([...words, '--stdin'], env, json(text))).toMatchObject(ok);
    },
  );

  test('spaces around all values but the password are cut off', async () => {
    const spaced = (text: string) => `\t ${text} \r\n`;
    const { TANKOBON_PASSWORD: password } = LOGIN_ENV;
    const spacedEnv = (suffix: string, write: (name: string, value: string) => string) =>
      Object.fromEntries(
        values.map(([name, value]) => [
          `${name}${suffix}`,
          write(name, name === 'TANKOBON_PASSWORD' ? value : spaced(value)),
        ]),
      );
    const toFile = (name: string, value: string) => {
      const file = join(folder, name);
      writeFileSync(file, value);
      return file;
    };
    const words = ['login', '--insecure-storage'];
    const ok = { code: 0, stderr: '', stdout: expect.stringMatching(/^Logged in as reader\. /) };
    expect(await cli(words, { ...env, ...spacedEnv('', (_, value) => value) })).toMatchObject(ok);
    expect(await cli(words, { ...env, ...spacedEnv('_FILE', toFile) })).toMatchObject(ok);
    const input = JSON.stringify({
      username: spaced(PRACTICE_ACCOUNT.username),
      password,
      clientId: spaced(PRACTICE_CLIENT.id),
      clientSecret: spaced(PRACTICE_CLIENT.secret),
    });
    expect(await cli([...words, '--stdin'], env, input)).toMatchObject(ok);
    const flags = [
      '--username',
      ` ${PRACTICE_ACCOUNT.username} `,
      '--client-id',
      ` ${PRACTICE_CLIENT.id}`,
    ];
    expect(await cli([...words, ...flags], { ...env, ...LOGIN_ENV })).toMatchObject(ok);
  });

  test('a value and its file, and a file that is missing, are refused by the name of the variable', async () => {
    const file = join(folder, 'password');
    const both = await login({ TANKOBON_PASSWORD_FILE: file });
    expect(both).toMatchObject({ code: 2, stdout: '' });
    expect(both.stderr).toContain('TANKOBON_PASSWORD and TANKOBON_PASSWORD_FILE are both set');
    const missing = await login({ TANKOBON_PASSWORD: '', TANKOBON_PASSWORD_FILE: file });
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toContain(
      `TANKOBON_PASSWORD_FILE cannot be read (it does not exist): ${file}`,
    );
  });
});

test('~ in the variable of a file is the home folder', async () => {
  const missing = await login({ TANKOBON_PASSWORD: '', TANKOBON_PASSWORD_FILE: '~/no-such/file' });
  expect(missing.stderr).toContain(`(it does not exist): ${join(homedir(), 'no-such', 'file')}\n`);
});

describe('a refused login has a code and a hint, and stores nothing', () => {
  test.each([
    [
      'a wrong password',
      { TANKOBON_PASSWORD: 'no' },
      'wrong-password',
      4,
      /username or the password/,
    ],
    [
      'a wrong password that is a word of the message',
      { TANKOBON_PASSWORD: 'wrong' },
      'wrong-password',
      4,
      /^error: The username or the password is wrong\.$/m,
    ],
    [
      'a wrong password that is a word of the hint',
      { TANKOBON_PASSWORD: 'login' },
      'wrong-password',
      4,
      /^hint: .* then run: tankobon login$/m,
    ],
    ['a wrong client secret', { TANKOBON_CLIENT_SECRET: 'no' }, 'wrong-client', 4, /Get Secret/],
    [
      'an unknown client',
      { TANKOBON_CLIENT_ID: 'personal-client-no' },
      'wrong-client',
      4,
      /client id/,
    ],
    [
      'a pending client',
      { TANKOBON_CLIENT_ID: 'personal-client-new', TANKOBON_CLIENT_SECRET: 'new' },
      'client-pending',
      4,
      /not approved yet[^]*API client section/,
    ],
    [
      'a client of another account',
      { TANKOBON_CLIENT_ID: TRICKY.clientId, TANKOBON_CLIENT_SECRET: TRICKY_SECRET },
      'wrong-client',
      4,
      /another account/,
    ],
    ['an unknown realm', { TANKOBON_REALM: 'elsewhere' }, 'realm-disabled', 4, /realm/],
    [
      'an unreachable host',
      { TANKOBON_AUTH_URL: 'http://127.0.0.1:1' },
      'unreachable',
      3,
      /could not be reached/,
    ],
  ])('%s', async (_, changes: Env, code, exitCode, words) => {
    const refused: unknown = await loginHere(changes).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code, exitCode });
    expect(errorMessage(refused, { env: {}, redactor: new Redactor() })).toMatch(words);
    const credentials = credentialsOf(await runWith({ ...env, ...changes }));
    expect(await credentials.read()).toBeUndefined();
  });

  test('the hint keeps --insecure-storage', async () => {
    const flag = 'tankobon login --insecure-storage';
    const wrong = await login({ TANKOBON_CLIENT_SECRET: 'no' });
    expect(wrong.stderr).toMatch(new RegExp(`^hint: .* then run: ${flag}$`, 'm'));
    const incomplete = await login({ TANKOBON_CLIENT_SECRET: '' });
    expect(incomplete.stderr).toMatch(new RegExp(`^hint: .* or run: ${flag} --stdin$`, 'm'));
  });

  test('an account that cannot log in', async () => {
    const body = { error: 'invalid_grant', error_description: 'Account is not fully set up' };
    const takeBack = practice.intercept(
      '/realms/',
      () => ({
        status: 400,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
      'auth',
    );
    try {
      await expect(loginHere()).rejects.toMatchObject({ code: 'account-unusable', exitCode: 4 });
    } finally {
      takeBack();
    }
  });

  test('a disabled realm, and an unexpected response', async () => {
    practice.enableRealm(false);
    await expect(loginHere()).rejects.toMatchObject({ code: 'realm-disabled', exitCode: 4 });
    practice.enableRealm(true);
    practice.injectApiFault({ host: 'auth', fault: 'wrong-shape', times: 1 });
    await expect(loginHere()).rejects.toMatchObject({ code: 'bad-response', exitCode: 3 });
  });
});

describe('invalid input is refused before anything is sent', () => {
  const nothing = { TANKOBON_USERNAME: '', TANKOBON_PASSWORD: '', TANKOBON_CLIENT_SECRET: '' };
  test.each([
    [
      'only a client id',
      nothing,
      undefined,
      'login-incomplete',
      /username .*password .*client secret/,
    ],
    [
      'a client id of another kind',
      { TANKOBON_CLIENT_ID: 'client-1' },
      undefined,
      'bad-client-id',
      /personal-client-/,
    ],
    [
      'standard input that is not JSON',
      nothing,
      'pass word',
      'bad-login-input',
      /not a JSON object/,
    ],
    ['a list on standard input', nothing, '["pass word"]', 'bad-login-input', /not a JSON object/],
    [
      'an unknown field',
      nothing,
      '{"passwort":"pass word"}',
      'bad-login-input',
      /not a JSON object/,
    ],
    ['a number as password', nothing, '{"password":1}', 'bad-login-input', /not a JSON object/],
    [
      'endless input',
      nothing,
      `"${'pass word'.repeat(20_000)}"`,
      'bad-login-input',
      /larger than 65536/,
    ],
    [
      'a line break in a password',
      { TANKOBON_PASSWORD: 'pass word\n\n' },
      undefined,
      'bad-login-input',
      /The password is/,
    ],
  ])('%s', async (_, changes: Env, input, code, pattern) => {
    const before = asked();
    const refused: unknown = await loginHere(changes, input).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code, exitCode: 2 });
    const message = errorMessage(refused, {
      env: { DEBUG: 'tankobon' },
      redactor: new Redactor(),
    });
    expect(message).toMatch(pattern);
    expect(message).not.toContain('pass word');
    expect(asked()).toBe(before);
    expect(existsSync(join(folder, 'home', 'credentials'))).toBe(false);
  });

  test('no flag takes a secret', async () => {
    for (const flag of ['--password', '--client-secret']) {
      const refused = await login({}, [flag, 'pass word']);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(`Unknown option '${flag}'`);
      expect(refused.stderr).not.toContain('pass word');
    }
  });

  test('without a terminal, the error names the missing values and their variables', async () => {
    const incomplete = await login(nothing);
    expect(incomplete).toMatchObject({ code: 2, stdout: '' });
    expect(incomplete.stderr).toContain('TANKOBON_PASSWORD');
    expect(incomplete.stderr).toContain('--stdin');
  });
});

test('after the session has ended, the next login needs only the account', async () => {
  await login();
  practice.revokeRefreshTokens();
  expect(await cli(['refresh'], env)).toMatchObject({ code: 4, stdout: '' });
  const who = await cli(['whoami'], env);
  expect(who.code).toBe(4);
  expect(who.stderr).toContain(
    `hint: Run: tankobon login (the client ${PRACTICE_CLIENT.id} is kept)`,
  );
  const again = await login({ TANKOBON_CLIENT_ID: '', TANKOBON_CLIENT_SECRET: '' });
  expect(again).toMatchObject({ code: 0, stderr: '' });
});

test('a flag overrides standard input, which overrides the environment', async () => {
  const input = JSON.stringify({ username: 'wrong', password: PRACTICE_ACCOUNT.password });
  const words = ['--stdin', '--username', PRACTICE_ACCOUNT.username];
  const changes = { TANKOBON_PASSWORD: 'wrong', TANKOBON_USERNAME: 'wrong too' };
  expect(await login(changes, words, input)).toMatchObject({ code: 0, stderr: '' });
});

test('each service has its own login', async () => {
  await login();
  const elsewhere = { ...env, TANKOBON_AUTH_URL: 'http://127.0.0.1:1' };
  expect(await cli(['whoami'], elsewhere)).toMatchObject({ code: 4 });
  await cli(['logout'], elsewhere);
  expect(await cli(['whoami'], env)).toMatchObject({ code: 0 });
});

test('standard input may use the field names of the token request', () => {
  const { username, password, clientId, clientSecret } = TRICKY;
  const form = { username, password, client_id: clientId, client_secret: clientSecret };
  expect(fieldsInJson(JSON.stringify(form))).toEqual(TRICKY);
});
