/** A real terminal for a test: a tmux server of its own, whose screen the test reads. Needs tmux. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROWS = 24;

/** Each starts without its configuration, and asks with `$ `. */
const SHELLS = {
  bash: ['bash', '--norc', '--noprofile'],
  zsh: ['zsh', '-f'],
  fish: ['fish', '--no-config', '--private', '-C', "function fish_prompt; echo '$ '; end"],
} as const;
export type Shell = keyof typeof SHELLS;

export interface TmuxOptions {
  readonly shell?: Shell;
  readonly columns: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const isPrompt = (screen: string): boolean => screen.trim() === '$';

export class TmuxTerminal {
  private constructor(private readonly socket: string) {}

  /** Starts a shell, whose prompt is `$ `. */
  static async start({ shell = 'bash', columns, cwd, env }: TmuxOptions): Promise<TmuxTerminal> {
    const terminal = new TmuxTerminal(`tankobon-${randomUUID()}`);
    const variables = Object.entries({
      PATH: process.env['PATH'] ?? '',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      PS1: '$ ',
      // A shell that ends writes nothing into a folder that is being removed.
      HISTFILE: '/dev/null',
      ...env,
    }).map(([name, value]) => `${name}=${value}`);
    const command = ['env', '-i', ...variables, ...SHELLS[shell]];
    const size = ['-x', String(columns), '-y', String(ROWS)];
    await terminal.#tmux('-f', '/dev/null', 'new-session', '-d', '-c', cwd, ...size, ...command);
    await terminal.until((screen) => screen.includes('$'));
    return terminal;
  }

  /** Types keys, such as a tab, without Enter. */
  async insert(keys: string): Promise<void> {
    await this.#tmux('send-keys', '-l', keys);
  }

  async type(line: string): Promise<void> {
    await this.insert(line);
    await this.#tmux('send-keys', 'Enter');
  }

  /** A key such as `C-c`. */
  async press(key: string): Promise<void> {
    await this.#tmux('send-keys', key);
  }

  /** Types a command on a clear screen, whose last line is the prompt again when the command has ended. */
  async typeAlone(command: string): Promise<void> {
    await this.press('C-l');
    await this.until(isPrompt);
    await this.type(command);
  }

  /** Resolves with the screen when the command that was typed alone has ended. */
  async ended(): Promise<string> {
    return this.until((screen) => !isPrompt(screen) && /\n\$\s*$/.test(screen));
  }

  async resize(columns: number): Promise<void> {
    await this.#tmux('resize-window', '-x', String(columns), '-y', String(ROWS));
  }

  /** @param escapes whether to keep the codes of colors */
  async screen(escapes = false): Promise<string> {
    return this.#tmux('capture-pane', '-p', ...(escapes ? ['-e'] : []));
  }

  /** Resolves with the first screen that `accepts` accepts. */
  async until(accepts: (screen: string) => boolean): Promise<string> {
    let screen = '';
    // Long enough for a busy machine; jest's own limit ends before it.
    for (let attempt = 0; attempt < 1_600; attempt += 1) {
      screen = await this.screen();
      if (accepts(screen)) return screen;
      await delay(50);
    }
    throw new Error(`The screen never was as expected:\n${screen}`);
  }

  /** Whether the cursor is visible, and whether long lines wrap. */
  async modes(): Promise<{ readonly cursor: boolean; readonly wrap: boolean }> {
    const text = await this.#tmux('display-message', '-p', '#{cursor_flag}#{wrap_flag}');
    return { cursor: text.startsWith('1'), wrap: text.trim().endsWith('1') };
  }

  /** How many lines were scrolled off the screen. */
  async scrollback(): Promise<number> {
    return Number(await this.#tmux('display-message', '-p', '#{history_size}'));
  }

  /** Interrupts the program that runs, and waits for its end, so that it writes no more files. */
  async stop(): Promise<void> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const command = await this.#tmux('display-message', '-p', '#{pane_current_command}');
      if (command.trim() in SHELLS) break;
      await this.press('C-c');
      await delay(200);
    }
    await this.#tmux('kill-server');
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-L', this.socket, ...args]);
    return stdout;
  }
}
