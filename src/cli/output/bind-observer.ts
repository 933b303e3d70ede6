/** Where the events of `tankobon bind` go: JSON lines, or sentences with a progress bar at a terminal. */
import { basename } from 'node:path';
import { MultiBar, type SingleBar } from 'cli-progress';
import { LEFT_OUT_REASONS, type BindEvent, type ObserveBind } from '../../formats/bind-events.js';
import type { CommandContext } from '../command-context.js';
import { progressLine } from './progress-line.js';
import { rawStream, safeText } from './safe-stream.js';
import { formatBytes, pluralize } from './sizes.js';

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
  const bars = stderr.isTTY && env['TERM'] !== 'dumb' && !quiet ? new BookBars(context) : undefined;
  const observe: ObserveBind = (event) => {
    if (event.type === 'book-page') {
      bars?.addPage(event.file);
      return;
    }
    if (event.type === 'book-planned') bars?.expect(event.file, event.pages);
    if (event.type === 'book-saved' || event.type === 'book-failed') bars?.remove(event.file);
    if (quiet && event.type !== 'book-failed') return;
    const text = describeBindEvent(event);
    if (text !== undefined) stderr.write(`${text}\n`);
    if (event.type === 'book-saved') stdout.write(`${event.file}\n`);
  };
  return { observe, close: () => bars?.close() };
}

/** One sentence, or one line for each thing that is missing; undefined for what people need not see. */
export function describeBindEvent(event: BindEvent): string | undefined {
  switch (event.type) {
    case 'book-planned': {
      const { file, chapters, pages, missing } = event;
      const gaps = missing.length === 0 ? '' : `; missing: chapter ${missing.join(', ')}`;
      return `${basename(file)}: ${pluralize(chapters, 'chapter')}, ${pluralize(pages, 'page')}${gaps}`;
    }
    case 'book-saved':
      return `${basename(event.file)}: saved, ${pluralize(event.pages, 'page')}, ${formatBytes(event.bytes)}`;
    case 'book-skipped':
      return `${basename(event.file)}: skipped, has all chapters`;
    case 'book-failed':
      return `error: ${event.message}`;
    case 'chapter-left-out':
      return event.message === undefined
        ? `left out: ${event.file}: ${LEFT_OUT_REASONS[event.reason]}`
        : `error: ${event.message}`;
    case 'bind-summary': {
      const { saved, skipped, failed, leftOut } = event;
      return [
        `${pluralize(saved, 'book')} saved`,
        ...(skipped > 0 ? [`${skipped} skipped`] : []),
        ...(failed > 0 ? [`${failed} failed`] : []),
        ...(leftOut > 0 ? [`${pluralize(leftOut, 'chapter')} left out`] : []),
      ].join(', ');
    }
  }
}

const FRAMES_PER_SECOND = 10;
const DEFAULT_COLUMNS = 80;

/** A bar for the book that is being written. */
class BookBars {
  readonly #multi: MultiBar;
  readonly #pages = new Map<string, number>();
  readonly #bars = new Map<string, SingleBar>();

  constructor({ stderr, redactor }: CommandContext) {
    this.#multi = new MultiBar({
      stream: rawStream(stderr),
      fps: FRAMES_PER_SECOND,
      hideCursor: true,
      clearOnComplete: true,
      gracefulExit: false,
      linewrap: false,
      forceRedraw: true,
      format: (_options, { value, total, eta }, { label }: { label: string }) =>
        safeText(
          progressLine({
            label,
            done: value,
            total,
            bytesPerSecond: undefined,
            secondsLeft: value > 0 && value < total && Number.isFinite(eta) ? eta : undefined,
            wait: undefined,
            columns: stderr.columns || DEFAULT_COLUMNS,
          }),
          redactor,
        ),
    });
  }

  expect(file: string, pages: number): void {
    this.#pages.set(file, pages);
  }

  addPage(file: string): void {
    let bar = this.#bars.get(file);
    if (!bar) {
      bar = this.#multi.create(this.#pages.get(file) ?? 0, 0, { label: basename(file) });
      this.#bars.set(file, bar);
    }
    bar.increment();
  }

  /** Messages are printed while no bar is drawn. */
  remove(file: string): void {
    const bar = this.#bars.get(file);
    if (!bar) return;
    this.#bars.delete(file);
    bar.stop();
    this.#multi.remove(bar);
    this.#multi.update();
  }

  close(): void {
    this.#multi.stop();
  }
}
