/**
 * Resolves targets to chapters and titles, with as few requests as possible: chapters and titles are requested by the
 * hundred, feeds by five hundred. Metadata is optional: a chapter that the service does not list is returned by its id.
 */
import { ServiceRefusal } from '../api/api-errors.js';
import { fetchChapter, fetchChapters, type Chapter } from '../api/chapters.js';
import type { ServiceClient } from '../api/client.js';
import { fetchList, fetchListFeed, fetchTitleFeed } from '../api/feeds.js';
import { OutageTooLong } from '../api/outage.js';
import { fetchTitle, fetchTitles, type Title } from '../api/titles.js';
import { ChapterError, hasCode, toTankobonError, type TankobonError } from '../core/errors.js';
import type { Target } from './target.js';

export interface ResolveDeps {
  readonly client: ServiceClient;
  /** Of the chapters in feeds; all if absent or empty. */
  readonly languages?: readonly string[];
  /** Called if metadata cannot be loaded. */
  readonly warn: (message: string) => void;
  /** Called with the chapters that are targets, before their titles are requested. */
  readonly onChapters?: (chapters: readonly Chapter[]) => void;
  readonly signal: AbortSignal;
}

export interface Series {
  readonly titleId: string;
  /** All releases in the feed, not yet selected. */
  readonly chapters: readonly Chapter[];
}

export interface Resolution {
  /** The chapters that are targets, in the order of the targets. */
  readonly chapters: readonly Chapter[];
  /** One for each title that is a target, or in a list that is one. */
  readonly series: readonly Series[];
  /** The known titles of these chapters: sufficient for the names of files. */
  readonly titles: ReadonlyMap<string, Title>;
  /** The titles with their people and covers. Never rejects. */
  readonly fullTitles: Promise<FullTitles>;
  /** Chapters without metadata. */
  readonly idsWithoutMetadata: readonly string[];
  /** Titles whose response is invalid: their chapters have no metadata. */
  readonly unusableTitleIds: ReadonlySet<string>;
  readonly failures: readonly { readonly target: Target; readonly error: TankobonError }[];
}

export interface FullTitles {
  readonly titles: ReadonlyMap<string, Title>;
  /** An error that concerns the whole run, and prevented further titles. */
  readonly error: TankobonError | undefined;
}

/** Throws errors that concern the whole run: no connection, a cooldown, a captcha. */
export async function resolveTargets(
  targets: readonly Target[],
  deps: ResolveDeps,
): Promise<Resolution> {
  const resolver = new Resolver(deps);
  await resolver.addChapters(targets.filter(({ kind }) => kind === 'chapter' || kind === 'any'));
  deps.onChapters?.(resolver.result(targets).chapters);
  await resolver.addTitles(targets.filter(({ kind }) => kind === 'title'));
  for (const target of targets) if (target.kind === 'list') await resolver.addList(target);
  const loading = resolver.loadTitlesOfChapters();
  // If the names are known, people and covers can be loaded during the download.
  if (!resolver.hasAllNames()) await loading;
  return { ...resolver.result(targets), fullTitles: resolver.fullTitles(loading) };
}

class Resolver {
  readonly #chapters = new Map<string, Chapter>();
  readonly #series = new Map<string, Map<string, Chapter>>();
  readonly #titles = new Map<string, Title>();
  readonly #idsWithoutMetadata = new Set<string>();
  readonly #unusableTitleIds = new Set<string>();
  readonly #failures: { target: Target; error: TankobonError }[] = [];

  constructor(private readonly deps: ResolveDeps) {}

  result(targets: readonly Target[]): Omit<Resolution, 'fullTitles'> {
    return {
      chapters: targets.flatMap(({ id }) => this.#chapters.get(id) ?? []),
      series: [...this.#series].map(([titleId, chapters]) => ({
        titleId,
        chapters: [...chapters.values()],
      })),
      titles: this.#titles,
      idsWithoutMetadata: [...this.#idsWithoutMetadata],
      unusableTitleIds: this.#unusableTitleIds,
      failures: this.#failures,
    };
  }

  /** A target without a kind is a chapter, otherwise a title, otherwise a list. */
  async addChapters(targets: readonly Target[]): Promise<void> {
    const ids = targets.map(({ id }) => id);
    const listed = await this.#fetchListedChapters(ids);
    if (listed === undefined) {
      for (const id of ids) this.#idsWithoutMetadata.add(id);
      return;
    }
    for (const [id, chapter] of listed) this.#chapters.set(id, chapter);
    const missing = targets.filter(({ id }) => !listed.has(id));
    await this.#loadTitles(missing.flatMap(({ kind, id }) => (kind === 'any' ? [id] : [])));
    for (const target of missing) {
      await this.#orFail(target, async () => {
        if (!(await this.#addTitle(target))) await this.#addUnlisted(target, ids.length > 1);
      });
    }
  }

  async addTitles(targets: readonly Target[]): Promise<void> {
    await this.#loadTitles(targets.map(({ id }) => id));
    for (const target of targets) {
      await this.#orFail(target, async () => {
        if (await this.#addTitle(target)) return;
        this.#addFailure(target, `Title not found: ${target.id}`);
      });
    }
  }

  async addList(target: Target): Promise<void> {
    await this.#orFail(target, async () => {
      if (await this.#addListFeed(target)) return;
      this.#addFailure(target, `List not found, or private: ${target.id}`);
    });
  }

  async loadTitlesOfChapters(): Promise<void> {
    const ofChapters = [...this.#chapters.values()].flatMap(({ titleId }) => titleId ?? []);
    const unknown = [...ofChapters, ...this.#series.keys()].filter(
      (id) => !this.#titles.has(id) && !this.#unusableTitleIds.has(id),
    );
    await this.#loadTitles([...new Set(unknown)]);
  }

  /** Whether all names of titles are known, also from the responses of their chapters. */
  hasAllNames(): boolean {
    const isLoaded = (id: string) => this.#titles.has(id);
    return (
      [...this.#series.keys()].every(isLoaded) &&
      [...this.#chapters.values()].every(
        ({ titleId = '', partialTitle }) => isLoaded(titleId) || (partialTitle?.name ?? '') !== '',
      )
    );
  }

  /** The titles when `loading` has ended; a failure is a warning. */
  async fullTitles(loading: Promise<void>): Promise<FullTitles> {
    const titles = this.#titles;
    try {
      await loading;
    } catch (cause) {
      if (this.deps.signal.aborted) return { titles, error: undefined };
      const error = toTankobonError(cause);
      this.#warn('titles', error);
      return { titles, error };
    }
    return { titles, error: undefined };
  }

  /** Undefined if the service does not provide metadata of chapters. */
  async #fetchListedChapters(ids: readonly string[]): Promise<Map<string, Chapter> | undefined> {
    const { client, signal, warn } = this.deps;
    const [first] = ids;
    if (first === undefined) return new Map();
    try {
      if (ids.length > 1) return await fetchChapters(client, ids, { signal, warn });
      const chapter = await orNotFound(fetchChapter(client, first, signal));
      return new Map(chapter ? [[first, chapter]] : []);
    } catch (error) {
      if (!isTolerable(error)) throw error;
      this.#warn('chapters', error);
      return undefined;
    }
  }

  async #loadTitles(ids: readonly string[]): Promise<void> {
    const { client, signal, warn } = this.deps;
    const [first] = ids;
    if (first === undefined) return;
    try {
      if (ids.length === 1) {
        const title = await orNotFound(fetchTitle(client, first, signal));
        if (title) this.#titles.set(first, title);
        return;
      }
      const { titles, skipped } = await fetchTitles(client, ids, { signal, warn });
      for (const [id, title] of titles) this.#titles.set(id, title);
      if (skipped > 0) this.#markUnusable(ids);
    } catch (error) {
      if (!isTolerable(error)) throw error;
      this.#warn('titles', error);
      if (error.code === 'bad-answer') this.#markUnusable(ids);
    }
  }

  /** Marks those that were not loaded: any of them may be the invalid entry. */
  #markUnusable(ids: readonly string[]): void {
    for (const id of ids) if (!this.#titles.has(id)) this.#unusableTitleIds.add(id);
  }

  /** Adds the feed if the id is that of a title. For an unusable title, the status of the feed decides. */
  async #addTitle({ id }: Target): Promise<boolean> {
    const isLoaded = this.#titles.has(id);
    if (!isLoaded && !this.#unusableTitleIds.has(id)) return false;
    const feed = fetchTitleFeed(this.deps.client, id, this.deps);
    const chapters = await (isLoaded ? feed : orNotFound(feed));
    if (chapters) this.#addSeries(id, chapters);
    return chapters !== undefined;
  }

  /** Adds what is not in a collection: an unavailable or unpublished chapter, or a list. */
  async #addUnlisted(target: Target, mayBeChapter: boolean): Promise<void> {
    const { kind, id } = target;
    const found = mayBeChapter ? await this.#fetchListedChapters([id]) : new Map<string, Chapter>();
    const chapter = found?.get(id);
    if (chapter) {
      this.#chapters.set(id, chapter);
      return;
    }
    const isList = found && kind === 'any' && (await this.#addListFeed(target));
    if (!isList) this.#idsWithoutMetadata.add(id);
  }

  /** An error that concerns this target alone is recorded; others are thrown. */
  async #orFail(target: Target, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!isTolerable(error)) throw error;
      this.#failures.push({ target, error });
    }
  }

  async #addListFeed({ id }: Target): Promise<boolean> {
    const { client, signal } = this.deps;
    const list = await orNotFound(fetchList(client, id, signal));
    if (!list) return false;
    if (list.titleIds.length === 0) return true;
    const chapters = await fetchListFeed(client, id, this.deps);
    for (const titleId of list.titleIds) this.#addSeries(titleId, []);
    for (const chapter of chapters)
      this.#series.get(chapter.titleId ?? '')?.set(chapter.id, chapter);
    return true;
  }

  #addSeries(titleId: string, chapters: readonly Chapter[]): void {
    const known = this.#series.get(titleId) ?? new Map<string, Chapter>();
    for (const chapter of chapters) known.set(chapter.id, chapter);
    this.#series.set(titleId, known);
  }

  #addFailure(target: Target, message: string): void {
    this.#failures.push({ target, error: new ChapterError('chapter-not-found', message) });
  }

  #warn(what: 'chapters' | 'titles', error: TankobonError): void {
    this.deps.warn(`No metadata of the ${what} is available: ${error.message}`);
  }
}

/** Refusals that concern one chapter, title or list: it does not exist, or is not accessible. */
const NOT_FOUND_STATUSES: readonly number[] = [400, 401, 403, 404];

async function orNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ServiceRefusal && NOT_FOUND_STATUSES.includes(error.status)) {
      return undefined;
    }
    throw error;
  }
}

/** Chapters can be downloaded without metadata, unless the service is down or refuses all requests. */
export function isTolerable(error: unknown): error is TankobonError {
  if (error instanceof OutageTooLong) return false;
  return hasCode(error, 'request-refused', 'bad-answer', 'service-failed');
}
