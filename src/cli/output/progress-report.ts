/** The progress of a run as one line: every 30 seconds in a verbose log, and whenever SIGUSR2 asks for it. */
import type { Clock } from '../../core/clock.js';
import { formatBytes, formatCountdown } from '../../core/human-format.js';
import type { WaitingEvent } from '../../download/events.js';
import { BatchCountdown } from './batch-countdown.js';
import type { AppEvent, ExpectedChapter, Observer } from './observer.js';
import { describeCurrentWait, isShownWait } from './sentences.js';
import { Speed } from './speed.js';

const INTERVAL_MS = 30_000;

export class ProgressReport {
  readonly #speed: Speed;
  #countdown: BatchCountdown | undefined;
  #total = 0;
  #done = 0;
  #bytes = 0;
  #wait: WaitingEvent | undefined;

  constructor(private readonly clock: Clock) {
    this.#speed = new Speed(clock);
  }

  expect(chapters: readonly ExpectedChapter[]): void {
    const ids = chapters.map(({ job }) => job.id);
    this.#total = ids.length;
    this.#done = 0;
    this.#countdown = new BatchCountdown(ids, this.clock);
  }

  observe(event: AppEvent): void {
    if (event.type === 'page-bytes') {
      this.#speed.add(event.bytes);
      this.#bytes += event.bytes;
    } else if (event.type === 'chapter-started') this.#countdown?.start();
    else if (event.type === 'waiting') {
      if (!isShownWait(event, this.clock.wallMs())) return;
      this.#wait = event;
      this.#countdown?.wait(event.for, Date.parse(event.until) - this.clock.wallMs());
    } else if (
      (event.type === 'chapter-saved' ||
        event.type === 'chapter-failed' ||
        event.type === 'chapter-skipped') &&
      this.#countdown?.finish(event.chapter)
    )
      this.#done += 1;
  }

  /** Such as `progress: 12 of 40 chapters, 34 MB, 1.2 MB/s, 2 min left`. */
  line(): string {
    const rate = this.#speed.bytesPerSecond();
    const leftMs = this.#countdown?.leftMs();
    const waitMs = Date.parse(this.#wait?.until ?? '') - this.clock.wallMs();
    const wait = this.#wait && waitMs > 0 ? { ...this.#wait, leftMs: waitMs } : undefined;
    const parts = [
      this.#countdown ? `${this.#done} of ${this.#total} chapters` : 'no chapter yet',
      ...(this.#bytes > 0 ? [formatBytes(this.#bytes)] : []),
      ...(rate === undefined ? [] : [`${formatBytes(rate)}/s`]),
      ...(leftMs === undefined ? [] : [`${formatCountdown(leftMs)} left`]),
      ...(wait ? [describeCurrentWait(wait)] : []),
    ];
    return `progress: ${parts.join(', ')}`;
  }
}

/**
 * The observer, with a line for each SIGUSR2 and, with `repeats`, one every 30 seconds. Windows has no such signal.
 * @param print for people, also with `--quiet` and `--json`
 */
export function withProgressReport(
  observer: Observer,
  {
    clock,
    print,
    repeats,
  }: {
    readonly clock: Clock;
    readonly print: (line: string) => void;
    readonly repeats: boolean;
  },
): Observer {
  const report = new ProgressReport(clock);
  const printLine = (): void => {
    print(report.line());
  };
  const timer = repeats ? setInterval(printLine, INTERVAL_MS).unref() : undefined;
  if (process.platform !== 'win32') process.on('SIGUSR2', printLine);
  return {
    ...observer,
    observe: (event) => {
      report.observe(event);
      observer.observe(event);
    },
    expect: (chapters) => {
      report.expect(chapters);
      observer.expect(chapters);
    },
    close: () => {
      clearInterval(timer);
      if (process.platform !== 'win32') process.off('SIGUSR2', printLine);
      observer.close();
    },
  };
}
