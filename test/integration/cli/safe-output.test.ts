/** What the program prints: no secret that an answer quotes back, no password of a command line, nothing that a terminal obeys. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonResponse, type EndpointResponse } from '../../../src/practice-server/endpoint.js';
import { PRACTICE_ACCOUNT } from '../../../src/practice-server/accounts.js';
import {
  EXAMPLE_CHAPTERS,
  EXAMPLE_TITLES,
  generateChapter,
} from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import {
  cli as cliProcess,
  LOGIN_ENV,
  newFolder,
  type Ended,
  type Env,
} from '../../support/auth/harness.js';
import { virtualClock } from '../../support/virtual-clock.js';
import { tankobonHere } from '../../support/in-process.js';

/** Shared with the service: attempts that fail wait for each other. */
const clock = virtualClock();
const cli = (words: readonly string[], env: Env, input?: string) =>
  tankobonHere(words, { env, input, clock });

const chapter = generateChapter({ pages: 1, bytesPerPage: 2_000 });

let practice: PracticeService;
let folder: string;
let env: Env;

beforeEach(async () => {
  folder = newFolder();
  practice = await startPracticeService({ chapters: [chapter], clock });
  env = { ...practice.environment, TANKOBON_HOME: join(folder, 'home'), DEBUG: 'tankobon' };
});
afterEach(async () => {
  await practice.stop();
  rmSync(folder, { recursive: true });
});

const logIn = () => cli(['login', '--insecure-storage'], { ...env, ...LOGIN_ENV });
const download = (...flags: readonly string[]) =>
  cli(['download', chapter.id, '-o', join(folder, 'out'), ...flags], env);

const refused = (status: number, detail: string): EndpointResponse =>
  jsonResponse(status, { result: 'error', errors: [{ status, title: 'Refused', detail }] });

function expectNoSecret({ stdout, stderr }: Ended): void {
  for (const secret of practice.secrets()) {
    expect(stdout + stderr).not.toContain(secret);
    expect(stdout + stderr).not.toContain(secret.slice(0, 40));
    expect(stdout + stderr).not.toContain(encodeURIComponent(secret));
  }
}

describe('an answer that quotes a secret', () => {
  test('of the API, about the access token: hidden in messages, events and DEBUG', async () => {
    expect(await logIn()).toMatchObject({ code: 0 });
    practice.intercept('/at-home/', ({ headers }) =>
      refused(400, `You sent ${headers.authorization ?? 'nothing'}`),
    );
    for (const flags of [[], ['--json']]) {
      const run = await download(...flags);
      expect(run.code).toBe(3);
      expect(run.stdout + run.stderr).toContain('You sent Bearer [redacted]');
      expectNoSecret(run);
      if (flags.length > 0) {
        for (const line of run.stdout.trim().split('\n'))
          expect(() => void JSON.parse(line)).not.toThrow();
      }
    }
  });

  test('of the token endpoint, about password and client secret', async () => {
    practice.intercept(
      '/realms',
      ({ body }) =>
        jsonResponse(400, { error: body.toString(), error_description: body.toString() }),
      'auth',
    );
    const run = await logIn();
    expect(run.code).not.toBe(0);
    expectNoSecret(run);
  });
});

test('an uncaught exception is printed without secrets', async () => {
  // The crash leaves the demo's temporary files.
  const own = { ...env, TANKOBON_PASSWORD: 'turn-the-page', TMPDIR: folder };
  // It is thrown once the program handles exceptions.
  const fault = `const poll = setInterval(() => {
    if (process.listenerCount('uncaughtException') === 0) return;
    clearInterval(poll);
    throw new Error('it-was-turn-the-page');
  }, 10);`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(fault)}`;
  const run = await cliProcess(['demo', '--serve'], { ...own, NODE_OPTIONS });
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('it-was-[redacted]');
  expect(run.stderr).not.toContain('turn-the-page');
});

describe('a secret that is a word of a path', () => {
  const WORD = 'Lighthouse';
  const own = () => ({ ...env, TANKOBON_PASSWORD: WORD, TANKOBON_CLIENT_SECRET: `${WORD} Cat of` });
  const output = () => join(folder, `The ${WORD}`);
  const saved = ['download', EXAMPLE_CHAPTERS.first, '--output'];

  test('changes no printed path and no event: the file is where they say', async () => {
    const plain = await cli([...saved, output()], own());
    expect(plain.code).toBe(0);
    expect(plain.stdout).toContain(`${WORD} Cat of`);
    expect(existsSync(plain.stdout.trim())).toBe(true);
    const json = await cli([...saved, output(), '--force', '--json'], own());
    const events = json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; file?: string });
    const file = events.find(({ type }) => type === 'chapter-saved')?.file ?? '';
    expect(existsSync(file)).toBe(true);
    const bound = await cli(['bind', output(), '-o', join(output(), 'bound')], own());
    expect(existsSync(bound.stdout.trim())).toBe(true);
    for (const run of [plain, json, bound])
      expect(run.stdout + run.stderr).not.toContain('[redacted]');
  });

  test('changes no path in an error, nor in its stack with DEBUG', async () => {
    writeFileSync(output(), '');
    const run = await cli([...saved, output()], { ...own(), TANKOBON_CLIENT_SECRET: 'commands' });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`it is not a folder: ${output()}\n`);
    expect(run.stderr).toMatch(/^ {4}at .*commands/m);
    expect(run.stderr).not.toContain('[redacted]');
  });

  test('changes nothing that demo --serve prints', async () => {
    const { password } = PRACTICE_ACCOUNT;
    const signal = AbortSignal.abort();
    const secrets = { TANKOBON_PASSWORD: password, TANKOBON_CLIENT_SECRET: 'TANKOBON_HOME' };
    const { stdout, stderr } = await tankobonHere(['demo', '--serve'], { env: secrets, signal });
    expect(stdout).toContain(`export TANKOBON_PASSWORD='${password}'`);
    expect(stdout).toContain('export TANKOBON_HOME=/');
    expect(stdout + stderr).not.toContain('[redacted]');
  });

  test('changes no sentence of our own, such as that of a wrong password', async () => {
    const wrong = { ...env, ...LOGIN_ENV, TANKOBON_PASSWORD: 'wrong', DEBUG: '' };
    const { stderr } = await cli(['login', '--insecure-storage'], wrong);
    expect(stderr).toMatch(/^error: The username or the password is wrong\.\nhint: .*\n$/);
  });
});

test('what a hook prints is shown without secrets', async () => {
  const file = join(folder, 'subscriptions.yaml');
  const hook = ['sh', '-c', 'echo "it was turn-the-page" >&2; exit 3'];
  const output = JSON.stringify(join(folder, 'out'));
  writeFileSync(
    file,
    `hooks: { exec: ${JSON.stringify(hook)} }\nseries: [{ target: title:${EXAMPLE_TITLES.starlight}, language: en, output: ${output} }]\n`,
  );
  const own = { ...env, TANKOBON_PASSWORD: 'turn-the-page' };
  const { stdout, stderr } = await cli(['sync', '--json', '--file', file], own);
  expect(stdout).toContain('"type":"hook-failed"');
  expect(stdout).toContain('it was [redacted]');
  expect(stderr).toContain('it was [redacted]');
  expect(stdout + stderr).not.toContain('turn-the-page');
});

describe('a command line that holds a secret', () => {
  test.each([
    [['login', '--password=hunter2-and-more']],
    [['login', '-phunter2-and-more']],
    [['--client-secret=hunter2-and-more', 'login']],
    [['login', "--password=it's hunter2-and-more"]],
    [['download', 'https://me:hunter2-and-more@mangadex.org/chapter/x']],
    [['https://me:hunter2-and-more@mangadex.org/chapter/x']],
    [['config', 'set', 'apiUrl', 'https://me:hunter2-and-more@host']],
    [['config', 'set', 'apiUrl', 'https://me:hunter2-and/more@host']],
    [['config', 'set', 'quality', 'https://me:hunter2-and-more@host']],
  ])('%j is refused without it', async (words) => {
    const run = await cli(words, env);
    expect(run.code).toBe(2);
    expect(run.stdout + run.stderr).not.toContain('hunter2');
  });

  test.each([
    ['https://me:hunter2@host', []],
    ['https://me:hun/ter2@host', []],
    ['https://me:hunter2@host', ['--json']],
  ])('config list hides the user information in %s %j', async (url, flags) => {
    const run = await cli(['config', 'list', ...flags], { ...env, TANKOBON_API_URL: url });
    expect(run.stdout).toContain('https://[hidden]@host');
    expect(run.stdout + run.stderr).not.toMatch(/hun\/?ter2/);
  });
});

describe('what a terminal would obey', () => {
  const EVIL = '\u001b]0;owned\u0007\u009b31m\u202e';
  const OBEYED = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

  test('in a header of a node', async () => {
    const type = 'image/\u009b31m';
    practice.intercept(
      '/edge/',
      () => ({ status: 200, headers: { 'Content-Type': type }, body: 'no image at all' }),
      'node',
    );
    const run = await download();
    expect(run.stderr).toContain('image/');
    expect(run.stdout + run.stderr).not.toMatch(OBEYED);
  });

  test('in the name of a setting and of a file', async () => {
    mkdirSync(join(folder, 'home'), { recursive: true });
    writeFileSync(join(folder, 'home', 'settings.json'), JSON.stringify({ [`x${EVIL}`]: 1 }));
    const list = await cli(['config', 'list'], env);
    expect(list.stderr).toContain('Unknown setting');
    expect(list.stdout + list.stderr).not.toMatch(OBEYED);
    const targets = await cli(['download', '--from-file', join(folder, `x${EVIL}`)], env);
    expect(targets.code).toBe(2);
    expect(targets.stdout + targets.stderr).not.toMatch(OBEYED);
  });

  test('in an error of the API; as JSON it is escaped', async () => {
    practice.intercept('/at-home/', () => refused(400, `Because ${EVIL} of it`));
    const plain = await download();
    expect(plain.stderr).toContain('Because');
    expect(plain.stdout + plain.stderr).not.toMatch(OBEYED);
    const json = await download('--json');
    expect(json.stdout).not.toMatch(OBEYED);
    for (const line of json.stdout.trim().split('\n'))
      expect(() => void JSON.parse(line)).not.toThrow();
  });
});
