/** The command that subscribes to a title as it was just downloaded. */
import { resolve } from 'node:path';
import type { GivenOptions } from '../../config/options.js';
import { optionText } from '../../config/option-values.js';
import { shellQuoted } from '../../core/shell-quoted.js';
import { titleWebUrl } from '../../config/service-addresses.js';
import { SubscriptionList } from '../../sync/subscription-list.js';
import type { CommandContext } from '../command-context.js';

/** Undefined if there is a subscription to the title. What the settings have is left out. */
export async function syncAddCommand(
  titleId: string,
  { language = [], output = '.' }: Pick<GivenOptions, 'language' | 'output'>,
  context: CommandContext,
): Promise<string | undefined> {
  const { settings } = context;
  // A file that cannot be used is reported by the commands that need it.
  const list = await SubscriptionList.readIfExists(undefined, context).catch(() => undefined);
  if (list?.findById(titleId)) return undefined;
  const isSetLanguage = language.join() === (settings.language ?? []).join();
  const isSetOutput = settings.output !== '.' && resolve(settings.output) === output;
  return [
    `tankobon sync add ${titleWebUrl(titleId)}`,
    ...(isSetLanguage ? [] : [`--language ${optionText('language', language)}`]),
    ...(isSetOutput ? [] : [`--output ${shellQuoted(output)}`]),
  ].join(' ');
}
