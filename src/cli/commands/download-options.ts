/** The flags of `tankobon download` as a request; targets come from arguments and from files. */
import {
  downloadRequest,
  type DownloadOptions as RequestOptions,
  type DownloadRequest,
} from '../../app/download-request.js';
import { commaSeparated } from '../../core/comma-separated.js';
import { UsageError } from '../../core/errors.js';
import type { Target } from '../../selection/target.js';
import { parseTargets, type TargetSource } from '../../selection/target-list.js';
import type { CommandContext } from '../command-context.js';
import { errorMessage } from '../output/error-message.js';
import { readSource } from '../target-sources.js';

export interface DownloadOptions extends Omit<RequestOptions, 'languages' | 'groups'> {
  readonly targets: readonly string[];
  readonly fromFile?: readonly string[];
  /** Comma-separated, in order of preference. */
  readonly language?: string;
  readonly group?: string;
  readonly captchaResult?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Throws UsageError, or StorageError for a template that leaves the folder, before anything is sent. */
export async function requestFromFlags(
  options: DownloadOptions,
  context: CommandContext,
): Promise<DownloadRequest> {
  const { language, group } = options;
  return downloadRequest(
    await readTargets(options, context),
    {
      ...options,
      languages: language === undefined ? undefined : commaSeparated(language),
      groups: group === undefined ? undefined : commaSeparated(group),
    },
    context.settings,
  );
}

/** Throws if no target is valid; an invalid one among valid ones is reported and skipped. */
async function readTargets(
  options: DownloadOptions,
  context: CommandContext,
): Promise<readonly Target[]> {
  const sources: TargetSource[] = [{ name: 'command line', lines: options.targets }];
  for (const name of options.fromFile ?? []) sources.push(await readSource(name, context));
  const { targets, errors } = parseTargets(sources, [new URL(context.settings.apiUrl).hostname]);
  if (targets.length === 0) {
    throw errors[0] ?? new UsageError('bad-target', 'Nothing to download was named.');
  }
  for (const error of errors) context.stderr.write(errorMessage(error, context.env));
  return targets;
}
