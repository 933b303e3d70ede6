/** Titles that were merged into others: the service answers with the other one, and their subscriptions follow it. */
import type { ServiceClient } from '../api/client.js';
import { fetchTitle, type Title } from '../api/titles.js';
import { describeMerge, isTolerable } from '../selection/title-loader.js';
import type { SyncState } from './sync-journal.js';
import type { SyncLine } from './sync-lines.js';
import type { SubscribedTitle, SyncSession } from './sync-session.js';

/**
 * Replaces the titles that the service does not list by those into which they were merged, and adds these to `known`.
 * Each merge is reported once. Sends a request for each title that is not listed.
 */
export async function followMerges(
  listed: Map<string, SubscribedTitle>,
  known: Map<string, Title>,
  {
    client,
    journal,
    warn,
    userSignal,
  }: Pick<SyncSession, 'client' | 'journal' | 'warn' | 'userSignal'>,
): Promise<void> {
  for (const [id, subscribed] of [...listed]) {
    if (known.has(id)) continue;
    const title = await fetchIfAvailable(client, id, userSignal);
    if (!title) continue;
    known.set(title.id, title);
    if (title.id === id) continue;
    listed.delete(id);
    // The own entry of the other title takes precedence.
    if (!listed.has(title.id)) listed.set(title.id, { ...subscribed, id: title.id });
    const name = journal.state.titles[id]?.name;
    warn(describeMerge(id, name, title));
    journal.add(...mergeLines(id, title.id, journal.state));
  }
}

/** The other title is read completely, with what is known of the merged one. */
function mergeLines(merged: string, into: string, { titles }: SyncState): readonly SyncLine[] {
  const state = titles[into] ?? titles[merged];
  return [
    { merged, into },
    ...(state ? [{ title: into, state: { ...state, isIncomplete: true } }] : []),
  ];
}

async function fetchIfAvailable(
  client: ServiceClient,
  id: string,
  signal: AbortSignal,
): Promise<Title | undefined> {
  return fetchTitle(client, id, signal).catch((error: unknown) => {
    if (!isTolerable(error)) throw error;
    return undefined;
  });
}
