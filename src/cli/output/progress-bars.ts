/** At a terminal: a bar for the batch and one for each chapter in progress, with messages above them. */
import { MultiBar, type Options, type Params, type SingleBar } from 'cli-progress';
import { remainingBatchMs } from '../../download/estimate.js';
import type { DownloadMessage, WaitingEvent } from '../../download/events.js';
import type { PlanActivity } from '../../download/plan.js';
import { quotasOf } from '../../rate-limit/quotas.js';
import type { CommandContext } from '../command-context.js';
import { BarTerminal } from './bar-terminal.js';
import { colorMessages, usesColors } from './colors.js';
import { EventMessages } from './event-messages.js';
import { glyphsFor } from './glyphs.js';
import type { Observer, ObserverOptions } from './observer.js';
import { hasOwnTerminal, isSameTerminal } from './own-terminal.js';
import {
  progressLine,
  spinnerLine,
  type CurrentWait,
  type LineFormat,
  type Progress,
} from './progress-line.js';
import { rawStream, safeText } from './safe-stream.js';
import { isShownWait } from './sentences.js';
import { Speed } from './speed.js';
import { onTerminalLeft } from './terminal-signals.js';

interface ChapterBar {
  readonly bar: SingleBar;
  readonly speed: Speed;
}

interface Batch {
  readonly bar: SingleBar;
  /** Without those that the plan skips or fails. */
  readonly expected: ReadonlySet<string>;
  readonly sinceMs: number;
  /** When the metadata of each chapter that has started was requested. */
  readonly startedAtMs: number[];
  done: number;
  /** Undefined while unknown. */
  endMs?: number;
}

type DrawLine = (params: Params) => string;

const UPDATES_PER_SECOND = 10;
const SPINNER_STEP_MS = 100;
/** Each chapter needs one such request (spec 8.3). */
const CHAPTER_QUOTAS = quotasOf('any', 'GET', '/at-home/server/any');
const ACTIVITIES: Record<PlanActivity | 'requesting', string> = {
  resolving: 'resolving the targets',
  scanning: 'scanning the output folder',
  requesting: 'requesting the pages',
};

export class ProgressBars implements Observer {
  readonly #terminal: BarTerminal;
  readonly #multi: MultiBar;
  readonly #messages: EventMessages;
  readonly #colors: boolean;
  readonly #format: LineFormat;
  readonly #chapters = new Map<string, ChapterBar>();
  readonly #speed: Speed;
  #spinner: SingleBar | undefined;
  #activity = ACTIVITIES.resolving;
  #batch: Batch | undefined;
  #wait: { readonly for: WaitingEvent['for']; readonly untilMs: number } | undefined;
  #closed = false;
  readonly #leaveTerminal: () => void;

  constructor(
    private readonly options: ObserverOptions,
    private readonly context: CommandContext,
  ) {
    const { stdout, stderr, env, clock } = context;
    const stream = rawStream(stderr);
    const terminal = new BarTerminal(stream);
    this.#terminal = terminal;
    this.#colors = usesColors(env, stderr);
    this.#speed = new Speed(clock);
    this.#messages = new EventMessages(
      { ...options, savedLines: hasOwnTerminal(stderr, stdout) },
      clock,
    );
    this.#format = {
      get columns() {
        return terminal.getWidth();
      },
      glyphs: glyphsFor(env),
    };
    this.#multi = new MultiBar({
      terminal,
      fps: UPDATES_PER_SECOND,
      gracefulExit: false,
      forceRedraw: true,
      etaBuffer: 20,
      format: (_options, params, payload: { readonly line: DrawLine }) =>
        safeText(payload.line(params), context.redactor),
    } as Options);
    this.#multi.on('redraw-post', () => {
      terminal.draw();
    });
    const redraw = (): void => {
      this.#multi.update();
    };
    stream.on('resize', redraw);
    const leave = onTerminalLeft(() => {
      terminal.erase();
    }, redraw);
    this.#leaveTerminal = () => {
      stream.off('resize', redraw);
      leave();
    };
    this.#spinner = this.#create(1, 0, () =>
      spinnerLine(
        this.#activity,
        Math.floor(clock.monotonicMs() / SPINNER_STEP_MS),
        this.#currentWait(),
        this.#format,
      ),
    );
    this.#multi.update();
  }

  readonly onActivity = (activity: keyof typeof ACTIVITIES): void => {
    this.#activity = ACTIVITIES[activity];
  };

  readonly expect = (chapters: readonly string[]): void => {
    this.onActivity('requesting');
    if (chapters.length <= 1 || this.#closed) return;
    this.#removeSpinner();
    const bar = this.#create(chapters.length, 0, ({ value, total }) =>
      this.#batchLine(value, total),
    );
    const sinceMs = this.context.clock.monotonicMs();
    this.#batch = { bar, expected: new Set(chapters), sinceMs, startedAtMs: [], done: 0 };
    this.#estimate();
  };

  readonly observe = (event: DownloadMessage): void => {
    switch (event.type) {
      case 'chapter-started':
        this.#addBar(event.chapter, event.pages, event.kept);
        break;
      case 'page-bytes':
        this.#speed.add(event.bytes);
        this.#chapters.get(event.chapter)?.speed.add(event.bytes);
        return;
      case 'page-loaded':
        this.#chapters.get(event.chapter)?.bar.increment();
        break;
      case 'waiting':
        this.#startWait(event);
        // Shown in the bars; with --verbose as a message too.
        if (!this.#closed && !this.options.verbose) return;
        break;
      case 'chapter-saved':
        this.#printPath(event.file);
        this.#removeBar(event.chapter);
        break;
      case 'chapter-failed':
      case 'chapter-skipped':
        this.#removeBar(event.chapter);
        break;
      case 'detail':
      case 'page-failed':
      case 'summary':
      case 'target-failed':
      case 'warning':
        break;
    }
    for (const line of this.#messages.of(event)) this.note(line);
  };

  readonly whilePrompting = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (this.#closed) return ask();
    this.#terminal.pause();
    try {
      return await ask();
    } finally {
      this.#terminal.resume();
    }
  };

  /** Removes the bars. Later messages are printed as plain lines. */
  readonly close = (): void => {
    if (this.#closed) return;
    // Writes the messages that are still buffered.
    this.#multi.update();
    this.#closed = true;
    this.#multi.stop();
    this.#terminal.erase();
    this.#leaveTerminal();
  };

  readonly note = (text: string): void => {
    if (this.#closed) this.context.stderr.write(`${text}\n`);
    else this.#printAbove(text);
  };

  #create(total: number, done: number, line: DrawLine): SingleBar {
    return this.#multi.create(total, done, { line });
  }

  #addBar(chapter: string, pages: number, kept: number): void {
    if (this.#closed) return;
    this.#removeSpinner();
    // That of an attempt that failed during an outage.
    this.#dropBar(chapter);
    const { clock } = this.context;
    const label = this.options.label(chapter);
    const speed = new Speed(clock);
    const bar = this.#create(pages, kept, ({ value, total, eta }) => {
      const msLeft =
        value > kept && value < total && Number.isFinite(eta) ? eta * 1_000 : undefined;
      const bytesPerSecond = speed.perSecond();
      const wait = bytesPerSecond === undefined ? this.#currentWait() : undefined;
      return this.#line({ label, done: value, total, bytesPerSecond, wait, msLeft });
    });
    this.#chapters.set(chapter, { bar, speed });
    this.#batch?.startedAtMs.push(clock.monotonicMs());
    this.#estimate();
  }

  #removeBar(chapter: string): void {
    if (this.#batch?.expected.has(chapter)) {
      this.#batch.done += 1;
      this.#batch.bar.increment();
      this.#estimate();
    }
    this.#dropBar(chapter);
  }

  #dropBar(chapter: string): void {
    const chapterBar = this.#chapters.get(chapter);
    if (!chapterBar) return;
    this.#chapters.delete(chapter);
    chapterBar.bar.stop();
    if (!this.#closed) this.#multi.remove(chapterBar.bar);
  }

  #removeSpinner(): void {
    if (this.#spinner) this.#multi.remove(this.#spinner);
    this.#spinner = undefined;
  }

  #batchLine(done: number, total: number): string {
    const endMs = this.#batch?.endMs;
    return this.#line({
      label: { number: 'chapters', title: '' },
      done,
      total,
      bytesPerSecond: this.#speed.perSecond(),
      wait: this.#currentWait(),
      msLeft:
        endMs === undefined ? undefined : Math.max(0, endMs - this.context.clock.monotonicMs()),
    });
  }

  #line(progress: Progress): string {
    return progressLine(progress, this.#format);
  }

  #estimate(): void {
    const batch = this.#batch;
    if (!batch) return;
    const nowMs = this.context.clock.monotonicMs();
    const progress = {
      done: batch.done,
      total: batch.bar.getTotal(),
      elapsedMs: nowMs - batch.sinceMs,
      startedAgoMs: batch.startedAtMs.map((atMs) => nowMs - atMs),
    };
    const leftMs = remainingBatchMs(progress, CHAPTER_QUOTAS);
    batch.endMs = leftMs === undefined ? undefined : nowMs + leftMs;
  }

  /** At the terminal of the bars the path is a message; anywhere else it is only the result. */
  #printPath(file: string): void {
    const { stdout, stderr } = this.context;
    if (!this.#closed && isSameTerminal(stdout, stderr)) this.#printAbove(file);
    else stdout.write(`${file}\n`);
  }

  #printAbove(text: string): void {
    const safe = safeText(text, this.context.redactor);
    this.#multi.log(`${this.#colors ? colorMessages(safe) : safe}\n`);
  }

  #startWait(event: WaitingEvent): void {
    if (isShownWait(event, this.context.clock.wallMs()))
      this.#wait = { for: event.for, untilMs: Date.parse(event.until) };
  }

  #currentWait(): CurrentWait | undefined {
    const leftMs = (this.#wait?.untilMs ?? 0) - this.context.clock.wallMs();
    if (leftMs <= 0) this.#wait = undefined;
    return this.#wait && { for: this.#wait.for, leftMs };
  }
}
