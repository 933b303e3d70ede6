/** The subscriptions: what to keep up to date, how, and who is notified. The schema of the file's keys (docs/sync.md). */
import * as z from 'zod';
import { InvalidValue, isList, parseOptionValue } from '../../config/option-values.js';
import {
  kebabCase,
  optionDefinition,
  SERIES_OPTION_NAMES,
  type OptionName,
  type SeriesOptions,
} from '../../config/options.js';
import { UsageError, thrownMessage } from '../../core/errors.js';
import { READING_STATUSES, type ReadingStatus } from '../../config/reading-statuses.js';
import { parseTarget, type Target } from '../../selection/target.js';
import {
  HOOK_SHAPES,
  hooksSchema,
  MAX_TEXT_LENGTH,
  text,
  type HookOptions,
} from '../hooks/hook-options.js';
import { FILE_KEYS, HISTORY_ID, HOOK_KEYS, SERIES_KEYS } from '../subscription-keys.js';

export type SubscriptionsSource = z.output<ReturnType<typeof subscriptionsSchema>>;

export interface Subscription extends SeriesOptions {
  /** A title, a list, a group or an author. */
  readonly target: Target;
  /** The target as written in the file. */
  readonly text: string;
  /** Its name when it was added. */
  readonly title?: string | undefined;
}

export interface Follows {
  /** Only titles with one of these reading statuses; undefined: all that the account follows. */
  readonly statuses: readonly ReadingStatus[] | undefined;
  readonly options: SeriesOptions;
}

export interface Subscriptions {
  /** The options that apply where a title has none of its own. */
  readonly defaults: SeriesOptions;
  readonly series: readonly Subscription[];
  readonly follows: Follows | undefined;
  readonly hooks: HookOptions;
}

/** A check that throws UsageError or StorageError, as part of a schema. */
function passes<T>(schema: z.ZodType<T>, check: (value: T) => unknown): z.ZodType<T> {
  return schema.superRefine((value, context) => {
    try {
      check(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: thrownMessage(error) });
    }
  });
}

const MAX_LIST_LENGTH = 1_000;
/** One value is a list of one. */
const listOf = <T>(item: z.ZodType<T>) =>
  z.union([z.array(item).max(MAX_LIST_LENGTH), item.transform((one) => [one])]);

/** A value of the table of options. */
function option(name: OptionName): z.ZodType {
  return z.unknown().transform((value, context) => {
    if (value === undefined) return undefined;
    try {
      const parsed: unknown = parseOptionValue(name, fromYaml(name, value), kebabCase(name));
      checkAbsolute(parsed);
      // `sync list` shows the path as it is in the file.
      return optionDefinition(name).kind === 'path' ? value : parsed;
    } catch (error) {
      const index = invalidItem(name, value);
      const path = index < 0 ? [] : [index];
      context.addIssue({ code: 'custom', message: thrownMessage(error), path });
      return z.NEVER;
    }
  });
}

/** A time ago would move with each run, and a chapter of a pause between two runs would never be downloaded. */
function checkAbsolute(value: unknown): void {
  if (typeof value === 'object' && value !== null && 'agoMs' in value)
    throw new InvalidValue('must be a date such as 2026-11-21');
}

/** The index of the item in a list that is invalid alone, if there is one. */
function invalidItem(name: OptionName, value: unknown): number {
  if (!Array.isArray(value) || !isList(optionDefinition(name))) return -1;
  return value.findIndex((item: unknown) => {
    try {
      parseOptionValue(name, [item], '');
      return false;
    } catch {
      return true;
    }
  });
}

/** A list may be one value, and `10` may be a duration or a range. */
function fromYaml(name: OptionName, value: unknown): unknown {
  const definition = optionDefinition(name);
  if (size(value) > (typeof value === 'string' ? MAX_TEXT_LENGTH : MAX_LIST_LENGTH))
    throw new InvalidValue('is too long');
  const isText = typeof value === 'string';
  if (isList(definition)) {
    if (!isText && !Array.isArray(value)) throw new InvalidValue('must be a list or a string');
    return isText ? [value.trim()] : value;
  }
  if (['ranges', 'duration'].includes(definition.kind)) {
    if (!isText && typeof value !== 'number')
      throw new InvalidValue('must be a string or a number');
    return String(value).trim();
  }
  if (isText && value.trim() === '') throw new InvalidValue('must not be empty');
  return isText ? value.trim() : value;
}

const size = (value: unknown): number => (Object(value) as { length?: number }).length ?? 0;

/** `bind` is a map of two options. */
const bind = z.strictObject({
  by: option('bind').refine((value) => value !== undefined, 'is missing'),
  format: option('format').optional(),
});
const optionShape = {
  ...Object.fromEntries(
    SERIES_OPTION_NAMES.filter((name) => name !== 'format').map((name) => [
      kebabCase(name),
      option(name).optional(),
    ]),
  ),
  bind: bind.optional(),
};
/** A name of the owner's own is for one title. */
const OF_ONE_TITLE: keyof SeriesOptions = 'series';
const defaultsShape = {
  ...Object.fromEntries(Object.entries(optionShape).filter(([key]) => key !== OF_ONE_TITLE)),
  bind: optionShape.bind,
};
const seriesOptions = z.strictObject(defaultsShape).transform(toSeriesOptions);

/** By the names of the table. */
function toSeriesOptions({
  bind: books,
  ...keys
}: Readonly<Record<string, unknown>> & { readonly bind?: z.output<typeof bind> }): SeriesOptions {
  const entries = SERIES_OPTION_NAMES.map((name) => [name, keys[kebabCase(name)]] as const);
  const given = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return { ...given, ...(books && { bind: books.by, format: books.format }) } as SeriesOptions;
}

const followsMap = z.strictObject({ status: listOf(z.enum(READING_STATUSES)).optional() });

/** The keys that a map at this path of the file may have. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  const maps: Readonly<Record<string, object>> = {
    '': FILE_KEYS,
    defaults: defaultsShape,
    series: SERIES_KEYS,
    bind: bind.shape,
    follows: followsMap.shape,
    hooks: HOOK_KEYS,
    ...HOOK_SHAPES,
  };
  const name = path.findLast((part) => typeof part === 'string') ?? '';
  return Object.keys(maps[name] ?? {});
}

/** @param extraHosts see parseTarget */
export function subscriptionsSchema(extraHosts: readonly string[]) {
  const target = passes(text, (value) => parseSeriesTarget(value, extraHosts));
  return z.strictObject({
    id: z.string().regex(HISTORY_ID, 'must be at most 64 letters, digits, - and _').optional(),
    defaults: seriesOptions.optional(),
    follows: z.union([z.boolean(), followsMap]).optional(),
    series: z
      .array(
        z
          .strictObject({ target, title: text.optional(), ...optionShape })
          .superRefine((entry: Readonly<Record<string, unknown>>, context) => {
            const { target: written, [OF_ONE_TITLE]: name } = entry;
            if (name === undefined || mayBeTitle(String(written), extraHosts)) return;
            const message = 'is the name of one title, not of a list, a group or an author';
            context.addIssue({ code: 'custom', message, path: [OF_ONE_TITLE] });
          })
          .transform(({ target: written, title, ...keys }) => ({
            target: written,
            ...(title !== undefined && { title }),
            ...toSeriesOptions(keys),
          })),
      )
      .max(20_000)
      .nullish(),
    hooks: hooksSchema.optional(),
  });
}

/** What is subscribed to; a UUID alone is a title. Throws UsageError `bad-target`, whose message alone is reported of a file. */
export function parseSeriesTarget(value: string, extraHosts: readonly string[]): Target {
  const { kind, id } = parseTarget(value, extraHosts);
  if (kind === 'follows')
    throw new UsageError(
      'bad-target',
      'What the account follows is not a target: write the line "follows: true" in its place.',
    );
  if (kind === 'chapter')
    throw new UsageError(
      'bad-target',
      `A chapter cannot be subscribed to: write the address of its title in place of ${id}`,
    );
  return { kind: kind === 'any' ? 'title' : kind, id };
}

/** An invalid target has an issue of its own. */
function mayBeTitle(value: string, extraHosts: readonly string[]): boolean {
  try {
    return parseSeriesTarget(value, extraHosts).kind === 'title';
  } catch {
    return true;
  }
}

/** Applies the defaults. */
export function toSubscriptions(
  { defaults = {}, follows = false, series, hooks: given = {} }: SubscriptionsSource,
  extraHosts: readonly string[],
): Subscriptions {
  return {
    defaults,
    series: (series ?? []).map(({ target, ...own }) => ({
      ...defaults,
      ...own,
      target: parseSeriesTarget(target, extraHosts),
      text: target,
    })),
    follows:
      follows === false
        ? undefined
        : { statuses: follows === true ? undefined : follows.status, options: defaults },
    hooks: given,
  };
}
