/** Chooses the observer of a download: JSON lines, errors only, progress bars or plain lines. */
import type { CommandContext } from '../command-context.js';
import { warningMessage } from './error-message.js';
import { EventMessages } from './event-messages.js';
import type { Observer, ObserverOptions } from './observer.js';
import { hasOwnTerminal } from './own-terminal.js';

export async function chooseObserver(
  options: ObserverOptions,
  context: CommandContext,
): Promise<Observer> {
  if (options.json) return jsonLines(options, context);
  if (options.quiet) return errorsOnly(options, context);
  if (context.stderr.isTTY && context.env['TERM'] !== 'dumb') {
    const { ProgressBars } = await import('./progress-bars.js');
    return new ProgressBars(options, context);
  }
  return plainLines(options, context);
}

const SILENT: Omit<Observer, 'observe'> = {
  onActivity: () => undefined,
  expect: () => undefined,
  whilePrompting: (ask) => ask(),
  note: () => undefined,
  close: () => undefined,
};

/** Only events on standard output. Warnings and details are messages, and go to standard error. */
function jsonLines(options: ObserverOptions, { stdout, stderr, clock }: CommandContext): Observer {
  const messages = new EventMessages({ ...options, savedLines: false }, clock);
  return {
    ...SILENT,
    observe(event) {
      if (event.type === 'page-bytes') return;
      if (event.type === 'warning') stderr.write(warningMessage(event.message, event.hint));
      else if (event.type === 'detail') writeLines(stderr, messages.of(event));
      else stdout.write(`${JSON.stringify(event)}\n`);
    },
  };
}

/** The paths of the saved files, and errors. */
function errorsOnly(options: ObserverOptions, { stdout, stderr, clock }: CommandContext): Observer {
  const messages = new EventMessages({ ...options, savedLines: false }, clock);
  return {
    ...SILENT,
    observe(event) {
      if (event.type === 'chapter-saved') stdout.write(`${event.file}\n`);
      if (event.type === 'chapter-failed' || event.type === 'target-failed')
        writeLines(stderr, messages.of(event));
    },
  };
}

/** For a log: messages on standard error, the path of each saved file on standard output. */
function plainLines(options: ObserverOptions, context: CommandContext): Observer {
  const { stdout, stderr, clock } = context;
  const savedLines = hasOwnTerminal(stderr, stdout);
  const messages = new EventMessages({ ...options, savedLines }, clock);
  return {
    ...SILENT,
    observe(event) {
      writeLines(stderr, messages.of(event));
      if (event.type === 'chapter-saved') stdout.write(`${event.file}\n`);
    },
    note: (message) => void stderr.write(`${message}\n`),
  };
}

function writeLines(stream: NodeJS.WriteStream, lines: readonly string[]): void {
  for (const line of lines) stream.write(`${line}\n`);
}
