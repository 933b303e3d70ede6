/** The commands that subscribe to a title with the options that were just given. */
import { resolve } from 'node:path';
import { optionsOf, type GivenOptions } from '../../config/options.js';
import { optionFlags } from '../../config/option-values.js';
import { titleWebUrl } from '../../config/service-addresses.js';
import { SubscriptionList } from '../../sync/subscription-list.js';
import type { CommandContext } from '../command-context.js';

/** The flags of `sync add`, without that of the subscriptions file. */
export function syncAddFlags(options: GivenOptions): string[] {
  return optionFlags(optionsOf('sync add'), { ...options, file: undefined });
}

/** Undefined if there is a subscription to the title. What the settings have is left out. */
export async function syncAddCommand(
  titleId: string,
  { language = [], output = '.', ...options }: GivenOptions,
  context: CommandContext,
): Promise<string | undefined> {
  const { settings } = context;
  // A file that cannot be used is reported by the commands that need it.
  const list = await SubscriptionList.readIfExists(undefined, context).catch(() => undefined);
  if (list?.findById(titleId)) return undefined;
  const isSetLanguage = language.join() === (settings.language ?? []).join();
  const isSetOutput = settings.output !== '.' && resolve(settings.output) === output;
  const flags = syncAddFlags({
    ...options,
    language: isSetLanguage ? undefined : language,
    subscribedOutput: isSetOutput ? undefined : output,
  });
  return [`tankobon sync add ${titleWebUrl(titleId)}`, ...flags].join(' ');
}
