/** What the targets of a run stand for. */
import type { Chapter } from '../api/chapters.js';
import type { Title } from '../api/titles.js';
import { ChapterError, type TankobonError } from '../core/errors.js';
import type { Target } from './target.js';
import type { LoadedTitles, TitleLoader } from './title-loader.js';

export interface Series {
  readonly titleId: string;
  /** All releases in the feed, not yet selected. */
  readonly chapters: readonly Chapter[];
  /** Only the releases of a group that is a target are known. */
  readonly isPartial?: boolean;
}

export interface Resolution {
  /** The chapters that are targets, in the order of the targets. */
  readonly chapters: readonly Chapter[];
  /** One for each title that is a target, or that a list, group, author or account stands for. */
  readonly series: readonly Series[];
  /** The known titles of these chapters: sufficient for the names of files. */
  readonly titles: ReadonlyMap<string, Title>;
  /** The titles with their people and covers. Never rejects. */
  readonly loadedTitles: Promise<LoadedTitles>;
  /** Chapters without metadata. */
  readonly idsWithoutMetadata: readonly string[];
  /** Titles whose response is invalid: their chapters have no metadata. */
  readonly unusableTitleIds: ReadonlySet<string>;
  readonly failures: readonly { readonly target: Target; readonly error: TankobonError }[];
}

/** The part of a resolution that is known so far. */
export class PartialResolution {
  /** The chapters that are targets, by id. */
  readonly chapters = new Map<string, Chapter>();
  readonly idsWithoutMetadata = new Set<string>();
  readonly failures: { target: Target; error: TankobonError }[] = [];
  readonly #series = new Map<string, Map<string, Chapter>>();
  readonly #partialIds = new Set<string>();

  constructor(private readonly loader: TitleLoader) {}

  /** The releases of a title, besides those that are known of it. A title is partial if all of its releases come so. */
  addSeries(titleId: string, chapters: readonly Chapter[], isPartial = false): void {
    const known = this.#series.get(titleId);
    if (!isPartial) this.#partialIds.delete(titleId);
    else if (!known) this.#partialIds.add(titleId);
    const all = known ?? new Map<string, Chapter>();
    for (const chapter of chapters) all.set(chapter.id, chapter);
    this.#series.set(titleId, all);
  }

  addFailure(target: Target, message: string, hint?: string): void {
    const note = this.loader.refusal?.requestIdNote ?? '';
    const error = new ChapterError('chapter-not-found', message + note, { hint });
    this.failures.push({ target, error });
  }

  /** The titles of the chapters that have neither a usable nor an invalid response yet. */
  titleIdsToLoad(): readonly string[] {
    const chapterTitleIds = [...this.chapters.values()].flatMap(({ titleId }) => titleId ?? []);
    const { loaded, unusable } = this.loader;
    const ids = new Set([...chapterTitleIds, ...this.#series.keys()]);
    return [...ids].filter((id) => !loaded.has(id) && !unusable.has(id));
  }

  /** Whether all names of titles are known, also from the responses of their chapters. */
  hasAllNames(): boolean {
    const isLoaded = (id: string) => this.loader.loaded.has(id);
    return (
      [...this.#series.keys()].every(isLoaded) &&
      [...this.chapters.values()].every(
        ({ titleId = '', partialTitle }) => isLoaded(titleId) || (partialTitle?.name ?? '') !== '',
      )
    );
  }

  of(targets: readonly Target[]): Omit<Resolution, 'loadedTitles'> {
    return {
      chapters: targets.flatMap(({ id }) => this.chapters.get(id) ?? []),
      series: [...this.#series].map(([titleId, chapters]) => ({
        titleId,
        chapters: [...chapters.values()],
        isPartial: this.#partialIds.has(titleId),
      })),
      titles: this.loader.loaded,
      idsWithoutMetadata: [...this.idsWithoutMetadata],
      unusableTitleIds: this.loader.unusable,
      failures: this.failures,
    };
  }
}
