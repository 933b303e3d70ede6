/** Who reads along: a program, a person at a terminal, a person reading a log, or nobody. */
import type { Observe } from '../../download/events.js';

export interface Observer {
  readonly observe: Observe;
  /** So many chapters are about to be loaded. */
  readonly expect: (chapters: number) => void;
  /** A sentence for a person, that a program needs not. */
  readonly note: (sentence: string) => void;
  /** Leaves the terminal as it was found. To be called before anything else is printed. */
  readonly close: () => void;
}

export interface ObserverOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  /** What to call a chapter. */
  readonly label: (chapter: string) => string;
}
