import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PRACTICE_ACCOUNT } from '../../../../src/practice-server/accounts.js';
import { jsonResponse } from '../../../../src/practice-server/endpoint.js';
import { generateChapter } from '../../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../../src/practice-server/practice-service.js';
import {
  ended,
  LOGIN_ENV,
  newFolder,
  startCli,
  type Ended,
  type Env,
} from '../../../support/auth/harness.js';
import { tankobonHere } from '../../../support/in-process.js';

const chapter = generateChapter({ pages: 3, bytesPerPage: 2_000, seed: 3 });
let practice: PracticeService;
let folder: string;
let env: Env;
/** All that the program let anybody see. */
const seen: string[] = [];

beforeAll(async () => {
  practice = await startPracticeService({ chapters: [chapter] });
  folder = newFolder();
  env = {
    ...practice.environment,
    TANKOBON_HOME: join(folder, 'home'),
    DEBUG: 'tankobon',
  };
});
afterAll(async () => {
  await practice.stop();
  rmSync(folder, { recursive: true });
});

/** Runs the program, and remembers its output and its command line as other users see that. */
async function watched(words: readonly string[], own: Env = {}, input?: string): Promise<Ended> {
  const child = startCli(words, { ...env, ...own }, input);
  const commandLine = `/proc/${String(child.pid)}/cmdline`;
  const watch = setInterval(() => {
    try {
      seen.push(readFileSync(commandLine, 'utf8'));
    } catch {
      clearInterval(watch);
    }
  }, 20);
  const out = await ended(child);
  clearInterval(watch);
  seen.push(out.stdout, out.stderr);
  return out;
}

/** The same in this process, which has no command line to watch. */
async function here(words: readonly string[], own: Env = {}, input?: string): Promise<Ended> {
  const out = await tankobonHere(words, { env: { ...env, ...own }, input });
  seen.push(out.stdout, out.stderr);
  return out;
}

const LOGIN = ['login', '--insecure-storage'];
const login = (own: Env = {}) => here(LOGIN, { ...LOGIN_ENV, ...own });

/** Every file below, but for the credentials that are their owner's alone. */
function filesBelow(top: string): readonly string[] {
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (file) => !(/credentials\/[^/]*\.json$/.test(file) && (statSync(file).mode & 0o77) === 0),
    );
}

/** A secret, and the shapes in which it goes into forms, headers, addresses and messages. */
function shapesOf(secret: string): readonly string[] {
  return [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ s: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('hex'),
  ];
}

test('the token is sent to the API only, and a run prints no secret', async () => {
  expect(await watched(LOGIN, LOGIN_ENV)).toMatchObject({ code: 0 });
  const output = join(folder, 'out');
  const download = ['download', chapter.id, '--output', output, '--json'];
  expect(await watched(download)).toMatchObject({ code: 0 });
  // A token that the API rejects, and loads that fail.
  practice.expireAccessTokens();
  practice.injectPageFaults({ page: 1, attempts: 2, fault: 'status-500' });
  expect(await watched([...download, '--force'])).toMatchObject({ code: 0 });
  await here(['whoami']);
  await watched(['refresh']);

  const withToken = practice.log.filter(({ headers }) => headers.authorization !== undefined);
  expect(withToken.length).toBeGreaterThan(1);
  expect(new Set(withToken.map(({ host }) => host))).toEqual(new Set(['api']));
  const roles = practice.log.map(({ host }) => host);
  expect(roles).toEqual(expect.arrayContaining(['api', 'auth', 'network', 'node']));

  // Errors do not repeat what was sent, even if the response does.
  const { password } = PRACTICE_ACCOUNT;
  const echoes = [
    jsonResponse(400, { error: password, error_description: `not ${password}` }),
    jsonResponse(200, { access_token: `${password}\n`, refresh_token: password }),
    jsonResponse(500, { error: password }),
    { status: 302, headers: { Location: `/${encodeURIComponent(password)}` }, body: password },
    { status: 200, headers: { 'Content-Type': 'application/json' }, body: `{"a":"${password}` },
  ];
  for (const echo of echoes) {
    const stop = practice.intercept('/', () => echo, 'auth');
    const [refused] = await Promise.all([login(), here(['refresh'])]);
    expect(refused.code).toBeGreaterThan(0);
    stop();
  }
  const input = JSON.stringify({ ...PRACTICE_ACCOUNT, passwort: password });
  await Promise.all([
    login({ TANKOBON_AUTH_URL: 'http://127.0.0.1:1' }),
    login({ TANKOBON_CLIENT_ID: 'personal-client-none' }),
    here(['login', '--stdin'], {}, input.slice(0, -1)),
  ]);
  practice.revokeRefreshTokens();
  await here(['refresh']);
  await here(['download', chapter.id, '--output', output, '--force']);
  await watched(['logout']);

  const files = filesBelow(folder);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) seen.push(file, readFileSync(file, 'latin1'));
  const all = seen.join('\n');
  expect(all).toContain('program/main.js');
  expect(all).toContain('    at ');
  expect(practice.secrets().length).toBeGreaterThan(6);
  const found = practice
    .secrets()
    .filter((secret) => shapesOf(secret).some((s) => all.includes(s)));
  expect(found).toEqual([]);
});
