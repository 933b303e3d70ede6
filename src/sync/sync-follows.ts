/** The titles that the account follows: one request per hundred, and one for the reading statuses if these select. */
import { fetchFollowedTitles, fetchReadingStatuses } from '../service/account.js';
import type { Title } from '../service/titles.js';
import { requireLogin } from '../service/login.js';
import { timeBoundAt } from '../config/time-bound.js';
import type { SubscribedTitle, SyncSession } from './sync-session.js';

/** Without the titles in `listed`, which the file names. Adds the titles that the responses contained to `known`. */
export async function followedTitles(
  session: SyncSession,
  listed: ReadonlyMap<string, SubscribedTitle>,
  known: Map<string, Title>,
): Promise<readonly SubscribedTitle[]> {
  const { client, login, warn, userSignal: signal, journal, context, options } = session;
  const { follows } = session.subscriptions;
  if (!follows) return [];
  await requireLogin(login, 'the key follows of the subscriptions file', signal);
  const { statuses, options: defaults } = follows;
  const statusOf = statuses && (await fetchReadingStatuses(client, signal));
  const titles = await fetchFollowedTitles(client, { warn, signal });
  const selected = titles.filter(({ id }) => {
    const status = statusOf?.get(id);
    return !listed.has(id) && (!statuses || (status !== undefined && statuses.includes(status)));
  });
  for (const title of selected) known.set(title.id, title);
  const { follows: previous } = journal.state;
  const nowMs = options.fromNow ? context.clock.wallMs() : undefined;
  // Also for titles that are followed later.
  const { sinceMs } = previous ?? { sinceMs: nowMs };
  if (!previous) journal.add({ follows: { sinceMs } });
  const since = sinceMs !== undefined && { since: timeBoundAt(sinceMs) };
  return selected.map(({ id }) => ({ id, isFollowed: true, options: { ...defaults, ...since } }));
}
