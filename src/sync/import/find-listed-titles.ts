/** The titles of MangaDex for the manga of a list of MyAnimeList: a search by name, and the id in the links of the title. */
import { searchTitles, type Title } from '../../service/titles.js';
import type { ServiceSession } from '../../download/download-session.js';
import type { ListedManga } from './my-anime-list.js';

export interface ImportedTitle {
  /** Lower case. */
  readonly id: string;
  /** The name in the file, which may be empty. */
  readonly name: string;
}

export interface DoubtfulManga extends ListedManga {
  /** A title of the same name that names no id of MyAnimeList. */
  readonly candidate: string | undefined;
}

interface FoundTitles {
  readonly titles: readonly ImportedTitle[];
  /** No title that was found names the id. */
  readonly doubtful: readonly DoubtfulManga[];
}

/** One request for each. Throws errors of the service. */
export async function findListedTitles(
  listed: readonly ListedManga[],
  { client, warn, signal }: Pick<ServiceSession, 'client' | 'warn' | 'signal'>,
): Promise<FoundTitles> {
  const titles = new Map<string, ImportedTitle>();
  const doubtful: DoubtfulManga[] = [];
  for (const manga of listed) {
    signal.throwIfAborted();
    const { titles: found } =
      manga.name === '' ? { titles: [] } : await searchTitles(client, manga.name, { warn, signal });
    const title = found.find(({ myAnimeListId }) => myAnimeListId === manga.malId);
    if (title) titles.set(title.id, { id: title.id, name: title.name });
    else doubtful.push({ ...manga, candidate: candidateOf(manga, found) });
  }
  return { titles: [...titles.values()], doubtful };
}

function candidateOf({ name }: ListedManga, found: readonly Title[]): string | undefined {
  const key = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return found.find(
    (title) => title.myAnimeListId === undefined && title.names.some((it) => key(it) === key(name)),
  )?.id;
}
