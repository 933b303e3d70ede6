/** What to bind: options over settings, before anything is read. */
import { compileNameTemplate, DEFAULT_NAME_TEMPLATE } from '../cbz/file-name.js';
import { commaSeparated } from '../core/comma-separated.js';
import { expandHome } from '../core/home-folder.js';
import type { BindRequest } from '../formats/plan-books.js';
import { bookExtension, type BindBy } from '../formats/bind-choices.js';
import type { VolumeField } from '../cbz/comic-info.js';
import type { Settings } from '../config/setting-definitions.js';

/** Each option that is absent takes the setting of its name, or is off. */
export interface BindOptions extends Partial<
  Pick<BindRequest, 'by' | 'format' | 'output' | 'groups' | 'cover' | 'force' | 'convert'>
> {
  /** Template of the books' names, with the fields of chapters. */
  readonly name?: string;
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

/** Throws UsageError (`bad-option`) for an invalid name template, or StorageError for one that leaves the folder. */
export function bindRequest(
  inputs: readonly string[],
  options: BindOptions,
  settings: Settings,
): BindRequest {
  const { by = 'volume', format = 'cbz', name, cover = 'auto' } = options;
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
