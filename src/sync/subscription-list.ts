/** The subscriptions of a file with what their history knows: finds them by what a person calls them. Sends nothing. */
import type { AppContext } from '../config/context.js';
import { UsageError } from '../core/errors.js';
import { mismatchReason } from '../selection/exclusions.js';
import { parseTarget, type Target } from '../selection/target.js';
import type { Chapter } from '../service/chapters.js';
import { currentTitleId, readHistory, titleState, type SyncState } from './history.js';
import {
  checkOnly,
  findById,
  findSubscription,
  isMatch,
  subscriptionName,
} from './subscriptions/find-subscription.js';
import { parseSubscriptions } from './subscriptions/subscriptions-file.js';
import type { Subscription, Subscriptions } from './subscriptions/subscriptions-schema.js';
import type { NamingDeps } from './title-naming.js';
import {
  editSubscriptions,
  extraHostsOf,
  languagesOf,
  outputOf,
  outputsOf,
  readSubscriptionsIfExists,
  subscriptionsPath,
  syncCommandLine,
  type EditContext,
} from './subscriptions.js';

const NONE: Subscriptions = { series: [], defaults: {}, follows: undefined, hooks: {} };

export class SubscriptionList {
  private constructor(
    readonly file: string,
    readonly subscriptions: Subscriptions,
    readonly historyFolder: string,
    readonly state: SyncState,
    /** Whether there is a file. */
    readonly exists: boolean,
    private readonly context: AppContext,
  ) {}

  /** `given`, or the file of the settings. Throws UsageError `bad-subscriptions` for one that is missing or invalid. */
  static async read(
    given: string | undefined,
    context: AppContext,
    warn?: (message: string, hint?: string) => void,
  ): Promise<SubscriptionList> {
    const list = await SubscriptionList.readIfExists(given, context, warn);
    if (list.exists) return list;
    throw new UsageError('bad-subscriptions', `There is no subscriptions file: ${list.file}`, {
      hint: `Run: ${list.commandLine('add https://mangadex.org/title/UUID --output DIR')}`,
    });
  }

  /** A file that is missing has no subscriptions. Throws UsageError `bad-subscriptions` for an invalid one. */
  static async readIfExists(
    given: string | undefined,
    context: AppContext,
    warn?: (message: string, hint?: string) => void,
  ): Promise<SubscriptionList> {
    const file = subscriptionsPath(given, context);
    const found = await readSubscriptionsIfExists(file, context, warn);
    const { folder, state } = await readHistory(file, context);
    return new SubscriptionList(file, found ?? NONE, folder, state, found !== undefined, context);
  }

  /** Changes nothing. Throws UsageError `bad-subscriptions`, or StorageError, if the file cannot be changed. */
  async checkEditable(context: EditContext): Promise<void> {
    await editSubscriptions(this.file, context, (source) => {
      parseSubscriptions(source);
      return source;
    });
  }

  get series(): readonly Subscription[] {
    return this.subscriptions.series;
  }

  /** The only one that is meant by its URL or UUID, its whole name, or a part of it. Throws UsageError `bad-target`. */
  find(words: string): Subscription {
    return findSubscription(words, this.series, this.state, {
      extraHosts: extraHostsOf(this.context),
      listCommand: this.commandLine('list'),
    });
  }

  /** The result of `find`, or undefined if no subscription matches. */
  findIfAny(words: string): Subscription | undefined {
    const isAny = this.series.some((each) => isMatch(each, words, this.state));
    return isAny ? this.find(words) : undefined;
  }

  /** The subscription with this id, otherwise one to a title that was merged into the one with this id. */
  findById(id: string): Subscription | undefined {
    return findById(id, this.series, this.state);
  }

  /** Throws UsageError `bad-target`. */
  parseTarget(text: string): Target {
    return parseTarget(text, extraHostsOf(this.context));
  }

  /** Throws UsageError `bad-target` for a word that matches no subscription. */
  checkOnly(words: readonly string[]): void {
    checkOnly(words, this.series, this.state, { listCommand: this.commandLine('list') });
  }

  /** A command of `tankobon sync` for this file, for a person to type. */
  commandLine(words: string): string {
    return syncCommandLine(words, this.file, this.context);
  }

  /** The name by the service, otherwise the one in the file. */
  nameOf(subscription: Subscription): string | undefined {
    return subscriptionName(subscription, this.state);
  }

  /** The name, or the address where there is none. */
  labelOf(subscription: Subscription): string {
    return this.nameOf(subscription) ?? subscription.text;
  }

  /** The id of a title after merges. */
  currentId(titleId: string): string {
    return currentTitleId(titleId, this.state);
  }

  /** What is known of a title. */
  stateOf({ target }: Subscription) {
    return titleState(target.id, this.state);
  }

  /** Empty: all. */
  languagesOf(subscription: Subscription): readonly string[] {
    return languagesOf(subscription, this.context.settings);
  }

  /** Why a sync does not take the release, although it is pinned, in words; undefined if it takes it. */
  async mismatchOf(subscription: Subscription, chapter: Chapter): Promise<string | undefined> {
    const { releaseRules } = await import('./sync-request.js');
    const { settings, clock } = this.context;
    const { selection } = releaseRules(subscription, settings, undefined);
    return mismatchReason(chapter, selection, clock.wallMs())?.explanation;
  }

  /** Returns titles under the names that the file chooses, see readTitleNaming. */
  async titleNaming(given: readonly string[] | undefined, deps: NamingDeps) {
    const { readTitleNaming } = await import('./title-naming.js');
    return readTitleNaming(this, given, deps);
  }

  /** The output folders of all subscriptions, absolute, each once. */
  outputs(): readonly string[] {
    return outputsOf(this.subscriptions, this.file, this.context.settings);
  }

  /** The output folder, absolute. */
  outputOf(subscription: Pick<Subscription, 'output'>): string {
    return outputOf(subscription, this.file, this.context.settings);
  }
}
