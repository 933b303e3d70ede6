/** The names of titles in the messages of a run: two titles of one name are called as their folders are. */
import type { Title } from '../service/titles.js';
import { readFileChapters } from '../library/file.js';
import { groupBy } from '../core/group-by.js';
import { distinctNames } from '../download/distinct-names.js';
import { nameKey } from '../download/title-home.js';
import type { SyncSession } from './sync-session.js';

interface NamedTitle {
  readonly id: string;
  readonly title: Title;
  /** The output folder, absolute. */
  readonly output: string;
}

/** By id, those of titles whose name another one has. Reads one file of each, and sends nothing. */
export async function twinNames(
  subscribed: readonly NamedTitle[],
  session: SyncSession,
): Promise<ReadonlyMap<string, string>> {
  const counts = groupBy(subscribed, ({ title }) => nameKey(title.name));
  const twins = [...counts.values()].filter(({ length }) => length > 1).flat();
  const used = await Promise.all(twins.map((twin) => usedName(twin, session)));
  return distinctNames(
    twins.map(({ id, title }, index) => ({ title: { ...title, id }, used: used[index] })),
  );
}

/** The name of the series in the files of the title; undefined if there are none. */
async function usedName(
  { id, output }: NamedTitle,
  { libraries }: SyncSession,
): Promise<string | undefined> {
  const library = await libraries.open(output);
  const [archive] = library.ofTitle(id);
  const [chapter] = archive ? await readFileChapters(archive.file) : [];
  return chapter?.written?.series ?? chapter?.metadata.series;
}
