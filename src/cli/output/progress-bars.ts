/**
 * For a person at a terminal: a bar for the batch, one for each chapter in flight, and above them a line for
 * whatever went otherwise than hoped.
 */
import { MultiBar, type SingleBar } from 'cli-progress';
import type { DownloadEvent, PageBytes, Warning } from '../../download/events.js';
import type { Clock } from '../../core/clock.js';
import type { CommandContext } from '../command-context.js';
import type { Observer, ObserverOptions } from './observer.js';
import { progressLine, type Progress } from './progress-line.js';
import { rawStream, safeText } from './safe-stream.js';
import { isShownWait, sentence, describeWait } from './sentences.js';

type Told = DownloadEvent | PageBytes | Warning;

interface ChapterBar {
  readonly bar: SingleBar;
  readonly speed: Speed;
}

const FRAMES_PER_SECOND = 10;
const DEFAULT_COLUMNS = 80;

export function progressBars(wish: ObserverOptions, run: CommandContext): Observer {
  const bars = new ProgressBars(wish, run);
  return {
    observe: (event) => {
      bars.tell(event);
    },
    expect: (chapters) => {
      bars.expect(chapters);
    },
    note: (text) => {
      bars.note(text);
    },
    close: () => {
      bars.close();
    },
  };
}

class ProgressBars {
  readonly #multi: MultiBar;
  readonly #chapters = new Map<string, ChapterBar>();
  #batch: SingleBar | undefined;
  #wait: { readonly text: string; readonly untilMs: number } | undefined;
  #closed = false;

  constructor(
    private readonly wish: ObserverOptions,
    private readonly run: CommandContext,
  ) {
    this.#multi = new MultiBar({
      stream: rawStream(run.stderr),
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
          columns: run.stderr.columns || DEFAULT_COLUMNS,
        }),
    });
  }

  expect(chapters: number): void {
    if (chapters > 1 && !this.#closed)
      this.#batch = this.#multi.create(chapters, 0, { label: 'chapters' });
  }

  tell(event: Told): void {
    switch (event.type) {
      case 'chapter-started':
        this.#begin(event.chapter, event.pages, event.kept);
        return;
      case 'page-bytes':
        this.#chapters.get(event.chapter)?.speed.add(event.bytes);
        return;
      case 'page-loaded':
        this.#chapters.get(event.chapter)?.bar.increment();
        if (event.warning) this.#say(event);
        return;
      case 'waiting':
        this.#remember(event);
        return;
      case 'page-failed':
        return;
      case 'chapter-saved':
        this.#end(event.chapter);
        this.#say(event);
        return;
      case 'chapter-failed':
      case 'chapter-skipped':
        this.#end(event.chapter);
        this.#say(event);
        return;
      case 'warning':
      case 'summary':
        this.#say(event);
    }
  }

  /** Takes the bars away for good; what was said above them stays, and what comes is said in lines. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#multi.update();
    this.#multi.stop();
  }

  #begin(chapter: string, pages: number, kept: number): void {
    if (this.#closed) return;
    const speed = new Speed(this.run.clock);
    const bar = this.#multi.create(pages, kept, { label: this.wish.label(chapter), speed });
    this.#chapters.set(chapter, { bar, speed });
  }

  #end(chapter: string): void {
    this.#batch?.increment();
    const ended = this.#chapters.get(chapter);
    if (!ended) return;
    this.#chapters.delete(chapter);
    ended.bar.stop();
    this.#multi.remove(ended.bar);
  }

  #say(event: DownloadEvent | Warning): void {
    const text = sentence(event, this.wish.label, this.run.clock.wallMs());
    if (text === undefined) return;
    this.note(text);
    if (event.type === 'chapter-saved') this.#sayPath(event.file);
  }

  note(text: string): void {
    if (this.#closed || !this.#multi.isActive) this.run.stderr.write(`${text}\n`);
    else this.#multi.log(aboveBars(safeText(text, this.run.redactor)));
  }

  /** On one terminal the path is a line like the others; redirected, it is the result. */
  #sayPath(file: string): void {
    if (this.run.stdout.isTTY && !this.#closed && this.#multi.isActive)
      this.#multi.log(aboveBars(safeText(`  ${file}`, this.run.redactor)));
    else this.run.stdout.write(`${file}\n`);
  }

  #remember(event: Extract<DownloadEvent, { type: 'waiting' }>): void {
    const untilMs = Date.parse(event.until);
    if (!isShownWait(event, this.run.clock.wallMs())) return;
    this.#wait = { text: describeWait(event), untilMs };
    if (this.#chapters.size === 0 && !this.#batch) this.run.stderr.write(`${this.#wait.text}\n`);
  }

  /** A bar is written past the boundary that other output passes, so its words are made safe here. */
  #lineOf(progress: Progress): string {
    return safeText(progressLine(progress), this.run.redactor);
  }

  #currentWait(): string | undefined {
    if (this.#wait && this.#wait.untilMs <= this.run.clock.wallMs()) this.#wait = undefined;
    return this.#wait?.text;
  }
}

/** Clears the bars, which are drawn again below, and lets a long line wrap, which bars must not. */
function aboveBars(text: string): string {
  return `\u001b[J\u001b[?7h${text}\n\u001b[?7l`;
}

/** Bytes a second over the last few seconds. */
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
