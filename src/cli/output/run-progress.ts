/** The progress of a run, and as one line: every 30 seconds in a verbose log, and whenever SIGUSR2 asks for it. */
import type { Clock } from '../../core/clock.js';
import { formatBytes, formatCountdown } from '../../core/human-format.js';
import type { WaitingEvent } from '../../events/download-events.js';
import { BatchCountdown } from './batch-countdown.js';
import type { AppEvent, ExpectedChapter, Observer } from './observer.js';
import { describeCurrentWait, isShownWait, type CurrentWait } from './sentences.js';
import { Speed } from './speed.js';

const INTERVAL_MS = 30_000;

/** How far a run is, by its events: for the bars and for the line. */
export class RunProgress {
  readonly #speed: Speed;
  #countdown: BatchCountdown | undefined;
  #bytes = 0;
  #wait: WaitingEvent | undefined;

  constructor(private readonly clock: Clock) {
    this.#speed = new Speed(clock);
  }

  expect(chapters: readonly ExpectedChapter[]): void {
    this.#countdown = new BatchCountdown(
      chapters.map(({ job }) => job.id),
      this.clock,
    );
  }

  observe(event: AppEvent): void {
    if (event.type === 'page-bytes') {
      this.#speed.add(event.bytes);
      this.#bytes += event.bytes;
    } else if (event.type === 'chapter-started') this.#countdown?.start();
    else if (event.type === 'waiting') {
      if (!isShownWait(event, this.clock.wallMs())) return;
      this.#wait = event;
      this.#countdown?.wait(event, Date.parse(event.until) - this.clock.wallMs());
    } else if (endsChapter(event) && !isStillToDo(event)) this.#countdown?.finish(event.chapter);
  }

  /** The number of expected chapters that are done. */
  get done(): number {
    return this.#countdown?.done ?? 0;
  }

  /** Undefined while unknown. */
  leftMs(): number | undefined {
    return this.#countdown?.leftMs();
  }

  /** Undefined if nothing has arrived lately. */
  bytesPerSecond(): number | undefined {
    return this.#speed.bytesPerSecond();
  }

  currentWait(): CurrentWait | undefined {
    const leftMs = Date.parse(this.#wait?.until ?? '') - this.clock.wallMs();
    // NaN without a wait.
    if (!(leftMs > 0)) this.#wait = undefined;
    return this.#wait && { for: this.#wait.for, limit: this.#wait.limit, leftMs };
  }

  /** Such as `progress: 12 of 40 chapters, 34 MB, 1.2 MB/s, 2 min left`. */
  line(): string {
    const rate = this.bytesPerSecond();
    const leftMs = this.leftMs();
    const wait = this.currentWait();
    const parts = [
      this.#countdown ? `${this.done} of ${this.#countdown.total} chapters` : 'no chapter yet',
      ...(this.#bytes > 0 ? [formatBytes(this.#bytes)] : []),
      ...(rate === undefined ? [] : [`${formatBytes(rate)}/s`]),
      ...(leftMs === undefined ? [] : [`${formatCountdown(leftMs)} left`]),
      ...(wait ? [describeCurrentWait(wait)] : []),
    ];
    return `progress: ${parts.join(', ')}`;
  }
}

/** Whether it is the last event of the chapter in this run. */
export function endsChapter(event: AppEvent): event is ChapterEnd {
  return CHAPTER_ENDS.some((type) => type === event.type);
}

const CHAPTER_ENDS = [
  'chapter-saved',
  'chapter-retagged',
  'chapter-failed',
  'chapter-skipped',
] as const;
type ChapterEnd = Extract<AppEvent, { readonly type: (typeof CHAPTER_ENDS)[number] }>;

/** Whether the run was stopped before the chapter, or within it. */
function isStillToDo(event: ChapterEnd): boolean {
  if (event.type === 'chapter-failed') return event.unfinished === true;
  return event.type === 'chapter-skipped' && event.reason === 'not-started';
}

/**
 * The observer, whose events `progress` gets first, with a line for each SIGUSR2 and, with `repeats`, one every 30
 * seconds. Windows has no such signal.
 * @param print for people, also with `--quiet` and `--json`
 */
export function withProgressReport(
  observer: Observer,
  progress: RunProgress,
  { print, repeats }: { readonly print: (line: string) => void; readonly repeats: boolean },
): Observer {
  const printLine = (): void => {
    print(progress.line());
  };
  const timer = repeats ? setInterval(printLine, INTERVAL_MS).unref() : undefined;
  if (process.platform !== 'win32') process.on('SIGUSR2', printLine);
  return {
    ...observer,
    observe: (event) => {
      progress.observe(event);
      observer.observe(event);
    },
    expect: (chapters) => {
      progress.expect(chapters);
      observer.expect(chapters);
    },
    close: () => {
      clearInterval(timer);
      if (process.platform !== 'win32') process.off('SIGUSR2', printLine);
      observer.close();
    },
  };
}
