/** Changes of the subscriptions file, each of which reads it, and writes it if something is different. */
import { isMap } from 'yaml';
import { independentPath } from './subscription-entry.js';
import type { SubscriptionList } from './subscription-list.js';
import { editSubscriptions, type EditContext } from './subscriptions.js';
import {
  addSeries,
  appendSeries,
  createNode,
  editText,
  removeSeries,
  type SeriesChange,
  type SeriesEntry,
} from './subscriptions/edit-text.js';
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
    const text = addSeries(source, target, change);
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
  const { added } = await editSubscriptions(file, context, (source) => {
    const { series } = parseSubscriptions(source);
    const known = new Set(series.map(({ target: { kind, id } }) => kind === 'title' && id));
    const missing = titles.filter(({ id }) => !known.has(id));
    if (missing.length === 0) return { text: source.text, added: [] };
    const text = editText(source, (document) => {
      for (const { id, entry } of missing)
        appendSeries(document, `https://mangadex.org/title/${id}`, entry);
    });
    return { text, added: missing.map(({ id }) => id) };
  });
  return added;
}

/** Resolves with the name of what was removed. Throws UsageError `bad-target` for words that mean no subscription. */
export async function unsubscribe(
  list: SubscriptionList,
  words: string,
  context: EditContext,
): Promise<string> {
  const { removed } = await editSubscriptions(list.file, context, (source) => {
    const { series, follows } = parseSubscriptions(source);
    if (follows && words.toLowerCase() === 'follows') {
      const text = editText(source, (document) => void document.delete('follows'));
      return { text, removed: 'the titles that the account follows' };
    }
    const found = list.find(words, series);
    return { text: removeSeries(source, series.indexOf(found)), removed: list.labelOf(found) };
  });
  return removed;
}

/** Subscribes to what the account follows. `output`: the folder, for the defaults of the file. */
export async function subscribeFollows(
  file: string,
  output: string | undefined,
  context: EditContext,
): Promise<void> {
  await edit(file, context, (document) => {
    document.set('follows', true);
    if (output === undefined) return;
    if (!isMap(document.get('defaults'))) document.set('defaults', document.createNode({}));
    document.setIn(['defaults', 'output'], independentPath(output));
  });
}

/** Sets a hook; an undefined value removes it. */
export async function writeHook(
  file: string,
  hook: string,
  value: unknown,
  context: EditContext,
): Promise<void> {
  await edit(file, context, (document) => {
    if (value === undefined) {
      document.deleteIn(['hooks', hook]);
      const rest = document.get('hooks');
      if (isMap(rest) && rest.items.length === 0) document.delete('hooks');
      return;
    }
    if (!isMap(document.get('hooks'))) document.set('hooks', document.createNode({}));
    document.setIn(['hooks', hook], createNode(document, value));
  });
}

/** Throws UsageError `bad-subscriptions` if the text is invalid. */
async function edit(
  file: string,
  context: EditContext,
  change: Parameters<typeof editText>[1],
): Promise<void> {
  await editSubscriptions(file, context, (source) => {
    parseSubscriptions(source);
    return { text: editText(source, change) };
  });
}
