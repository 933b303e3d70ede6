/** `tankobon sync hook add`, `remove` and `test`: the hooks of the subscriptions file. */
import type { GivenOptions } from '../../config/options/options.js';
import { UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { parseJson } from '../../core/json.js';
import { HOOK_EVENTS } from '../../auth/hook-services.js';
import {
  editSubscriptions,
  readSubscriptions,
  subscriptionsPath,
} from '../../sync/subscriptions-store.js';
import { setHook } from '../../sync/subscriptions-edit.js';
import type { Subscriptions } from '../../sync/subscriptions.js';
import { testHooks } from '../../sync/sync-hooks.js';
import { outputOf } from '../../sync/sync-request.js';
import type { HookName } from '../../sync/web-hooks.js';
import type { CommandContext } from '../command-context.js';
import { withService } from '../with-service.js';

export async function syncHookAdd(
  name: HookName,
  words: readonly string[],
  flags: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const file = subscriptionsPath(flags.file, context);
  const value = hookValue(name, words, flags);
  await editSubscriptions(file, context, (source) => ({ text: setHook(source, name, value) }));
  context.stderr.write(`Hook ${name} written to ${file}\n`);
  return callHooks(await readSubscriptions(file, context), [name], file, context);
}

export async function syncHookRemove(
  name: HookName,
  flags: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const file = subscriptionsPath(flags.file, context);
  const { hooks } = await readSubscriptions(file, context);
  if (hooks[name] === undefined) throw noSuchHook(name);
  await editSubscriptions(file, context, (source) => ({ text: setHook(source, name) }));
  context.stderr.write(`Hook ${name} removed from ${file}\n`);
  return EXIT.done;
}

export async function syncHookTest(
  name: HookName | undefined,
  flags: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const file = subscriptionsPath(flags.file, context);
  const subscriptions = await readSubscriptions(file, context);
  const names = Object.keys(subscriptions.hooks) as HookName[];
  if (names.length === 0 || (name && !names.includes(name))) throw noSuchHook(name);
  return callHooks(subscriptions, name ? [name] : names, file, context);
}

function noSuchHook(name: HookName = 'komga'): UsageError {
  return new UsageError('bad-subscriptions', `The subscriptions file has no such hook: ${name}`, {
    hint: `Run: tankobon sync hook add ${name} …`,
  });
}

/** Resolves with exit code 3 if a hook fails. */
async function callHooks(
  { hooks, series, defaults }: Subscriptions,
  names: readonly HookName[],
  file: string,
  context: CommandContext,
): Promise<ExitCode> {
  const { stdout, stderr, signal, settings } = context;
  const folder = outputOf(series[0] ?? defaults, file, settings);
  const results = await withService(context, ({ connections }) =>
    testHooks({ hooks, context, got: connections.hook, signal }, folder, names),
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
): unknown {
  const given = { komga: library, kavita: pathMap, webhook: body ?? header };
  const other = Object.entries(given).find(([hook, value]) => value !== undefined && hook !== name);
  if (other) throw usage(`An option of ${other[0]} does not fit ${name}.`);
  if (name === 'exec') return on ? { command: words, on } : words;
  const [url = '', ...rest] = words;
  if (rest.length > 0) throw usage(`${name} takes one URL.`);
  if (name === 'ntfy') return on ? { url, on } : url;
  const others = HOOK_EVENTS.filter((event) => event !== 'new' && on?.includes(event));
  if (name !== 'webhook' && others.length > 0)
    throw new UsageError(
      'bad-option',
      `${name} only scans for new chapters, not: ${others.join(', ')}`,
      {
        hint: `For these, add another hook: tankobon sync hook add ntfy URL --on ${others.join(',')}`,
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
