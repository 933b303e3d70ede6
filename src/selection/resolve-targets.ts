/**
 * Resolves targets to chapters and titles, with as few requests as possible: chapters and titles are requested by the
 * hundred, feeds by five hundred. Metadata is optional: a chapter that the service does not list is returned by its id.
 */
import { fetchChapter, fetchChapters, type Chapter } from '../service/chapters.js';
import { fetchList, fetchTitleFeed, readFeed } from '../service/feeds.js';
import { ChapterError } from '../core/errors.js';
import { groupBy } from '../core/group-by.js';
import { collectTitles } from './collected-titles.js';
import { isCollection, type Target } from './target.js';
import type { Resolution } from './resolution.js';
import {
  isTolerable,
  TitleLoader,
  warnMetadataUnavailable,
  type ResolveDeps,
} from './title-loader.js';

export type { Resolution } from './resolution.js';

/** Throws errors that concern the whole run: no connection, a cooldown, a captcha. */
export async function resolveTargets(
  targets: readonly Target[],
  deps: ResolveDeps,
): Promise<Resolution> {
  const resolver = new Resolver(deps);
  await resolver.addChapters(targets.filter(({ kind }) => kind === 'chapter' || kind === 'any'));
  await deps.onChapters?.(resolver.found(targets).chapters);
  await resolver.addTitles(targets.filter(({ kind }) => kind === 'title'));
  for (const target of targets) {
    if (target.kind === 'list') await resolver.addList(target);
    else if (isCollection(target)) await resolver.addCollection(target);
  }
  const loading = resolver.loadTitlesOfChapters();
  // If the names are known, people and covers can be loaded during the download.
  if (!resolver.hasAllNames()) await loading;
  return { ...resolver.found(targets), loadedTitles: resolver.titles.whenLoaded(loading) };
}

class Resolver {
  readonly titles: TitleLoader;
  /** The chapters that are targets, by id. */
  readonly #chapters = new Map<string, Chapter>();
  readonly #idsWithoutMetadata = new Set<string>();
  readonly #failures: Resolution['failures'][number][] = [];
  readonly #series = new Map<string, { releases: Map<string, Chapter>; isPartial: boolean }>();
  /** The titles whose own lists of chapters were read. */
  readonly #readFeeds = new Set<string>();

  constructor(private readonly deps: ResolveDeps) {
    this.titles = new TitleLoader(deps);
  }

  /** What is known so far. */
  found(targets: readonly Target[]): Omit<Resolution, 'loadedTitles'> {
    return {
      chapters: targets.flatMap(({ id }) => this.#chapters.get(id) ?? []),
      series: [...this.#series].map(([titleId, { releases, isPartial }]) => ({
        titleId,
        chapters: [...releases.values()],
        isPartial,
        formerIds: this.titles.formerIdsOf(titleId),
      })),
      titles: this.titles.loaded,
      idsWithoutMetadata: [...this.#idsWithoutMetadata],
      unusableTitleIds: this.titles.unusable,
      failures: this.#failures,
    };
  }

  /** Whether all names of titles are known, also from the responses of their chapters. */
  hasAllNames(): boolean {
    const isLoaded = (id: string) => this.titles.loaded.has(id);
    return (
      [...this.#series.keys()].every(isLoaded) &&
      [...this.#chapters.values()].every(
        ({ titleId = '', partialTitle }) => isLoaded(titleId) || (partialTitle?.name ?? '') !== '',
      )
    );
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
    const mayBeTitles = missing.flatMap(({ kind, id }) => (kind === 'any' ? [id] : []));
    await this.titles.load(mayBeTitles);
    await this.titles.loadMerged(mayBeTitles);
    for (const target of missing) {
      await this.#recordFailure(target, async () => {
        if (!(await this.#addTitle(target))) await this.#addUnlisted(target, ids.length > 1);
      });
    }
  }

  async addTitles(targets: readonly Target[]): Promise<void> {
    const ids = targets.map(({ id }) => id);
    await this.titles.load(ids);
    await this.titles.loadMerged(ids);
    for (const target of targets) {
      await this.#recordFailure(target, async () => {
        if (await this.#addTitle(target)) return;
        this.#addFailure(target, `Title not found: ${target.id}`);
      });
    }
  }

  async addList(target: Target): Promise<void> {
    await this.#recordFailure(target, async () => {
      if (await this.#addListFeed(target)) return;
      this.#addFailure(target, `List not found, or private: ${target.id}`);
    });
  }

  /** Adds what a group, an author or the account stands for. */
  async addCollection(target: Target): Promise<void> {
    await this.#recordFailure(target, async () => {
      const collected = await collectTitles(target, this.deps, this.titles);
      if (!collected) {
        const what = target.kind === 'group' ? 'Group' : 'Author';
        this.#addFailure(target, `${what} not found: ${target.id}`);
        return;
      }
      for (const title of collected.titles) this.titles.loaded.set(title.id, title);
      for (const [titleId, chapters] of collected.byTitle)
        this.#addSeries(titleId, chapters, collected.isPartial);
    });
  }

  /** Loads the titles that have neither a usable nor an invalid response yet. */
  loadTitlesOfChapters(): Promise<void> {
    const chapterTitleIds = [...this.#chapters.values()].flatMap(({ titleId }) => titleId ?? []);
    const { loaded, unusable } = this.titles;
    const ids = new Set([...chapterTitleIds, ...this.#series.keys()]);
    return this.titles.load([...ids].filter((id) => !loaded.has(id) && !unusable.has(id)));
  }

  /** The releases of a title, besides those that are known of it. A title is partial if all of its releases come so. */
  #addSeries(titleId: string, chapters: readonly Chapter[], isPartial = false): void {
    const known = this.#series.get(titleId) ?? { releases: new Map<string, Chapter>(), isPartial };
    for (const chapter of chapters) known.releases.set(chapter.id, chapter);
    this.#series.set(titleId, { ...known, isPartial: known.isPartial && isPartial });
  }

  #addFailure(target: Target, message: string, hint?: string): void {
    const note = this.titles.refusal?.requestIdNote ?? '';
    const isChapter = target.kind === 'chapter' || target.kind === 'any';
    const code = isChapter ? 'chapter-not-found' : 'title-not-found';
    const error = new ChapterError(code, message + note, { hint });
    this.#failures.push({ target, error });
  }

  /** Undefined if the service does not provide metadata of chapters. */
  async #fetchListedChapters(ids: readonly string[]): Promise<Map<string, Chapter> | undefined> {
    const { client, signal, warn } = this.deps;
    const [first] = ids;
    if (first === undefined) return new Map();
    try {
      if (ids.length > 1) return await fetchChapters(client, ids, { signal, warn });
      const chapter = await this.titles.undefinedIfNotFound(fetchChapter(client, first, signal));
      return new Map(chapter ? [[first, chapter]] : []);
    } catch (error) {
      if (!isTolerable(error)) throw error;
      warnMetadataUnavailable('chapters', error, warn);
      return undefined;
    }
  }

  /** Adds the feed if the id is that of a title. For an unusable title, the status of the feed decides. */
  async #addTitle(target: Target): Promise<boolean> {
    const id = this.titles.currentId(target.id);
    const isLoaded = this.titles.loaded.has(id);
    if (!isLoaded && !this.titles.unusable.has(id)) return false;
    // Another target was merged into this title.
    if (this.#readFeeds.has(id)) return true;
    const feed = fetchTitleFeed(this.deps.client, id, this.deps);
    const chapters = await (isLoaded ? feed : this.titles.undefinedIfNotFound(feed));
    if (chapters) {
      this.#readFeeds.add(id);
      this.#addSeries(id, chapters);
    }
    return chapters !== undefined;
  }

  /** Adds what is not in a collection: an unpublished chapter, or a list. `isOneOfSeveral`: it was asked for with others. */
  async #addUnlisted(target: Target, isOneOfSeveral: boolean): Promise<void> {
    const { kind, id } = target;
    const listed = isOneOfSeveral ? await this.#fetchListedChapters([id]) : undefined;
    const chapter = listed?.get(id);
    if (chapter) this.#chapters.set(id, chapter);
    else if (kind === 'any' && (await this.#addListFeed(target))) return;
    // An unusable response, or a service without a catalogue: only the pages show whether it is a chapter.
    else if (isOneOfSeveral ? !listed : !(await this.#hasCatalogue(id)))
      this.#idsWithoutMetadata.add(id);
    else if (kind === 'chapter') this.#addFailure(target, `Chapter not found: ${id}`);
    else this.#addFailure(target, `MangaDex has no chapter, title or list: ${id}`, OTHER_KINDS);
  }

  async #hasCatalogue(id: string): Promise<boolean> {
    const { client, signal } = this.deps;
    const request = fetchChapters(client, [id], { signal });
    return (await this.titles.undefinedIfNotFound(request)) !== undefined;
  }

  /** An error that concerns this target alone is recorded; others are thrown. */
  async #recordFailure(target: Target, action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!isTolerable(error)) throw error;
      this.#failures.push({ target, error });
    }
  }

  async #addListFeed({ id }: Target): Promise<boolean> {
    const { client, signal } = this.deps;
    const list = await this.titles.undefinedIfNotFound(fetchList(client, id, signal));
    if (!list) return false;
    if (list.titleIds.length === 0) return true;
    const chapters = await readFeed(client, { kind: 'list', id }, this.deps);
    const byTitle = groupBy(chapters, ({ titleId = '' }) => titleId);
    for (const titleId of list.titleIds) this.#addSeries(titleId, byTitle.get(titleId) ?? []);
    return true;
  }
}

const OTHER_KINDS =
  'Check the UUID in a browser. For a group or an author, pass group:UUID or author:UUID.';
