/** `tankobon sync remove`, `edit` and `path`: change the subscriptions file, or show where it is. They send nothing. */
import { hookEnvironment } from '../../events/exec-hook.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { GivenOptions } from '../../config/options.js';
import { thrownMessage, UsageError } from '../../core/errors.js';
import { printableLine } from '../../core/printable.js';
import { isSystemError } from '../../core/system-errors.js';
import { createSubscriptions, unsubscribe } from '../../sync/edit-subscriptions.js';
import { SubscriptionList } from '../../sync/subscription-list.js';
import { subscriptionsPath } from '../../sync/subscriptions.js';
import type { CommandContext } from '../command-context.js';
import { writePath } from '../output/path-line.js';

export async function syncRemove(
  words: string,
  flags: GivenOptions,
  context: CommandContext,
): Promise<undefined> {
  const list = await SubscriptionList.read(flags.file, context);
  const removed = await unsubscribe(list, words, context);
  context.stderr.write(`Removed: ${printableLine(removed)}\n`);
}

export function syncPath(flags: GivenOptions, context: CommandContext): undefined {
  writePath(subscriptionsPath(flags.file, context), context.stdout, context.env);
}

/** Opens the file in an editor, at the line of a subscription if one is named, and checks it afterwards. */
export async function syncEdit(
  words: string | undefined,
  flags: GivenOptions,
  context: CommandContext,
): Promise<undefined> {
  const { env, stderr } = context;
  const file = subscriptionsPath(flags.file, context);
  const editor = [env['VISUAL'], env['EDITOR']].find((each) => each?.trim());
  if (editor === undefined)
    throw new UsageError('bad-setting', 'No editor is set.', {
      hint: `Set EDITOR, such as: export EDITOR=nano. The file is ${file}`,
    });
  const line = words === undefined ? undefined : await lineOf(words, file, context);
  // A new file gets the mode of one that sync add creates.
  await createSubscriptions(file, context);
  await runEditor(editor, file, line, context);
  const list = await SubscriptionList.read(file, context);
  const names = list.series.map((each) => list.labelOf(each));
  stderr.write(`${names.length === 0 ? 'No subscriptions' : `Valid: ${names.join(', ')}`}\n`);
}

async function lineOf(words: string, file: string, context: CommandContext): Promise<number> {
  const { text } = (await SubscriptionList.read(file, context)).find(words);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.findIndex((each) => each.includes(text)) + 1;
}

/** The names of editors that accept `+LINE`. */
const TAKES_LINE = /^(?:n?vim?|nano|pico|emacs|emacsclient|micro|joe|kak)$/;

/** The variable may have arguments, as git and crontab allow. */
async function runEditor(
  editor: string,
  file: string,
  line: number | undefined,
  { env }: CommandContext,
): Promise<void> {
  const [command = '', ...args] = editor.trim().split(/\s+/);
  const takesLine = line !== undefined && TAKES_LINE.test(basename(command));
  const child = spawn(command, [...args, ...(takesLine ? [`+${line}`] : []), file], {
    stdio: 'inherit',
    env: hookEnvironment(env),
    shell: process.platform === 'win32',
  });
  const failed = (message: string, cause?: unknown): UsageError =>
    new UsageError('bad-setting', message, {
      cause,
      hint: `Set EDITOR to another one. The file is ${file}`,
    });
  const [code, signal] = (await once(child, 'exit').catch((cause: unknown) => {
    if (isSystemError(cause, 'ENOENT')) throw failed(`The editor is not found: ${command}`, cause);
    throw failed(`The editor ${command} failed: ${thrownMessage(cause)}`, cause);
  })) as [number | null, NodeJS.Signals | null];
  const reason = code === null ? `ended by ${signal}` : `exit code ${code}`;
  if (code !== 0) throw failed(`The editor ${command} failed: ${reason}`);
}
