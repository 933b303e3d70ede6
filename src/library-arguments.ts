/** Checks of what a program passes to the library: without type checks, that may be anything. Each throws `bad-option`. */
import { inspect, type InspectOptions } from 'node:util';
import type { OptionDefinition, ValueOf } from './config/options/option-definition.js';
import type { OPTIONS } from './config/options/options.js';
import {
  optionDefinition,
  OPTION_NAMES,
  type GivenOptions,
  type LibraryOptionName,
  type Settings,
} from './config/options/options.js';
import { InvalidValue, isList, parseOptionValue } from './config/option-values.js';
import { UsageError } from './core/errors.js';
import { nearest } from './core/nearest.js';

type Table = typeof OPTIONS;

/** The type that a program passes: lists, numbers, booleans, and texts such as `10m` or `1-3`. */
type LibraryValue<Definition extends OptionDefinition> = Definition['kind'] extends
  'rate' | 'duration' | 'ranges' | 'time'
  ? string
  : NonNullable<ValueOf<Definition>>;

/** The options of `downloadChapters`, by their names and by their second names. */
export type LibraryDownloadOptions = {
  readonly [Name in LibraryOptionName]?: LibraryValue<Table[Name]>;
} & {
  readonly [
    Name in LibraryOptionName as Table[Name]['library'] extends string
      ? Table[Name]['library']
      : never
  ]?: LibraryValue<Table[Name]>;
};

/** Each name and second name, with the option that it means. */
const LIBRARY_NAMES = new Map(
  OPTION_NAMES.flatMap((name) => {
    const { library } = optionDefinition(name);
    if (library === undefined) return [];
    return [name, ...(library === true ? [] : [library])].map((known) => [known, name] as const);
  }),
);
export const DOWNLOAD_OPTION_NAMES: readonly string[] = [...LIBRARY_NAMES.keys()];

const LIBRARY_HINT = 'The type DownloadChaptersOptions of the package lists the options.';

export function parseDownloadOptions(options: LibraryDownloadOptions): GivenOptions {
  const given: Record<string, unknown> = {};
  for (const [libraryName, value] of Object.entries(options) as [string, unknown][]) {
    const name = LIBRARY_NAMES.get(libraryName);
    if (name === undefined || value === undefined) continue;
    try {
      given[name] = parseOptionValue(name, value, libraryName);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      const isWrongType = isList(optionDefinition(name)) && !Array.isArray(value);
      throw invalidOption(
        libraryName,
        value,
        isWrongType ? 'must be an array of strings' : error.message,
      );
    }
  }
  return given;
}

const SHORT: InspectOptions = { depth: 0, breakLength: Infinity, maxArrayLength: 5 };

function invalidOption(name: string, value: unknown, problem: string): UsageError {
  // JSON has no NaN, and throws for some values.
  const shown = typeof value === 'string' ? JSON.stringify(value) : inspect(value, SHORT);
  const expected = problem.replace(/^must be /, 'expected ').replace(/^must/, 'it must');
  return new UsageError('bad-option', `Invalid option ${name}: ${shown} (${expected})`);
}

/** An absent option is valid. */
export function checkOption(
  name: string,
  value: unknown,
  isValid: boolean,
  expected: string,
): void {
  if (value !== undefined && !isValid) throw invalidOption(name, value, `must be ${expected}`);
}

export function checkTargets(targets: unknown): void {
  const isValid = Array.isArray(targets) && targets.every((target) => typeof target === 'string');
  checkOption('targets', targets ?? null, isValid, 'an array of strings');
}

export function checkOptionNames(options: unknown, known: readonly string[]): void {
  const isObject = typeof options === 'object' && options !== null;
  checkOption('options', options, isObject, 'an object');
  for (const name of Object.keys(options as object)) {
    if (known.includes(name)) continue;
    const similar = nearest(name, known);
    throw new UsageError('bad-option', `Unknown option: ${name}`, {
      hint: similar === undefined ? LIBRARY_HINT : `Did you mean ${similar}? ${LIBRARY_HINT}`,
    });
  }
}

export function checkEnvironment({ env }: { readonly env?: unknown }): void {
  checkOption('env', env, typeof env === 'object' && env !== null, 'an object');
}

export function checkSignal({ signal }: { readonly signal?: unknown }): void {
  // Not `instanceof`: a signal may come from another realm.
  const { aborted, addEventListener } = Object(signal) as Partial<AbortSignal>;
  const isSignal = typeof aborted === 'boolean' && typeof addEventListener === 'function';
  checkOption('signal', signal, isSignal, 'an AbortSignal');
}

/** In the words of the library; the command line has its own. */
export function checkBindOptions(
  { bind, format, keepChapters }: GivenOptions,
  settings: Settings,
): void {
  if ((bind ?? settings.bind) !== false || (format === undefined && !keepChapters)) return;
  const name = format === undefined ? 'keepChapters' : 'format';
  throw new UsageError('bad-option', `The option ${name} needs the option bind.`, {
    hint: LIBRARY_HINT,
  });
}
