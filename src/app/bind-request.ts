/** What to bind: options over settings, checked, before anything is read. */
import { inspect, type InspectOptions } from 'node:util';
import { compileNameTemplate, DEFAULT_NAME_TEMPLATE } from '../cbz/file-name.js';
import { commaSeparated } from '../core/comma-separated.js';
import { UsageError } from '../core/errors.js';
import { expandHome } from '../core/home-folder.js';
import type { BindRequest } from '../formats/plan-books.js';
import {
  BIND_BY,
  BOOK_FORMATS,
  bookExtension,
  type BindBy,
  type BookFormat,
} from '../formats/bind-choices.js';
import type { VolumeField } from '../cbz/comic-info.js';
import type { Settings } from './setting-definitions.js';

/** Each option that is absent takes the setting of its name, or is off. */
export interface BindOptions {
  /** One book for each volume (default), title or chapter. */
  readonly by?: BindBy;
  /** Default: `cbz`. */
  readonly format?: BookFormat;
  /** The folder for the books. */
  readonly output?: string;
  /** Template of the books' names, with the fields of chapters. */
  readonly name?: string;
  /** Names of scanlation groups in order of preference. */
  readonly groups?: readonly string[];
  /** An image file; `auto` (default): a cover beside the chapters; `none`. */
  readonly cover?: string;
  /** Write books again that exist. */
  readonly force?: boolean;
  /** Convert images that the format cannot contain; needs the package sharp. */
  readonly convert?: boolean;
}

const DEFAULT_NAMES: Readonly<Record<BindBy, string>> = {
  volume: '{series}/{series} Vol.{volume:02}',
  // A chapter without number, volume and title is named after the series alone.
  title: '{series}/{series} (all)',
  chapter: DEFAULT_NAME_TEMPLATE.replace(/\.cbz$/, ''),
};
/** Without the series' name, which the folder above has. */
const DEFAULT_FOLDER_NAMES: Readonly<Record<BindBy, string>> = {
  ...DEFAULT_NAMES,
  volume: '{series}/Vol.{volume:02}',
};

/** Throws UsageError (`bad-option`), or StorageError for a name template that leaves the folder. */
export function bindRequest(
  inputs: readonly string[],
  options: BindOptions,
  settings: Settings,
): BindRequest {
  const { by = 'volume', format = 'cbz', name, cover = 'auto' } = options;
  checkOption('by', by, BIND_BY.includes(by), BIND_BY.join(', '));
  checkOption('format', format, BOOK_FORMATS.includes(format), BOOK_FORMATS.join(', '));
  const defaults = format === 'folder' ? DEFAULT_FOLDER_NAMES : DEFAULT_NAMES;
  return {
    inputs,
    by,
    format,
    output: expandHome(options.output ?? settings.output),
    nameBook: compileNameTemplate(name ?? defaults[by], bookExtension(format)),
    groups: options.groups ?? commaSeparated(settings.group),
    cover,
    force: options.force === true,
    convert: options.convert === true,
    volumeField: settings.volumeField as VolumeField,
  };
}

const SHORT: InspectOptions = { depth: 0, breakLength: Infinity, maxArrayLength: 5 };

/** Throws UsageError `bad-option`; an absent option is valid. */
export function checkOption(
  name: string,
  value: unknown,
  isValid: boolean,
  expected: string,
): void {
  if (value === undefined || isValid) return;
  // JSON has no NaN, and throws for some values.
  const shown = typeof value === 'string' ? JSON.stringify(value) : inspect(value, SHORT);
  throw new UsageError('bad-option', `Invalid option ${name}: ${shown} (expected ${expected})`);
}
