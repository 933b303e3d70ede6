/** Where the events of a download go: to a program, a terminal or a log. */
import type { Observe } from '../../download/events.js';
import type { PlanActivity } from '../../download/plan.js';
import type { ProgressLabel } from './progress-line.js';

export interface Observer {
  readonly observe: Observe;
  /** What is being done before the first chapter is downloaded. */
  readonly onActivity: (activity: PlanActivity) => void;
  /** Called with the ids of the chapters to download before the first one starts. */
  readonly expect: (chapters: readonly string[]) => void;
  /** Runs a prompt, which has the terminal to itself meanwhile. */
  readonly whilePrompting: <T>(ask: () => Promise<T>) => Promise<T>;
  /** A message for people, which JSON output leaves out. */
  readonly note: (message: string) => void;
  /** Restores the terminal. Call it before anything else is printed. */
  readonly close: () => void;
}

export interface ObserverOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** What messages call a chapter. */
  readonly name: (chapter: string) => string;
  /** What its progress bar shows. */
  readonly label: (chapter: string) => ProgressLabel;
}
