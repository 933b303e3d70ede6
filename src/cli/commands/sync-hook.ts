/** `tankobon sync hook add`, `remove` and `test`: the hooks of the subscriptions file. */
import { isAbsolute, resolve } from 'node:path';
import type { GivenOptions } from '../../config/options.js';
import { UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { parseJson } from '../../core/json.js';
import { printableLine } from '../../core/printable.js';
import { shellQuoted } from '../../core/shell-quoted.js';
import { HOOK_EVENTS } from '../../config/hook-services.js';
import { writeHook } from '../../sync/edit-subscriptions.js';
import { SubscriptionList } from '../../sync/subscription-list.js';
import { type HookOptions, testHooks, type HookName } from '../../sync/hooks.js';
import type { CommandContext } from '../command-context.js';
import { withService } from '../with-service.js';

export async function syncHookAdd(
  name: HookName,
  words: readonly string[],
  flags: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const list = await SubscriptionList.readIfExists(flags.file, context);
  const { file, subscriptions } = list;
  const value = hookValue(name, words, flags, list);
  const previous = subscriptions.hooks[name];
  await writeHook(file, name, value, context);
  context.stderr.write(`Hook ${name} written to ${file}\n`);
  if (previous !== undefined)
    context.stderr.write(`It replaces: ${describeHook(name, previous)}\n`);
  return callHooks(await SubscriptionList.read(file, context), [name], context);
}

/** One line for each hook. */
export async function syncHookList(
  flags: GivenOptions,
  context: CommandContext,
): Promise<undefined> {
  const { hooks } = (await SubscriptionList.read(flags.file, context)).subscriptions;
  for (const [name, hook] of Object.entries(hooks))
    context.stdout.write(`${describeHook(name as HookName, hook)}\n`);
  if (Object.keys(hooks).length === 0)
    context.stderr.write('No hooks. To add one, run: tankobon help sync hook add\n');
}

/** Such as `komga http://nas:25600 (library 0A1B)`. */
function describeHook(name: HookName, hook: NonNullable<HookOptions[HookName]>): string {
  const address = 'command' in hook ? hook.command.map(shellQuoted).join(' ') : hook.url;
  const details = [
    ...('library' in hook ? [`library ${hook.library}`] : []),
    ...(hook.on ? [`on ${hook.on.join(', ')}`] : []),
  ];
  return printableLine(
    `${name} ${address}${details.length === 0 ? '' : ` (${details.join('; ')})`}`,
  );
}

export async function syncHookRemove(
  name: HookName,
  flags: GivenOptions,
  context: CommandContext,
): Promise<undefined> {
  const list = await SubscriptionList.read(flags.file, context);
  const { file, subscriptions } = list;
  if (subscriptions.hooks[name] === undefined) throw noSuchHook(name, list);
  await writeHook(file, name, undefined, context);
  context.stderr.write(`Hook ${name} removed from ${file}\n`);
}

export async function syncHookTest(
  name: HookName | undefined,
  flags: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const list = await SubscriptionList.read(flags.file, context);
  const names = Object.keys(list.subscriptions.hooks) as HookName[];
  if (names.length === 0 || (name && !names.includes(name))) throw noSuchHook(name, list);
  return callHooks(list, name ? [name] : names, context);
}

function noSuchHook(name: HookName | undefined, list: SubscriptionList): UsageError {
  const what = name === undefined ? 'no hook' : `no such hook: ${name}`;
  return new UsageError('bad-subscriptions', `The subscriptions file has ${what}`, {
    hint: `Run: ${list.commandLine(`hook add ${name ?? 'komga'} …`)}`,
  });
}

/** Resolves with exit code 3 if a hook fails. */
async function callHooks(
  list: SubscriptionList,
  names: readonly HookName[],
  context: CommandContext,
): Promise<ExitCode> {
  const { stdout, stderr, signal } = context;
  const { hooks, series, defaults } = list.subscriptions;
  const folder = list.outputOf(series[0] ?? defaults);
  const results = await withService(context, ({ connections }) =>
    testHooks(
      { hooks, context, got: connections.hook, signal },
      folder,
      names,
      list.commandLine('edit'),
    ),
  );
  for (const [name, failure] of results) {
    if (failure === undefined) stdout.write(`${name}: works\n`);
    else
      stderr.write(`error: The hook ${name} failed: ${failure.message}\nhint: ${failure.hint}\n`);
  }
  const hasFailed = [...results.values()].some((failure) => failure !== undefined);
  return hasFailed ? EXIT.incomplete : EXIT.done;
}

/** The value in the file. Throws UsageError `bad-option` for an option of another hook. */
function hookValue(
  name: HookName,
  words: readonly string[],
  { library, pathMap, body, header, on }: GivenOptions,
  list: SubscriptionList,
): unknown {
  const given = { komga: library, kavita: pathMap, webhook: body ?? header };
  const other = Object.entries(given).find(([hook, value]) => value !== undefined && hook !== name);
  if (other) throw usage(`An option of ${other[0]} does not fit ${name}.`);
  if (name === 'exec') {
    const command = withAbsoluteProgram(words);
    return on ? { command, on } : command;
  }
  const [url = '', ...rest] = words;
  if (rest.length > 0) throw usage(`${name} takes one URL.`);
  if (name === 'ntfy') return on ? { url, on } : url;
  const others = HOOK_EVENTS.filter((event) => event !== 'new' && on?.includes(event));
  if (name !== 'webhook' && others.length > 0)
    throw new UsageError(
      'bad-option',
      `${name} scans the library after each change of it, and has no use for: ${others.join(', ')}`,
      {
        hint: `For these, add another hook: ${list.commandLine(`hook add ntfy URL --on ${others.join(',')}`)}`,
      },
    );
  if (name === 'komga') {
    if (library === undefined) throw usage('Komga needs the library: --library ID');
    return { url, library };
  }
  if (name === 'kavita')
    return { url, ...(pathMap && { 'path-map': pairs(pathMap, '=', '--path-map') }) };
  if (body === undefined && header === undefined && !on) return url;
  return {
    url,
    ...(on && { on }),
    ...(body !== undefined && { body: parseJson(body) ?? body }),
    ...(header && { headers: pairs(header, ':', '--header') }),
  };
}

/** A sync may run in another folder. A name without a slash is found in PATH. */
function withAbsoluteProgram([program = '', ...args]: readonly string[]): readonly string[] {
  const isRelative =
    /^\.{1,2}[/\\]/.test(program) || (/[/\\]/.test(program) && !isAbsolute(program));
  return [isRelative && !program.startsWith('~') ? resolve(program) : program, ...args];
}

/** Such as `from=to`, as a map. */
function pairs(texts: readonly string[], sign: string, flag: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(sign);
      if (at <= 0) throw usage(`${flag} needs two parts with ${sign} between them.`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}

function usage(message: string): UsageError {
  return new UsageError('bad-option', message, { hint: 'Run: tankobon help sync hook add' });
}
