import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { askForFields } from '../../src/cli/commands/login-prompts.js';
import type { CommandContext } from '../../src/cli/command-context.js';
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../src/practice-server/accounts.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { BARE_ENV, cli, MAIN, newFolder, type Env } from '../support/auth/harness.js';
import { describeWith } from '../support/requirements.js';
import { runAtTerminal, type TerminalResult, type TerminalStep } from '../support/terminal.js';

let practice: PracticeService;
let folder: string;
let env: Env;

beforeAll(async () => {
  practice = await startPracticeService();
});
afterAll(() => practice.stop());
beforeEach(() => {
  folder = newFolder();
  env = { ...practice.environment, TANKOBON_HOME: join(folder, 'home'), TERM: 'xterm' };
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Logs in at a pseudo-terminal, typing each text when the screen shows what it waits for. */
const atTerminal = (steps: readonly TerminalStep[]) =>
  runAtTerminal([process.execPath, MAIN, 'login', '--insecure-storage'], {
    steps,
    env: { ...BARE_ENV, ...env },
  });

/** What a person reads: without the sequences that move the cursor and set colours. */
const readable = ({ screen }: TerminalResult) => stripVTControlCharacters(screen);

const { username, password } = PRACTICE_ACCOUNT;
const { id, secret } = PRACTICE_CLIENT;
const SECRETS = [password, secret];

function expectNoSecret(shown: TerminalResult): void {
  for (const hidden of SECRETS) {
    expect(readable(shown)).not.toContain(hidden);
    // Not letter by letter either, as redrawn lines would show it.
    expect(readable(shown)).not.toContain(hidden.slice(0, 5));
  }
}

describeWith('login at a terminal', { programs: ['python3'] }, () => {
  test('at a terminal the four things are asked for, and neither secret is ever on the screen', async () => {
    const shown = await atTerminal([
      { awaits: 'Username:', types: `${username}\r` },
      { awaits: 'Password:', types: `${password}\r` },
      { awaits: 'Client id:', types: `${id}\r` },
      { awaits: 'Client secret:', types: `${secret}\r` },
    ]);
    expect(shown).toMatchObject({ code: 0, untyped: 0 });
    const text = readable(shown).replace(/\s+/g, ' ');
    const note =
      'API client section of https://mangadex.org/settings. Its approval may take a while';
    expect(text.indexOf(note)).toBeGreaterThanOrEqual(0);
    expect(text.indexOf(note)).toBeLessThan(text.indexOf('Username:'));
    expect(readable(shown)).toContain(username);
    expect(readable(shown)).toContain(id);
    expect(readable(shown)).toContain('Logged in as reader.');
    expectNoSecret(shown);
    expect(await cli(['refresh'], env)).toMatchObject({ code: 0 });
  });

  test('the terminal’s echo stays off from the first question to the last, also between them', async () => {
    const happened: string[] = [];
    const stdin = Object.assign(new PassThrough(), {
      isTTY: true,
      setRawMode: (raw: boolean) => happened.push(raw ? 'echo off' : 'echo on'),
    });
    // Like a terminal, it is there for the next prompt after one has ended it.
    const stderr = Object.assign(new PassThrough(), { end: () => stderr });
    const answers = new Map([
      ['Username:', username],
      ['Password:', password],
      ['Client id:', id],
      ['Client secret:', secret],
    ]);
    stderr.on('data', (drawn: Buffer) => {
      const question = [...answers.keys()].find((words) => drawn.toString().includes(words));
      const answer = question === undefined ? undefined : answers.get(question);
      if (question === undefined || answer === undefined) return;
      answers.delete(question);
      happened.push(`typed at ${question}`);
      setImmediate(() => stdin.write(`${answer}\r`));
    });
    const asked = await askForFields({}, undefined, {
      stdin: stdin as unknown as CommandContext['stdin'],
      stderr: stderr as unknown as CommandContext['stderr'],
      signal: new AbortController().signal,
      env: {},
    });
    expect(asked).toEqual({ username, password, clientId: id, clientSecret: secret });
    expect(happened).toEqual([
      'echo off',
      'typed at Username:',
      'typed at Password:',
      'typed at Client id:',
      'typed at Client secret:',
      'echo on',
    ]);
  });

  test('a client id of another kind is asked for again', async () => {
    const shown = await atTerminal([
      { awaits: 'Username:', types: `${username}\r` },
      { awaits: 'Password:', types: `${password}\r` },
      { awaits: 'Client id:', types: 'client\r' },
      { awaits: 'does not begin with personal-client-', types: `\x15${id}\r` },
      { awaits: 'Client secret:', types: `${secret}\r` },
    ]);
    expect(shown).toMatchObject({ code: 0, untyped: 0 });
  });

  test('spaces that were pasted with a name, an id or a secret are cut off', async () => {
    const shown = await atTerminal([
      { awaits: 'Username:', types: ` ${username} \r` },
      { awaits: 'Password:', types: `${password}\r` },
      { awaits: 'Client id:', types: ` ${id} \r` },
      { awaits: 'Client secret:', types: ` ${secret} \r` },
    ]);
    expect(shown).toMatchObject({ code: 0, untyped: 0 });
    expect(readable(shown)).toContain('Logged in as reader.');
  });

  test('Ctrl-C at a prompt ends the program with 130, without a stack trace', async () => {
    const asked = practice.log.length;
    const shown = await atTerminal([
      { awaits: 'Username:', types: `${username}\r` },
      { awaits: 'Password:', types: `${password}\x03` },
    ]);
    expect(shown).toMatchObject({ code: 130, untyped: 0 });
    expect(readable(shown)).toContain('Cancelled.');
    expect(readable(shown)).not.toContain('    at ');
    expectNoSecret(shown);
    expect(practice.log).toHaveLength(asked);
  });
});
