/** What a person calls subscriptions: name, folder, URL or UUID. */
import type { Subscription } from './subscriptions-schema.js';
import { currentTitleId, titleState, type SyncState } from '../history.js';

/** The name by the service, otherwise the one in the file. */
export function subscriptionName(
  { target, title }: Subscription,
  state: SyncState,
): string | undefined {
  return titleState(target.id, state)?.name ?? title;
}

/** In lower case. Those of a title that was merged are the old ones and the new ones. */
export function namesOf(subscription: Subscription, state: SyncState): readonly string[] {
  const { target, text, folder = '', title = '' } = subscription;
  const oldName = state.merged.get(target.id)?.name ?? '';
  const names = [text, target.id, currentTitleId(target.id, state), folder, title, oldName];
  return [...names, subscriptionName(subscription, state) ?? ''].map((name) => name.toLowerCase());
}

/** The subscription with this id, otherwise one to a title that was merged into the one with this id. */
export function findById(
  id: string,
  series: readonly Subscription[],
  state: SyncState,
): Subscription | undefined {
  return (
    series.find(({ target }) => target.id === id) ??
    series.find(({ target }) => currentTitleId(target.id, state) === id)
  );
}

export function isMatch(subscription: Subscription, word: string, state: SyncState): boolean {
  return namesOf(subscription, state).some((name) => name.includes(word.toLowerCase()));
}
