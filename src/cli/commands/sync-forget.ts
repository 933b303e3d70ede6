/**
 * `tankobon sync forget`: the next run downloads the chapters of a title again whose files are gone, or those of the
 * titles of a list, a group or an author, which it asks the service for.
 */
import type { GivenOptions } from '../../config/options.js';
import { pluralize } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import { sessionOf } from '../../service/login.js';
import type { Target } from '../../selection/target.js';
import { forgetTitles } from '../../sync/forget.js';
import { SubscriptionList } from '../../sync/subscription-list.js';
import { titlesOf } from '../../sync/run-sync.js';
import type { CommandContext } from '../command-context.js';
import { warnTo } from '../output/error-message.js';
import { withService } from '../with-service.js';

/** Throws RunError `sync-running`. */
export async function syncForget(
  words: string,
  flags: GivenOptions,
  context: CommandContext,
): Promise<undefined> {
  const { stderr } = context;
  const list = await SubscriptionList.read(flags.file, context);
  const subscription = list.find(words);
  const { target } = subscription;
  const isTitle = target.kind === 'title';
  const titleIds = isTitle ? [target.id] : await readTitleIds(target, context);
  await forgetTitles(list.file, titleIds, context, warnTo(stderr));
  const name = printableLine(list.labelOf(subscription));
  const what = isTitle ? name : `${name}, ${pluralize(titleIds.length, 'title')}`;
  stderr.write(
    `Forgotten: ${what}. The next sync downloads its chapters again whose files are gone.\n`,
  );
}

function readTitleIds(target: Target, context: CommandContext): Promise<readonly string[]> {
  return withService(context, (service) => {
    const client = service.createClient(sessionOf(context, service));
    const { signal: userSignal, stderr } = context;
    return titlesOf(target, new Map(), { client, userSignal, warn: warnTo(stderr) });
  });
}
