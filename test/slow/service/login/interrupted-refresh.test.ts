/** A renewal that is under way when a command ends is waited for and stored: its answer may have cost the old token. */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generateChapter } from '../../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../../src/practice-server/practice-service.js';
import { tankobonHere } from '../../../support/in-process.js';
import {
  ended,
  LOGIN_ENV,
  newFolder,
  startCli,
  type Ended,
  type Env,
} from '../../../support/auth/harness.js';
import { longRunRows } from '../../../support/long-run.js';
import { posixTest } from '../../../support/platform.js';

const chapter = generateChapter({ pages: 1, bytesPerPage: 2_000 });
/** The clock of these commands is an hour ahead, so that they find the access token expired. */
const AHEAD = { NODE_OPTIONS: `--import=${resolve('test/support/auth/an-hour-later.mjs')}` };

/** Ten times faster, since the program waits ten seconds for a renewal under way. */
const FAST = { NODE_OPTIONS: `--import=${resolve('test/support/auth/fast-timers.mjs')}` };

let practice: PracticeService;
let folder: string;
let env: Env;

beforeEach(async () => {
  folder = newFolder();
  // Rotates, as it does by itself, and takes its time to answer.
  practice = await startPracticeService({ chapters: [chapter], latencyMs: { auth: 400 } });
  env = { ...practice.environment, TANKOBON_HOME: join(folder, 'home') };
  const login = await tankobonHere(['login', '--insecure-storage'], {
    env: { ...env, ...LOGIN_ENV },
  });
  expect(login).toMatchObject({ code: 0 });
});
afterEach(async () => {
  await practice.stop();
  rmSync(folder, { recursive: true });
});

const refreshes = () =>
  practice.log.filter(({ body }) => body.startsWith('grant_type=refresh_token')).length;

async function signalledInRefresh(
  words: readonly string[],
  signal: NodeJS.Signals,
  own: Env,
): Promise<Ended> {
  const child = startCli(words, { ...env, ...own });
  const over = ended(child);
  while (refreshes() === 0 && child.exitCode === null) {
    await new Promise((done) => setTimeout(done, 5));
  }
  child.kill(signal);
  return over;
}

posixTest.each<['refresh' | 'download', NodeJS.Signals]>([
  ['refresh', 'SIGINT'],
  ['refresh', 'SIGTERM'],
  ['download', 'SIGINT'],
  ...longRunRows<['download', NodeJS.Signals]>(['download', 'SIGTERM']),
])('%s, ended by %s during the renewal, keeps the login', async (command, signal) => {
  const words =
    command === 'refresh' ? [command] : [command, chapter.id, '-o', join(folder, 'out')];
  const run = await signalledInRefresh(words, signal, command === 'refresh' ? {} : AHEAD);
  expect(run.code).toBe(130);
  expect(refreshes()).toBe(1);
  expect(await tankobonHere(['refresh'], { env })).toMatchObject({ code: 0, stderr: '' });
  expect(practice.violations()).toEqual([]);
});

posixTest(
  'a command that waits for the lock of the login ends at once, and the login is unchanged',
  async () => {
    practice.injectApiFault({ fault: 'too-many', host: 'auth', times: 1 });
    const run = await signalledInRefresh(['refresh'], 'SIGINT', {});
    expect(run.code).toBe(130);
    // The 429 came after the signal; what waits for its end is not sent any more.
    expect(refreshes()).toBe(1);
  },
);

posixTest(
  'a token endpoint that never responds delays the end of a command only briefly',
  async () => {
    practice.injectApiFault({ fault: 'hang', host: 'auth', times: 'always' });
    const run = await signalledInRefresh(['refresh'], 'SIGINT', FAST);
    expect(run.code).toBe(130);
    expect(run.stderr).toContain('Waiting for the renewed login');
  },
);
