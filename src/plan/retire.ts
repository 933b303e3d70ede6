/**
 * Which chapters of a title its subscription does not keep, and which files are moved away for that: the keys
 * `keep-latest` and `keep-unread`. A chapter leaves once, when it stops being kept: its file stays if the owner gets it
 * back. Pure.
 */
import { groupBy } from '../core/group-by.js';
import type { LibraryIndex } from '../library/scan.js';
import type { ChapterKeys } from '../selection/same-chapter.js';
import type { Chapter } from '../service/chapters.js';
import type { RetireReason } from '../events/reasons.js';
import { isOwnChapter, type Retire } from './change.js';

export interface KeepRules {
  /** How many chapters are kept, the last ones in reading order; undefined: their number does not matter. */
  readonly latest: number | undefined;
  /** The ids of the releases that the account has marked as read, in lower case; undefined: reading does not matter. */
  readonly readIds: Pick<ReadonlySet<string>, 'has'> | undefined;
}

interface KnownChapters {
  /** All releases that the service lists. */
  readonly listed: readonly Chapter[];
  /** The releases that are to have files, and those that have some. They alone count. */
  readonly there: readonly Chapter[];
  readonly keys: Pick<ChapterKeys, 'keyOf' | 'compare'>;
}

/**
 * Why chapters are not kept, by the ids of all their releases, in any language. What one of the two rules keeps stays. A
 * chapter without a number has no place in the reading order: it counts as one of the latest, and is not counted.
 */
export function notKept(
  { listed, there, keys: { keyOf, compare } }: KnownChapters,
  { latest, readIds }: KeepRules,
): ReadonlyMap<string, RetireReason> {
  const numbered = there.filter(({ number }) => number !== undefined).sort(compare);
  const inOrder = [...groupBy(numbered, keyOf).keys()];
  const earlier = new Set(latest === undefined ? inOrder : inOrder.slice(0, -latest));
  const isRead = ({ id }: Chapter) => readIds?.has(id.toLowerCase()) === true;
  const read = new Set(listed.filter(isRead).map(keyOf));
  const reasonOf = (key: string): RetireReason | undefined => {
    if (readIds && !read.has(key)) return undefined;
    if (latest === undefined) return readIds && 'read';
    return earlier.has(key) ? 'not-latest' : undefined;
  };
  return new Map(
    listed.flatMap((release) => {
      const why = reasonOf(keyOf(release));
      return why === undefined ? [] : [[release.id, why] as const];
    }),
  );
}

interface RetireOptions {
  readonly library: Pick<LibraryIndex, 'copiesOf'>;
  /** The ids of the releases that were not kept before: the files that they have came back. */
  readonly before: Pick<ReadonlySet<string>, 'has'>;
  /** Whether a file waits until a book has its chapter too. */
  readonly needsBook: boolean;
}

export interface Retirement {
  /** In the order of the releases. */
  readonly changes: readonly Retire[];
  /** The ids of the releases whose files wait for a book. */
  readonly waiting: ReadonlySet<string>;
}

/**
 * Books stay, and so do files that are not tankobon's own.
 * @param available the releases whose pages the service has: what cannot be downloaded again stays
 */
export function filesToRetire(
  available: readonly Chapter[],
  reasons: ReadonlyMap<string, RetireReason>,
  { library, before, needsBook }: RetireOptions,
): Retirement {
  const waiting = new Set<string>();
  const changes = available.flatMap((chapter) => {
    const { id: chapterId } = chapter;
    const why = reasons.get(chapterId);
    if (why === undefined || before.has(chapterId)) return [];
    const copies = library.copiesOf(chapterId);
    const own = copies.filter(isOwnChapter);
    if (needsBook && own.length > 0 && !copies.some(({ isBound }) => isBound)) {
      waiting.add(chapterId);
      return [];
    }
    return own.map(({ file }) => ({ kind: 'retire', file, chapterId, chapter, why }) as const);
  });
  return { changes, waiting };
}
