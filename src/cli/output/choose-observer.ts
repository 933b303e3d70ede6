/** Picks who is told, by the flags and by what standard error is. */
import type { CommandContext } from '../command-context.js';
import type { Observer, ObserverOptions } from './observer.js';

export async function chooseObserver(
  wish: ObserverOptions,
  run: CommandContext,
): Promise<Observer> {
  if (wish.json) return (await import('./json-lines.js')).jsonLines(run);
  if (wish.quiet) return failuresAlone(wish, run);
  if (run.stderr.isTTY && run.env['TERM'] !== 'dumb')
    return (await import('./progress-bars.js')).progressBars(wish, run);
  return (await import('./plain-lines.js')).plainLines(wish, run);
}

function failuresAlone({ label }: ObserverOptions, { stderr }: CommandContext): Observer {
  return {
    observe(event) {
      if (event.type === 'chapter-failed')
        stderr.write(`${label(event.chapter)}: ${event.message}\n`);
    },
    expect: () => undefined,
    note: () => undefined,
    close: () => undefined,
  };
}
