/** Names for titles in messages: two titles of one name are called as their folders are. Pure. */
import { groupBy } from '../core/group-by.js';
import { nameCandidates, nameKey, type NamedTitle } from './title-home.js';

export interface TitleInUse {
  readonly title: NamedTitle;
  /** The name of the series in the files of the title; undefined if there are none. */
  readonly used: string | undefined;
}

/** By id, those of titles whose name another one has. The ones without files get their folders in this order. */
export function distinctNames(titles: readonly TitleInUse[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const twins of groupBy(titles, ({ title }) => nameKey(title.name)).values()) {
    if (twins.length < 2) continue;
    const taken = new Set<string>();
    const take = (id: string, name: string): void => {
      names.set(id, name);
      taken.add(nameKey(name));
    };
    for (const { title, used } of twins)
      if (used !== undefined && !taken.has(nameKey(used))) take(title.id, used);
    for (const { title } of twins) {
      if (names.has(title.id)) continue;
      const candidates = nameCandidates(title);
      take(title.id, candidates.find((name) => !taken.has(nameKey(name))) ?? title.name);
    }
  }
  return names;
}
