/** Where the events of a download go: to a program, a terminal or a log. */
import type { Observe } from '../../download/events.js';

export interface Observer {
  readonly observe: Observe;
  /** Called with the number of chapters before the first one is downloaded. */
  readonly expect: (chapters: number) => void;
  /** A message for people, which JSON output leaves out. */
  readonly note: (message: string) => void;
  /** Restores the terminal. Call it before anything else is printed. */
  readonly close: () => void;
}

export interface ObserverOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  /** What to call a chapter. */
  readonly label: (chapter: string) => string;
}
