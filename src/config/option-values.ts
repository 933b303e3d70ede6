/** Parses the values of options. Whoever passes a value adds where a wrong one came from. */
import {
  BYTE_COUNT_EXAMPLES,
  BYTE_RATE_EXAMPLES,
  bytesText,
  DURATION_EXAMPLES,
  durationText,
  lacksUnit,
  parseByteCount,
  parseByteRate,
  parseDuration,
} from '../core/units.js';
import { isUuid, UUID_PATTERN } from '../core/uuid.js';
import { expandHome } from '../core/home-folder.js';
import { shellQuoted } from '../core/shell-quoted.js';
import { findDevice } from './devices.js';
import { readAddress } from './service-addresses.js';
import { parseLanguageCodes, parseLanguages } from './language-codes.js';
import { parseHours } from './hours.js';
import { parseRanges } from './ranges.js';
import { parseTimeBound } from './time-bound.js';
import { parseTemplate } from './name-template.js';
import type { KindValues, OptionDefinition, OptionKind } from './option-definition.js';
import {
  flagOf,
  oppositeFlag,
  optionDefinition,
  type GivenOptions,
  type OptionName,
  type OptionValue,
} from './options.js';

/** The message says what the value must be, such as `must be true or false`. */
export class InvalidValue extends Error {}

interface Kind<Value> {
  /** What a value must be. */
  readonly expected?: (definition: OptionDefinition) => string;
  /** The type in files and in programs; by default a string. */
  readonly type?: 'number' | 'boolean';
  /** Undefined for an invalid text. `source` names the option in errors that are thrown. */
  readonly parse?: (
    text: string,
    source: string,
    definition: OptionDefinition,
  ) => Value | undefined;
  /** In its place for lists. Undefined for an invalid item. */
  readonly parseItem?: (text: string, definition: OptionDefinition) => string | undefined;
}

const SHARE_NAME = /^[\w.-]{1,64}$/;
const anyText = (text: string): string => text;
const unless = (isInvalid: boolean, text: string) => (isInvalid ? undefined : text);
const onOrOff = (text: string) => (/^(true|false)$/.test(text) ? text === 'true' : undefined);
const oneOf = ({ choices = [] }: OptionDefinition) => `must be one of: ${choices.join(', ')}`;
const chosen = (text: string, { choices = [] }: OptionDefinition) =>
  unless(!choices.includes(text), text);
/** The page of a group, also without its host, or its id with a prefix. */
const GROUP_ADDRESS = new RegExp(`(?:^|/)group[/:](${UUID_PATTERN})(?![\\w-])`, 'i');
const ANY_INTEGER = [0, Number.MAX_SAFE_INTEGER] as const;

const KINDS: { readonly [Name in OptionKind]: Kind<KindValues[Name]> } = {
  text: { parse: anyText },
  path: { parse: expandHome },
  subfolder: {
    parse: (text) => {
      const leavesFolder = text.split(/[/\\]/).some((part) => part.trim() === '..');
      return unless(leavesFolder || /^([/\\~]|[a-z]:)/i.test(text), text);
    },
    expected: () => 'must be a relative path, without .. in it',
  },
  identifier: {
    parse: (text) => unless(!SHARE_NAME.test(text), text),
    expected: () => 'must be at most 64 letters, digits, and . _ -',
  },
  address: {
    parse: (text, source) => {
      readAddress(source, text);
      return text;
    },
  },
  template: {
    parse: (text) => {
      if (text !== '') parseTemplate(text);
      return text;
    },
  },
  integer: {
    parse: (text, _source, { range: [min, max] = ANY_INTEGER }) => {
      const value = text.trim() === '' ? NaN : Number(text);
      return Number.isInteger(value) && value >= min && value <= max ? value : undefined;
    },
    expected: ({ range: [min, max] = ANY_INTEGER }) =>
      `must be a whole number from ${min} to ${max}`,
    type: 'number',
  },
  number: {
    parse: (text, _source, { range: [min, max] = ANY_INTEGER }) => {
      const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : undefined;
    },
    expected: ({ range: [min, max] = ANY_INTEGER }) => `must be a number from ${min} to ${max}`,
    type: 'number',
  },
  size: {
    parse: (text) => parseByteCount(text),
    expected: ({ canBeOff }) =>
      `must be a size such as ${BYTE_COUNT_EXAMPLES}${canBeOff ? ', or false' : ''}`,
  },
  device: { parse: (text) => findDevice(text).name },
  duration: {
    parse: (text, _source, { range }) => {
      const number = text.trim();
      if (lacksUnit(number))
        throw new InvalidValue(`needs a unit: ${number}s, ${number}m, ${number}h or ${number}d`);
      return parseDuration(number, range?.[1]);
    },
    expected: ({ example = DURATION_EXAMPLES }) => `must be a duration such as ${example}`,
  },
  rate: {
    parse: (text) => (text === '' ? Infinity : parseByteRate(text)),
    expected: () => `must be a rate such as ${BYTE_RATE_EXAMPLES}`,
  },
  time: {
    parse: (text) => parseTimeBound(text),
    expected: () => 'must be a date such as 2026-11-21, or a time ago such as 7d or 2 weeks',
  },
  hours: {
    parse: parseHours,
    expected: () => 'must be hours of the day such as 1-7 or 22:30-6, less than a whole day',
  },
  switch: { parse: onOrOff, expected: () => 'must be true or false', type: 'boolean' },
  cover: {
    parse: (text) => (text === 'all' ? text : onOrOff(text)),
    expected: () => 'must be true, false or all',
  },
  ranges: { parse: parseRanges },
  choice: { parse: (text, _source, definition) => chosen(text, definition), expected: oneOf },
  texts: { parseItem: anyText },
  groups: { parseItem: (text) => GROUP_ADDRESS.exec(text)?.[1]?.toLowerCase() ?? text },
  ids: { parseItem: (text) => unless(!isUuid(text), text), expected: () => 'must be a UUID' },
  choices: { parseItem: chosen, expected: oneOf },
  languages: { parseItem: anyText },
  codes: { parseItem: anyText },
};

/**
 * From a flag, a variable or a setting. Throws InvalidValue; and TankobonError, which names the option as `source`,
 * for what has a message of its own.
 */
export function parseOptionText<Name extends OptionName>(
  name: Name,
  text: string,
  source: string,
): OptionValue<Name> {
  const definition = optionDefinition(name);
  if (definition.canBeOff && text === 'false') return false as OptionValue<Name>;
  if (text.trim() === '' && !(text === '' && definition.default === ''))
    throw new InvalidValue('must not be empty');
  const value = isList(definition)
    ? parseList(definition, definition.kind === 'texts' ? [text] : commaSeparated(text), source)
    : parseScalar(definition, text, source);
  return value as OptionValue<Name>;
}

/** From a file or a program: a value of the option's own type. Throws as `parseOptionText` does. */
export function parseOptionValue<Name extends OptionName>(
  name: Name,
  value: unknown,
  source: string,
): OptionValue<Name> {
  const definition = optionDefinition(name);
  const { type = 'string', expected } = KINDS[definition.kind] as Kind<unknown>;
  if (isList(definition)) {
    if (!Array.isArray(value)) throw new InvalidValue('must be a list');
    const invalid = value.findIndex((item) => typeof item !== 'string' || item.trim() === '');
    if (invalid < 0) return parseList(definition, value as string[], source) as OptionValue<Name>;
    const isText = typeof value[invalid] === 'string';
    throw new InvalidValue(isText ? 'must not be empty' : 'must be a string');
  }
  if (typeof value === 'boolean' && (definition.canBeOff ? !value : definition.kind === 'cover'))
    return value as OptionValue<Name>;
  // The number 0 is a duration; the message for others names the units.
  const isDuration = definition.kind === 'duration' && typeof value === 'number';
  if (typeof value === type || isDuration) return parseOptionText(name, String(value), source);
  const isString = type === 'string' && !['choice', 'cover'].includes(definition.kind);
  throw new InvalidValue(isString || !expected ? `must be a ${type}` : expected(definition));
}

export function isList({ kind }: OptionDefinition): boolean {
  return KINDS[kind].parseItem !== undefined;
}

function parseScalar(definition: OptionDefinition, text: string, source: string): unknown {
  const { parse, expected } = KINDS[definition.kind] as Kind<unknown>;
  const value = parse?.(text, source, definition);
  if (value === undefined) throw new InvalidValue(expected?.(definition) ?? 'is invalid');
  return value;
}

function parseList(definition: OptionDefinition, items: readonly string[], source: string) {
  const { kind } = definition;
  const { parseItem, expected } = KINDS[definition.kind] as Kind<unknown>;
  const values = items.map((item) => parseItem?.(item, definition));
  if (values.includes(undefined)) throw new InvalidValue(expected?.(definition) ?? 'is invalid');
  if (kind === 'languages') return parseLanguages(items, source);
  return kind === 'codes' ? parseLanguageCodes(items, source) : values;
}

/** A value as text that parses to it, in the largest unit that is exact. */
export function optionText(name: OptionName, value: unknown): string {
  const { kind } = optionDefinition(name);
  if (kind === 'languages' && Array.isArray(value) && value.length === 0) return 'all';
  if (kind === 'ranges') return (value as KindValues['ranges']).text;
  if (kind === 'hours') return (value as KindValues['hours']).text;
  if (kind === 'time') return (value as KindValues['time']).text;
  if (kind === 'duration') return durationText(value as number);
  if (kind === 'size') return bytesText(value as number);
  if (kind === 'rate') return value === Infinity ? '' : bytesText(value as number);
  if (!Array.isArray(value)) return String(value);
  return value.map((item: string) => (item.includes(',') ? `"${item}"` : item)).join(',');
}

/** The flags that give these options their values, as a shell reads them back. */
export function optionFlags(names: readonly OptionName[], given: GivenOptions): string[] {
  return names.flatMap((name) => {
    const value = given[name];
    if (value === undefined) return [];
    const flag = flagOf(name) ?? '';
    if (typeof value !== 'boolean') return [flag, shellQuoted(optionText(name, value))];
    return flag.startsWith('--no-') === value ? oppositeFlag(flag) : flag;
  });
}

/** The items of a comma-separated list; a quoted item can contain commas. */
function commaSeparated(text: string): string[] {
  const items = [...text.matchAll(/\s*(?:"([^"]*)"|([^,]*))\s*(?:,|$)/g)];
  return items
    .map(([, quoted, plain]) => (quoted ?? plain ?? '').trim())
    .filter((item) => item !== '');
}
