/** Who reads along: a program, a person at a terminal, a person reading a log, or nobody. */
import type { Observe } from '../../download/events.js';
import type { Run } from '../run.js';

export interface Observer {
  readonly observe: Observe;
  /** Leaves the terminal as it was found. To be called before anything else is printed. */
  close(): void;
}

export interface ObserverWish {
  readonly json: boolean;
  readonly quiet: boolean;
  /** How many chapters this run is about; known before the first begins. */
  readonly chapters: number;
  /** What to call a chapter. */
  readonly label: (chapter: string) => string;
}

export async function chooseObserver(wish: ObserverWish, run: Run): Promise<Observer> {
  if (wish.json) return (await import('./json-lines.js')).jsonLines(run);
  if (wish.quiet) return failuresAlone(wish, run);
  if (run.stderr.isTTY && run.env['TERM'] !== 'dumb')
    return (await import('./progress-bars.js')).progressBars(wish, run);
  return (await import('./plain-lines.js')).plainLines(wish, run);
}

function failuresAlone({ label }: ObserverWish, { stderr }: Run): Observer {
  return {
    observe(event) {
      if (event.type === 'chapter-failed')
        stderr.write(`${label(event.chapter)}: ${event.message}\n`);
    },
    close: () => undefined,
  };
}
