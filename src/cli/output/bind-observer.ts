/** Where the events of `tankobon bind` go: JSON lines, or sentences with a progress bar at a terminal. */
import { basename } from 'node:path';
import type { ObserveBind } from '../../formats/bind-events.js';
import type { CommandContext } from '../command-context.js';
import { describeBindEvent } from './bind-messages.js';
import { BarTerminal } from './bar-terminal.js';
import { glyphsFor } from './glyphs.js';
import { progressLine } from './progress-line.js';
import { rawStream, safeText } from './safe-stream.js';

export interface BindObserver {
  readonly observe: ObserveBind;
  /** Restores the terminal. Call it before anything else is printed. */
  readonly close: () => void;
}

export function bindObserver(
  { json, quiet }: { readonly json: boolean; readonly quiet: boolean },
  context: CommandContext,
): BindObserver {
  const { stdout, stderr, env } = context;
  if (json) {
    const observe: ObserveBind = (event) => {
      if (event.type !== 'book-page') stdout.write(`${JSON.stringify(event)}\n`);
    };
    return { observe, close: () => undefined };
  }
  const hasBar = stderr.isTTY && env['TERM'] !== 'dumb' && !quiet;
  const bar = hasBar ? new BookBar(context) : undefined;
  const observe: ObserveBind = (event) => {
    if (event.type === 'book-page') {
      bar?.addPage(event.file);
      return;
    }
    bar?.erase();
    if (event.type === 'book-planned') bar?.expect(event.file, event.pages);
    const isError = event.type === 'book-failed';
    const text = quiet && !isError ? undefined : describeBindEvent(event);
    if (text !== undefined) stderr.write(`${text}\n`);
    if (event.type === 'book-saved') stdout.write(`${event.file}\n`);
  };
  return { observe, close: () => bar?.erase() };
}

const MIN_DRAW_INTERVAL_MS = 100;

/** One bar, for the book that is being written. */
class BookBar {
  readonly #terminal: BarTerminal;
  readonly #pages = new Map<string, number>();
  #book: { readonly file: string; readonly sinceMs: number; done: number } | undefined;
  #drawnAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly context: CommandContext) {
    this.#terminal = new BarTerminal(rawStream(context.stderr));
  }

  expect(file: string, pages: number): void {
    this.#pages.set(file, pages);
  }

  addPage(file: string): void {
    const nowMs = this.context.clock.monotonicMs();
    if (this.#book?.file !== file) this.#book = { file, sinceMs: nowMs, done: 0 };
    this.#book.done += 1;
    if (nowMs - this.#drawnAtMs < MIN_DRAW_INTERVAL_MS) return;
    this.#drawnAtMs = nowMs;
    const { done, sinceMs } = this.#book;
    const total = this.#pages.get(file) ?? done;
    const label = { number: '', title: basename(file) };
    const msLeft = ((nowMs - sinceMs) / done) * (total - done);
    const format = {
      columns: this.#terminal.getWidth(),
      glyphs: glyphsFor(this.context.env),
    };
    const line = progressLine({ label, done, total, msLeft }, format);
    this.#terminal.cursorRelativeReset();
    this.#terminal.write(safeText(line, this.context.redactor));
    this.#terminal.draw();
  }

  /** Call it before anything else is printed. */
  erase(): void {
    if (this.#drawnAtMs > Number.NEGATIVE_INFINITY) this.#terminal.erase();
    this.#drawnAtMs = Number.NEGATIVE_INFINITY;
  }
}
