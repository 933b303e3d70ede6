/** `tankobon sync import-follows`: subscribes to the titles that the logged-in account follows. */
import { fetchFollowedTitles, fetchReadingStatuses } from '../../api/follows.js';
import type { ReadingStatus } from '../../api/reading-statuses.js';
import { requireLogin, sessionOf } from '../../download/stored-login.js';
import {
  editSubscriptions,
  readSubscriptionsIfExists,
  subscriptionsPath,
} from '../../sync/subscriptions-store.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { pluralize } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import { addSeries, indexOfTarget, parseSubscriptions } from '../../sync/subscriptions-file.js';
import type { GivenOptions } from '../../config/options/options.js';
import type { CommandContext } from '../command-context.js';
import { warnTo } from '../output/error-message.js';
import { withService } from '../with-service.js';

/** Titles that are subscribed to keep their options. */
export async function syncImportFollows(
  flags: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const file = subscriptionsPath(flags.file, context);
  await readSubscriptionsIfExists(file, context);
  const titles = await fetchFollows(flags.status, context);
  const { added } = await editSubscriptions(file, context, (source) => {
    let { text } = source;
    let count = 0;
    for (const { id, name } of titles) {
      const target = { kind: 'title', id } as const;
      if (indexOfTarget(parseSubscriptions({ ...source, text }), target) >= 0) continue;
      const url = `https://mangadex.org/title/${id}`;
      ({ text } = addSeries({ ...source, text }, url, {
        entry: { title: printableLine(name) },
      }));
      count += 1;
    }
    return { text, added: count };
  });
  const known = titles.length - added;
  const rest = known === 0 ? '' : `; ${known} ${known === 1 ? 'was' : 'were'} already subscribed`;
  context.stderr.write(`${pluralize(added, 'title')} added to ${file}${rest}.\n`);
  return EXIT.done;
}

async function fetchFollows(
  statuses: readonly ReadingStatus[] | undefined,
  context: CommandContext,
) {
  const { signal, stderr } = context;
  return withService(context, async (service) => {
    const login = sessionOf(context, service);
    await requireLogin(login, 'import-follows', signal);
    const client = service.createClient(login);
    const titles = await fetchFollowedTitles(client, { signal, warn: warnTo(stderr) });
    if (!statuses) return titles;
    const byTitle = await fetchReadingStatuses(client, signal);
    return titles.filter(({ id }) => statuses.some((status) => byTitle.get(id) === status));
  });
}
