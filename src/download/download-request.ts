/** What to download: options over settings, checked, before anything is sent. */
import { inspect, type InspectOptions } from 'node:util';
import {
  compileNameTemplate,
  DEFAULT_NAME_TEMPLATE,
  DEFAULT_NAME_TEMPLATE_WITH_LANGUAGE,
} from '../cbz/file-name.js';
import { BYTE_RATE_EXAMPLES, parseByteRate } from '../core/byte-rate.js';
import { commaSeparated } from '../core/comma-separated.js';
import { DURATION_EXAMPLES, parseDuration } from '../core/duration.js';
import { UsageError } from '../core/errors.js';
import { expandHome } from '../core/home-folder.js';
import type { VolumeField } from '../cbz/comic-info.js';
import { BOOK_FORMATS, MULTI_CHAPTER_BOOKS, type BookFormat } from '../formats/bind-choices.js';
import type { PlanOptions } from './plan.js';
import type { Quality } from '../image/page-url.js';
import { parseLanguages } from '../selection/language-codes.js';
import { parseRanges } from '../selection/ranges.js';
import type { Target } from '../selection/target.js';
import type { InvalidTarget } from '../selection/target-list.js';
import { settingDefinition, type Settings } from '../config/setting-definitions.js';

/** Each option that is absent takes the setting of its name, or is off. */
export interface DownloadOptions {
  /** The folder that the CBZ files go to. */
  readonly output?: string;
  /** `data` as uploaded, `data-saver` compressed (spec 2.4). */
  readonly quality?: Quality;
  /** Pages in flight, 1 to 16. */
  readonly concurrency?: number;
  /** Bytes per second of all pages together, such as `500k` or `2M`. */
  readonly limitRate?: string;
  /** Download again what exists. */
  readonly force?: boolean;
  /** Download again what exists in an older version. */
  readonly update?: boolean;
  /** False: no ComicInfo.xml, and files named by the chapter's id. */
  readonly metadata?: boolean;
  /** False: no health reports to the edge network (spec 4.3), which asks for them. */
  readonly reports?: boolean;
  /** Template of the file names. */
  readonly name?: string;
  /** Codes of the languages of the chapters of titles and lists, in order of preference; empty or `all`: all. */
  readonly languages?: readonly string[];
  /** Preferred groups, names or ids, in order of preference. */
  readonly groups?: readonly string[];
  /** Such as `1-10,12.5,20-`. */
  readonly chapters?: string;
  /** Such as `1-3,none`. */
  readonly volumes?: string;
  /** Every release of a chapter instead of one for each number. */
  readonly allReleases?: boolean;
  /** Only the last published, this many. */
  readonly latest?: number;
  /** Save the cover beside the chapters; `all`: also that of every volume. */
  readonly cover?: boolean | 'all';
  /** Bind volumes that are complete, or whole titles, after the download. */
  readonly bind?: 'volume' | 'title';
  /** The format of bound books; `cbz` by default. */
  readonly format?: BookFormat;
  /** Keep the files of bound chapters. */
  readonly keepChapters?: boolean;
  /** Mark saved chapters as read, when logged in. */
  readonly markRead?: boolean;
  /** A file that lists what was downloaded before, as `mangadex <chapter id>`; new chapters are appended. */
  readonly downloadArchive?: string;
  /** The name of a list that several machines divide among themselves; needs a ledger on a server. */
  readonly share?: string;
  /** How long to wait for the service during an outage, such as `10m`; `0` fails at once. */
  readonly maxOutage?: string;
}

export interface BindAfterDownload {
  readonly by: 'volume' | 'title';
  readonly format: BookFormat;
  readonly keepChapters: boolean;
}

export interface DownloadRequest {
  readonly plan: PlanOptions;
  /** They fail, and do not prevent the others. */
  readonly invalidTargets: readonly InvalidTarget[];
  readonly concurrency: number;
  /** Undefined: unlimited. */
  readonly bytesPerSecond: number | undefined;
  readonly reports: boolean;
  readonly maxOutage: string;
  readonly cover: boolean | 'all';
  readonly bind?: BindAfterDownload;
  readonly markRead: boolean;
  readonly downloadArchive?: string;
  readonly share?: string;
}

/** Throws UsageError (`bad-option`), or StorageError for a name template that leaves the folder. */
export function downloadRequest(
  targets: readonly Target[],
  options: DownloadOptions,
  settings: Settings,
  invalidTargets: readonly InvalidTarget[] = [],
): DownloadRequest {
  checkOptions(options);
  const name = options.name ?? settings.name;
  const { chapters, volumes, latest, allReleases } = options;
  const limitRate = options.limitRate ?? settings.limitRate;
  const languages = options.languages ?? commaSeparated(settings.language);
  return {
    invalidTargets,
    plan: {
      targets,
      output: expandHome(options.output ?? settings.output),
      quality: options.quality ?? (settings.quality as Quality),
      force: options.force === true,
      update: options.update === true,
      metadata: (options.metadata ?? true) && settings.metadata,
      volumeField: settings.volumeField as VolumeField,
      nameChapter: nameTemplates(name),
      isLanguageUnset: options.languages === undefined && languages.length === 0,
      requestedGroups: options.groups ?? [],
      selection: {
        languages: parseLanguages(languages, '--language'),
        groups: options.groups ?? commaSeparated(settings.group),
        chapters: chapters === undefined ? undefined : parseRanges(chapters, '--chapters'),
        volumes: volumes === undefined ? undefined : parseRanges(volumes, '--volumes'),
        latest,
        allReleases,
      },
    },
    concurrency: options.concurrency ?? settings.concurrency,
    bytesPerSecond: limitRate === '' ? undefined : parseByteRate(limitRate),
    reports: (options.reports ?? true) && settings.reports,
    maxOutage: options.maxOutage ?? settings.maxOutage,
    cover: options.cover ?? false,
    bind: bindAfterDownload(options),
    markRead: options.markRead === true,
    downloadArchive: options.downloadArchive,
    share: options.share,
  };
}

/** Throws UsageError (`bad-option`). */
function bindAfterDownload(options: DownloadOptions): BindAfterDownload | undefined {
  const { bind, format = 'cbz', keepChapters = false, metadata } = options;
  if (bind !== undefined) {
    checkOption('bind', bind, MULTI_CHAPTER_BOOKS.includes(bind), 'volume or title');
    checkOption('format', format, BOOK_FORMATS.includes(format), BOOK_FORMATS.join(', '));
    if (metadata === false)
      throw new UsageError('bad-option', 'Chapters without metadata cannot be bound.');
    return { by: bind, format, keepChapters };
  }
  if (options.format === undefined && !keepChapters) return undefined;
  const name = options.format === undefined ? '--keep-chapters' : '--format';
  throw new UsageError('bad-option', `${name} needs --bind volume or --bind title.`);
}

/** The built-in template contains the language in a run with several. */
export function nameTemplates(template: string): PlanOptions['nameChapter'] {
  const inOneLanguage = compileNameTemplate(template === '' ? DEFAULT_NAME_TEMPLATE : template);
  const inSeveralLanguages =
    template === '' ? compileNameTemplate(DEFAULT_NAME_TEMPLATE_WITH_LANGUAGE) : inOneLanguage;
  return (hasLanguages) => (hasLanguages ? inSeveralLanguages : inOneLanguage);
}

/** Part of a key on the server of the ledger. */
const SHARE_NAME = /^[\w.-]{1,64}$/;

/** The library passes options unchecked; the command line's flags have the same bounds. */
function checkOptions(options: DownloadOptions): void {
  for (const [name, type] of Object.entries(OPTION_TYPES)) {
    const value: unknown = options[name as keyof DownloadOptions];
    checkOption(
      name,
      value,
      isOfType(value, type),
      type === 'texts' ? 'an array of strings' : `a ${type}`,
    );
  }
  const { output, quality, concurrency, latest, maxOutage, limitRate, cover, share } = options;
  checkOption('output', output, output !== '', 'a folder');
  checkOption('cover', cover, typeof cover === 'boolean' || cover === 'all', 'a boolean or all');
  const { choices = [] } = settingDefinition('quality');
  const [min, max] = settingDefinition('concurrency').range ?? [1, 1];
  checkOption('quality', quality, choices.includes(quality ?? ''), choices.join(' or '));
  checkOption('concurrency', concurrency, isWholeNumber(concurrency, min, max), `${min} to ${max}`);
  checkOption('latest', latest, isWholeNumber(latest, 1, 100_000), 'a whole number from 1');
  const isDuration = maxOutage !== undefined && parseDuration(maxOutage) !== undefined;
  checkOption('share', share, SHARE_NAME.test(share ?? ''), 'letters, digits, and . _ -');
  checkOption('maxOutage', maxOutage, isDuration, DURATION_EXAMPLES);
  const isByteRate = limitRate === '' || parseByteRate(limitRate ?? '') !== undefined;
  checkOption('limitRate', limitRate, isByteRate, BYTE_RATE_EXAMPLES);
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

/** What a program without type checks may get wrong. */
const OPTION_TYPES = {
  output: 'string',
  name: 'string',
  languages: 'texts',
  groups: 'texts',
  chapters: 'string',
  volumes: 'string',
  maxOutage: 'string',
  limitRate: 'string',
  force: 'boolean',
  update: 'boolean',
  metadata: 'boolean',
  reports: 'boolean',
  allReleases: 'boolean',
  keepChapters: 'boolean',
  markRead: 'boolean',
} as const;

function isOfType(value: unknown, type: (typeof OPTION_TYPES)[keyof typeof OPTION_TYPES]): boolean {
  if (type !== 'texts') return typeof value === type;
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isWholeNumber(value: number | undefined, min: number, max: number): boolean {
  return Number.isInteger(value) && (value ?? NaN) >= min && (value ?? NaN) <= max;
}
