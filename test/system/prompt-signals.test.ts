/** Signals while a command asks at a terminal, with a settings file: SIGTERM ends it with 130, and it goes on after Ctrl-Z. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { PROGRAM } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { runAtTerminal } from '../support/terminal.js';
import { TmuxTerminal } from '../support/tmux.js';

let service: PracticeService;
let folder: string;
beforeEach(async () => {
  service = await startPracticeService();
  folder = mkdtempSync(join(tmpdir(), 'tankobon-prompt-'));
  mkdirSync(join(folder, 'home'));
  writeFileSync(join(folder, 'home', 'settings.json'), '{"quality":"data"}');
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

describeWith('Ctrl-Z and fg at a prompt', { programs: ['tmux'] }, () => {
  test.each([
    ['login --insecure-storage', 'Username:', 'reader', 'Password'],
    ['search lighthouse', 'Which title?', '', 'Language?'],
  ])('of tankobon %s: the answer counts', async (words, question, answer, next) => {
    const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
    const terminal = await TmuxTerminal.start({ columns: 80, cwd: folder, env });
    try {
      await terminal.type(`${process.execPath} ${PROGRAM} ${words}`);
      await terminal.until((screen) => screen.includes(question));
      await terminal.press('C-z');
      await terminal.until((screen) => screen.includes('Stopped'));
      await terminal.type('fg');
      await terminal.until((screen) => screen.includes('fg\n'));
      await terminal.type(answer);
      await terminal.until((screen) => screen.includes(next));
    } finally {
      await terminal.stop();
    }
  });
});

describeWith('SIGTERM at a prompt', { programs: ['python3'] }, () => {
  test.each([
    ['login --insecure-storage', 'Username:'],
    ['search lighthouse', 'Which title?'],
  ])('of tankobon %s', async (words, question) => {
    // A prompt turns the echo of the terminal off.
    const script = `
      { until stty -a | grep -q -- ' -echo '; do sleep 0.1; done; sleep 0.5; kill -TERM $$; } < /dev/tty &
      exec ${process.execPath} ${PROGRAM} ${words}`;
    const { code, screen } = await runAtTerminal(['sh', '-c', script], {
      env: {
        PATH: process.env['PATH'] ?? '',
        ...service.environment,
        TANKOBON_HOME: join(folder, 'home'),
      },
    });
    expect(screen).toContain(question);
    expect(screen).toContain('Interrupted.');
    expect(code).toBe(130);
  });
});
