/** Events as lines for people: in a log, and above the progress bars. */
import type { Clock } from '../../core/clock.js';
import type { DownloadMessage } from '../../download/events.js';
import { describeDetail, describeEvent, isShownWait } from './sentences.js';
import { summaryLines } from './summary.js';

export interface EventMessagesOptions {
  readonly verbose: boolean;
  /** Whether a saved chapter has a line beside its path on standard output. */
  readonly savedLines: boolean;
  readonly name: (chapter: string) => string;
}

/** Remembers what failed, for the summary. */
export class EventMessages {
  readonly #failed: string[] = [];
  readonly #started = new Set<string>();
  /** In progress when the run was stopped. */
  #unfinished = 0;
  /** About to start then. */
  #neverStarted = 0;

  constructor(
    private readonly options: EventMessagesOptions,
    private readonly clock: Pick<Clock, 'wallMs'>,
  ) {}

  /** The lines for one event; none for those that people need not see. */
  of(event: DownloadMessage): readonly string[] {
    const { verbose, savedLines, name } = this.options;
    const nowMs = this.clock.wallMs();
    switch (event.type) {
      case 'page-bytes':
        return [];
      case 'chapter-failed':
        // Reported once for the whole run.
        if (event.unfinished) {
          if (this.#started.has(event.chapter)) this.#unfinished += 1;
          else this.#neverStarted += 1;
          return [];
        }
        this.#failed.push(name(event.chapter));
        break;
      case 'chapter-saved':
        if (!savedLines) return [];
        break;
      case 'chapter-started':
        this.#started.add(event.chapter);
        if (!verbose) return [];
        break;
      case 'page-failed':
        if (!verbose) return [];
        break;
      case 'detail':
        return verbose ? [describeDetail(event, name)] : [];
      case 'waiting':
        if (!verbose && !isShownWait(event, nowMs)) return [];
        break;
      case 'summary':
        return summaryLines(event, {
          failed: this.#failed,
          unfinished: this.#unfinished,
          neverStarted: this.#neverStarted,
        });
      case 'chapter-skipped':
      case 'page-loaded':
      case 'target-failed':
      case 'warning':
        break;
    }
    const line = describeEvent(event, name, nowMs);
    return line === undefined ? [] : [line];
  }
}
