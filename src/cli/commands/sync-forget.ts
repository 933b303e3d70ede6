/**
 * `tankobon sync forget`: the next run downloads the chapters of a title again whose files are gone, or those of the
 * titles of a list, a group or an author, which it asks the service for.
 */
import type { GivenOptions } from '../../config/options.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { pluralize } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import { sessionOf } from '../../service/login.js';
import type { Target } from '../../selection/target.js';
import { findSubscription, subscriptionName } from '../../sync/find-subscription.js';
import {
  claimHistory,
  extraHostsOf,
  readSubscriptions,
  subscriptionsPath,
} from '../../sync/subscriptions.js';
import { currentTitleId, readSyncState, SyncJournal, lockSync } from '../../sync/history.js';
import { titlesOf } from '../../sync/run-sync.js';
import type { CommandContext } from '../command-context.js';
import { warnTo } from '../output/error-message.js';
import { withService } from '../with-service.js';

/** Throws RunError `sync-running`. */
export async function syncForget(
  words: string,
  flags: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { stderr } = context;
  const file = subscriptionsPath(flags.file, context);
  const { series } = await readSubscriptions(file, context);
  const folder = await claimHistory(file, context, (sentence) => stderr.write(`${sentence}\n`));
  const state = readSyncState(folder);
  const subscription = series[findSubscription(words, series, state, extraHostsOf(context))];
  if (!subscription) return EXIT.done;
  const { target } = subscription;
  const isTitle = target.kind === 'title';
  const titleIds = isTitle ? [target.id] : await readTitleIds(target, context);
  const lock = await lockSync(folder, file);
  try {
    const journal = await SyncJournal.open(folder, { warn: warnTo(stderr) });
    for (const titleId of titleIds) {
      const id = currentTitleId(titleId, journal.state);
      const known = journal.state.titles[id] ?? { rules: '', readAtMs: 0, waiting: [] };
      const forgotten = { isIncomplete: true, redownload: true, isRemovalReported: undefined };
      journal.add({ title: id, state: { ...known, ...forgotten } });
    }
    await journal.close();
  } finally {
    lock.release();
  }
  const name = printableLine(subscriptionName(subscription, state) ?? subscription.text);
  const what = isTitle ? name : `${name}, ${pluralize(titleIds.length, 'title')}`;
  stderr.write(
    `Forgotten: ${what}. The next sync downloads its chapters again whose files are gone.\n`,
  );
  return EXIT.done;
}

function readTitleIds(target: Target, context: CommandContext): Promise<readonly string[]> {
  return withService(context, (service) => {
    const client = service.createClient(sessionOf(context, service));
    const { signal: userSignal, stderr } = context;
    return titlesOf(target, new Map(), { client, userSignal, warn: warnTo(stderr) });
  });
}
