/** A login is bound to its API: another API gets none of its tokens, with a warning. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateChapter } from '../../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../../src/practice-server/practice-service.js';
import { LOGIN_ENV, newFolder, type Env } from '../../../support/auth/harness.js';
import { tankobonHere } from '../../../support/in-process.js';

const cli = (words: readonly string[], env: Env, input?: string) =>
  tankobonHere(words, { env, input });

const chapter = generateChapter({ pages: 1, bytesPerPage: 2_000 });

let first: PracticeService;
let other: PracticeService;
let folder: string;
let env: Env;

beforeEach(async () => {
  folder = newFolder();
  first = await startPracticeService({ chapters: [chapter] });
  other = await startPracticeService({ chapters: [chapter] });
  env = { ...first.environment, TANKOBON_HOME: join(folder, 'home') };
});
afterEach(async () => {
  await first.stop();
  await other.stop();
  rmSync(folder, { recursive: true });
});

/** The same authentication service, with the API elsewhere. */
const elsewhere = (): Env => ({ ...env, TANKOBON_API_URL: other.addresses.apiUrl });
const logIn = (own: Env) => cli(['login', '--insecure-storage'], { ...own, ...LOGIN_ENV });
const download = (own: Env) =>
  cli(['download', chapter.id, '--force', '-o', join(folder, 'out')], own);
const bearersAt = ({ log }: PracticeService) =>
  log.filter(({ headers }) => headers.authorization !== undefined).length;

test('requests to another API carry no token, with one warning', async () => {
  expect(await logIn(env)).toMatchObject({ code: 0 });
  const run = await download(elsewhere());
  expect(run.code).toBe(0);
  expect(bearersAt(other)).toBe(0);
  expect(other.log.length).toBeGreaterThan(0);
  const said = `The stored login is for another API: ${first.addresses.apiUrl}, not ${other.addresses.apiUrl}.`;
  expect(run.stderr.split(said)).toHaveLength(2);
  expect(run.stderr).toContain('tankobon login');

  const refresh = await cli(['refresh'], { ...elsewhere(), DEBUG: 'tankobon' });
  expect(refresh.code).toBe(4);
  const [, code] = /^code: (.*)$/m.exec(refresh.stderr) ?? [];
  expect(code).toBe('login-other-api');
  expect((await cli(['whoami'], elsewhere())).stdout).toContain(first.addresses.apiUrl);

  expect(await download(env)).toMatchObject({ code: 0 });
  expect(bearersAt(first)).toBeGreaterThan(0);
});

test('after a login for that API its requests carry the new token, and the old API gets none', async () => {
  await logIn(env);
  const moved = { ...other.environment, TANKOBON_HOME: join(folder, 'home') };
  const own = { ...moved, TANKOBON_AUTH_URL: first.addresses.authUrl };
  expect(await logIn(own)).toMatchObject({ code: 0 });
  await download(own);
  expect(bearersAt(other)).toBeGreaterThan(0);
  await download(env);
  expect(bearersAt(first)).toBe(0);
});

test('a login stored without an origin is for the live service only', async () => {
  await logIn(env);
  const credentials = join(folder, 'home', 'credentials');
  const [name = ''] = readdirSync(credentials).filter((file) => file.endsWith('.json'));
  const file = join(credentials, name);
  const record = JSON.parse(readFileSync(file, 'utf8')) as { login: { apiOrigin?: string } };
  expect(record.login.apiOrigin).toBe(first.addresses.apiUrl);
  delete record.login.apiOrigin;
  writeFileSync(file, JSON.stringify(record));
  const run = await download(env);
  expect(run.code).toBe(0);
  expect(run.stderr).toContain('The stored login is for another API: https://api.mangadex.org,');
  expect(bearersAt(first)).toBe(0);
});
