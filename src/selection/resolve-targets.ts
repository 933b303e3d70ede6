/**
 * From what a user named to chapters with their titles, in as few calls as can be: chapters and titles are asked
 * for by the hundred, feeds by five hundred, and nothing is asked for once for each chapter. Metadata is wanted
 * and never needed: a chapter that the catalogue does not know is handed on by its bare id.
 */
import { toTankobonError, ChapterError, hasCode, type TankobonError } from '../core/errors.js';
import { ServiceRefusal } from '../api/api-errors.js';
import type { ServiceClient } from '../api/client.js';
import { OutageTooLong } from '../api/outage.js';
import { fetchChapter, fetchChapters, type Chapter } from '../api/chapters.js';
import { fetchListFeed, fetchTitleFeed } from '../api/feeds.js';
import { fetchList } from '../api/lists.js';
import type { Target } from './target.js';
import { fetchTitle, fetchTitles, type Title } from '../api/titles.js';

export interface ResolveDeps {
  readonly client: ServiceClient;
  /** For feeds: only chapters in these; all where there are none. */
  readonly languages?: readonly string[];
  /** Told where metadata was wanted and could not be had. */
  readonly warn: (message: string) => void;
  /** Told of the chapters that were named themselves, before their titles are asked for. */
  readonly onChapters?: (chapters: readonly Chapter[]) => void;
  readonly signal: AbortSignal;
}

export interface Series {
  readonly titleId: string;
  /** Every release that the feed shows, not yet selected. */
  readonly chapters: readonly Chapter[];
}

export interface Resolution {
  /** Chapters that were named themselves, in the order in which they were named. */
  readonly chapters: readonly Chapter[];
  /** One for each title that was named, or that stands in a list that was. */
  readonly series: readonly Series[];
  /** The titles of these chapters as far as they are known by now: enough to name files after. */
  readonly titles: ReadonlyMap<string, Title>;
  /** The same with their people and covers, as far as the service has them. Never rejects. */
  readonly fullTitles: Promise<FullTitles>;
  /** Chapters by id of which there is no metadata. */
  readonly idsWithoutMetadata: readonly string[];
  /** Titles that the service has, but whose answer cannot be used: their chapters have no metadata. */
  readonly unusableTitleIds: ReadonlySet<string>;
  /** What was named and is not there. */
  readonly failures: readonly { readonly target: Target; readonly error: TankobonError }[];
}

export interface FullTitles {
  readonly titles: ReadonlyMap<string, Title>;
  /** What concerns the run as a whole, and kept the rest from coming. */
  readonly error: TankobonError | undefined;
}

/** Throws what concerns the run as a whole: the service cannot be reached, a cooldown, a captcha. */
export async function resolveTargets(
  targets: readonly Target[],
  parts: ResolveDeps,
): Promise<Resolution> {
  const search = new Search(parts);
  await search.chapters(targets.filter(({ kind }) => kind === 'chapter' || kind === 'any'));
  parts.onChapters?.(search.found(targets).chapters);
  await search.titles(targets.filter(({ kind }) => kind === 'title'));
  for (const target of targets) if (target.kind === 'list') await search.list(target);
  const asked = search.titlesOfChapters();
  // Where the names are known, people and covers may come while the pages load.
  if (!search.knowsAllNames()) await asked;
  return { ...search.found(targets), fullTitles: search.inFull(asked) };
}

class Search {
  readonly #named = new Map<string, Chapter>();
  readonly #series = new Map<string, Map<string, Chapter>>();
  readonly #titles = new Map<string, Title>();
  readonly #bare = new Set<string>();
  readonly #unusableTitleIds = new Set<string>();
  readonly #lost: { target: Target; error: TankobonError }[] = [];

  constructor(private readonly parts: ResolveDeps) {}

  found(targets: readonly Target[]): Omit<Resolution, 'fullTitles'> {
    return {
      chapters: targets.flatMap(({ id }) => this.#named.get(id) ?? []),
      series: [...this.#series].map(([titleId, chapters]) => ({
        titleId,
        chapters: [...chapters.values()],
      })),
      titles: this.#titles,
      idsWithoutMetadata: [...this.#bare],
      unusableTitleIds: this.#unusableTitleIds,
      failures: this.#lost,
    };
  }

  /** A bare UUID is a chapter's first of all, then a title's, then a list's. */
  async chapters(targets: readonly Target[]): Promise<void> {
    const ids = targets.map(({ id }) => id);
    const listed = await this.#listedChapters(ids);
    if (listed === undefined) {
      for (const id of ids) this.#bare.add(id);
      return;
    }
    for (const [id, chapter] of listed) this.#named.set(id, chapter);
    const missing = targets.filter(({ id }) => !listed.has(id));
    await this.#titlesAmong(missing.filter(({ kind }) => kind === 'any'));
    for (const target of missing) {
      await this.#orLost(target, async () => {
        if (!(await this.#isTitle(target))) await this.#unlisted(target, ids.length > 1);
      });
    }
  }

  async titles(targets: readonly Target[]): Promise<void> {
    await this.#titlesAmong(targets);
    for (const target of targets) {
      await this.#orLost(target, async () => {
        const found = await this.#isTitle(target);
        if (!found) this.#isLost(target, `The service has no title ${target.id}.`);
      });
    }
  }

  async list(target: Target): Promise<void> {
    await this.#orLost(target, async () => {
      const found = await this.#listAmong(target);
      if (!found) this.#isLost(target, `The service shows no list ${target.id}.`);
    });
  }

  /** The titles of chapters that were named or came with a list, by the hundred. */
  async titlesOfChapters(): Promise<void> {
    const ofNamed = [...this.#named.values()].flatMap(({ titleId }) => titleId ?? []);
    const wanted = [...ofNamed, ...this.#series.keys()].filter(
      (id) => !this.#titles.has(id) && !this.#unusableTitleIds.has(id),
    );
    await this.#titlesAmong([...new Set(wanted)].map((id) => ({ kind: 'title', id })));
  }

  /** Whether each title that is not there yet has a name in what its chapter said of it. */
  knowsAllNames(): boolean {
    const isKnown = (id: string) => this.#titles.has(id);
    return (
      [...this.#series.keys()].every(isKnown) &&
      [...this.#named.values()].every(
        ({ titleId = '', partialTitle: titleInBrief }) =>
          isKnown(titleId) || (titleInBrief?.name ?? '') !== '',
      )
    );
  }

  /** The titles once `asked` is over; where it fails they are what they were, and that is worth a word. */
  async inFull(asked: Promise<void>): Promise<FullTitles> {
    const { warn, signal } = this.parts;
    try {
      await asked;
      return { titles: this.#titles, error: undefined };
    } catch (error) {
      const trouble = toTankobonError(error);
      if (signal.aborted) return { titles: this.#titles, error: undefined };
      warn(`The service gives no metadata of the titles. ${trouble.message}`);
      return { titles: this.#titles, error: trouble };
    }
  }

  /** `undefined` where the service has no catalogue to ask, or it is out of order. */
  async #listedChapters(ids: readonly string[]): Promise<Map<string, Chapter> | undefined> {
    const { client, signal, warn } = this.parts;
    const [only] = ids;
    if (only === undefined) return new Map();
    try {
      if (ids.length > 1) return await fetchChapters(client, ids, { signal, warn });
      const chapter = await orUndefined(fetchChapter(client, only, signal));
      return new Map(chapter ? [[only, chapter]] : []);
    } catch (error) {
      if (!isPassedOver(error)) throw error;
      warn(`The service gives no metadata of the chapters. ${error.message}`);
      return undefined;
    }
  }

  /** Keeps those of the ids that are titles'. */
  async #titlesAmong(targets: readonly Target[]): Promise<void> {
    const { client, signal, warn } = this.parts;
    const ids = targets.map(({ id }) => id);
    const [only] = ids;
    if (only === undefined) return;
    try {
      if (ids.length === 1) {
        const title = await orUndefined(fetchTitle(client, only, signal));
        if (title) this.#titles.set(only, title);
      } else {
        const { titles, skipped } = await fetchTitles(client, ids, { signal, warn });
        for (const [id, title] of titles) this.#titles.set(id, title);
        if (skipped > 0) this.#areUnusable(ids);
      }
    } catch (error) {
      if (!isPassedOver(error)) throw error;
      warn(`The service gives no metadata of the titles. ${error.message}`);
      if (error.code === 'bad-answer') this.#areUnusable(ids);
    }
  }

  /** Those that are not known by now: some entries could not be used, and which these were is unknown. */
  #areUnusable(ids: readonly string[]): void {
    for (const id of ids) if (!this.#titles.has(id)) this.#unusableTitleIds.add(id);
  }

  /** Whether the id is a title's; then its feed is added. Where the title is unusable, the feed's status decides. */
  async #isTitle({ id }: Target): Promise<boolean> {
    const isKnown = this.#titles.has(id);
    if (!isKnown && !this.#unusableTitleIds.has(id)) return false;
    const feed = fetchTitleFeed(this.parts.client, id, this.#feedWish());
    const chapters = await (isKnown ? feed : orUndefined(feed));
    if (chapters) this.#add(id, chapters);
    return chapters !== undefined;
  }

  /** What no collection lists: a chapter that is unavailable or not out yet, or somebody's list. */
  async #unlisted(target: Target, notYetAskedAlone: boolean): Promise<void> {
    const alone = notYetAskedAlone
      ? await this.#listedChapters([target.id])
      : new Map<string, Chapter>();
    const chapter = alone?.get(target.id);
    if (chapter) this.#named.set(target.id, chapter);
    else if (!alone) this.#bare.add(target.id);
    else if (target.kind !== 'any' || !(await this.#listAmong(target))) this.#bare.add(target.id);
  }

  /** What one target's feed is refused is that target's loss alone. */
  async #orLost(target: Target, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!isPassedOver(error)) throw error;
      this.#lost.push({ target, error });
    }
  }

  async #listAmong({ id }: Target): Promise<boolean> {
    const { client, signal } = this.parts;
    const list = await orUndefined(fetchList(client, id, signal));
    if (!list) return false;
    if (list.titleIds.length === 0) return true;
    const chapters = await fetchListFeed(client, id, this.#feedWish());
    for (const titleId of list.titleIds) {
      this.#add(
        titleId,
        chapters.filter((chapter) => chapter.titleId === titleId),
      );
    }
    return true;
  }

  #feedWish() {
    const { languages, signal, warn } = this.parts;
    return { signal, warn, ...(languages && { languages }) };
  }

  #add(titleId: string, chapters: readonly Chapter[]): void {
    const known = this.#series.get(titleId) ?? new Map<string, Chapter>();
    for (const chapter of chapters) known.set(chapter.id, chapter);
    this.#series.set(titleId, known);
  }

  #isLost(target: Target, message: string): void {
    this.#lost.push({ target, error: new ChapterError('chapter-not-found', message) });
  }
}

/** Refusals that say of one thing that it is not there, or not for you. */
const NOT_THERE: readonly number[] = [400, 401, 403, 404];

async function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServiceRefusal && NOT_THERE.includes(error.status)) return undefined;
    throw error;
  }
}

/** Without metadata there are still chapters, unless the service is gone or wants nothing more to be sent. */
function isPassedOver(error: unknown): error is TankobonError {
  if (error instanceof OutageTooLong) return false;
  return hasCode(error, 'request-refused', 'bad-answer', 'service-failed');
}
