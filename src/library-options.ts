/** The options of the library, from the table of options. */
import { inspect } from 'node:util';
import {
  optionDefinition,
  OPTION_NAMES,
  optionsOf,
  type GivenOptions,
  type OptionName,
  type Settings,
} from './config/options.js';
import { InvalidValue, parseOptionValue } from './config/option-values.js';
import { UsageError } from './core/errors.js';
import { didYouMean } from './core/nearest.js';
import type { LibraryBindOptions } from './library-bind-options.js';
import type { LibraryDownloadOptions } from './library-download-options.js';

/** The options of a function of the library. */
interface LibraryFunction {
  /** Each name and second name, with the option that it means. */
  readonly names: ReadonlyMap<string, OptionName>;
  /** Options of one call, which the table does not have. */
  readonly callOptions: readonly string[];
  /** The type that lists them. */
  readonly type: string;
}

/** They choose what `bind` prints, which is not for a program. */
const PRINTING: readonly OptionName[] = ['json', 'quiet'];
export const LIBRARY_DOWNLOAD_OPTIONS = OPTION_NAMES.filter(
  (name) => optionDefinition(name).library !== undefined,
);
export const LIBRARY_BIND_OPTIONS = optionsOf('bind').filter((name) => !PRINTING.includes(name));

const CALL_OPTIONS = ['signal', 'env'];
const DOWNLOAD = libraryFunction('DownloadChaptersOptions', LIBRARY_DOWNLOAD_OPTIONS);
const BIND = libraryFunction('BindChaptersOptions', LIBRARY_BIND_OPTIONS);
const SEARCH = libraryFunction(
  'SearchTitlesOptions',
  ['language', 'limit'],
  [...CALL_OPTIONS, 'warn'],
);

function libraryFunction(
  type: string,
  options: readonly OptionName[],
  callOptions: readonly string[] = CALL_OPTIONS,
): LibraryFunction {
  const names = options.flatMap((name) =>
    [name, ...secondNameOf(name)].map((known) => [known, name] as const),
  );
  return { names: new Map(names), callOptions, type };
}

export function secondNameOf(name: OptionName): readonly string[] {
  const { library } = optionDefinition(name);
  return typeof library === 'string' ? [library] : [];
}

/** Throws UsageError `bad-option` for a name or a value that the table of options does not have. */
export function parseDownloadOptions(options: LibraryDownloadOptions): GivenOptions {
  return parseOptions(options, DOWNLOAD);
}

/** Throws UsageError `bad-option` for a name or a value that the table of options does not have. */
export function parseBindOptions(options: LibraryBindOptions): GivenOptions {
  return parseOptions(options, BIND);
}

/** Throws UsageError `bad-option` for a name or a value that the table of options does not have. */
export function parseSearchOptions(
  options: Pick<LibraryDownloadOptions, 'language' | 'languages'> & { readonly limit?: number },
): Pick<GivenOptions, 'language' | 'limit'> {
  return parseOptions(options, SEARCH);
}

function parseOptions(options: object, called: LibraryFunction): GivenOptions {
  const given: Record<string, unknown> = {};
  for (const [libraryName, value] of Object.entries(options) as [string, unknown][]) {
    const name = called.names.get(libraryName);
    if (name === undefined) {
      if (called.callOptions.includes(libraryName)) continue;
      throw unknownOption(libraryName, called);
    }
    if (value === undefined) continue;
    try {
      given[name] = parseOptionValue(name, value, libraryName);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      const expected = error.message.replace(/^must be /, 'expected ').replace(/^must/, 'it must');
      // Not as JSON, which has no NaN.
      const shown = typeof value === 'string' ? JSON.stringify(value) : inspect(value);
      const message = `Invalid option ${libraryName}: ${shown} (${expected})`;
      throw new UsageError('bad-option', message);
    }
  }
  return given;
}

const typeHint = ({ type }: LibraryFunction) =>
  `The type ${type} of the package lists the options.`;

function unknownOption(name: string, called: LibraryFunction): UsageError {
  return new UsageError('bad-option', `Unknown option: ${name}`, {
    hint: `${didYouMean(name, [...called.names.keys(), ...called.callOptions])}${typeHint(called)}`,
  });
}

/** In the words of the library; the command line has its own. */
export function checkBindOptions(
  { bind, format, keepChapters }: GivenOptions,
  settings: Settings,
): void {
  if ((bind ?? settings.bind) !== false || (format === undefined && !keepChapters)) return;
  const name = format === undefined ? 'keepChapters' : 'format';
  throw new UsageError('bad-option', `The option ${name} needs the option bind.`, {
    hint: typeHint(DOWNLOAD),
  });
}
