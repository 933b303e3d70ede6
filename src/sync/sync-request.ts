/**
 * The rules and the download request of one series, from its options in the subscriptions file. Over time, one release of
 * each chapter is downloaded, by the same preferences as in a single download. Until `waitForGroupMs` after the first
 * release, only the preferred group's is selected; with `upgrade`, a release of a better group (or language) replaces the
 * downloaded one.
 */
import { languagesOf } from './subscriptions.js';
import { builtInTemplate, type NameTemplate } from '../config/names.js';
import { maxOf } from '../core/extremes.js';
import { cleanSegment } from '../core/path-segment.js';
import type { Chapter } from '../service/chapters.js';
import type { UnreadTitle } from '../download/known-title.js';
import { firstReadableMs, type DecisionOptions } from '../plan/decide.js';
import { isInGroup, mismatchReason } from '../selection/exclusions.js';
import { selectChapters, type SelectionOptions } from '../selection/select-chapters.js';
import { effectiveOptions, type SeriesOptions, type Settings } from '../config/options.js';
import { downloadRequest } from '../download/download-request.js';
import { firstMsOf } from '../config/time-bound.js';
import type { readKnownTitle } from '../download/known-title.js';
import type { SyncOptions, TitleOptions } from './sync-session.js';

export type KnownTitle = Awaited<ReturnType<typeof readKnownTitle>>;

export interface ReleaseRules {
  readonly selection: Omit<SelectionOptions, 'allReleases' | 'latest'>;
  /** How long to wait for the first of the preferred groups after the first release of a chapter. */
  readonly waitForGroupMs: number;
  /** Replace a downloaded release when a better group's release appears. */
  readonly upgrade: boolean;
  /** Names or ids. */
  readonly excludedGroups: readonly string[];
  readonly excludedUploaders: readonly string[];
  /** Ids in lower case. */
  readonly blocked: readonly string[] | undefined;
  /** The id of the group whose releases alone count. */
  readonly onlyGroup: string | undefined;
  /** They decide which chapters are kept (plan/retire.ts). */
  readonly keepLatest: number | undefined;
  readonly keepUnread: boolean | undefined;
  /** Releases that were readable before this time count as known, and are not downloaded. */
  readonly sinceMs: number | undefined;
}

/** The rules as text: a change of them makes the title due. */
export function rulesText(series: TitleOptions, settings: Settings): string {
  return JSON.stringify(releaseRules(series, settings, sinceMsOf(series)));
}

/** The time of the key `since`, which is absolute. */
export function sinceMsOf({ since }: SeriesOptions): number | undefined {
  return since && firstMsOf(since, 0);
}

/** The time before which releases are not downloaded. `rememberedMs`: the start of the first run with `--from-now`. */
export function startMsOf(
  series: SeriesOptions,
  rememberedMs: number | undefined,
): number | undefined {
  const times = [sinceMsOf(series), rememberedMs].filter((ms) => ms !== undefined);
  return times.length > 0 ? maxOf(times) : undefined;
}

/** @param sinceMs the time before which releases are not downloaded */
export function releaseRules(
  series: TitleOptions,
  settings: Settings,
  sinceMs: number | undefined,
): ReleaseRules {
  const options = effectiveOptions(series, settings);
  const { language = [], group, chapters, volumes, until, pin, block } = options;
  const { keepLatest, keepUnread } = options;
  const pinned = pin?.map((id) => id.toLowerCase());
  return {
    selection: { languages: language, groups: group, chapters, volumes, until, pinned },
    blocked: block?.map((id) => id.toLowerCase()),
    waitForGroupMs: options.waitForGroup ?? 0,
    upgrade: options.upgrade ?? false,
    excludedGroups: options.excludeGroup,
    excludedUploaders: options.excludeUploader ?? [],
    onlyGroup: series.onlyGroup,
    keepLatest,
    keepUnread,
    sinceMs,
  };
}

/** @param isLeft whether the subscription does not keep the chapter of a release: it is not downloaded */
export function toDecisionOptions(
  rules: ReleaseRules,
  nowMs: number,
  isLeft: (chapter: Chapter) => boolean = () => false,
): DecisionOptions {
  const { selection, waitForGroupMs, upgrade } = rules;
  return {
    selection,
    update: false,
    force: false,
    better: upgrade ? 'replaces' : 'left-out',
    waitForGroupMs,
    isUnwanted: (chapter) => isExcluded(chapter, rules),
    blocked: rules.blocked,
    countsAsSaved: (chapter) => isLeft(chapter) || isBeforeStart(chapter, rules),
    nowMs,
  };
}

/** @param releases all that the service lists in the requested languages */
export function selectReleases(
  releases: readonly Chapter[],
  known: KnownTitle,
  rules: ReleaseRules,
  nowMs: number,
): UnreadTitle {
  const allowed = releases.filter((chapter) => !isExcluded(chapter, rules));
  const { keys } = known;
  const { selected, excluded } = selectChapters(allowed, rules.selection, { nowMs, keys });
  return {
    ...known,
    releases,
    excluded,
    selected: selected.map(({ chapter, explanation: why }) => ({ id: chapter.id, chapter, why })),
  };
}

/** Whether the release is left out since it was readable before the time from which on releases are downloaded. */
export function isBeforeStart(chapter: Chapter, rules: ReleaseRules): boolean {
  const { sinceMs } = rules;
  if (sinceMs === undefined || firstReadableMs(chapter) >= sinceMs) return false;
  return !isExcluded(chapter, rules) && !isPinned(chapter, rules);
}

/** Whether the rules leave the release out, whatever its language, its age and the chapters that are kept are. */
export function isLeftOut(chapter: Chapter, rules: ReleaseRules, nowMs: number): boolean {
  const inAnyLanguage = { ...rules.selection, languages: [] };
  return isExcluded(chapter, rules) || mismatchReason(chapter, inAnyLanguage, nowMs) !== undefined;
}

function isPinned({ id }: Chapter, { selection: { pinned = [] } }: ReleaseRules): boolean {
  return pinned.includes(id);
}

function isExcluded(chapter: Chapter, rules: ReleaseRules): boolean {
  const { blocked, excludedGroups, excludedUploaders, onlyGroup } = rules;
  if (isPinned(chapter, rules)) return false;
  return (
    blocked?.includes(chapter.id) === true ||
    (onlyGroup !== undefined && !chapter.groups.some(({ id }) => id === onlyGroup)) ||
    excludedGroups.some((name) => chapter.groups.some((group) => isInGroup(group, name))) ||
    excludedUploaders.some((id) => id.toLowerCase() === chapter.uploaderId)
  );
}

/** A download without targets; its chapters are known already. */
export function seriesRequest(
  series: SeriesOptions,
  { share, cover, coverName, seriesMetadata }: SyncOptions,
  settings: Settings,
): ReturnType<typeof downloadRequest> {
  const { folder, quality } = series;
  // A run with one new chapter names it as the first run with all of them did.
  const hasLanguages = languagesOf(series, settings).length !== 1;
  const name = series.name ?? settings.name;
  const given = { quality, name, share, cover, coverName, seriesMetadata };
  const request = downloadRequest([], { ...NOT_OF_SYNC, ...given }, settings);
  const hasTitleFolder = folder === undefined;
  // A folder of its own takes the place of the folder that is named after the series.
  const templateWithin = (maxNameBytes: number) => {
    const template =
      name === ''
        ? builtInTemplate({ hasLanguages, hasTitleFolder, maxNameBytes })
        : request.templatesWithin(maxNameBytes)(hasLanguages);
    return folder === undefined ? template : inFolder(folder, template);
  };
  return {
    ...request,
    hasVolumeBooks: (series.bind ?? settings.bind) === 'volume',
    // Here, no folder is a choice too.
    hasDefaultName: false,
    templatesWithin: (maxNameBytes) => {
      const template = templateWithin(maxNameBytes);
      return () => template;
    },
  };
}

/** Settings for `download` alone. A series is bound when all its chapters are saved. */
const NOT_OF_SYNC = {
  bind: false,
  update: false,
  markRead: false,
  downloadArchive: false,
} as const;

/** The template of this text. */
const literal = (text: string): string => text.replace(/[{}]/g, '$&$&');

function inFolder(folder: string, template: NameTemplate): NameTemplate {
  const segments = folder
    .split(/[/\\]/)
    .map((segment) => cleanSegment(segment, template.maxNameBytes))
    .filter((segment) => segment !== '' && segment !== '.');
  const format = (...values: Parameters<NameTemplate>) =>
    [...segments, template(...values)].join('/');
  const { fileTemplate, maxNameBytes } = template;
  return Object.assign(format, {
    folderTemplate: [literal(folder), template.folderTemplate].filter(Boolean).join('/'),
    fileTemplate,
    maxNameBytes,
    titleFoldersIn: (path: string, values: Parameters<NameTemplate>[0]) =>
      template.titleFoldersIn(path.split('/').slice(segments.length).join('/'), values),
    builtIn: template.builtIn && {
      volumeFirst: inFolder(folder, template.builtIn.volumeFirst),
      former: inFolder(folder, template.builtIn.former),
    },
  });
}
