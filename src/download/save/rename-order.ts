/**
 * The order in which files get each other's names, such as when a new chapter moves the numbers of all later ones: a
 * file is renamed after the one that has its new name, in any spelling that some file system considers the same. Pure.
 */
import { pathCollisionKey } from '../../core/path-segment.js';

export interface Rename {
  readonly from: string;
  readonly to: string;
}

export interface RenameOrder<T> {
  /** One of each ring (1 → 2 → 3 → 1): it makes way first, under another name, and gets its new name at the end. */
  readonly parked: readonly T[];
  /** The others, in order. */
  readonly ordered: readonly T[];
}

/** No two renames have the same `from`. A new name that is taken by another file is not known here. */
export function orderRenames<T extends Rename>(renames: readonly T[]): RenameOrder<T> {
  const byOldName = new Map(renames.map((rename) => [rename.from, rename]));
  const byOldKey = new Map(renames.map((rename) => [pathCollisionKey(rename.from), rename]));
  const holderOf = (rename: T): T | undefined => {
    const holder = byOldName.get(rename.to) ?? byOldKey.get(pathCollisionKey(rename.to));
    return holder === rename ? undefined : holder;
  };
  const parked = new Set<T>();
  const ordered: T[] = [];
  const seen = new Set<T>();
  for (const start of renames) {
    const path = new Set<T>();
    let next: T | undefined = start;
    while (next && !seen.has(next)) {
      seen.add(next);
      path.add(next);
      next = holderOf(next);
    }
    if (next && path.has(next)) parked.add(next);
    for (const each of [...path].reverse().filter((rename) => !parked.has(rename)))
      ordered.push(each);
  }
  return { parked: [...parked], ordered };
}
