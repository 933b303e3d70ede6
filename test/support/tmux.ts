/** A real terminal for a test: a tmux server of its own, whose screen the test reads. Needs tmux. */
import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
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

/** The word in single quotes, which tmux takes as it is. */
const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

interface Reply {
  readonly resolve: (output: string) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A client of the server in tmux's control mode: it takes a command a line, and answers each in turn between `%begin`
 * and `%end`. A process for each look at the screen would take more time than the programs that are tested.
 */
class ControlClient {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #replies: Reply[] = [];
  #lines: string[] = [];

  constructor(socket: string) {
    const words = ['-L', socket, '-C', 'attach-session', '-f', 'no-output,ignore-size'];
    this.#process = spawn('tmux', words);
    // A server that has ended takes no command; the end of its client says so.
    this.#process.stdin.on('error', () => undefined);
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      this.#read(line);
    });
    this.#process.on('close', () => {
      for (const { reject } of this.#replies.splice(0)) reject(new Error('tmux has ended.'));
    });
  }

  /** Resolves with what the command prints. */
  async send(words: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#replies.push({ resolve, reject });
      this.#process.stdin.write(`${words.map(quote).join(' ')}\n`);
    });
  }

  #read(line: string): void {
    // The last number is 1 in answers to commands of this client. Its start is answered too, with 0.
    const [, end] = /^%(begin|end|error) \d+ \d+ 1$/.exec(line) ?? [];
    if (end === undefined) this.#lines.push(line);
    else {
      const output = this.#lines.map((each) => `${each}\n`).join('');
      this.#lines = [];
      if (end === 'begin') return;
      const reply = this.#replies.shift();
      if (end === 'end') reply?.resolve(output);
      else reply?.reject(new Error(output));
    }
  }
}

const isPrompt = (screen: string): boolean => screen.trim() === '$';

export class TmuxTerminal {
  private constructor(private readonly client: ControlClient) {}

  /** Starts a shell, whose prompt is `$ `. */
  static async start({ shell = 'bash', columns, cwd, env }: TmuxOptions): Promise<TmuxTerminal> {
    const socket = `tankobon-${randomUUID()}`;
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
    const session = ['new-session', '-d', '-c', cwd, ...size, ...command];
    await run('tmux', ['-L', socket, '-f', '/dev/null', ...session]);
    const terminal = new TmuxTerminal(new ControlClient(socket));
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
    for (let attempt = 0; attempt < 4_000; attempt += 1) {
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
    return this.client.send(args);
  }
}
