/** What a target is on the service, for a subscription to it. */
import { ChapterError } from '../core/errors.js';
import { printableLine } from '../core/printable.js';
import { titleWebUrl } from '../config/service-addresses.js';
import type { Target } from '../selection/target.js';
import { fetchChapter, type Chapter } from '../service/chapters.js';
import { ServiceRefusal, type ServiceClient } from '../service/client.js';
import { fetchList, fetchOwnerName } from '../service/feeds.js';
import { fetchTitle, withChosenName } from '../service/titles.js';

/** What the service has and can be subscribed to. */
export interface Subject {
  readonly kind: 'title' | 'list' | 'group' | 'author';
  readonly id: string;
  readonly name: string;
  /** Empty except for a title: they are not known. */
  readonly languages: readonly string[];
}

/**
 * Throws ChapterError `title-not-found` for what the service does not have, and `chapter-not-found` for a chapter.
 * @param addCommand the command that subscribes to an address
 */
export async function findSubject(
  { id, kind }: Target,
  deps: {
    readonly client: ServiceClient;
    readonly signal: AbortSignal;
    readonly naming: Parameters<typeof withChosenName>[1];
    readonly addCommand: (address: string) => string;
  },
): Promise<Subject> {
  const { client, signal, naming, addCommand } = deps;
  const find = async <T>(request: Promise<T>): Promise<T | undefined> =>
    request.catch((error: unknown) => {
      if (error instanceof ServiceRefusal && error.status === 404) return undefined;
      throw error;
    });
  if (kind === 'title' || kind === 'any') {
    const title = await find(fetchTitle(client, id, signal));
    if (title) return { kind: 'title', ...withChosenName(title, naming) };
  }
  if (kind === 'group' || kind === 'author') {
    const name = await find(fetchOwnerName(client, kind, id, signal));
    if (name !== undefined) return { kind, id, name, languages: [] };
  }
  if (kind === 'list') {
    const list = await find(fetchList(client, id, signal));
    if (list) return { kind, id: list.id, name: list.name, languages: [] };
  }
  if (kind === 'chapter' || kind === 'any') {
    const chapter = await find(fetchChapter(client, id, signal));
    if (chapter) throw isChapter(id, chapter, addCommand);
  }
  const what = kind === 'any' ? 'title' : kind;
  throw new ChapterError('title-not-found', `MangaDex has no such ${what}: ${id}`);
}

function isChapter(
  id: string,
  { titleId = 'UUID', partialTitle }: Chapter,
  addCommand: (address: string) => string,
): ChapterError {
  const name = partialTitle?.name;
  const title = name === undefined ? 'its title' : `its title, ${printableLine(name)}`;
  return new ChapterError('chapter-not-found', `A chapter cannot be subscribed to: ${id}`, {
    hint: `To subscribe to ${title}, run: ${addCommand(titleWebUrl(titleId))}`,
  });
}
