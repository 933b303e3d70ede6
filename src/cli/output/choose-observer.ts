/** Chooses the observer of a download: JSON lines, errors only, progress bars or plain lines. */
import type { CommandContext } from '../command-context.js';
import { warningMessage } from './error-message.js';
import type { Observer, ObserverOptions } from './observer.js';
import { describeEvent } from './sentences.js';

export async function chooseObserver(
  options: ObserverOptions,
  context: CommandContext,
): Promise<Observer> {
  if (options.json) return jsonLines(context);
  if (options.quiet) return errorsOnly(options, context);
  if (context.stderr.isTTY && context.env['TERM'] !== 'dumb') {
    const { ProgressBars } = await import('./progress-bars.js');
    return new ProgressBars(options, context);
  }
  return plainLines(options, context);
}

const SILENT: Omit<Observer, 'observe'> = {
  expect: () => undefined,
  note: () => undefined,
  close: () => undefined,
};

/** Only events on standard output. A warning is a message, and goes to standard error. */
function jsonLines({ stdout, stderr }: CommandContext): Observer {
  return {
    ...SILENT,
    observe(event) {
      if (event.type === 'page-bytes') return;
      if (event.type === 'warning') stderr.write(warningMessage(event.message, event.hint));
      else stdout.write(`${JSON.stringify(event)}\n`);
    },
  };
}

function errorsOnly({ label }: ObserverOptions, { stderr, clock }: CommandContext): Observer {
  return {
    ...SILENT,
    observe(event) {
      if (event.type === 'chapter-failed' || event.type === 'target-failed')
        stderr.write(`${describeEvent(event, label, clock.wallMs()) ?? ''}\n`);
    },
  };
}

/** For a log: messages on standard error, the path of each saved file on standard output. */
function plainLines(
  { label }: ObserverOptions,
  { stdout, stderr, clock }: CommandContext,
): Observer {
  return {
    ...SILENT,
    observe(event) {
      if (event.type === 'page-bytes') return;
      const text = describeEvent(event, label, clock.wallMs());
      if (text !== undefined) stderr.write(`${text}\n`);
      if (event.type === 'chapter-saved') stdout.write(`${event.file}\n`);
    },
    note: (message) => void stderr.write(`${message}\n`),
  };
}
