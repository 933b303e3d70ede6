/** `tankobon sync list`: the subscriptions with their names, options and state. It sends nothing. */
import { join } from 'node:path';
import { optionText } from '../../config/option-values.js';
import { optionDefinition, type GivenOptions } from '../../config/options.js';
import { pluralize } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import { SubscriptionList } from '../../sync/subscription-list.js';
import type { CommandContext } from '../command-context.js';
import { toKeys } from '../../sync/subscription-entry.js';
import { warnTo } from '../output/error-message.js';
import { jsonLine } from '../output/json-line.js';

type Subscription = SubscriptionList['series'][number];
type SyncState = SubscriptionList['state'];

export async function syncList(flags: GivenOptions, context: CommandContext): Promise<undefined> {
  const { stdout, stderr } = context;
  const list = await SubscriptionList.read(flags.file, context);
  list.warnIfEmpty(warnTo(stderr));
  const entries = list.series.map((subscription) => entryOf(subscription, list));
  if (flags.json) stdout.write(jsonLine(entries.map(asJson)));
  else stdout.write(entries.map((entry) => `${asLines(entry).join('\n  ')}\n`).join(''));
  if (list.subscriptions.follows && !flags.json)
    stderr.write('And the titles that the account follows.\n');
}

type State = 'paused' | 'new' | 'incomplete' | 'waiting' | 'up-to-date' | 'failed' | 'by-title';

interface ListEntry {
  readonly subscription: Subscription;
  readonly name: string | undefined;
  /** An empty list means all. */
  readonly languages: readonly string[];
  readonly output: string;
  readonly state: State;
  /** Chapters that wait for a preferred group. */
  readonly waiting: number;
}

function entryOf(subscription: Subscription, list: SubscriptionList): ListEntry {
  const known = list.stateOf(subscription);
  const { waiting = [] } = known ?? {};
  const output = list.outputOf(subscription);
  const state =
    subscription.target.kind === 'title'
      ? stateOfTitle(known, hasFailed([`title:${subscription.target.id}`, output], list.state))
      : stateOfCollection(subscription, list.state);
  return {
    subscription,
    name: list.nameOf(subscription),
    languages: list.languagesOf(subscription),
    output: subscription.folder === undefined ? output : join(output, subscription.folder),
    state: subscription.paused ? 'paused' : state,
    waiting: waiting.length,
  };
}

function stateOfTitle(
  known: SyncState['titles'][string] | undefined,
  isUnavailable: boolean,
): State {
  if (known?.isIncomplete) return 'incomplete';
  if (isUnavailable) return 'failed';
  if (!known) return 'new';
  return known.waiting.length > 0 ? 'waiting' : 'up-to-date';
}

/** Runs record titles, not the list, group or author that they are of, unless it was not available. */
function stateOfCollection({ text }: Subscription, state: SyncState): State {
  if (!state.lastRun) return 'new';
  return hasFailed([text], state) ? 'failed' : 'by-title';
}

/** Whether one of the targets or folders was not available. */
function hasFailed(targets: readonly string[], { lastRun }: SyncState): boolean {
  return lastRun?.failures?.some(({ target }) => targets.includes(target)) ?? false;
}

function asJson({ subscription, name, languages, output, state }: ListEntry): unknown {
  const { target, text } = subscription;
  return {
    target: text,
    id: target.id,
    kind: target.kind,
    name,
    languages,
    output,
    state,
    options: toKeys(subscription, (key, value) =>
      optionDefinition(key).kind === 'ranges' ? optionText(key, value) : value,
    ),
  };
}

const STATES: Readonly<Record<State, string>> = {
  paused: 'paused',
  new: 'not checked yet',
  incomplete: 'something failed, or is not downloaded yet',
  waiting: 'waiting for a group',
  'up-to-date': 'up to date',
  failed: 'not available in the last run',
  'by-title': 'recorded for each of its titles only (tankobon sync status)',
};

function asLines({ subscription, name, languages, output, state, waiting }: ListEntry): string[] {
  const { target, text } = subscription;
  const shownBefore = {
    language: undefined,
    output: undefined,
    folder: undefined,
    paused: undefined,
  };
  const options = toKeys({ ...subscription, ...shownBefore }, (key, value) =>
    optionText(key, value),
  );
  const shown = Object.entries(options).map(([key, value]) =>
    typeof value === 'string' ? `${key}: ${value}` : `${key}: ${JSON.stringify(value)}`,
  );
  const wait = state === 'waiting' ? `${pluralize(waiting, 'chapter')} ` : '';
  return [
    printableLine(name ?? text),
    `${target.kind}:${target.id}`,
    `languages: ${languages.length === 0 ? 'all' : languages.join(', ')}`,
    `folder: ${output}`,
    ...(shown.length === 0 ? [] : [`options: ${shown.join('; ')}`]),
    `state: ${wait}${STATES[state]}`,
  ].map((line) => printableLine(line));
}
