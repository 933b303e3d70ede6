/** What the subscriptions file says of the names of titles, for commands that do not follow it otherwise; see SubscriptionList. */
import type { SeriesOptions } from '../config/options.js';
import { ServiceError } from '../core/errors.js';
import type { ServiceSession } from '../download/download-session.js';
import type { Target } from '../selection/target.js';
import { isTolerable } from '../selection/title-loader.js';
import { withChosenName, type Title } from '../service/titles.js';
import type { Subscriptions } from './subscriptions/subscriptions-schema.js';
import { titlesOf } from './sync-titles.js';

interface NamedSubscriptions {
  readonly subscriptions: Subscriptions;
  /** The options of the entry of a title. */
  findById(titleId: string): SeriesOptions | undefined;
  /** The id of a title after merges. */
  currentId(titleId: string): string;
}

/** Returns a title under the name that its owner chose. */
type NameTitle = (title: Title) => Title;

export interface NamingDeps extends Pick<ServiceSession, 'client' | 'warn' | 'signal'> {
  /** Whether titles are renamed: one whose chosen name is not known would get another one. */
  readonly isRenaming: boolean;
}

/**
 * The choice of the entry of a title counts, otherwise that of the first list, group or author that has it, otherwise that
 * of `follows`. `given`: languages in place of those of the file. Sends requests for the lists, groups and authors with the
 * key `title-language`; one that is not available is a warning, or, where titles are renamed, a ServiceError.
 */
export async function readTitleNaming(
  list: NamedSubscriptions,
  given: readonly string[] | undefined,
  deps: NamingDeps,
): Promise<NameTitle> {
  const { series, follows } = list.subscriptions;
  const collected = new Map<string, Parameters<typeof withChosenName>[1]>();
  for (const { target, text, titleLanguage } of given ? [] : series) {
    if (target.kind === 'title' || titleLanguage === undefined) continue;
    const ids = await titlesIn(target, text, deps);
    for (const id of ids.map((each) => list.currentId(each)))
      if (!collected.has(id)) collected.set(id, { titleLanguage });
  }
  return (title) => {
    const found = list.findById(title.id) ?? collected.get(title.id) ?? follows?.options;
    return withChosenName(title, {
      series: found?.series,
      titleLanguage: given ?? found?.titleLanguage,
    });
  };
}

async function titlesIn(
  target: Target,
  text: string,
  deps: NamingDeps,
): Promise<readonly string[]> {
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
