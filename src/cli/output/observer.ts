/** Who reads along: a program, a person at a terminal, a person reading a log, or nobody. */
import type { Observe } from '../../download/events.js';

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
