/** Bars at the lower end of the terminal, with messages above them: those of cli-progress, drawn by BarTerminal. */
import { MultiBar, type Options, type Params, type SingleBar } from 'cli-progress';
import type { CommandContext } from '../command-context.js';
import { BarTerminal } from './bar-terminal.js';
import { usesColors } from './colors.js';
import { glyphsFor } from './glyphs.js';
import { hasOwnTerminal } from './own-terminal.js';
import type { LineFormat } from './progress-line.js';
import { linkedPath, supportsLinks } from './hyperlinks.js';
import { decorated, rawStream, safeText } from './safe-stream.js';
import { supportsProgress, TerminalProgress } from './terminal-progress.js';

type DrawLine = (params: Params, format: LineFormat) => string;

const UPDATES_PER_SECOND = 10;

export class BarDisplay {
  readonly #terminal: BarTerminal;
  readonly #multi: MultiBar;
  readonly #decoration: { readonly colors: boolean; readonly links: boolean };
  readonly #progress: TerminalProgress;
  readonly #removeListeners: () => void;
  readonly #isAlone: boolean;
  #isClosed = false;

  /** @param share of the work that is done, 0 to 1; undefined while unknown */
  constructor(
    private readonly context: CommandContext,
    share: () => number | undefined,
  ) {
    const { stdout, stderr, env } = context;
    const stream = rawStream(stderr);
    this.#isAlone = hasOwnTerminal(stream, rawStream(stdout));
    const terminal = new BarTerminal(stream);
    const glyphs = glyphsFor(env);
    this.#terminal = terminal;
    const progress = new TerminalProgress(supportsProgress(env, stderr));
    this.#progress = progress;
    this.#decoration = { colors: usesColors(env, stderr), links: supportsLinks(env, stderr) };
    this.#multi = new MultiBar({
      terminal,
      fps: UPDATES_PER_SECOND,
      gracefulExit: false,
      forceRedraw: true,
      format: (_options, params, payload: { readonly line: DrawLine }) =>
        safeText(payload.line(params, { columns: terminal.getWidth(), glyphs })),
    } as Options);
    this.#multi.on('redraw-post', () => {
      terminal.draw(() => progress.update(share()));
    });
    const redraw = (): void => {
      this.#multi.update();
    };
    stream.on('resize', redraw);
    const stopHandling = handleTerminalSignals(() => {
      terminal.leave(progress.clear());
    }, redraw);
    this.#removeListeners = () => {
      stream.off('resize', redraw);
      stopHandling();
    };
  }

  add(total: number, done: number, line: DrawLine): SingleBar {
    return this.#multi.create(total, done, { line });
  }

  remove(bar: SingleBar | undefined): void {
    if (!bar) return;
    bar.stop();
    this.#multi.remove(bar);
  }

  /**
   * Prints a message above the bars.
   * @param paths files and folders that it may name
   */
  print(text: string, paths: readonly string[] = []): void {
    this.#multi.log(`${decorated(safeText(text), { ...this.#decoration, paths })}\n`);
  }

  /** Prints the path of a file above the bars. */
  printPath(path: string): void {
    this.#multi.log(`${this.#decoration.links ? linkedPath(path) : safeText(path)}\n`);
  }

  /** Called before text is written to a stream that may end at this terminal, as after `tankobon … | cat`. */
  eraseForText(): void {
    // Paths that go to a file never land between the bars.
    if (!this.#isAlone && !this.#isClosed) this.#terminal.eraseForText();
  }

  /** The terminal is free for a prompt meanwhile. */
  async pauseWhile<T>(action: () => Promise<T>): Promise<T> {
    this.#terminal.pause();
    try {
      return await action();
    } finally {
      this.#terminal.resume();
    }
  }

  /** May be called twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Writes the messages that are still buffered.
    this.#multi.update();
    this.#multi.stop();
    this.#terminal.leave(this.#progress.clear());
    this.#removeListeners();
  }
}

/**
 * Runs `erase` before the shell writes to the terminal: at the end of the process, for a crash, and while stopped.
 * @param redraw called when the process continues after a stop (`fg`)
 * @returns a function that removes the listeners
 */
function handleTerminalSignals(erase: () => void, redraw: () => void): () => void {
  const stop = (): void => {
    erase();
    // Not SIGTSTP, which is handled here.
    process.kill(process.pid, 'SIGSTOP');
  };
  const listeners = [
    ['exit', erase],
    ['uncaughtExceptionMonitor', erase],
    ...(process.platform === 'win32'
      ? []
      : ([
          ['SIGTSTP', stop],
          ['SIGCONT', redraw],
        ] as const)),
  ] as const;
  for (const [event, listener] of listeners) process.on(event, listener);
  return () => {
    for (const [event, listener] of listeners) process.off(event, listener);
  };
}
