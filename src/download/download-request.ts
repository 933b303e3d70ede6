/** What to download: the options in force, checked, and what follows from them, before anything is sent. */
import { compileNameTemplate, builtInTemplate, type NameTemplate } from '../config/names.js';
import {
  effectiveOptions,
  type GivenOptions,
  type Options,
  type Settings,
} from '../config/options.js';
import type { CbzIdentity } from '../library/mark.js';
import type { FileState } from '../core/file-state.js';
import { UsageError } from '../core/errors.js';
import { MAX_SEGMENT_BYTES } from '../core/path-segment.js';
import { firstMsOf, lastMsOf } from '../config/time-bound.js';
import type { SelectionOptions } from '../selection/select-chapters.js';
import type { Target, InvalidTarget } from '../selection/target.js';

/** `hasLanguages`: the run has chapters in several languages. */
export type NameChapter = (hasLanguages: boolean) => NameTemplate;

export interface DownloadRequest extends Options {
  readonly targets: readonly Target[];
  /** They fail, and do not prevent the others. */
  readonly invalidTargets: readonly InvalidTarget[];
  readonly selection: SelectionOptions;
  /** Groups to warn about if no chapter has them. */
  readonly requestedGroups: readonly string[];
  /** Excluded groups to warn about if no chapter has them. */
  readonly requestedExclusions: readonly string[];
  /** The templates for a folder whose longest names have this many bytes. */
  readonly templatesWithin: (maxNameBytes: number) => NameChapter;
  /** Whether no name template is given, neither for the run nor as a setting. */
  readonly hasDefaultName: boolean;
  /** Whether a book for each volume takes the place of the chapters. */
  readonly hasVolumeBooks: boolean;
  /** Whether the names have people, who may be loaded later than the titles. */
  readonly namesPeople: boolean;
  /** For a repair: no other files are replaced, although the folder may have others of the same chapters. */
  readonly repairs: ReadonlyMap<string, FileToRepair> | undefined;
}

export interface FileToRepair {
  /** Only a file that is as it was is replaced. */
  readonly state: FileState;
  /** The chapter whose mark it had, if it cannot be read any more. */
  readonly lostMark: CbzIdentity | undefined;
}

/** Throws UsageError (`bad-option`), or StorageError for a name template that leaves the folder. */
export function downloadRequest(
  targets: readonly Target[],
  given: GivenOptions,
  settings: Settings,
  invalidTargets: readonly InvalidTarget[] = [],
): DownloadRequest {
  const options = effectiveOptions(given, settings);
  checkBind(given, options);
  checkDates(options);
  checkChapterFiles(options);
  const { language, group, chapters, volumes, latest, allReleases } = options;
  const { excludeGroup, since, until } = options;
  return {
    ...options,
    ...(options.chapterFiles === false && { bind: false, markRead: false, exec: undefined }),
    output: options.output,
    targets,
    invalidTargets,
    repairs: undefined,
    selection: {
      languages: language ?? [],
      groups: group,
      excludedGroups: excludeGroup,
      chapters,
      volumes,
      since,
      until,
      latest,
      allReleases,
    },
    requestedGroups: given.group ?? [],
    requestedExclusions: given.excludeGroup ?? [],
    hasVolumeBooks: options.bind === 'volume',
    ...templateOptions(options.name),
  };
}

/** What follows from a name template; empty for the built-in one. */
export function templateOptions(
  name: string,
): Pick<DownloadRequest, 'templatesWithin' | 'hasDefaultName' | 'namesPeople'> {
  // An invalid one is an error before anything is sent. The built-in one is compiled when it is used.
  if (name !== '') nameTemplates(name, MAX_SEGMENT_BYTES);
  return {
    templatesWithin: (maxNameBytes) => nameTemplates(name, maxNameBytes),
    hasDefaultName: name === '',
    namesPeople: /\{\s*(author|artist)\b/i.test(name),
  };
}

/** Throws UsageError (`bad-option`). */
function checkBind({ format, keepChapters }: GivenOptions, { bind, metadata }: Options): void {
  if (bind !== false) {
    if (metadata) return;
    throw new UsageError('bad-option', 'Chapters without metadata cannot be bound.', {
      hint: 'Leave out --no-metadata, or --bind.',
    });
  }
  if (format === undefined && !keepChapters) return;
  const name = format === undefined ? '--keep-chapters' : '--format';
  throw new UsageError('bad-option', `${name} has no effect without --bind.`, {
    hint: 'Add: --bind volume, or: --bind title',
  });
}

/** Throws UsageError (`bad-option`) where nothing would be saved. */
function checkChapterFiles({ chapterFiles, cover, seriesMetadata, metadata }: Options): void {
  if (chapterFiles !== false) return;
  if (!metadata)
    throw new UsageError('bad-option', 'Without metadata, covers have no folder of their title.', {
      hint: 'Leave out --no-metadata, or --no-chapters.',
    });
  if (cover || seriesMetadata) return;
  throw new UsageError('bad-option', '--no-chapters alone saves nothing.', {
    hint: 'Add: --cover all, or: --series-metadata',
  });
}

/** Throws UsageError (`bad-option`) for a period that ends before it begins. */
function checkDates({ since, until }: Options): void {
  if (!since || !until || firstMsOf(since, 0) <= lastMsOf(until, 0)) return;
  if ('agoMs' in since !== 'agoMs' in until) return;
  throw new UsageError('bad-option', `--since ${since.text} is after --until ${until.text}.`, {
    hint: `Write the earlier date first: --since ${until.text} --until ${since.text}`,
  });
}

/** The built-in template contains the language in a run with several. */
function nameTemplates(template: string, maxNameBytes: number): NameChapter {
  const compile = (hasLanguages: boolean) =>
    template === ''
      ? builtInTemplate({ hasLanguages, hasTitleFolder: true, maxNameBytes })
      : compileNameTemplate(template, { maxNameBytes });
  const [inOneLanguage, inSeveralLanguages] = [compile(false), compile(true)];
  return (hasLanguages) => (hasLanguages ? inSeveralLanguages : inOneLanguage);
}
