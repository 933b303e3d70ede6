/** Finds subscriptions by what a person calls them: name, folder, URL or UUID. */
import { UsageError } from '../../core/errors.js';
import { parseTarget } from '../../selection/target.js';
import type { Subscription } from './subscriptions-schema.js';
import { currentTitleId, titleState, type SyncState } from '../history.js';

interface ListCommand {
  /** The command that lists the subscriptions. */
  readonly listCommand: string;
}

/** The name by the service, otherwise the one in the file. */
export function subscriptionName(
  { target, title }: Subscription,
  state: SyncState,
): string | undefined {
  return titleState(target.id, state)?.name ?? title;
}

function namesOf(subscription: Subscription, state: SyncState): readonly string[] {
  const { target, text, folder = '', title = '' } = subscription;
  const oldName = state.merged.get(target.id)?.name ?? '';
  const names = [text, target.id, folder, title, oldName];
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

/**
 * The only subscription that is meant, by its URL or UUID, its whole name, or a part of it. Throws UsageError
 * `bad-target`.
 */
export function findSubscription(
  words: string,
  series: readonly Subscription[],
  state: SyncState,
  { extraHosts, listCommand }: { readonly extraHosts: readonly string[] } & ListCommand,
): Subscription {
  if (words.trim() === '') throw new UsageError('bad-target', 'Say which subscription.');
  const hint = listHint(listCommand);
  const id = idOf(words, extraHosts);
  const matches = series.filter((subscription) =>
    id === undefined
      ? isMatch(subscription, words, state)
      : subscription === findById(id, series, state),
  );
  const exact = matches.filter((each) => namesOf(each, state).includes(words.toLowerCase()));
  const [match, ...others] = exact.length === 1 ? exact : matches;
  if (!match) throw new UsageError('bad-target', `Not subscribed to: ${words}`, { hint });
  if (others.length === 0) return match;
  const names = matches.map((each) => subscriptionName(each, state) ?? each.text).join(', ');
  throw new UsageError('bad-target', `Several subscriptions match: ${names}`, { hint });
}

/** Throws UsageError `bad-target` for a word of `--only` that matches no subscription. */
export function checkOnly(
  only: readonly string[],
  series: readonly Subscription[],
  state: SyncState,
  { listCommand }: ListCommand,
): void {
  const word = only.find((each) => !series.some((one) => isMatch(one, each, state)));
  if (word !== undefined)
    throw new UsageError('bad-target', `Not subscribed to: ${word}`, {
      hint: listHint(listCommand),
    });
}

const listHint = (listCommand: string) => `To see the subscriptions, run: ${listCommand}`;

function idOf(words: string, extraHosts: readonly string[]): string | undefined {
  try {
    return parseTarget(words, extraHosts).id;
  } catch {
    return undefined;
  }
}
