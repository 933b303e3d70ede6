/** Chooses the observer of a command: JSON lines, errors and warnings only, progress bars or plain lines. */
import { eventPaths } from '../../events/printed-event.js';
import type { CommandContext } from '../command-context.js';
import { EventMessages, isPrintedIfQuiet } from './event-messages.js';
import {
  APP_EVENTS,
  type Activity,
  type AppEvent,
  type Observer,
  type ObserverOptions,
} from './observer.js';
import { eventLine } from './json-line.js';
import { hasOwnTerminal } from './own-terminal.js';
import { writePath, writeResult } from './path-line.js';
import { RunProgress, withProgressReport } from './run-progress.js';
import { writeMessage } from './safe-stream.js';

export async function chooseObserver(
  options: ObserverOptions,
  context: CommandContext,
  firstActivity: Activity = 'resolving',
): Promise<Observer> {
  const { stdout, stderr, env, clock } = context;
  const { json, quiet, verbose, dryRun, booksOnly, results } = options;
  const progress = new RunProgress(clock);
  const isPlain = !json && !quiet;
  const savedLines = isPlain && hasOwnTerminal(stderr, stdout);
  const messages = new EventMessages({ verbose, dryRun, savedLines, booksOnly, results }, clock);
  if (isPlain && stderr.isTTY && env['TERM'] !== 'dumb') {
    const { ProgressBars } = await import('./progress-bars.js');
    const bars = new ProgressBars(messages, progress, options, context, firstActivity);
    return withProgressReport(bars, progress, { print: bars.note, repeats: false });
  }
  const writeLine = (line: string, paths: readonly string[] = []): void => {
    writeMessage(stderr, `${line}\n`, paths);
  };
  /** Messages on standard error, results such as the path of a saved file on standard output. */
  const printLines = (event: AppEvent): void => {
    if (isPlain || isPrintedIfQuiet(event))
      for (const line of messages.linesFor(event)) writeLine(line, eventPaths(APP_EVENTS, event));
    const result = messages.resultOf(event);
    if (result !== undefined && event.type !== 'planned') writePath(result, stdout, env);
    else if (result !== undefined) writeResult(result, stdout);
  };
  /** Only events on standard output. Warnings are messages for people too; details are nothing else. */
  const printJson = (event: AppEvent): void => {
    if (event.type === 'page-bytes' || event.type === 'book-page') return;
    if (event.type === 'warning' || event.type === 'detail')
      for (const line of messages.linesFor(event)) writeLine(line, eventPaths(APP_EVENTS, event));
    if (event.type !== 'detail') stdout.write(eventLine(APP_EVENTS, event));
  };
  const lines: Observer = {
    observe: json ? printJson : printLines,
    onActivity: () => undefined,
    expect: () => undefined,
    whilePrompting: (ask) => ask(),
    note: (message, paths) => {
      if (isPlain) writeLine(message, paths);
    },
    notice: (message, paths) => {
      if (!json) writeLine(message, paths);
    },
    close: () => undefined,
  };
  return withProgressReport(lines, progress, {
    print: writeLine,
    repeats: verbose === true && !json,
  });
}
