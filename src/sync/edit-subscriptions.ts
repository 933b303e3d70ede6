/** Changes of the subscriptions file, each of which reads it, and writes it if something is different. */
import type { SubscriptionList } from './subscription-list.js';
import { editSubscriptions, type EditContext } from './subscriptions.js';
import {
  addFollows,
  addMissingSeries,
  addSeries,
  removeFollows,
  removeSeries,
  setHook,
  type SeriesChange,
  type SeriesEntry,
} from './subscriptions/edit-text.js';
import { findSubscription, subscriptionName } from './subscriptions/find-subscription.js';
import { parseSubscriptions } from './subscriptions/subscriptions-file.js';

/** Makes a file without subscriptions if there is none. */
export async function createSubscriptions(file: string, context: EditContext): Promise<void> {
  await editSubscriptions(file, context, ({ text }) => ({ text: text || 'series: []\n' }));
}

/** Adds a subscription, or changes the one that is there. Resolves with whether the file was changed. */
export async function subscribe(
  file: string,
  target: string,
  change: SeriesChange,
  context: EditContext,
): Promise<boolean> {
  const { isChanged } = await editSubscriptions(file, context, (source) => {
    const { text } = addSeries(source, target, change);
    return { text, isChanged: text !== source.text };
  });
  return isChanged;
}

/** Subscribes to titles; those that are there stay as they are. Resolves with the ids of the others. */
export async function subscribeTitles(
  file: string,
  titles: readonly { readonly id: string; readonly entry: SeriesEntry }[],
  context: EditContext,
): Promise<readonly string[]> {
  const { added } = await editSubscriptions(file, context, (text) =>
    addMissingSeries(text, titles),
  );
  return added;
}

/** Resolves with the name of what was removed. Throws UsageError `bad-target` for words that mean no subscription. */
export async function unsubscribe(
  list: SubscriptionList,
  words: string,
  context: EditContext,
): Promise<string> {
  const { file, state } = list;
  const listCommand = list.commandLine('list');
  const { removed } = await editSubscriptions(file, context, (source) => {
    const { series, follows } = parseSubscriptions(source);
    const { extraHosts } = source;
    if (follows && words.toLowerCase() === 'follows')
      return { text: removeFollows(source), removed: 'the titles that the account follows' };
    const found = findSubscription(words, series, state, { extraHosts, listCommand });
    const name = subscriptionName(found, state) ?? found.text;
    return { text: removeSeries(source, series.indexOf(found)), removed: name };
  });
  return removed;
}

/** Subscribes to what the account follows. `output`: the folder, for the defaults of the file. */
export async function subscribeFollows(
  file: string,
  output: string | undefined,
  context: EditContext,
): Promise<void> {
  await editSubscriptions(file, context, (source) => ({ text: addFollows(source, output) }));
}

/** Sets a hook; an undefined value removes it. */
export async function writeHook(
  file: string,
  hook: string,
  value: unknown,
  context: EditContext,
): Promise<void> {
  await editSubscriptions(file, context, (source) => ({ text: setHook(source, hook, value) }));
}
