/** `tankobon sync forget`: the next run downloads the chapters of a title again whose files are gone. It sends nothing. */
import type { GivenOptions } from '../../config/options/options.js';
import { RunError, UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { describeLockHolder, tryLockFile } from '../../core/lock.js';
import { printableLine } from '../../core/printable.js';
import { findSubscription, subscriptionName } from '../../sync/find-subscription.js';
import {
  extraHostsOf,
  readSubscriptions,
  subscriptionsPath,
} from '../../sync/subscriptions-store.js';
import { currentTitleId, lockPath, SyncJournal } from '../../sync/sync-journal.js';
import type { CommandContext } from '../command-context.js';
import { warnTo } from '../output/error-message.js';
import { checkedSyncFolder } from './sync-state.js';

/** Throws RunError `sync-running`. */
export async function syncForget(
  words: string,
  flags: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { stderr } = context;
  const file = subscriptionsPath(flags.file, context);
  const { series } = await readSubscriptions(file, context);
  const folder = await checkedSyncFolder(file, context);
  const lock = await tryLockFile(lockPath(folder));
  if (!lock) {
    const holder = describeLockHolder(lockPath(folder));
    throw new RunError('sync-running', `A sync of ${file} is running: ${holder}.`);
  }
  try {
    const journal = await SyncJournal.open(folder, { warn: warnTo(stderr) });
    try {
      const subscription =
        series[findSubscription(words, series, journal.state, extraHostsOf(context))];
      if (!subscription) return EXIT.done;
      const { target } = subscription;
      const name = printableLine(
        subscriptionName(subscription, journal.state) ?? subscription.text,
      );
      if (target.kind !== 'title')
        throw new UsageError('bad-target', `Not a title, but a ${target.kind}: ${name}`, {
          hint: `To download what is gone of all its titles, run: tankobon sync --redownload --only ${target.id}`,
        });
      const id = currentTitleId(target.id, journal.state);
      const known = journal.state.titles[id] ?? { rules: '', readAtMs: 0, waiting: [] };
      journal.add({ title: id, state: { ...known, isIncomplete: true, redownload: true } });
      stderr.write(
        `Forgotten: ${name}. The next sync downloads its chapters again whose files are gone.\n`,
      );
    } finally {
      await journal.close();
    }
  } finally {
    lock.release();
  }
  return EXIT.done;
}
