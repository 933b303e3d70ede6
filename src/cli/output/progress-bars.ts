/** At a terminal: a bar for the batch and one for each chapter or book in progress, with messages above them. */
import type { SingleBar } from 'cli-progress';
import type { CommandContext } from '../command-context.js';
import { BarDisplay } from './bar-display.js';
import { bookLabel } from '../../events/bind-events.js';
import { eventPaths } from '../../events/printed-event.js';
import type { EventMessages } from './event-messages.js';
import {
  APP_EVENTS,
  type Activity,
  type AppEvent,
  type ExpectedChapter,
  type Observer,
  type ObserverOptions,
} from './observer.js';
import { isSameTerminal } from './own-terminal.js';
import { writePath, writeResult } from './path-line.js';
import { chapterLabels, progressLine, spinnerLine, type ProgressLabel } from './progress-line.js';
import { endsChapter, type RunProgress } from './run-progress.js';
import { writeMessage } from './safe-stream.js';
import { PageCountdown, PageShare, Speed } from './speed.js';

interface ItemBar {
  readonly bar: SingleBar;
  readonly speed: Speed;
  readonly countdown: PageCountdown;
  readonly share: PageShare;
}

const SPINNER_STEP_MS = 100;
const ACTIVITIES: Record<Activity | 'requesting', string> = {
  resolving: 'resolving the targets',
  scanning: 'scanning the output folder',
  requesting: 'requesting the pages',
  reading: 'reading the chapters',
};

export class ProgressBars implements Observer {
  readonly #display: BarDisplay;
  /** By the id of the chapter, or the file of the book. */
  readonly #items = new Map<string, ItemBar>();
  readonly #bookPages = new Map<string, number>();
  readonly #endedBooks = new Set<string>();
  #labels: ReadonlyMap<string, ProgressLabel> = new Map();
  #spinner: SingleBar | undefined;
  #activity: string;
  #batch: SingleBar | undefined;
  #closed = false;

  constructor(
    private readonly messages: EventMessages,
    private readonly progress: RunProgress,
    private readonly options: ObserverOptions,
    private readonly context: CommandContext,
    firstActivity: Activity,
  ) {
    const { clock } = context;
    this.#display = new BarDisplay(context, () => this.#share());
    this.#activity = ACTIVITIES[firstActivity];
    this.#spinner = this.#display.add(1, 0, (_params, format) =>
      spinnerLine(
        this.#activity,
        Math.floor(clock.monotonicMs() / SPINNER_STEP_MS),
        this.progress.currentWait(),
        format,
      ),
    );
  }

  readonly onActivity = (activity: keyof typeof ACTIVITIES): void => {
    this.#activity = ACTIVITIES[activity];
  };

  readonly expect = (chapters: readonly ExpectedChapter[]): void => {
    this.#labels = chapterLabels(chapters);
    this.onActivity('requesting');
    if (this.#closed) return;
    this.#removeBatch();
    if (chapters.length <= 1) return;
    this.#removeSpinner();
    const label = { number: 'chapters', title: '' };
    this.#batch = this.#display.add(chapters.length, 0, ({ total }, format) => {
      const { done } = this.progress;
      const bytesPerSecond = this.progress.bytesPerSecond();
      const wait = this.progress.currentWait();
      const leftMs = this.progress.leftMs();
      const partial = this.#partialItems();
      return progressLine({ label, done, total, partial, bytesPerSecond, wait, leftMs }, format);
    });
  };

  readonly observe = (event: AppEvent): void => {
    if (event.type === 'chapter-started') {
      const label = this.#labels.get(event.chapter) ?? { number: '', title: event.chapter };
      this.#addBar(event.chapter, label, event.pages, event.kept);
    } else if (event.type === 'page-bytes') {
      const item = this.#items.get(event.chapter);
      item?.speed.add(event.bytes);
      item?.share.add(event.bytes);
    } else if (event.type === 'page-loaded') {
      this.#addPage(event.chapter, event.bytes);
    } else if (event.type === 'book-planned') {
      this.#bookPages.set(event.file, event.pages);
      this.#removeBatch();
    } else if (event.type === 'book-page') {
      this.#addBookPage(event.file);
    } else if (event.type === 'waiting') {
      // Shown in the bars; with --verbose as a message too.
      if (!this.#closed && !this.options.verbose) return;
    } else this.#endItem(event);
    for (const line of this.messages.linesFor(event))
      this.note(line, eventPaths(APP_EVENTS, event));
    const result = this.messages.resultOf(event);
    if (result !== undefined) this.#printResult(result, event.type !== 'planned');
  };

  readonly whilePrompting = <T>(ask: () => Promise<T>): Promise<T> =>
    this.#closed ? ask() : this.#display.pauseWhile(ask);

  /** Removes the bars. Later messages are printed as plain lines. */
  readonly close = (): void => {
    this.#display.close();
    this.#closed = true;
  };

  readonly note = (text: string, paths: readonly string[] = []): void => {
    if (this.#closed) writeMessage(this.context.stderr, `${text}\n`, paths);
    else this.#display.print(text, paths);
  };

  readonly notice = this.note;

  #endItem(event: AppEvent): void {
    if (event.type === 'book-failed' || event.type === 'book-skipped') this.#endBook(event.file);
    if (event.type === 'book-saved') this.#endBookPart(event);
    if (endsChapter(event)) this.#removeBar(event.chapter);
  }

  #endBookPart({ file, book = file, part }: Extract<AppEvent, { type: 'book-saved' }>): void {
    if (!part || part.number === part.total) this.#endBook(book);
  }

  #endBook(file: string): void {
    this.#removeBar(file);
    this.#endedBooks.add(file);
    this.#showBooks();
  }

  /** The bar over all books, once the first one is written or there already. */
  #showBooks(): void {
    if (this.#closed || this.#batch || this.#bookPages.size <= 1) return;
    this.#removeSpinner();
    const label = { number: 'books', title: '' };
    this.#batch = this.#display.add(this.#bookPages.size, 0, ({ total }, format) =>
      progressLine({ label, done: this.#endedBooks.size, total }, format),
    );
  }

  #removeBatch(): void {
    this.#display.remove(this.#batch);
    this.#batch = undefined;
  }

  #addBookPage(file: string): void {
    this.#showBooks();
    if (!this.#items.has(file)) {
      const label = { number: '', title: bookLabel(file) };
      this.#addBar(file, label, this.#bookPages.get(file) ?? 0, 0);
    }
    this.#addPage(file);
  }

  #addPage(id: string, bytes?: number): void {
    const item = this.#items.get(id);
    item?.share.addPage(bytes);
    item?.countdown.add();
    item?.bar.increment();
  }

  #addBar(id: string, label: ProgressLabel, pages: number, kept: number): void {
    if (this.#closed) return;
    this.#removeSpinner();
    // An attempt that failed during an outage left its bar.
    this.#removeBar(id);
    const speed = new Speed(this.context.clock);
    const countdown = new PageCountdown(pages - kept, this.context.clock);
    const share = new PageShare();
    const bar = this.#display.add(pages, kept, ({ value: done, total }, format) => {
      const bytesPerSecond = speed.bytesPerSecond();
      const wait = bytesPerSecond === undefined ? this.progress.currentWait() : undefined;
      // The speed so far says nothing of a wait.
      const leftMs = wait ? undefined : countdown.leftMs();
      const partial = share.partialPages(total - done);
      return progressLine({ label, done, total, partial, bytesPerSecond, wait, leftMs }, format);
    });
    this.#items.set(id, { bar, speed, countdown, share });
  }

  #removeBar(id: string): void {
    const bar = this.#items.get(id)?.bar;
    this.#items.delete(id);
    if (!this.#closed) this.#display.remove(bar);
  }

  #removeSpinner(): void {
    this.#display.remove(this.#spinner);
    this.#spinner = undefined;
  }

  /** At the terminal of the bars a result is a message; anywhere else it is only the result. */
  #printResult(text: string, isPath: boolean): void {
    const { stdout, stderr, env } = this.context;
    if (!this.#closed && isSameTerminal(stdout, stderr)) {
      if (isPath) this.#display.printPath(text);
      else this.#display.print(text);
      return;
    }
    this.#display.eraseForText();
    if (isPath) writePath(text, stdout, env);
    else writeResult(text, stdout);
  }

  /** What is done of the chapters or books in progress, in sum. */
  #partialItems(): number {
    const shares = [...this.#items.values()].map(({ bar, share }) => {
      const done = bar.getProgress() * bar.getTotal();
      return (done + share.partialPages(bar.getTotal() - done)) / Math.max(bar.getTotal(), 1);
    });
    return shares.reduce((a, b) => a + b, 0);
  }

  /** The share of the batch that is done, with the parts of its chapters in progress, or of the only chapter or book. */
  #share(): number | undefined {
    if (!this.#batch) return this.#items.size === 1 ? this.#partialItems() : undefined;
    const done = this.#bookPages.size > 0 ? this.#endedBooks.size : this.progress.done;
    return (done + this.#partialItems()) / this.#batch.getTotal();
  }
}
