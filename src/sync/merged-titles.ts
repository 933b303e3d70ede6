/** Titles that were merged into others: the service answers with the other one, and their subscriptions follow it. */
import type { Title } from '../service/titles.js';
import { groupBy } from '../core/group-by.js';
import { describeMerge, fetchTitleIfAvailable } from '../selection/title-loader.js';
import { isMatch, subscriptionName } from './subscriptions/find-subscription.js';
import type { Subscription } from './subscriptions/subscriptions-schema.js';
import { currentTitleId, type SyncState } from './history.js';
import type { SyncLine } from './history/sync-lines.js';
import type { SubscribedTitle, SyncSession } from './sync-session.js';
import { syncCommandLine } from './subscriptions.js';

/**
 * The entries of the file for each title, by its id after merges. The options of the first one apply: that of the title
 * itself, otherwise the first in the file.
 */
export function titleEntries(
  series: readonly Subscription[],
  state: SyncState,
): ReadonlyMap<string, readonly Subscription[]> {
  const entries = series.filter(({ target }) => target.kind === 'title');
  const isMerged = ({ target }: Subscription) => Number(state.merged.has(target.id));
  return groupBy(
    [...entries].sort((a, b) => isMerged(a) - isMerged(b)),
    ({ target }) => currentTitleId(target.id, state),
  );
}

/** Names the entries of the file that are of one title by now, since the options of only one of them apply. */
export function warnOfSameTitles({ subscriptions, journal, options, context, warn }: SyncSession) {
  const { state } = journal;
  const { only, file } = options;
  const nameOf = (entry: Subscription) => {
    const { id } = entry.target;
    const name = state.merged.get(id)?.name ?? subscriptionName(entry, state);
    return name === undefined ? `title:${id}` : `${name} (title:${id})`;
  };
  for (const entries of titleEntries(subscriptions.series, state).values()) {
    const [first, ...others] = entries;
    const [other] = others;
    if (!first || !other || !isRequested(entries, only, state)) continue;
    const names = [...others, first].map(nameOf).join(' and ');
    const applies = `title:${first.target.id}`;
    warn(
      `${names} are the same title by now, and the options of ${applies} apply`,
      `To keep only that one, run: ${syncCommandLine(`remove title:${other.target.id}`, file, context)}`,
    );
  }
}

/** Whether one of the entries is meant by `--only`. */
export function isRequested(
  entries: readonly Subscription[],
  only: SyncSession['options']['only'],
  state: SyncState,
): boolean {
  return !only || only.some((word) => entries.some((entry) => isMatch(entry, word, state)));
}

/**
 * Replaces the titles that the service does not list by those into which they were merged, and adds these to `known`.
 * Each merge is reported once. Sends a request for each title that is not listed.
 */
export async function followMerges(
  listed: Map<string, SubscribedTitle>,
  known: Map<string, Title>,
  { client, journal, subscriptions, warn, userSignal }: SyncSession,
): Promise<void> {
  for (const [id, subscribed] of [...listed]) {
    if (known.has(id)) continue;
    const title = await fetchTitleIfAvailable(client, id, userSignal);
    if (!title) continue;
    known.set(title.id, title);
    if (title.id === id) continue;
    warn(describeMerge(id, journal.state.titles[id]?.name, title));
    journal.addAll(mergeLines(id, title.id, journal.state));
    listed.delete(id);
    const [entry] = titleEntries(subscriptions.series, journal.state).get(title.id) ?? [];
    if (entry?.paused) listed.delete(title.id);
    else if (entry) listed.set(title.id, { id: title.id, options: entry });
    else if (!listed.has(title.id)) listed.set(title.id, { ...subscribed, id: title.id });
  }
}

/** The other title is read completely, with what is known of the merged one. */
function mergeLines(merged: string, into: string, { titles }: SyncState): readonly SyncLine[] {
  const state = titles[into] ?? titles[merged];
  return [
    { merged, into, name: titles[merged]?.name },
    ...(state ? [{ title: into, state: { ...state, isIncomplete: true } }] : []),
  ];
}
