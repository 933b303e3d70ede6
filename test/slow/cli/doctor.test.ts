/** `tankobon doctor`: a line for each check, with what to do; and what it sends. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../../src/cli/doctor/account-checks.js';
import { checkSpace } from '../../../src/cli/doctor/program-checks.js';
import type { CheckEvent } from '../../../src/events/doctor-events.js';
import { CHECKS } from '../../../src/events/reasons.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { LOGIN_ENV } from '../../support/auth/harness.js';
import { start } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';
import { posixTest } from '../../support/platform.js';
import { startRespServer } from '../../support/resp-server.js';

const CHAPTER = '6f3c2a10-1111-4222-8333-944455556666';

let folder: string;
let home: string;
let service: PracticeService;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-doctor-'));
  home = join(folder, 'home');
  const chapters = [generateChapter({ id: CHAPTER, pages: 2, bytesPerPage: 4_000 })];
  service = await startPracticeService({ chapters });
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const environment = () => ({ ...service.environment, TANKOBON_HOME: home, PATH: '/usr/bin:/bin' });
const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  tankobonHere(words, { env: { ...environment(), ...env } });

interface Examined {
  readonly code: number | null;
  readonly checks: readonly CheckEvent[];
  readonly summary: unknown;
  /** The findings of one check. */
  readonly of: (check: string) => readonly CheckEvent[];
}

async function examine(
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Examined> {
  const { code, stdout } = await run(['doctor', '--json', '-o', folder, ...words], env);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as CheckEvent);
  const checks = lines.slice(0, -1);
  return {
    code,
    checks,
    summary: lines.at(-1),
    of: (name) => checks.filter(({ check }) => check === name),
  };
}

const login = () => run(['login', '--insecure-storage'], LOGIN_ENV);
function subscribe(text: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'subscriptions.yaml'), text, { mode: 0o600 });
}

test('on a machine that was never used nothing is wrong, nothing is sent and nothing is left', async () => {
  const { code, checks, summary } = await examine();
  expect(code).toBe(0);
  expect(service.log).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  // Each address of the practice service is a finding of its own.
  const names = [...new Set(checks.map(({ check }) => check))];
  expect(Object.keys(CHECKS).filter((name) => names.some((each) => each === name))).toEqual(names);
  expect(names).toHaveLength(14);
  const hasHint = ({ status }: { status: string }) => status === 'warning' || status === 'error';
  expect(checks.filter((check) => hasHint(check) && !check.hint)).toEqual([]);
  const count = (wanted: string) => checks.filter(({ status }) => status === wanted).length;
  expect(summary).toEqual({
    type: 'doctor-summary',
    ok: count('ok') + count('none'),
    warnings: count('warning'),
    errors: 0,
  });
});

test('a file that is not there is not ok', async () => {
  const { checks } = await examine(['-o', join(folder, 'Comics')]);
  const missing = checks.filter(({ status }) => status === 'none').map(({ check }) => check);
  expect(missing).toEqual([
    'state-folder',
    'subscriptions',
    'login',
    'output-folder',
    'replaced-files',
  ]);
});

posixTest('without a home folder that is all it says', async () => {
  const { HOME } = process.env;
  process.env['HOME'] = '';
  try {
    const { code, checks, of } = await examine([], { TANKOBON_HOME: '' });
    expect([code, checks.length]).toEqual([3, 2]);
    expect(of('state-folder')[0]?.message).toMatch(/^No home folder found/);
    expect(of('state-folder')[0]?.hint).toMatch(/^Set TANKOBON_HOME/);
  } finally {
    process.env['HOME'] = HOME;
  }
});

test('people get a line for each check, with the hint below it, and the counts', async () => {
  const { code, stdout, stderr } = await run(['doctor', '-o', join(folder, 'Comics')], {
    TANKOBON_QUALITY: 'best',
  });
  expect(code).toBe(3);
  expect(stdout).toMatch(/^ok {7}version {9}tankobon \d/);
  expect(stdout).toMatch(
    /^error {4}settings {8}TANKOBON_QUALITY is "best", .*\n {25}hint: Correct it, for example: TANKOBON_QUALITY=data$/m,
  );
  expect(stderr).toMatch(/^1 error, \d warnings?\.\n$/);
});

posixTest.each([40, 80])(
  'at a terminal of %i columns, each text is in a column',
  async (columns) => {
    const env = { ...environment(), TANKOBON_QUALITY: 'best', NO_COLOR: '1' };
    const { stdout } = await tankobonHere(['doctor', '-o', folder], { env, columns });
    const lines = stdout.split('\n');
    // Nothing but a path is longer than the terminal.
    for (const line of lines)
      if (line.length >= columns) expect(line.trimStart()).toMatch(/^(\w+ +[\w-]+ +)?\S+$/);
    const start = lines.findIndex((line) => line.startsWith('error    settings'));
    const indent = columns === 40 ? '  ' : ' '.repeat(25);
    const end = lines.findIndex((line, index) => index > start && /^\w/.test(line));
    const texts = lines.slice(start + 1, end);
    expect(texts.join('\n')).toContain(`${indent}hint: `);
    for (const line of texts) expect(line).toMatch(new RegExp(`^${indent}\\S`));
  },
);

posixTest('a closed pipe ends it quietly', async () => {
  const { child, finished } = start(['doctor'], { env: environment() });
  child.stdout.destroy();
  expect(await finished).toMatchObject({ stderr: '' });
});

test('a login, a hook with its key and a subscriptions file in order are good', async () => {
  await login();
  const store = ['login', '--for', 'komga', '--stdin', '--insecure-storage'];
  await tankobonHere(store, { env: environment(), input: JSON.stringify({ key: 'k' }) });
  subscribe(
    `defaults: { output: ${folder} }\nseries: []\nhooks: { komga: { url: "http://nas:25600", library: A }, exec: [sh, -c, "true"] }\n`,
  );
  const sent = service.log.length;
  const { code, of } = await examine();
  expect([code, of('login')]).toEqual([0, [expect.objectContaining({ status: 'ok' })]]);
  expect(of('login')[0]?.message).toMatch(/^reader, in the file .*\. Refresh token: /);
  expect(of('keychain')[0]).toMatchObject({ status: 'ok' });
  expect(of('hook').map(({ message }) => message)).toEqual([
    'komga at nas:25600, with a stored key',
    expect.stringMatching(/^exec runs \S*\/sh$/),
  ]);
  expect(service.log).toHaveLength(sent);
});

const FOLLOWS = 'follows: true\n';
const cases: readonly {
  readonly what: string;
  readonly check: string;
  readonly message: RegExp;
  readonly hint: RegExp;
  readonly env?: () => Record<string, string>;
  readonly words?: () => string[];
  readonly prepare?: () => unknown;
}[] = [
  {
    what: 'a state folder that is a file',
    check: 'state-folder',
    env: () => ({ TANKOBON_HOME: '/dev/null' }),
    message: /^TANKOBON_HOME cannot be used \(ENOTDIR\)/,
    hint: /^Set TANKOBON_HOME/,
  },
  {
    what: 'an output folder that is a file',
    check: 'output-folder',
    words: () => ['-o', '/dev/null'],
    message: /it is not a folder: \/dev\/null$/,
    hint: /--output DIR$/,
  },
  {
    what: 'a damaged login',
    check: 'login',
    prepare: async () => {
      await login();
      const file = readdirSync(join(home, 'credentials')).find((name) => name.endsWith('.json'));
      writeFileSync(join(home, 'credentials', file ?? ''), '{');
    },
    message: /^The file with the login is damaged/,
    hint: /tankobon login/,
  },
  {
    what: 'follows without a login',
    check: 'login',
    prepare: () => {
      subscribe(FOLLOWS);
    },
    message: /^not logged in, but the subscriptions follow your account$/,
    hint: /^Run: tankobon login$/,
  },
  {
    what: 'a subscriptions file with mistakes',
    check: 'subscriptions',
    prepare: () => {
      subscribe('sereis: []\n');
    },
    message: /sereis/,
    hint: /tankobon help subscriptions/,
  },
  {
    what: 'a hook without its key',
    check: 'hook',
    prepare: () => {
      subscribe('hooks: { kavita: { url: "http://nas:5000" } }\n');
    },
    message: /^kavita at nas:5000: no key is stored \(Kavita API key\)$/,
    hint: /^Run: tankobon login --for kavita$/,
  },
  {
    what: 'a hook whose program is missing',
    check: 'hook',
    prepare: () => {
      subscribe('hooks: { exec: [no-such-program-here] }\n');
    },
    message: /^exec: no program that can be run: no-such-program-here$/,
    hint: /tankobon sync edit$/,
  },
  {
    what: 'a ledger server that is not there',
    check: 'ledger',
    env: () => ({ TANKOBON_LEDGER: 'redis://127.0.0.1:1' }),
    message: /^The shared ledger at redis:\/\/127\.0\.0\.1:1 cannot be used/,
    hint: /^Start the server/,
  },
];
const onPosix = process.platform === 'win32' ? cases.slice(2) : cases;

test.each(onPosix)(
  '$what is an error with what to do, and exit 3',
  async ({ check, message, hint, env, words, prepare }) => {
    await prepare?.();
    const sent = service.log.length;
    const { code, of } = await examine(words?.(), env?.());
    expect(code).toBe(3);
    const [finding] = of(check).filter(({ status }) => status === 'error');
    expect(finding?.message).toMatch(message);
    expect(finding?.hint).toMatch(hint);
    expect(service.log).toHaveLength(sent);
  },
);

test('too little space is an error, and little space a warning', async () => {
  const { of } = await examine();
  expect(of('output-space')[0]?.message).toMatch(/ free: /);
  const status = async (minBytes: number) => (await checkSpace(folder, minBytes, 'hint')).status;
  expect(await status(0)).toBe('ok');
  expect(await status(Infinity)).toBe('error');
  const { bavail, bsize } = statfsSync(folder);
  expect(await status((bavail * bsize) / 5)).toBe('warning');
});

test('the server of the ledger is asked where it is configured', async () => {
  const server = await startRespServer();
  try {
    const { code, of } = await examine([], { TANKOBON_LEDGER: server.url });
    expect([code, of('ledger')[0]?.status]).toEqual([0, 'ok']);
    expect(server.connections).toBe(1);
  } finally {
    await server.stop();
  }
});

posixTest('a program is found as the system finds it', async () => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  mkdirSync(join(bin, 'folder'));
  writeFileSync(join(bin, 'not-executable'), '');
  writeFileSync(join(bin, 'program'), '');
  chmodSync(join(bin, 'program'), 0o755);
  const env = { PATH: `${folder}:${bin}` };
  expect(await findProgram('program', env)).toBe(join(bin, 'program'));
  expect(await findProgram(join(bin, 'program'), env)).toBe(join(bin, 'program'));
  for (const command of ['', 'folder', 'not-executable', './program', join(bin, 'nosuch')])
    expect([command, await findProgram(command, env)]).toEqual([command, undefined]);
});

describe('--online', () => {
  test('sends one search, and with a login one renewal, within the rules', async () => {
    const first = await examine(['--online']);
    expect(first.code).toBe(0);
    expect(first.of('api')[0]?.message).toMatch(/ answers$/);
    expect(first.of('token-endpoint')[0]?.message).toBe('not contacted: no login can be renewed');
    expect(service.log.map(({ host, path }) => [host, path])).toEqual([['api', '/manga']]);
    await login();
    const sent = service.log.length;
    const second = await examine(['--online']);
    expect(second.code).toBe(0);
    expect(second.of('token-endpoint')[0]?.message).toMatch(/ renewed the login\. Access token: /);
    expect(service.log.slice(sent).map(({ host }) => host)).toEqual(['api', 'auth']);
    expect(service.violations()).toEqual([]);
  });

  test('a service that cannot be reached is an error', async () => {
    await service.stop();
    const { code, of } = await examine(['--online'], { TANKOBON_MAX_OUTAGE: '0s' });
    expect([code, of('api')[0]?.status]).toEqual([3, 'error']);
    expect(of('api')[0]?.hint).toContain('Check the network.');
    service = await startPracticeService();
  });

  test('the report host gets the reports that wait, and no others', async () => {
    await service.setReportHost('dead');
    expect(await run(['download', CHAPTER, '-o', folder])).toMatchObject({ code: 0 });
    const down = await examine();
    expect(down.of('reports')[0]).toMatchObject({ status: 'warning' });
    expect(down.of('reports')[0]?.hint).toContain('tankobon report-status --flush');
    expect((await examine(['--online'])).of('report-host')[0]?.status).toBe('warning');
    await service.setReportHost('alive');
    const { of } = await examine(['--online']);
    expect(of('report-host')[0]?.message).toMatch(/ answers: \d+ health reports sent$/);
    const received = service.reports.length;
    expect(received).toBeGreaterThan(0);
    expect((await examine(['--online'])).of('report-host')[0]?.message).toBe(
      'not contacted: no health report waits',
    );
    expect(service.reports).toHaveLength(received);
    expect(service.violations()).toEqual([]);
  });
});
