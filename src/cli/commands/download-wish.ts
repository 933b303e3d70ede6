/** What `tankobon download` was asked for: flags before settings, targets from wherever they stand. */
import { DEFAULT_NAME_TEMPLATE, compileNameTemplate } from '../../cbz/file-name.js';
import { parseRanges } from '../../selection/ranges.js';
import type { SelectionOptions } from '../../selection/select-chapters.js';
import type { Target } from '../../selection/target.js';
import { parseTargets, type TargetSource } from '../../selection/target-list.js';
import type { Quality } from '../../image/page-url.js';
import type { PlanOptions } from '../../download/plan.js';
import { UsageError } from '../../core/errors.js';
import { errorMessage } from '../output/error-message.js';
import type { CommandContext } from '../command-context.js';
import { readSource } from '../target-sources.js';

export interface DownloadOptions {
  readonly targets: readonly string[];
  readonly fromFile?: readonly string[];
  readonly output?: string;
  readonly quality?: Quality;
  /** Pages in flight, 1 to 16. */
  readonly concurrency?: number;
  readonly force?: boolean;
  readonly update?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** False with `--no-reports`; otherwise the setting decides. */
  readonly reports?: boolean;
  /** False with `--no-metadata`; otherwise the setting decides. */
  readonly metadata?: boolean;
  /** Such as `10m`. */
  readonly maxOutage?: string;
  readonly captchaResult?: string;
  /** Template of the file name. */
  readonly name?: string;
  /** Languages, groups: separated by commas, in order of preference. */
  readonly language?: string;
  readonly group?: string;
  /** Such as `1-10,12.5,20-,none`. */
  readonly chapters?: string;
  readonly volumes?: string;
  readonly allReleases?: boolean;
  readonly latest?: number;
  readonly cover?: boolean;
  readonly markRead?: boolean;
}

/** Throws UsageError, or StorageError for a template that leaves the folder, before anything is sent. */
export async function planOptionsFrom(
  options: DownloadOptions,
  run: CommandContext,
): Promise<PlanOptions> {
  const { settings } = run;
  return {
    targets: await targetsOf(options, run),
    output: options.output ?? settings.output,
    quality: options.quality ?? (settings.quality as Quality),
    force: options.force === true,
    update: options.update === true,
    metadata: (options.metadata ?? true) && settings.metadata,
    nameChapter: compileNameTemplate(
      options.name ?? (settings.name === '' ? DEFAULT_NAME_TEMPLATE : settings.name),
    ),
    selection: selectionOf(options, run),
  };
}

function selectionOf(options: DownloadOptions, { settings }: CommandContext): SelectionOptions {
  const { chapters, volumes, latest, allReleases } = options;
  return {
    languages: listOf(options.language ?? settings.language).map((code) => code.toLowerCase()),
    groups: listOf(options.group ?? settings.group),
    ...(chapters !== undefined && { chapters: parseRanges(chapters, '--chapters') }),
    ...(volumes !== undefined && { volumes: parseRanges(volumes, '--volumes') }),
    ...(latest !== undefined && { latest }),
    ...(allReleases !== undefined && { allReleases }),
  };
}

/** Words between commas; a word in quotes may hold a comma. */
export function listOf(text: string): string[] {
  const words = [...text.matchAll(/\s*(?:"([^"]*)"|([^,]*))\s*(?:,|$)/g)];
  return words
    .map(([, quoted, plain]) => (quoted ?? plain ?? '').trim())
    .filter((word) => word !== '');
}

/** Throws where not one target is right; a bad one beside right ones is told, and stops nothing. */
async function targetsOf(
  options: DownloadOptions,
  run: CommandContext,
): Promise<readonly Target[]> {
  const sources: TargetSource[] = [{ name: 'command line', lines: options.targets }];
  for (const name of options.fromFile ?? []) sources.push(await readSource(name, run));
  const { targets, faults } = parseTargets(sources, [new URL(run.settings.apiUrl).hostname]);
  if (targets.length === 0) {
    throw faults[0] ?? new UsageError('bad-target', 'Nothing to download was named.');
  }
  for (const fault of faults) run.stderr.write(errorMessage(fault, run.env));
  return targets;
}
