/** At a terminal: a bar for the batch and one for each chapter in progress, with messages above them. */
import { MultiBar, type SingleBar } from 'cli-progress';
import type { DownloadEvent, PageBytes, Warning } from '../../download/events.js';
import type { Clock } from '../../core/clock.js';
import type { CommandContext } from '../command-context.js';
import type { Observer, ObserverOptions } from './observer.js';
import { progressLine, type Progress } from './progress-line.js';
import { rawStream, safeText } from './safe-stream.js';
import { isShownWait, describeEvent, describeWait } from './sentences.js';

interface ChapterBar {
  readonly bar: SingleBar;
  readonly speed: Speed;
}

const FRAMES_PER_SECOND = 10;
const DEFAULT_COLUMNS = 80;

export class ProgressBars implements Observer {
  readonly #multi: MultiBar;
  readonly #chapters = new Map<string, ChapterBar>();
  #batch: SingleBar | undefined;
  #wait: { readonly text: string; readonly untilMs: number } | undefined;
  #closed = false;

  constructor(
    private readonly options: ObserverOptions,
    private readonly context: CommandContext,
  ) {
    this.#multi = new MultiBar({
      stream: rawStream(context.stderr),
      fps: FRAMES_PER_SECOND,
      hideCursor: true,
      clearOnComplete: true,
      gracefulExit: false,
      linewrap: false,
      etaBuffer: 20,
      forceRedraw: true,
      format: (_options, { value, total, eta }, payload: { label: string; speed?: Speed }) =>
        this.#lineOf({
          label: payload.label,
          done: value,
          total,
          bytesPerSecond: payload.speed?.perSecond(),
          secondsLeft: value > 0 && value < total && Number.isFinite(eta) ? eta : undefined,
          wait: this.#currentWait(),
          columns: context.stderr.columns || DEFAULT_COLUMNS,
        }),
    });
  }

  readonly expect = (chapters: number): void => {
    if (chapters > 1 && !this.#closed)
      this.#batch = this.#multi.create(chapters, 0, { label: 'chapters' });
  };

  readonly observe = (event: DownloadEvent | PageBytes | Warning): void => {
    switch (event.type) {
      case 'chapter-started':
        this.#addBar(event.chapter, event.pages, event.kept);
        return;
      case 'page-bytes':
        this.#chapters.get(event.chapter)?.speed.add(event.bytes);
        return;
      case 'page-loaded':
        this.#chapters.get(event.chapter)?.bar.increment();
        if (event.warning) this.#print(event);
        return;
      case 'waiting':
        this.#startWait(event);
        return;
      case 'page-failed':
        return;
      case 'chapter-saved':
      case 'chapter-failed':
      case 'chapter-skipped':
        this.#removeBar(event.chapter);
        this.#print(event);
        return;
      case 'target-failed':
      case 'warning':
      case 'summary':
        this.#print(event);
    }
  };

  /** Removes the bars. Later messages are printed as plain lines. */
  readonly close = (): void => {
    if (this.#closed) return;
    this.#closed = true;
    this.#multi.update();
    this.#multi.stop();
  };

  #addBar(chapter: string, pages: number, kept: number): void {
    if (this.#closed) return;
    const speed = new Speed(this.context.clock);
    const bar = this.#multi.create(pages, kept, { label: this.options.label(chapter), speed });
    this.#chapters.set(chapter, { bar, speed });
  }

  #removeBar(chapter: string): void {
    this.#batch?.increment();
    const chapterBar = this.#chapters.get(chapter);
    if (!chapterBar) return;
    this.#chapters.delete(chapter);
    chapterBar.bar.stop();
    this.#multi.remove(chapterBar.bar);
  }

  #print(event: DownloadEvent | Warning): void {
    const text = describeEvent(event, this.options.label, this.context.clock.wallMs());
    if (text === undefined) return;
    this.note(text);
    if (event.type === 'chapter-saved') this.#printPath(event.file);
  }

  readonly note = (text: string): void => {
    if (this.#closed || !this.#multi.isActive) this.context.stderr.write(`${text}\n`);
    else this.#multi.log(aboveBars(safeText(text, this.context.redactor)));
  };

  /** At a terminal the path is a message; if standard output is redirected, it is the result. */
  #printPath(file: string): void {
    if (this.context.stdout.isTTY && !this.#closed && this.#multi.isActive)
      this.#multi.log(aboveBars(safeText(`  ${file}`, this.context.redactor)));
    else this.context.stdout.write(`${file}\n`);
  }

  #startWait(event: Extract<DownloadEvent, { type: 'waiting' }>): void {
    const untilMs = Date.parse(event.until);
    const nowMs = this.context.clock.wallMs();
    if (!isShownWait(event, nowMs)) return;
    this.#wait = { text: describeWait(event, nowMs), untilMs };
    if (this.#chapters.size === 0 && !this.#batch)
      this.context.stderr.write(`${this.#wait.text}\n`);
  }

  /** Bars are written to the raw stream, so their text is cleaned here. */
  #lineOf(progress: Progress): string {
    return safeText(progressLine(progress), this.context.redactor);
  }

  #currentWait(): string | undefined {
    if (this.#wait && this.#wait.untilMs <= this.context.clock.wallMs()) this.#wait = undefined;
    return this.#wait?.text;
  }
}

/** Clears the bars, which are redrawn below, and enables line wrapping, which is off for the bars. */
function aboveBars(text: string): string {
  return `\u001b[J\u001b[?7h${text}\n\u001b[?7l`;
}

/** Bytes per second over the last few seconds. */
class Speed {
  readonly #arrivals: { atMs: number; bytes: number }[] = [];
  static readonly #WINDOW_MS = 3_000;

  constructor(private readonly clock: Clock) {}

  add(bytes: number): void {
    const atMs = this.clock.monotonicMs();
    const last = this.#arrivals.at(-1);
    if (last && atMs - last.atMs < 100) last.bytes += bytes;
    else this.#arrivals.push({ atMs, bytes });
  }

  perSecond(): number | undefined {
    const nowMs = this.clock.monotonicMs();
    while (this.#arrivals[0] && nowMs - this.#arrivals[0].atMs > Speed.#WINDOW_MS)
      this.#arrivals.shift();
    const first = this.#arrivals[0];
    if (!first) return undefined;
    const bytes = this.#arrivals.reduce((sum, arrival) => sum + arrival.bytes, 0);
    return bytes / Math.max((nowMs - first.atMs) / 1_000, 0.5);
  }
}
