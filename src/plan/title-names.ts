/** The names that titles have in a folder, and in messages, beside others of the same name. Pure. */
import type { Title } from '../service/titles.js';
import { groupBy } from '../core/group-by.js';
import { folderKey } from '../core/name-keys.js';

type NamedTitle = Pick<Title, 'id' | 'name' | 'year'>;

/** The names that a title may have beside others of the same name, in this order; the last one is its own. */
export function nameCandidates({ id, name, year }: NamedTitle): readonly string[] {
  const withYear = year === undefined ? [] : [`${name} (${year})`];
  return [name, ...withYear, `${name} (${id.slice(0, SHORT_ID_LENGTH)})`];
}

const SHORT_ID_LENGTH = 8;

interface TitleInUse {
  readonly title: NamedTitle;
  /** The name of the series in the files of the title; undefined if there are none. */
  readonly used: string | undefined;
}

/** By id, those of titles whose name another one has. The ones without files get their folders in this order. */
export function distinctNames(titles: readonly TitleInUse[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const twins of groupBy(titles, ({ title }) => folderKey(title.name)).values()) {
    if (twins.length < 2) continue;
    const taken = new Set<string>();
    const take = (id: string, name: string): void => {
      names.set(id, name);
      taken.add(folderKey(name));
    };
    for (const { title, used } of twins)
      if (used !== undefined && !taken.has(folderKey(used))) take(title.id, used);
    for (const { title } of twins) {
      if (names.has(title.id)) continue;
      const candidates = nameCandidates(title);
      take(title.id, candidates.find((name) => !taken.has(folderKey(name))) ?? title.name);
    }
  }
  return names;
}
