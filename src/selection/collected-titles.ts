/**
 * Targets that stand for chapters of many titles: the chapters of a group, all titles of an author, and those that the
 * account follows. Pages of 100 or 500, never one request for each chapter.
 */
import {
  fetchOwnedTitles,
  fetchOwnerName,
  fetchTitleFeed,
  readFeed,
  readFeedSince,
} from '../service/feeds.js';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { groupBy } from '../core/group-by.js';
import type { Target } from './target.js';
import type { ResolveDeps, TitleLoader } from './title-loader.js';

interface CollectedTitles {
  readonly byTitle: ReadonlyMap<string, readonly Chapter[]>;
  /** The titles that the responses contained, with their people and covers. */
  readonly titles: readonly Title[];
  /** Whether chapters of these titles are left out: older ones, and those of other groups. */
  readonly isPartial: boolean;
}

/** Undefined if there is no such group or author. `follows` needs a login, which the caller has checked. */
export async function collectTitles(
  { kind, id }: Target,
  deps: ResolveDeps,
  loader: Pick<TitleLoader, 'undefinedIfNotFound'>,
): Promise<CollectedTitles | undefined> {
  const { client, signal, warn } = deps;
  if (kind === 'author') {
    const titles = await fetchOwnedTitles(client, kind, id, deps);
    if (titles.length === 0)
      return withNotice(await loader.undefinedIfNotFound(fetchOwnerName(client, kind, id, signal)));
    const byTitle = new Map<string, readonly Chapter[]>();
    for (const title of titles) byTitle.set(title.id, await fetchTitleFeed(client, title.id, deps));
    return { byTitle, titles, isPartial: false };
  }
  const isGroup = kind === 'group';
  const feed = isGroup ? ({ kind, id } as const) : ({ kind: 'follows' } as const);
  const { sinceMs } = deps;
  const recent =
    sinceMs === undefined ? undefined : await readFeedSince(client, feed, sinceMs, deps);
  const chapters = recent ?? (await readFeed(client, feed, deps));
  // No chapter of the last days is not worth a message.
  if (recent?.length === 0) return { byTitle: new Map(), titles: [], isPartial: true };
  if (chapters.length === 0)
    return withNotice(
      isGroup
        ? await loader.undefinedIfNotFound(fetchOwnerName(client, kind, id, signal))
        : 'What the account follows',
    );
  const withTitle = chapters.filter(({ titleId }) => titleId !== undefined);
  const byTitle = groupBy(withTitle, ({ titleId = '' }) => titleId);
  return { byTitle, titles: [], isPartial: isGroup || recent !== undefined };

  /** There is nothing to download, which is not an error. */
  function withNotice(name: string | undefined): CollectedTitles | undefined {
    if (name === undefined) return undefined;
    const { languages = [] } = deps;
    const inLanguages = languages.length === 0 ? '' : ` in ${languages.join(' or ')}`;
    warn(`${name === '' ? id : name} has no chapters${inLanguages}`);
    return { byTitle: new Map(), titles: [], isPartial: false };
  }
}
