/** For a log: a line for what matters on standard error, and each saved file's path on standard output. */
import type { CommandContext } from '../command-context.js';
import type { Observer, ObserverOptions } from './observer.js';
import { sentence } from './sentences.js';

export function plainLines(
  { label }: Pick<ObserverOptions, 'label'>,
  run: Pick<CommandContext, 'stdout' | 'stderr' | 'clock'>,
): Observer {
  return {
    observe(event) {
      if (event.type === 'page-bytes') return;
      const text = sentence(event, label, run.clock.wallMs());
      if (text !== undefined) run.stderr.write(`${text}\n`);
      if (event.type === 'chapter-saved') run.stdout.write(`${event.file}\n`);
    },
    expect: () => undefined,
    note(text) {
      run.stderr.write(`${text}\n`);
    },
    close: () => undefined,
  };
}
