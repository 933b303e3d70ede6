/** The rules and the download request of one series, from its options in the subscriptions file. */
import { dirname, resolve } from 'node:path';
import {
  DEFAULT_NAME_TEMPLATE,
  DEFAULT_NAME_TEMPLATE_WITH_LANGUAGE,
  type FormatFileName,
} from '../cbz/file-name.js';
import { cleanSegment } from '../cbz/path-segment.js';
import { parseLanguages } from '../selection/language-codes.js';
import { parseRanges } from '../selection/ranges.js';
import { commaSeparated } from '../core/comma-separated.js';
import { expandHome } from '../core/home-folder.js';
import type { ReleaseRules } from './release-decisions.js';
import type { SeriesOptions } from './subscriptions.js';
import { downloadRequest, type DownloadRequest } from '../download/download-request.js';
import type { Settings } from '../config/setting-definitions.js';
import type { SyncOptions } from './sync-session.js';

/** The rules as text: a change of them makes the title due. */
export function rulesText(options: SeriesOptions, settings: Settings): string {
  return JSON.stringify(releaseRules(options, settings));
}

export function releaseRules(options: SeriesOptions, settings: Settings): ReleaseRules {
  const { chapters, volumes } = options;
  return {
    selection: {
      languages: languagesOf(options, settings),
      groups: options.group ?? commaSeparated(settings.group),
      chapters: chapters === undefined ? undefined : parseRanges(chapters, 'chapters'),
      volumes: volumes === undefined ? undefined : parseRanges(volumes, 'volumes'),
    },
    waitForGroupMs: options['wait-for-group'] ?? 0,
    upgrade: options.upgrade ?? false,
    excludedGroups: options['exclude-group'] ?? [],
    excludedUploaders: options['exclude-uploader'] ?? [],
    sinceMs: options.since,
  };
}

/** Empty: all. */
export function languagesOf(options: SeriesOptions, settings: Settings): readonly string[] {
  return options.language ?? parseLanguages(commaSeparated(settings.language), 'language');
}

/** The output folder: `~` is the home folder, and a relative path is relative to the subscriptions file. */
export function outputOf({ output }: SeriesOptions, file: string, settings: Settings): string {
  if (output === undefined) return resolve(expandHome(settings.output));
  return resolve(dirname(file), expandHome(output));
}

/** A download without targets; its chapters are known already. */
export function seriesRequest(
  options: SeriesOptions,
  { file, maxOutage, share }: Pick<SyncOptions, 'file' | 'maxOutage' | 'share'>,
  settings: Settings,
): DownloadRequest {
  const { folder, quality } = options;
  // A run with one new chapter names it as the first run with all of them did.
  const hasLanguages = languagesOf(options, settings).length !== 1;
  const template = hasLanguages ? DEFAULT_NAME_TEMPLATE_WITH_LANGUAGE : DEFAULT_NAME_TEMPLATE;
  // A folder of its own takes the place of the folder that is named after the series.
  const hasDefaultName = folder !== undefined && settings.name === '';
  const name = options.name ?? (hasDefaultName ? template.replace('{series}/', '') : undefined);
  const request = downloadRequest([], { quality, name, maxOutage, share }, settings);
  const { nameChapter } = request.plan;
  return {
    ...request,
    plan: {
      ...request.plan,
      output: outputOf(options, file, settings),
      nameChapter: () => {
        const format = nameChapter(hasLanguages);
        return folder === undefined ? format : inFolder(folder, format);
      },
    },
  };
}

function inFolder(folder: string, nameChapter: FormatFileName): FormatFileName {
  const segments = folder
    .split(/[/\\]/)
    .map((segment) => cleanSegment(segment))
    .filter((segment) => segment !== '' && segment !== '.');
  return (values) => [...segments, nameChapter(values)].join('/');
}
