/** For a program: one JSON object a line on standard output, and nothing else there. */
import type { CommandContext } from '../command-context.js';
import type { Observer } from './observer.js';

export function jsonLines({ stdout, stderr }: Pick<CommandContext, 'stdout' | 'stderr'>): Observer {
  return {
    observe(event) {
      if (event.type === 'page-bytes') return;
      if (event.type === 'warning') stderr.write(`tankobon: ${event.message}\n`);
      else stdout.write(`${JSON.stringify(event)}\n`);
    },
    expect: () => undefined,
    note: () => undefined,
    close: () => undefined,
  };
}
