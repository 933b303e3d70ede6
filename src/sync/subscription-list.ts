/** The subscriptions of a file with what their history knows: finds them by what a person calls them. Sends nothing. */
import type { AppContext } from '../config/context.js';
import { effectiveOptions } from '../config/options.js';
import { ServiceError, UsageError } from '../core/errors.js';
import type { ServiceSession } from '../download/download-session.js';
import { mismatchReason } from '../selection/exclusions.js';
import { parseTarget, type Target } from '../selection/target.js';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { currentTitleId, readHistory, titleState, type SyncState } from './history.js';
import { findById, isMatch, namesOf, subscriptionName } from './subscriptions/find-subscription.js';
import { parseSubscriptions } from './subscriptions/subscriptions-file.js';
import type { Subscription, Subscriptions } from './subscriptions/subscriptions-schema.js';
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

interface NamingDeps extends Pick<ServiceSession, 'client' | 'warn' | 'signal'> {
  /** Whether titles are renamed: one whose chosen name is not known would get another one. */
  readonly isRenaming: boolean;
}

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
      hint: list.#addHint,
    });
  }

  /** A file that another program emptied would look like one of which all titles are up to date. */
  warnIfEmpty(warn: (message: string, hint?: string) => void): void {
    const { series, follows } = this.subscriptions;
    if (series.length === 0 && !follows)
      warn(`There are no subscriptions in the file: ${this.file}`, this.#addHint);
  }

  get #addHint(): string {
    return `Run: ${this.commandLine('add https://mangadex.org/title/UUID --output DIR')}`;
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

  /**
   * The only subscription that is meant, by its URL or UUID, its whole name, or a part of it. Throws UsageError
   * `bad-target`. `series`: the subscriptions of the file as it is now.
   */
  find(words: string, series = this.series): Subscription {
    if (words.trim() === '') throw new UsageError('bad-target', 'Say which subscription.');
    const { state } = this;
    const id = this.#idOf(words);
    const named = id === undefined ? undefined : findById(id, series, state);
    const matches = series.filter((each) =>
      id === undefined ? isMatch(each, words, state) : each === named,
    );
    const exact = matches.filter((each) => namesOf(each, state).includes(words.toLowerCase()));
    const [match, ...others] = exact.length === 1 ? exact : matches;
    if (!match) throw this.#badTarget(`Not subscribed to: ${words}`);
    if (others.length === 0) return match;
    const names = matches.map((each) => this.labelOf(each)).join(', ');
    throw this.#badTarget(`Several subscriptions match: ${names}`);
  }

  #idOf(words: string): string | undefined {
    try {
      return this.parseTarget(words).id;
    } catch {
      return undefined;
    }
  }

  #badTarget(message: string): UsageError {
    return new UsageError('bad-target', message, {
      hint: `To see the subscriptions, run: ${this.commandLine('list')}`,
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

  /** Throws UsageError `bad-target` for a word of `--only` that matches no subscription. */
  checkOnly(words: readonly string[]): void {
    const isUnknown = (word: string) =>
      !this.series.some((each) => isMatch(each, word, this.state));
    const word = words.find(isUnknown);
    if (word !== undefined) throw this.#badTarget(`Not subscribed to: ${word}`);
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

  /**
   * Returns titles under the names that their owner chose: the choice of the entry of a title counts, otherwise that of the
   * first list, group or author that has it, otherwise that of `follows`. `given`: languages in place of those of the file.
   * Sends requests for the lists, groups and authors with the key `title-language`; one that is not available is a warning,
   * or, where titles are renamed, a ServiceError.
   */
  async titleNaming(
    given: readonly string[] | undefined,
    deps: NamingDeps,
  ): Promise<(title: Title) => Title> {
    const { withChosenName } = await import('../service/titles.js');
    const { series, follows } = this.subscriptions;
    const collected = new Map<string, Pick<Subscription, 'series' | 'titleLanguage'>>();
    for (const entry of given ? [] : series) {
      const { target, titleLanguage } = entry;
      if (target.kind === 'title' || titleLanguage === undefined) continue;
      for (const titleId of await titlesIn(entry, deps)) {
        const id = this.currentId(titleId);
        if (!collected.has(id)) collected.set(id, { titleLanguage });
      }
    }
    return (title) => {
      const found = this.findById(title.id) ?? collected.get(title.id) ?? follows?.options;
      const titleLanguage = given ?? found?.titleLanguage;
      return withChosenName(title, { series: found?.series, titleLanguage });
    };
  }

  /**
   * By the id of a title, what its own subscription says of it, if that is not paused and saves in a folder that counts; and
   * the chapters that a run moved away, also for lists, groups and authors: which of them has the title is not known here.
   */
  async titleRules(counts: (folder: string) => Promise<boolean>) {
    const { isBeforeStart, isLeftOut, releaseRules, startMsOf } = await import('./sync-request.js');
    const { settings, clock } = this.context;
    const nowMs = clock.wallMs();
    const outputs = new Set<string>();
    for (const output of this.outputs()) if (await counts(output)) outputs.add(output);
    return (titleId: string) => {
      const moved = this.state.notKept.get(titleId);
      const isMoved = ({ id }: Chapter) => moved?.has(id) === true;
      const own = this.findById(titleId);
      if (!own || own.paused || !outputs.has(this.outputOf(own)))
        return {
          isSynced: false,
          languages: undefined,
          isLeftOut: () => false,
          isSettled: isMoved,
          infersVolumes: false,
        };
      const { bind, infer, keepLatest, keepUnread } = effectiveOptions(own, settings);
      const startMs = startMsOf(own, this.stateOf(own)?.sinceMs);
      const rules = releaseRules(own, settings, startMs);
      const keepsAll = keepLatest === undefined && keepUnread !== true;
      return {
        isSynced: true,
        languages: this.languagesOf(own),
        isLeftOut: (release: Chapter) => isLeftOut(release, rules, nowMs),
        isSettled: (release: Chapter) =>
          (!keepsAll && isMoved(release)) || isBeforeStart(release, rules),
        infersVolumes: bind === 'volume' && infer,
      };
    };
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

async function titlesIn({ target, text }: Subscription, deps: NamingDeps) {
  const { isTolerable } = await import('../selection/title-loader.js');
  const { titlesOf } = await import('./sync-titles.js');
  try {
    return await titlesOf(target, new Map(), { ...deps, userSignal: deps.signal });
  } catch (error) {
    if (!isTolerable(error) || !(error instanceof ServiceError)) throw error;
    const message = `The key title-language of ${text} names no titles: ${error.message}`;
    if (deps.isRenaming)
      throw new ServiceError(error.code, message, {
        cause: error,
        hint: 'Nothing is renamed. Try again later, or remove title-language from that entry of the subscriptions file.',
      });
    deps.warn(message);
    return [];
  }
}
