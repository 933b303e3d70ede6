/** An error as the user reads it: what happened, to what, and what to type next. */
import { toTankobonError } from '../../core/errors.js';
import { printableLine } from '../../core/printable.js';
import type { ExitCode } from '../../core/exit-codes.js';

export function exitCodeOf(error: unknown): ExitCode {
  return toTankobonError(error).exitCode;
}

/** Two lines for a user; with `DEBUG=tankobon` the code, the stack and the causes below. */
export function errorMessage(error: unknown, env: Readonly<NodeJS.ProcessEnv>): string {
  const ours = toTankobonError(error);
  const lines = [`tankobon: ${printableLine(ours.message)}`, `  ${ours.hint}`];
  if (debugging(env)) {
    lines.push(`code: ${ours.code}`);
    for (let at: unknown = ours; at instanceof Error; at = at.cause)
      lines.push(at.stack ?? String(at));
  }
  return `${lines.join('\n')}\n`;
}

function debugging(env: Readonly<NodeJS.ProcessEnv>): boolean {
  return (env['DEBUG'] ?? '').split(/[\s,]+/).some((name) => name === 'tankobon' || name === '*');
}
