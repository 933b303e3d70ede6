/** Loads the titles of chapters. Titles are optional: a failure is a warning. */
import { ServiceRefusal, type ServiceClient, OutageTooLong } from '../service/client.js';
import type { Chapter } from '../service/chapters.js';
import { fetchTitle, fetchTitles, type Title } from '../service/titles.js';
import { hasCode, type TankobonError } from '../core/errors.js';
import { toTankobonError } from '../core/system-errors.js';

export interface LoadedTitles {
  readonly titles: ReadonlyMap<string, Title>;
  /** Set if an error that concerns the whole run prevented further titles. */
  readonly error: TankobonError | undefined;
}

export interface ResolveDeps {
  readonly client: ServiceClient;
  /** Called if metadata cannot be loaded. */
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
  /** The languages of the chapters in feeds; all if absent or empty. */
  readonly languages?: readonly string[];
  /** Older chapters of groups and of followed titles are not needed. */
  readonly sinceMs?: number | undefined;
  /** Called with the chapters that are targets; their titles are requested once it resolves. */
  readonly onChapters?: (chapters: readonly Chapter[]) => Promise<void>;
}

export class TitleLoader {
  readonly loaded = new Map<string, Title>();
  /** The ids of titles whose response is invalid. */
  readonly unusable = new Set<string>();
  readonly #mergedInto = new Map<string, string>();
  /** The response that refused the last title or list, if one did. */
  refusal: ServiceRefusal | undefined;

  constructor(private readonly deps: ResolveDeps) {}

  /** Throws errors that concern the whole run. */
  async load(ids: readonly string[]): Promise<void> {
    const { client, signal, warn } = this.deps;
    const [first] = ids;
    if (first === undefined) return;
    this.refusal = undefined;
    try {
      if (ids.length === 1) {
        await this.#loadOne(first);
        return;
      }
      const { titles, skipped } = await fetchTitles(client, ids, { signal, warn });
      for (const [id, title] of titles) this.loaded.set(id, title);
      if (skipped > 0) this.#markUnusable(ids);
    } catch (error) {
      if (!isTolerable(error)) throw error;
      warnMetadataUnavailable('titles', error, warn);
      if (error.code === 'bad-response') this.#markUnusable(ids);
    }
  }

  /** The id of the title into which this one was merged, or its own. */
  currentId(id: string): string {
    return this.#mergedInto.get(id) ?? id;
  }

  /** The ids of the titles that were found to be merged into this one. */
  formerIdsOf(id: string): readonly string[] {
    return [...this.#mergedInto].flatMap(([former, into]) => (into === id ? [former] : []));
  }

  /** Loads those that a request for several did not find: a title that was merged into another is found alone. */
  async loadMerged(ids: readonly string[]): Promise<void> {
    const missing = ids.filter(
      (id) => !this.loaded.has(this.currentId(id)) && !this.unusable.has(id),
    );
    if (ids.length < 2) return;
    for (const id of missing)
      await this.#loadOne(id).catch((error: unknown) => {
        if (!isTolerable(error)) throw error;
      });
  }

  async #loadOne(id: string): Promise<void> {
    const { client, signal, warn } = this.deps;
    const title = await this.undefinedIfNotFound(fetchTitle(client, id, signal));
    if (!title) return;
    this.loaded.set(title.id, title);
    if (title.id === id) return;
    this.#mergedInto.set(id, title.id);
    warn(describeMerge(id, undefined, title));
  }

  /** The titles when `loading` has ended; a failure is a warning. */
  async whenLoaded(loading: Promise<void>): Promise<LoadedTitles> {
    const titles = this.loaded;
    try {
      await loading;
    } catch (cause) {
      if (this.deps.signal.aborted) return { titles, error: undefined };
      const error = toTankobonError(cause);
      warnMetadataUnavailable('titles', error, this.deps.warn);
      return { titles, error };
    }
    return { titles, error: undefined };
  }

  async undefinedIfNotFound<T>(request: Promise<T>): Promise<T | undefined> {
    try {
      return await request;
    } catch (error) {
      if (error instanceof ServiceRefusal && NOT_FOUND_STATUSES.includes(error.status)) {
        this.refusal = error;
        return undefined;
      }
      throw error;
    }
  }

  /** Marks the ids that were not loaded: any of them may be the invalid entry. */
  #markUnusable(ids: readonly string[]): void {
    for (const id of ids) if (!this.loaded.has(id)) this.unusable.add(id);
  }
}

/** Undefined if the service refuses to deliver it; of a title that was merged into another, the other one. */
export async function fetchTitleIfAvailable(
  client: ServiceClient,
  id: string,
  signal: AbortSignal,
): Promise<Title | undefined> {
  return fetchTitle(client, id, signal).catch((error: unknown) => {
    if (!isTolerable(error)) throw error;
    return undefined;
  });
}

export function describeMerge(oldId: string, oldName: string | undefined, title: Title): string {
  const old = oldName === undefined ? `title:${oldId}` : `${oldName} (title:${oldId})`;
  return `${old} was merged into ${title.name} (title:${title.id}), which takes its place.`;
}

export function warnMetadataUnavailable(
  what: 'chapters' | 'titles',
  { message }: TankobonError,
  warn: (message: string) => void,
): void {
  warn(`No metadata of the ${what} is available: ${message}`);
}

/** Refusals that concern one chapter, title or list: it does not exist, or is not accessible. */
const NOT_FOUND_STATUSES: readonly number[] = [400, 401, 403, 404];

/** Chapters can be downloaded without metadata, unless the service is down or refuses all requests. */
export function isTolerable(error: unknown): error is TankobonError {
  if (error instanceof OutageTooLong) return false;
  return hasCode(error, 'request-refused', 'bad-response', 'service-failed');
}
