/** What to bind, from the options in force, before anything is read. */
import { compileNameTemplate } from '../config/names.js';
import { foldersOfTemplate } from '../config/name-template.js';
import {
  effectiveOptions,
  flagOf,
  OPTIONS,
  type GivenOptions,
  type Options,
  type Settings,
} from '../config/options.js';
import { UsageError } from '../core/errors.js';
import { MAX_SEGMENT_BYTES } from '../core/path-segment.js';
import { BOOK_SUFFIX_BYTES, type BindBy } from '../config/bind-choices.js';
import { bookExtension, type ContainerName } from '../config/containers.js';
import { findDevice } from '../config/devices.js';
import { pageProfile, type BindRequest } from './plan-books.js';

/** What becomes of the pages for a device. */
const PAGE_OPTIONS = ['spread', 'crop', 'gamma'] as const;

const DEFAULT_NAMES: Readonly<Record<BindBy, string>> = {
  volume: '{series}/{series} Vol.{volume:02}',
  // A chapter without number, volume and title is named after the series alone.
  title: '{series}/{series} (all)',
  chapter: '{series}/{series} Vol.{volume:02} Ch.{chapter:03} - {title} [{group}]',
};
const NAME_WITHOUT_VOLUME = '{series}/{series} (no volume yet)';
/** Without the series' name, which the folder above has. */
const DEFAULT_FOLDER_NAMES: Readonly<Record<BindBy, string>> = {
  ...DEFAULT_NAMES,
  volume: '{series}/Vol.{volume:02}',
};

/** The options in force: the format of a device overrides the setting. Throws UsageError `bad-option`. */
export function bindOptions(given: GivenOptions, settings: Settings): Options {
  const { device } = given;
  const unused = PAGE_OPTIONS.find((name) => given[name] !== undefined && given[name] !== true);
  if (device === undefined && unused !== undefined)
    throw new UsageError('bad-option', `${flagOf(unused)} has no effect without --for.`, {
      hint: 'Add the device: --for kobo-libra, or one of: tankobon help devices',
    });
  const format = given.format ?? (device === undefined ? undefined : findDevice(device).format);
  return effectiveOptions({ ...given, format }, settings);
}

/** Throws UsageError (`bad-option`) for an invalid name template, or StorageError for one that leaves the folder. */
export function bindRequest(
  inputs: readonly string[],
  options: Options,
  nowMs: number,
): BindRequest {
  const { by = OPTIONS.by.default, bookCover = OPTIONS.bookCover.default, format } = options;
  const { bookName } = options;
  const device = options.device === undefined ? undefined : findDevice(options.device);
  const extension = bookExtension(format, device?.dialect === 'kobo');
  const maxBytes = options.maxSize ?? device?.maxBytes;
  const namesWithin: BindRequest['namesWithin'] = (maxNameBytes) =>
    templatesOfBooks({ by, format, bookName, extension, maxNameBytes });
  // An invalid template is an error before anything is read.
  namesWithin(MAX_SEGMENT_BYTES);
  return {
    ...options,
    inputs,
    by,
    bookCover,
    extension,
    // A folder has no size.
    maxBytes: format === 'folder' ? undefined : maxBytes,
    profile: device && pageProfile(device, options),
    output: options.output,
    keep: { output: options.output, maxAgeMs: options.keepReplaced, nowMs },
    namesWithin,
    hasDefaultName: bookName === undefined,
    folderTemplate: foldersOfTemplate(bookName ?? defaultNames(format)[by]),
  };
}

function defaultNames(format: ContainerName): Readonly<Record<BindBy, string>> {
  return format === 'folder' ? DEFAULT_FOLDER_NAMES : DEFAULT_NAMES;
}

/** `bookName`: undefined for the built-in template. Throws as bindRequest does. */
export function templatesOfBooks({
  by,
  format,
  bookName,
  extension,
  maxNameBytes,
}: Pick<BindRequest, 'by' | 'format' | 'extension'> & {
  readonly bookName: string | undefined;
  readonly maxNameBytes: number;
}): ReturnType<BindRequest['namesWithin']> {
  const defaults = defaultNames(format);
  const template = bookName ?? defaults[by];
  const reservedBytes = BOOK_SUFFIX_BYTES;
  const compile = (text: string) =>
    compileNameTemplate(text, { extension, reservedBytes, maxNameBytes });
  const others = Object.values(bookName === undefined ? defaults : {});
  const otherNames = others.filter((other) => other !== template).map(compile);
  return {
    nameBook: compile(template),
    nameWithoutVolume: compile(NAME_WITHOUT_VOLUME),
    otherNames,
  };
}
