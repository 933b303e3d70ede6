/** Mistakes that people make have sentences of their own, with the command to type. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from '../../support/command.js';
import { tankobonHere as runHere } from '../../support/in-process.js';
import { virtualClock } from '../../support/virtual-clock.js';

const ID = '3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101';
const TITLE = `title:${ID}`;

/** Leaps over the waits before a server that is gone is asked again. */
const tankobonHere = (...[words, options]: Parameters<typeof runHere>) =>
  runHere(words, { ...options, clock: virtualClock() });

let folder: string;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-mistakes-'));
  env = {
    TANKOBON_HOME: join(folder, 'home'),
    TANKOBON_OUTPUT: join(folder, 'out'),
    // Nothing listens there.
    TANKOBON_API_URL: 'http://127.0.0.1:9',
  };
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  [
    'an unknown command with --help',
    ['donwload', '--help'],
    `Unknown command 'donwload'.\nhint: Did you mean download? Run: tankobon help\n`,
  ],
  [
    'an unknown subcommand with --help',
    ['sync', 'lst', '--help'],
    `Unknown command 'lst'.\nhint: Did you mean list? Run: tankobon help sync\n`,
  ],
  [
    'a title in place of a command',
    ['lighthouse', "cat's", '--first'],
    `Unknown command 'lighthouse'.\nhint: To search for a title, run: tankobon search lighthouse 'cat'\\''s'\n`,
  ],
  [
    'the words of a title in place of a target',
    ['download', 'Mob', 'Psycho', '100'],
    `Not a chapter, title or list: "Mob Psycho 100"\nhint: To search for a title, run: tankobon search Mob Psycho 100\n`,
  ],
  [
    'another word for download before a target',
    ['dl', TITLE],
    `Unknown command 'dl'.\nhint: To download it, run: tankobon download ${TITLE}\n`,
  ],
  [
    'the name of a subcommand of config before a target',
    ['get', TITLE],
    `Unknown command 'get'.\nhint: To download it, run: tankobon download ${TITLE}\n`,
  ],
  [
    'an option of sync after a command of sync',
    ['sync', 'remove', 'lighthouse', '--dry-run'],
    `Unknown option '--dry-run'.\nhint: Run: tankobon help sync remove\n`,
  ],
  [
    'an option of sync before a command of sync',
    ['sync', '--every', '6h', 'hook', 'list'],
    `Unknown option '--every'.\nhint: Run: tankobon help sync hook list\n`,
  ],
  [
    'the beginning of an option',
    ['download', '--lang', 'en', TITLE],
    `Unknown option '--lang'.\nhint: Did you mean --language? Run: tankobon help download\n`,
  ],
  [
    'a mistyped option',
    ['download', '--forse', TITLE],
    `Unknown option '--forse'.\nhint: Did you mean --force? Run: tankobon help download\n`,
  ],
  [
    'an option of download that sync takes from the settings',
    ['sync', '--limit-rate', '60k'],
    `Unknown option '--limit-rate'.\nhint: Set it for all runs: tankobon config set limitRate VALUE. Run: tankobon help sync\n`,
  ],
  [
    'a reversed range',
    ['download', '--chapters', '1,10-5', TITLE],
    `Reversed range for --chapters: "10-5"\nhint: Write the smaller number first: --chapters 5-10\n`,
  ],
  [
    'a duration without a unit',
    ['sync', '--every', '6'],
    `Option '--every <duration>' argument '6' is invalid. It needs a unit: 6s, 6m, 6h or 6d.\nhint: Run: tankobon help sync\n`,
  ],
  [
    '--format without --bind',
    ['download', '--format', 'epub', TITLE],
    '--format has no effect without --bind.\nhint: Add: --bind volume, or: --bind title\n',
  ],
  [
    '--format without --bind for a subscription',
    ['sync', 'add', '--format', 'epub', TITLE],
    '--format has no effect without --bind.\nhint: Add: --bind volume, or: --bind title\n',
  ],
  [
    '--keep-chapters without --bind',
    ['download', '--keep-chapters', TITLE],
    '--keep-chapters has no effect without --bind.\nhint: Add: --bind volume, or: --bind title\n',
  ],
  [
    'a mistyped device',
    ['bind', '--for', 'kobo-libre', '.'],
    'Neither a device nor WIDTHxHEIGHT in pixels, up to 10000: kobo-libre\nhint: Use: --for kobo-libra\n',
  ],
  [
    '--no-crop without --for',
    ['bind', '--no-crop', '.'],
    '--no-crop has no effect without --for.\nhint: Add the device: --for kobo-libra, or one of: tankobon help devices\n',
  ],
  [
    'a reset in a script',
    ['limits', '--reset'],
    'Confirmation required: standard input is not a terminal.\nhint: Run: tankobon limits --reset --yes\n',
  ],
])('%s', async (_what, words, message) => {
  const { code, stdout, stderr } = await tankobonHere(words, { env });
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `error: ${message}` });
});

test('0 is a duration without a unit', async () => {
  const { code, stderr } = await tankobonHere(['download', '--max-outage', '0', ID], { env });
  expect(code).toBe(3);
  expect(stderr).toContain('could not be reached');
});

const NEEDS_UNIT = 'needs a unit: 90s, 90m, 90h or 90d';

test('a duration without a unit is a mistake in a setting and in a variable too', async () => {
  const setting = await tankobonHere(['config', 'set', 'maxOutage', '90'], { env });
  expect(setting).toMatchObject({ code: 2, stderr: expect.stringContaining(NEEDS_UNIT) });
  const variable = await tankobonHere(['download', ID], {
    env: { ...env, TANKOBON_MAX_OUTAGE: '90' },
  });
  expect(variable).toMatchObject({ code: 2, stderr: expect.stringContaining(NEEDS_UNIT) });
});

test.each(['"90"', '90'])(
  '%s is a mistake as a setting in a file that was edited',
  async (value) => {
    mkdirSync(join(folder, 'home'));
    writeFileSync(join(folder, 'home/settings.json'), `{ "maxOutage": ${value} }`);
    const { code, stderr } = await tankobonHere(['download', ID], { env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(NEEDS_UNIT) });
  },
);

test('limits --reset --yes asks nothing', async () => {
  const { code, stderr } = await tankobonHere(['limits', '--reset', '--yes'], { env });
  expect([code, stderr]).toEqual([0, 'Ledger cleared. Requests in flight still count.\n']);
});

test.each([
  `\u200Bhttps://mangadex.org/title/${ID}\u200E`,
  `https://mangadex.org/title/${ID}/slug,`,
  `"https://mangadex.org/title/${ID}"`,
  `“https://mangadex.org/title/${ID}”;`,
  `'title:${ID}'`,
  `<https://mangadex.org/title/${ID}>.`,
  `(mangadex.org/title/${ID})`,
  `  ${ID},  `,
])('an address is taken as it is copied from a text: %s', async (target) => {
  for (const words of [[target], ['download', target]]) {
    const { code, stderr } = await tankobonHere([...words, '--dry-run'], { env });
    expect(code).toBe(3);
    expect(stderr).toContain('could not be reached');
  }
});

test('a server in the environment that is gone is named in the hint, with the command that leaves it', async () => {
  const gone = { ...env, TANKOBON_AUTH_URL: 'http://127.0.0.1:9/realms' };
  const { code, stderr } = await tankobonHere(['search', 'lighthouse'], { env: gone });
  expect(code).toBe(3);
  expect(stderr).toMatch(/^error: 127\.0\.0\.1:9 could not be reached/);
  expect(stderr).toMatch(
    /^hint: .* TANKOBON_API_URL is set to http:\/\/127\.0\.0\.1:9\. To use MangaDex, run: unset TANKOBON_API_URL TANKOBON_AUTH_URL$/m,
  );
});

test('a server in the settings is not called a variable', async () => {
  const { TANKOBON_HOME = '' } = env;
  const settings = { env: { TANKOBON_HOME } };
  await tankobonHere(['config', 'set', 'apiUrl', 'http://127.0.0.1:9'], settings);
  const { stderr } = await tankobonHere(['search', 'lighthouse'], settings);
  expect(stderr).toContain('127.0.0.1:9 could not be reached');
  expect(stderr).not.toContain('unset');
});

test('demo --serve prints the lines that unset what it exports', async () => {
  const { child, finished } = start(['demo', '--serve'], { env });
  const stderr: string[] = [];
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (text: string) => {
      stderr.push(text);
      if (stderr.join('').includes('unset')) resolve();
    });
  });
  child.kill('SIGINT');
  const { stdout } = await finished;
  const exported = [...stdout.matchAll(/^export (\w+)=/gm)].map(([, name]) => name);
  expect(exported).toContain('TANKOBON_API_URL');
  expect(/^ {2}unset (.*)$/m.exec(stderr.join(''))?.[1]?.split(' ')).toEqual(exported);
});

test('login --for komga without a keychain shows the command that stores the key in a file', async () => {
  const words = ['login', '--for', 'komga', '--stdin'];
  const ran = await tankobonHere(words, { env, input: '{"key":"abc"}' });
  expect(ran.code).toBe(7);
  expect(ran.stderr).toContain(
    'hint: To store the key in a file, unencrypted, run: tankobon login --for komga --insecure-storage\n',
  );
  const stored = await tankobonHere([...words, '--insecure-storage'], {
    env,
    input: '{"key":"abc"}',
  });
  expect(stored.stdout).toMatch(/^Komga API key stored in the file /);
});

test.each([[['--stdin']], [[]]])(
  'login --for komga %j takes the plain key on standard input; nothing there is no key',
  async (flags) => {
    const words = ['login', '--for', 'komga', '--insecure-storage', ...flags];
    const stored = await tankobonHere(words, { env, input: 'plain-key\n' });
    expect(stored).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Komga API key stored/),
    });
    const { code, stderr } = await tankobonHere(words, { env, input: '\n' });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: Missing: Komga API key.\n' +
        'hint: Pipe the key into: tankobon login --insecure-storage --for komga\n',
    });
    const removed = await tankobonHere(words, { env, input: '{"key":""}' });
    expect(removed.stdout).toBe('Komga API key removed.\n');
  },
);

test('login --help says where a client comes from, and download --help that books replace chapters', async () => {
  const text = async (name: string) =>
    (await tankobonHere(['help', name], { env })).stdout.replace(/\s+/g, ' ');
  expect(await text('login')).toContain(
    'Create a personal client in the API client section of https://mangadex.org/settings. Its approval may take a while',
  );
  expect(await text('download')).toMatch(/--bind <unit> [^-]*in place of the chapter files/);
});

test('--mark-read without a login says so, and nothing is sent', async () => {
  const { code, stderr } = await tankobonHere(['download', '--mark-read', ID], { env });
  expect(code).toBe(4);
  expect(stderr).toContain(
    'error: Not logged in: --mark-read needs a login.\nhint: Run: tankobon login\n',
  );
});

test('all mistakes of a subscriptions file are reported at once, in its order', async () => {
  const file = join(folder, 'subs.yaml');
  const text = `defaults: { langauge: en, quality: best }
series:
  - target: naruto
    chapters: 10-1
    foldr: x
    wait-for-grop: 2d
`;
  writeFileSync(file, text, { mode: 0o600 });
  const { code, stderr } = await tankobonHere(['sync', '--file', file], { env });
  expect(code).toBe(2);
  expect(stderr.replaceAll(file, 'f').split('\n')).toEqual([
    'error: f:1:13: defaults.langauge: unknown key; did you mean language?',
    '  f:1:36: defaults.quality: must be one of: data, data-saver',
    '  f:3:13: series[0].target: Not a chapter, title or list: "naruto"',
    '  f:4:15: series[0].chapters: Reversed range for chapters: "10-1"',
    '  f:5:5: series[0].foldr: unknown key; did you mean folder?',
    '  f:6:5: series[0].wait-for-grop: unknown key; did you mean wait-for-group?',
    'hint: Correct the file at the lines and columns given. For its keys, run: tankobon help subscriptions',
    '',
  ]);
});
