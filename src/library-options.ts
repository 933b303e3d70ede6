/** The options of the library, from the table of options. */
import { inspect } from 'node:util';
import {
  optionDefinition,
  OPTION_NAMES,
  type GivenOptions,
  type Settings,
} from './config/options.js';
import { InvalidValue, parseOptionValue } from './config/option-values.js';
import { UsageError } from './core/errors.js';
import { didYouMean } from './core/nearest.js';
import type { LibraryDownloadOptions } from './library-download-options.js';

/** Each name and second name, with the option that it means. */
const LIBRARY_NAMES = new Map(
  OPTION_NAMES.flatMap((name) => {
    const { library } = optionDefinition(name);
    if (library === undefined) return [];
    return [name, ...(library === true ? [] : [library])].map((known) => [known, name] as const);
  }),
);
/** Options of one call, which the table does not have. */
const CALL_OPTIONS: readonly string[] = ['signal', 'env'];

const LIBRARY_HINT = 'The type DownloadChaptersOptions of the package lists the options.';

/** Throws UsageError `bad-option` for a name or a value that the table of options does not have. */
export function parseDownloadOptions(options: LibraryDownloadOptions): GivenOptions {
  const given: Record<string, unknown> = {};
  for (const [libraryName, value] of Object.entries(options) as [string, unknown][]) {
    const name = LIBRARY_NAMES.get(libraryName);
    if (name === undefined) {
      if (CALL_OPTIONS.includes(libraryName)) continue;
      throw unknownOption(libraryName);
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

function unknownOption(name: string): UsageError {
  return new UsageError('bad-option', `Unknown option: ${name}`, {
    hint: `${didYouMean(name, [...LIBRARY_NAMES.keys(), ...CALL_OPTIONS])}${LIBRARY_HINT}`,
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
    hint: LIBRARY_HINT,
  });
}
