/** The subscriptions: what to keep up to date, how, and who is notified. The schema of the file's keys (docs/sync.md). */
import { isIP } from 'node:net';
import * as z from 'zod';
import { compileNameTemplate } from '../cbz/file-name.js';
import { parseDuration } from '../core/duration.js';
import { UsageError, thrownMessage } from '../core/errors.js';
import { isUuid } from '../core/uuid.js';
import { isLoopback } from '../core/web-address.js';
import { isPublicAddress } from '../api/public-address.js';
import { QUALITIES } from '../image/page-url.js';
import { READING_STATUSES, type ReadingStatus } from '../api/reading-statuses.js';
import { parseLanguages } from '../selection/language-codes.js';
import { parseRanges } from '../selection/ranges.js';
import { parseTarget, type Target } from '../selection/target.js';
import { BOOK_FORMATS, MULTI_CHAPTER_BOOKS } from '../formats/bind-choices.js';

/** The options of one series, also allowed under `defaults`. Absent ones take the default or the setting. */
export type SeriesOptions = z.output<typeof seriesOptions>;
export type HookOptions = z.output<typeof hooks>;
export type SubscriptionsSource = z.output<ReturnType<typeof subscriptionsSchema>>;

export interface Subscription extends SeriesOptions {
  /** A title or a list. */
  readonly target: Target;
  /** The target as written in the file. */
  readonly text: string;
}

export interface Follows {
  /** Only titles with one of these reading statuses; undefined: all that the account follows. */
  readonly statuses: readonly ReadingStatus[] | undefined;
  readonly options: SeriesOptions;
}

export interface Subscriptions {
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

const text = z.string().trim().min(1, 'must not be empty').max(2_048);
/** YAML reads `10` as a number. */
const ranges = (name: string) =>
  passes(z.union([text, z.number()]).transform(String), (value) => parseRanges(value, name));
/** One value is a list of one. */
const listOf = <T>(item: z.ZodType<T>) =>
  z.union([z.array(item).max(1_000), item.transform((one) => [one])]);
const language = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z]{2,3}(-[a-z]{2,4})?$/, 'must be a language code such as en or pt-br');
const parseCodes = (codes: readonly string[]) => parseLanguages(codes, 'language');
const duration = z
  .union([text, z.number()])
  .transform((value) => parseDuration(String(value)))
  .refine((ms) => ms !== undefined, 'must be a duration such as 12h or 2d');
const folder = text.refine(
  (value) =>
    !/^([/\\~]|[a-z]:)/i.test(value) && !value.split(/[/\\]/).some((part) => part.trim() === '..'),
  'must be a relative path without ..',
);
const time = z
  .string()
  .transform((value) => Date.parse(value))
  .refine((ms) => !Number.isNaN(ms), 'must be a time such as 2026-11-21T18:00:00Z');

const optionShape = {
  language: passes(listOf(language), parseCodes).transform(parseCodes).optional(),
  group: listOf(text).optional(),
  'wait-for-group': duration.optional(),
  upgrade: z.boolean().optional(),
  'exclude-group': listOf(text).optional(),
  'exclude-uploader': listOf(z.string().refine(isUuid, 'must be a UUID')).optional(),
  chapters: ranges('chapters').optional(),
  volumes: ranges('volumes').optional(),
  output: text.optional(),
  folder: folder.optional(),
  name: passes(text, compileNameTemplate).optional(),
  quality: z.enum(QUALITIES).optional(),
  bind: z
    .strictObject({ by: z.enum(MULTI_CHAPTER_BOOKS), format: z.enum(BOOK_FORMATS).optional() })
    .optional(),
  paused: z.boolean().optional(),
  since: time.optional(),
};
export const seriesOptions = z.strictObject(optionShape);

function address(isAllowed: (url: URL) => boolean, expected: string) {
  return text.refine(
    (value) => URL.canParse(value) && isAllowed(new URL(value)),
    `must be a URL: ${expected}`,
  );
}

/** https:, or http: to an address of this machine or of a private network. */
const hookAddress = address(
  (url) => url.protocol === 'https:' || (url.protocol === 'http:' && isPrivateAddress(url)),
  'https:, or http: to a loopback or private address',
);
/** Also http: to a name; the addresses that it has are checked when it is used. */
const serverAddress = address(
  (url) =>
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && (isIP(bareHost(url)) === 0 || isPrivateAddress(url))),
  'https:, or http: to a host of a private network',
);

/** Whether the URL has an IP address, or localhost, that is not on the public internet. */
function isPrivateAddress(url: URL): boolean {
  const host = bareHost(url);
  return isLoopback(url) || (isIP(host) !== 0 && !isPublicAddress(host));
}

/** Without the brackets of an IPv6 address. */
const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');

const hooks = z.strictObject({
  exec: z.array(text).min(1, 'must be a command and its arguments').max(100).optional(),
  webhook: hookAddress.optional(),
  ntfy: hookAddress.optional(),
  komga: z
    .strictObject({
      url: serverAddress,
      library: text.regex(/^[\w-]{1,64}$/, 'must be the id of a library'),
    })
    .optional(),
  kavita: z
    .strictObject({ url: serverAddress, 'path-map': z.record(text, text).optional() })
    .optional(),
});

const followsSource = z.union([
  z.boolean(),
  z.strictObject({ status: listOf(z.enum(READING_STATUSES)).optional() }),
]);

/** @param extraHosts see parseTarget */
export function subscriptionsSchema(extraHosts: readonly string[]) {
  const target = passes(text, (value) => parseSeriesTarget(value, extraHosts));
  return z.strictObject({
    defaults: seriesOptions.optional(),
    follows: followsSource.optional(),
    series: z
      .array(z.strictObject({ target, ...optionShape }))
      .max(20_000)
      .nullish(),
    hooks: hooks.optional(),
  });
}

/** A title or a list; a UUID alone is a title. Throws UsageError `bad-target`. */
export function parseSeriesTarget(value: string, extraHosts: readonly string[]): Target {
  const { kind, id } = parseTarget(value, extraHosts);
  if (kind === 'chapter')
    throw new UsageError(
      'bad-target',
      `A chapter cannot be subscribed to, only a title or a list: ${id}`,
      { hint: 'Pass its title, such as: tankobon sync add https://mangadex.org/title/UUID' },
    );
  return { kind: kind === 'any' ? 'title' : kind, id };
}

/** Applies the defaults. */
export function toSubscriptions(
  { defaults = {}, follows = false, series, hooks: given = {} }: SubscriptionsSource,
  extraHosts: readonly string[],
): Subscriptions {
  return {
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
