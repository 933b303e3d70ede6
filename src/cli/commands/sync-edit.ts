/** `tankobon sync add`, `remove` and `list`: edit and show the subscriptions file. They send nothing. */
import { resolve } from 'node:path';
import {
  editSubscriptions,
  readSubscriptions,
  subscriptionsPath,
} from '../../sync/subscriptions-store.js';
import { optionText } from '../../config/option-values.js';
import {
  kebabCase,
  optionDefinition,
  SERIES_OPTION_NAMES,
  type GivenOptions,
  type SeriesOptions,
} from '../../config/options/options.js';
import { UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { expandHome } from '../../core/home-folder.js';
import { isUuid } from '../../core/uuid.js';
import { parseTarget } from '../../selection/target.js';
import {
  addSeries,
  parseSubscriptions,
  removeSeries,
  type SeriesEntry,
} from '../../sync/subscriptions-file.js';
import type { Subscription } from '../../sync/subscriptions.js';
import { readSyncState, syncFolder, titleState, type SyncState } from '../../sync/sync-journal.js';
import type { CommandContext } from '../command-context.js';

export async function syncAdd(
  target: string,
  flags: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const file = subscriptionsPath(flags.file, context);
  const entry = entryOf(flags, context.clock.wallMs());
  const text = isUuid(target) ? `title:${target}` : target;
  const { isNew } = await editSubscriptions(file, context, (source) =>
    addSeries(source, text, entry),
  );
  context.stderr.write(`${isNew ? 'Subscribed' : 'Changed'}: ${target} in ${file}\n`);
  return EXIT.done;
}

/** The options as they are written in the file. */
function entryOf({ output, fromNow, ...given }: GivenOptions, nowMs: number): SeriesEntry {
  if (given.format !== undefined && given.bind === undefined)
    throw new UsageError('bad-option', '--format has no effect without --bind.', {
      hint: 'Add: --bind volume, or: --bind title',
    });
  if (given.name === '')
    throw new UsageError('bad-option', 'Invalid --name "": must not be empty.', {
      hint: 'Run: tankobon help sync add',
    });
  const since = fromNow === true ? nowMs : undefined;
  const options = { ...given, output: output && independentPath(output), since };
  return toKeys(options, (name, value) => {
    if (name === 'language' && Array.isArray(value) && value.length === 0) return ['all'];
    return Array.isArray(value) || typeof value === 'boolean' ? value : optionText(name, value);
  });
}

/** The entry of the file has the options by keys, with `bind` and `format` as one map. */
function toKeys(
  { bind, format, ...options }: SeriesOptions,
  write: (name: keyof SeriesOptions, value: unknown) => unknown,
): SeriesEntry {
  const given = SERIES_OPTION_NAMES.flatMap((name) => {
    if (name === 'bind')
      return bind === undefined ? [] : [[name, { by: bind, ...(format && { format }) }]];
    const value = name === 'format' ? undefined : options[name];
    return value === undefined ? [] : [[kebabCase(name), write(name, value)]];
  });
  return Object.fromEntries(given) as SeriesEntry;
}

/** Relative to the current folder, not to that of the file; `~/` is the home folder in the file too. */
function independentPath(path: string): string {
  return expandHome(path) === path ? resolve(path) : path;
}

export async function syncRemove(
  words: string,
  flags: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const file = subscriptionsPath(flags.file, context);
  await readSubscriptions(file, context);
  const state = readSyncState(await syncFolder(context.paths.state, file));
  const { removed } = await editSubscriptions(file, context, (source) => {
    const { series } = parseSubscriptions(source);
    const index = onlyMatch(words, series, state, source.extraHosts);
    return { text: removeSeries(source, index), removed: series[index]?.text ?? '' };
  });
  context.stderr.write(`Removed: ${removed}\n`);
  return EXIT.done;
}

/** Throws UsageError unless exactly one subscription is meant. */
function onlyMatch(
  words: string,
  series: readonly Subscription[],
  state: SyncState,
  extraHosts: readonly string[],
): number {
  if (words.trim() === '') throw new UsageError('bad-target', 'Say which subscription.');
  const id = idOf(words, extraHosts);
  const matches = [...series.entries()].filter(([, { target, text, folder }]) => {
    if (id !== undefined) return target.id === id;
    const names = [text, folder ?? '', titleState(target.id, state)?.name ?? ''];
    return names.some((name) => name.toLowerCase().includes(words.toLowerCase()));
  });
  const [match, ...others] = matches;
  if (match && others.length === 0) return match[0];
  const hint = 'To see the subscriptions, run: tankobon sync list';
  if (!match) throw new UsageError('bad-target', `Not subscribed to: ${words}`, { hint });
  const texts = matches.map(([, { text }]) => text).join(', ');
  throw new UsageError('bad-target', `Several subscriptions match: ${texts}`, { hint });
}

function idOf(words: string, extraHosts: readonly string[]): string | undefined {
  try {
    return parseTarget(words, extraHosts).id;
  } catch {
    return undefined;
  }
}

export async function syncList(flags: GivenOptions, context: CommandContext): Promise<ExitCode> {
  const { stdout, stderr, paths } = context;
  const file = subscriptionsPath(flags.file, context);
  const { series, follows } = await readSubscriptions(file, context);
  const state = readSyncState(await syncFolder(paths.state, file));
  const names = series.map(({ target }) => titleState(target.id, state)?.name);
  if (flags.json) {
    const list = series.map(({ target: { id, kind }, text, ...options }, index) => ({
      target: text,
      id,
      kind,
      name: names[index],
      options: toKeys(options, (name, value) =>
        optionDefinition(name).kind === 'ranges' ? optionText(name, value) : value,
      ),
    }));
    stdout.write(`${JSON.stringify(list)}\n`);
    return EXIT.done;
  }
  for (const [index, { text, paused }] of series.entries()) {
    const name = names[index] === undefined ? '' : `  ${names[index]}`;
    stdout.write(`${text}${name}${paused === true ? ' (paused)' : ''}\n`);
  }
  if (follows) stderr.write('And the titles that the account follows.\n');
  return EXIT.done;
}
