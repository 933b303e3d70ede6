/** The names of titles in the messages of a run: two titles of one name are called as their folders are. */
import type { Title } from '../api/titles.js';
import { readArchivedChapters } from '../cbz/archived-chapters.js';
import { groupBy } from '../core/group-by.js';
import { nameCandidates, nameKey } from '../download/title-home.js';
import { outputOf } from './sync-request.js';
import type { SubscribedTitle, SyncSession } from './sync-session.js';

/** By id, those of titles whose name another one has. Reads one file of each, and sends nothing. */
export async function twinNames(
  subscribed: readonly (SubscribedTitle & { readonly title: Title })[],
  session: SyncSession,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const byName = groupBy(subscribed, ({ title }) => nameKey(title.name));
  for (const twins of byName.values()) {
    if (twins.length < 2) continue;
    const taken = new Set<string>();
    const used = await Promise.all(twins.map((twin) => usedName(twin, session)));
    const take = (id: string, name: string): void => {
      names.set(id, name);
      taken.add(nameKey(name));
    };
    twins.forEach(({ id }, index) => {
      const name = used[index];
      if (name !== undefined && !taken.has(nameKey(name))) take(id, name);
    });
    // The others get their folders in this order.
    for (const { id, title } of twins) {
      if (names.has(id)) continue;
      const candidates = nameCandidates(title);
      take(id, candidates.find((name) => !taken.has(nameKey(name))) ?? title.name);
    }
  }
  return names;
}

/** The name of the series in the files of the title; undefined if there are none. */
async function usedName(
  { id, options }: SubscribedTitle,
  { libraries, options: { file }, context }: SyncSession,
): Promise<string | undefined> {
  const library = await libraries.open(outputOf(options, file, context.settings));
  const [archive] = library.ofTitle(id);
  const [chapter] = archive ? await readArchivedChapters(archive.file) : [];
  return chapter?.written?.series ?? chapter?.metadata.series;
}
