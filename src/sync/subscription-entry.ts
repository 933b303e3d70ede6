/** What `sync add`, `import` and `list` share: the options of a subscription as keys of the file. */
import { resolve } from 'node:path';
import { optionText } from '../config/option-values.js';
import {
  kebabCase,
  optionDefinition,
  SERIES_OPTION_NAMES,
  type GivenOptions,
  type SeriesOptions,
} from '../config/options.js';
import { UsageError } from '../core/errors.js';
import { expandHome } from '../core/home-folder.js';
import { didYouMean } from '../core/nearest.js';
import { absoluteBound, timeBoundAt } from '../config/time-bound.js';
import type { SeriesEntry } from './subscriptions/edit-text.js';
import { SERIES_KEYS } from './subscription-keys.js';

/** Throws UsageError `bad-option` for a combination or a value that the file cannot have. */
export function entryOf({ output, fromNow, ...given }: GivenOptions, nowMs: number): SeriesEntry {
  if (given.format !== undefined && given.bind === undefined)
    throw new UsageError('bad-option', '--format has no effect without --bind.', {
      hint: 'Add: --bind volume, or: --bind title',
    });
  if (given.name === '')
    throw new UsageError('bad-option', 'Invalid --name "": must not be empty.', {
      hint: 'Run: tankobon help sync add',
    });
  if (fromNow === true && given.since)
    throw new UsageError('bad-option', '--from-now cannot be used with --since.', {
      hint: 'Leave one of them out.',
    });
  const since = fromNow === true ? timeBoundAt(nowMs) : given.since;
  const options = {
    ...given,
    output: output && independentPath(output),
    deviceOutput: given.deviceOutput && independentPath(given.deviceOutput),
    since: since && absoluteBound(since, nowMs),
    until: given.until && absoluteBound(given.until, nowMs),
  };
  return toKeys(options, (name, value) => {
    if (name === 'language' && Array.isArray(value) && value.length === 0) return ['all'];
    const isPlain = Array.isArray(value) || typeof value === 'boolean';
    return isPlain || optionDefinition(name).kind === 'integer' ? value : optionText(name, value);
  });
}

/** The entry of the file has the options by keys, with `bind` and `format` as one map. */
export function toKeys(
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
export function independentPath(path: string): string {
  return expandHome(path) === path ? resolve(path) : path;
}

/** Throws UsageError `bad-option` for a word of `--unset` that is not a key. */
export function checkKeys(keys: readonly string[] = []): readonly string[] {
  const known = Object.keys(SERIES_KEYS).filter((key) => key !== 'target');
  const unknown = keys.find((key) => !known.includes(key));
  if (unknown === undefined) return keys;
  throw new UsageError('bad-option', `Unknown key: --unset ${unknown}`, {
    hint: `${didYouMean(unknown, known)}For the keys, run: tankobon help subscriptions`,
  });
}
