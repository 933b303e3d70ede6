/** The flags of `tankobon download` as a request; targets come from arguments and from files. */
import {
  downloadRequest,
  type DownloadOptions as RequestOptions,
  type DownloadRequest,
} from '../../download/download-request.js';
import { commaSeparated } from '../../core/comma-separated.js';
import { UsageError } from '../../core/errors.js';
import {
  parseTargets,
  type ParsedTargets,
  type TargetSource,
} from '../../selection/target-list.js';
import type { CommandContext } from '../command-context.js';
import type { ObserverOptions } from '../output/observer.js';
import { readSource } from '../target-sources.js';

export interface DownloadOptions
  extends Omit<RequestOptions, 'languages' | 'groups'>, ObserverOptions {
  readonly targets: readonly string[];
  readonly fromFile?: readonly string[];
  /** Comma-separated, in order of preference. */
  readonly language?: string;
  readonly group?: string;
  readonly captchaResult?: string;
  readonly dryRun?: boolean;
}

/** Throws UsageError, or StorageError for a template that leaves the folder, before anything is sent. */
export async function requestFromFlags(
  options: DownloadOptions,
  context: CommandContext,
): Promise<DownloadRequest> {
  const { language, group } = options;
  const { targets, invalid } = await readTargets(options, context);
  return downloadRequest(
    targets,
    {
      ...options,
      languages: language === undefined ? undefined : commaSeparated(language),
      groups: group === undefined ? undefined : commaSeparated(group),
    },
    context.settings,
    invalid,
  );
}

/** Throws UsageError if none is given. */
async function readTargets(
  options: DownloadOptions,
  context: CommandContext,
): Promise<ParsedTargets> {
  const sources: TargetSource[] = [{ name: 'command line', lines: options.targets }];
  for (const name of options.fromFile ?? []) sources.push(await readSource(name, context));
  const parsed = parseTargets(sources, [new URL(context.settings.apiUrl).hostname]);
  if (parsed.targets.length + parsed.invalid.length === 0) {
    const [, ...files] = sources.map(({ name }) => name);
    if (files.length > 0)
      throw new UsageError('bad-input-file', `No targets in: ${files.join(', ')}`);
    throw new UsageError('bad-target', 'Nothing to download was named.');
  }
  return parsed;
}
