/** The names of titles in a folder, and in messages, beside others of the same name. What asks the disk is passed in. */
import type { Title } from '../service/titles.js';
import { groupBy } from '../core/group-by.js';
import { folderKey } from '../core/name-keys.js';
import { isSameName, nameInPath } from '../core/relative-paths.js';

type NamedTitle = Pick<Title, 'id' | 'name' | 'year'>;

/** The names that a title may have beside others of the same name, in this order; the last one is its own. */
function nameCandidates({ id, name, year }: NamedTitle): readonly string[] {
  const withYear = year === undefined ? [] : [`${name} (${year})`];
  return [name, ...withYear, `${name} (${id.slice(0, SHORT_ID_LENGTH)})`];
}

const SHORT_ID_LENGTH = 8;

/** The first name of the title that no other one has, or the last one. */
export async function freeName(
  title: NamedTitle,
  isTaken: (name: string) => boolean | Promise<boolean>,
): Promise<string> {
  const names = nameCandidates(title);
  for (const name of names.slice(0, -1)) if (!(await isTaken(name))) return name;
  return names.at(-1) ?? title.name;
}

/** The name of a title in the path of a book whose content keeps another one, `series`; undefined if it is not there. */
export function seriesInPath(
  path: string,
  series: string,
  title: NamedTitle | undefined,
): string | undefined {
  return nameInPath(path, [series, ...(title ? nameCandidates(title) : [])]);
}

/**
 * By id, those of titles whose name another one has. The ones without files get their folders in this order.
 * @param usedName the name of the series in the files of the title; undefined if there are none
 */
export async function distinctNames<T extends NamedTitle>(
  titles: readonly T[],
  usedName: (title: T) => Promise<string | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const twins of groupBy(titles, ({ name }) => folderKey(name)).values()) {
    if (twins.length < 2) continue;
    const taken = new Set<string>();
    const isTaken = (name: string) => taken.has(folderKey(name));
    const take = (id: string, name: string): void => {
      names.set(id, name);
      taken.add(folderKey(name));
    };
    for (const title of twins) {
      const used = await usedName(title);
      if (used !== undefined && !isTaken(used)) take(title.id, used);
    }
    for (const title of twins)
      if (!names.has(title.id)) take(title.id, await freeName(title, isTaken));
  }
  return names;
}

/**
 * By id, those of titles that are called otherwise by now. Two titles of one name get two names.
 * @param usedNames the names of the series in the files of a title
 */
export async function newTitleNames(
  titles: ReadonlyMap<string, NamedTitle>,
  usedNames: { readonly of: (titleId: string) => readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const isRenamed = (title: NamedTitle): boolean => {
    const [used, ...others] = usedNames.of(title.id);
    if (used === undefined || title.name === '') return false;
    return others.length > 0 || !nameCandidates(title).some((name) => isSameName(name, used));
  };
  const all = [...titles.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const kept = all.filter((title) => !isRenamed(title));
  const taken = new Set(kept.flatMap(({ id }) => usedNames.of(id).map(folderKey)));
  const names = new Map<string, string>();
  for (const title of all.filter(isRenamed)) {
    const name = await freeName(title, (each) => taken.has(folderKey(each)));
    taken.add(folderKey(name));
    names.set(title.id, name);
  }
  return names;
}
