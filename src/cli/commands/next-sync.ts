/** The command that subscribes to a title as it was just downloaded. */
import { resolve } from 'node:path';
import type { GivenOptions } from '../../config/options.js';
import { shellQuoted } from '../../core/shell-quoted.js';
import { titleWebUrl } from '../../config/service-addresses.js';
import { findById } from '../../sync/find-subscription.js';
import { readStateOf } from '../../sync/history.js';
import { readSubscriptionsIfExists, subscriptionsPath } from '../../sync/subscriptions.js';
import type { CommandContext } from '../command-context.js';

/** Undefined if there is a subscription to the title. What the settings have is left out. */
export async function syncAddCommand(
  titleId: string,
  { language = [], output = '.' }: Pick<GivenOptions, 'language' | 'output'>,
  context: CommandContext,
): Promise<string | undefined> {
  const { settings } = context;
  const file = subscriptionsPath(undefined, context);
  // A file that cannot be used is reported by the commands that need it.
  const subscriptions = await readSubscriptionsIfExists(file, context).catch(() => undefined);
  const series = subscriptions?.series ?? [];
  if (findById(titleId, series, await readStateOf(file, context))) return undefined;
  const isSetLanguage = language.join() === (settings.language ?? []).join();
  const isSetOutput = settings.output !== '.' && resolve(settings.output) === output;
  return [
    `tankobon sync add ${titleWebUrl(titleId)}`,
    ...(isSetLanguage ? [] : [`--language ${language.join(',')}`]),
    ...(isSetOutput ? [] : [`--output ${shellQuoted(output)}`]),
  ].join(' ');
}
