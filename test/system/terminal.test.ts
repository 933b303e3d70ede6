/** The program at a real terminal: the width and colours of help, and a hangup. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { generateChapter } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { PROGRAM, tankobon } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { runAtTerminal, type TerminalStep } from '../support/terminal.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-terminal-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const archives = () =>
  existsSync(join(folder, 'output'))
    ? readdirSync(join(folder, 'output'), { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.cbz'),
      )
    : [];

describeWith('at a terminal', { programs: ['python3'] }, () => {
  describe('a download', () => {
    const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0071';
    const ESC = '\u001b';
    const code = (state: string) => `\u001b]9;4;${state}\u001b\\`;
    let service: PracticeService;
    beforeEach(async () => {
      const chapters = [generateChapter({ id: ID, pages: 4, bytesPerPage: 4_000 })];
      service = await startPracticeService({ chapters, latencyMs: { api: 100, node: 300 } });
    });
    afterEach(() => service.stop());

    const download = (
      env: Readonly<Record<string, string>>,
      steps: readonly TerminalStep[] = [],
      pipe = '',
    ) => {
      // Without a pipe, the program takes the place of the shell.
      const exec = pipe === '' ? 'exec ' : '';
      const words = `download ${ID} -o '${join(folder, 'output')}' ${pipe}`;
      return runAtTerminal(['sh', '-c', `${exec}'${process.execPath}' '${PROGRAM}' ${words}`], {
        steps,
        env: { ...service.environment, TANKOBON_HOME: join(folder, 'home'), ...env },
      });
    };

    test('shows its progress and links its file where the terminal has both', async () => {
      const { screen, code: exit } = await download({ TERM_PROGRAM: 'ghostty' });
      expect(exit).toBe(0);
      const shown = [...screen.matchAll(new RegExp(`${ESC}\\]9;4;([^${ESC}]*)`, 'g'))].map(
        ([, one]) => one,
      );
      expect(shown[0]).toBe('3');
      expect(shown.at(-1)).toBe('0');
      expect(shown.some((one) => /^1;\d+$/.test(one ?? ''))).toBe(true);
      expect(shown.filter((one) => one === '0')).toHaveLength(1);
      const [, url = '', text] =
        new RegExp(`${ESC}\\]8;;(file:[^${ESC}]*)${ESC}\\\\([^${ESC}]*)${ESC}\\]8;;${ESC}`).exec(
          screen,
        ) ?? [];
      const [file = ''] = archives();
      expect(text).toBe(join(folder, 'output', file));
      expect(decodeURIComponent(new URL(url).pathname)).toBe(text);
      // The path inside a sentence too.
      const again = await download({ TERM_PROGRAM: 'ghostty' });
      expect(again.screen).toContain(
        `${ESC}[2mskipped:${ESC}[22m ${ESC}]8;;${url}${ESC}\\${text}${ESC}]8;;${ESC}\\: already`,
      );
    });

    test('links the file that an error is about', async () => {
      const { screen } = await download({
        TERM_PROGRAM: 'ghostty',
        TANKOBON_HOME: PROGRAM,
      });
      const [, , text] =
        new RegExp(`${ESC}\\]8;;(file:[^${ESC}]*)${ESC}\\\\([^${ESC}]*)${ESC}`).exec(screen) ?? [];
      expect(text).toBe(PROGRAM);
    });

    test('has neither where the terminal is not known to, nor in a pipe', async () => {
      const plain = await download({});
      expect(plain.screen).toContain('.cbz');
      expect(plain.screen).not.toContain('\u001b]');
      const piped = await download({ TERM_PROGRAM: 'ghostty' }, [], '--force 2>/dev/null | cat');
      expect(piped.screen).toContain('.cbz');
      expect(piped.screen).not.toContain('\u001b]');
    });

    test('removes its progress after Ctrl-C, and after a crash', async () => {
      const stopped = await download({ WT_SESSION: '1' }, [{ awaits: code('3'), types: '\u0003' }]);
      expect(stopped.code).toBe(130);
      expect(stopped.screen.lastIndexOf(code('0'))).toBeGreaterThan(
        stopped.screen.lastIndexOf('\u001b]9;4;3'),
      );
      const crash = 'data:text/javascript,process.stdin.once(`data`,()=>{throw(1)})';
      const crashed = await download({ WT_SESSION: '1', NODE_OPTIONS: `--import=${crash}` }, [
        { awaits: code('3'), types: '\n' },
      ]);
      expect(crashed.code).toBe(1);
      const codes = crashed.screen.match(new RegExp(`${ESC}\\]9;4;\\d`, 'g')) ?? [];
      expect([codes.length > 1, codes.at(-1)]).toEqual([true, '\u001b]9;4;0']);
    });
  });

  describe('help', () => {
    /** The screen of a terminal with this number of columns, colours included. */
    async function help(columns: number, words: readonly string[], env = {}): Promise<string> {
      const command = [process.execPath, PROGRAM, ...words].map((word) => `'${word}'`).join(' ');
      const script = `stty cols ${columns} rows 200; exec ${command}`;
      const { screen } = await runAtTerminal(['sh', '-c', script], {
        env: { TERM: 'xterm-256color', ...env },
      });
      return screen.replaceAll('\r', '');
    }

    test.each([40, 60, 80, 132])('fits into %i columns', async (columns) => {
      for (const words of [
        [],
        ['help', 'download'],
        ['help', 'config', 'set'],
        ['help', 'environment'],
      ]) {
        const lines = stripVTControlCharacters(await help(columns, words)).split('\n');
        const tooLong = lines.filter((line) => line.length > columns && line.trim().includes(' '));
        expect(tooLong).toEqual([]);
        expect(lines.length).toBeGreaterThan(5);
      }
    });

    test.each([60, 80, 90, 100, 132])(
      'is the same at %i columns where it is prepared and where it is made from the command tree',
      async (columns) => {
        for (const words of [['help'], ['help', 'download']])
          expect(await help(columns, words)).toBe(
            await help(columns, ['--color', 'always', ...words]),
          );
      },
    );

    test('has colours, but not with NO_COLOR or into a pipe', async () => {
      const escape = '\u001b';
      expect(await help(80, ['help'])).toContain(escape);
      expect(await help(80, ['help'], { NO_COLOR: '1' })).not.toContain(escape);
      expect((await tankobon(['help'])).stdout).not.toContain(escape);
    });
  });

  describe('with a service', () => {
    const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0071';
    let service: PracticeService;
    let env: Record<string, string>;
    beforeEach(async () => {
      const chapter = generateChapter({ id: ID, pages: 120, bytesPerPage: 2_000 });
      service = await startPracticeService({ chapters: [chapter], latencyMs: { node: 80 } });
      env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
    });
    afterEach(() => service.stop());

    /** Runs a script at a terminal of its own, which is closed when a line comes on standard input. */
    const AT_TERMINAL = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp('sh', ['sh', '-c', sys.argv[1]])
sys.stdin.readline()
os.close(terminal)
os.waitpid(pid, 0)
`;

    test('closing the terminal interrupts the run: exit 130, and the finished pages are kept', async () => {
      // The shell passes the hangup on, as bash does, and writes the exit code to a file, as for the events.
      const script =
        `"$NODE" "$PROGRAM" download ${ID} --concurrency 2 -o "$OUT" --json > "$EVENTS" & ` +
        `trap "kill -HUP $!; kill -HUP $!" HUP; wait $!; wait $!; echo $? > "$CODE"`;
      const child = spawn('python3', ['-c', AT_TERMINAL, script], {
        env: {
          PATH: process.env['PATH'],
          ...env,
          OUT: join(folder, 'output'),
          NODE: process.execPath,
          PROGRAM,
          CODE: join(folder, 'code'),
          EVENTS: join(folder, 'events'),
        },
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      child.stderr.resume();
      const end = once(child, 'close');
      while (service.log.filter(({ host }) => host === 'node').length < 8) {
        if (child.exitCode !== null) throw new Error('The program ended too early.');
        await delay(20);
      }
      child.stdin.end('close\n');
      await end;
      while (!existsSync(join(folder, 'code'))) await delay(50);
      expect(readFileSync(join(folder, 'code'), 'utf8').trim()).toBe('130');
      const events = readFileSync(join(folder, 'events'), 'utf8').trim().split('\n');
      expect(JSON.parse(events.at(-1) ?? '{}')).toMatchObject({ type: 'summary', saved: 0 });
      const loaded = events.filter((line) => line.includes('"page-loaded"')).length;
      expect(loaded).toBeGreaterThanOrEqual(4);
      expect(archives()).toEqual([]);
    });
  });
});
