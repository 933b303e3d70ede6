/** Errors and warnings as printed: what happened and to what, then what to do. */
import type { AppContext } from '../../config/context.js';
import { variableOf, type SettingName } from '../../config/options.js';
import { hasCode, type TankobonError } from '../../core/errors.js';
import { printableLine } from '../../core/printable.js';
import type { Redactor } from '../../core/redactor.js';
import { withoutUserInfo } from '../../core/web-address.js';
import type { CommandContext } from '../command-context.js';
import { isFileError, toTankobonError } from '../../core/system-errors.js';
import { writeMessage } from './safe-stream.js';

/** `error: …` and `hint: …`, or only the message of an error without a hint; with `DEBUG=tankobon` also the code, the stack and the causes. */
export function errorMessage(
  thrown: unknown,
  { env, redactor }: Pick<AppContext, 'env' | 'redactor'>,
): string {
  const error = toTankobonError(thrown, redactor);
  if (error.hint === '') return `${error.message}\n`;
  const message = error.message.split('\n').map((line) => printableLine(line));
  const lines = [`error: ${message.join('\n  ')}`, `hint: ${hintOf(error, env)}`];
  if (isDebugging(env)) {
    lines.push(`code: ${error.code}`);
    for (let at: unknown = error; at instanceof Error; at = at.cause)
      lines.push(stackOf(at, redactor));
  }
  return `${lines.join('\n')}\n`;
}

/** A frame of code in a file, without an address of inline code. */
const STACK_FRAME = /^ {4}at (?!.*\bdata:).*:\d+:\d+\)?$/;

/** The message of a library may quote a secret; our own messages, file errors and the paths below them do not. */
function stackOf(error: Error, redactor: Redactor): string {
  const stack = error.stack ?? String(error);
  if (hasCode(error) || isFileError(error)) return stack;
  return stack
    .split('\n')
    .map((line) => (STACK_FRAME.test(line) ? line : redactor.redact(line)))
    .join('\n');
}

/** Writes the message, in which the path of the error is a link where the terminal has them. */
export function writeError(
  thrown: unknown,
  context: Pick<CommandContext, 'env' | 'redactor' | 'stderr'>,
): void {
  const error = toTankobonError(thrown, context.redactor);
  writeMessage(
    context.stderr,
    errorMessage(error, context),
    error.path === undefined ? [] : [error.path],
  );
}

export function warningMessage(message: string, hint?: string): string {
  return `warning: ${message}\n${hint === undefined ? '' : `hint: ${hint}\n`}`;
}

export function warnTo(stream: NodeJS.WriteStream): (message: string, hint?: string) => void {
  return (message, hint) => void stream.write(warningMessage(message, hint));
}

/** One hint for each kind of error, without those in `known`. Returns all of them. */
export function writeHints(
  errors: readonly TankobonError[],
  { env, stderr }: Pick<CommandContext, 'env' | 'stderr'>,
  known: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const hints = new Set(errors.map((error) => hintOf(error, env)));
  for (const hint of hints) if (!known.has(hint)) stderr.write(`hint: ${hint}\n`);
  return hints;
}

/** A server that the environment names, such as that of an earlier `demo --serve`, may be gone. */
function hintOf({ code, hint }: TankobonError, env: Readonly<NodeJS.ProcessEnv>): string {
  const names = ADDRESS_VARIABLES.filter((name) => env[name]);
  const [first] = names;
  if (code !== 'unreachable' || first === undefined) return hint;
  const address = withoutUserInfo(env[first] ?? '');
  return `${hint} ${first} is set to ${address}. To use MangaDex, run: unset ${names.join(' ')}`;
}

const ADDRESS_VARIABLES = ['apiUrl', 'authUrl', 'networkUrl'].map((name) =>
  variableOf(name as SettingName),
);

function isDebugging(env: Readonly<NodeJS.ProcessEnv>): boolean {
  return (env['DEBUG'] ?? '').split(/[\s,]+/).some((name) => name === 'tankobon' || name === '*');
}
