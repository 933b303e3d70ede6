/** What the targets of a run stand for. */
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import type { TankobonError } from '../core/errors.js';
import type { Target } from './target.js';
import type { LoadedTitles } from './title-loader.js';

export interface Series {
  readonly titleId: string;
  /** All releases in the feed, not yet selected. */
  readonly chapters: readonly Chapter[];
  /** Only the releases of a group that is a target are known. */
  readonly isPartial?: boolean;
  /** The targets of the run that were merged into this title. */
  readonly formerIds?: readonly string[];
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
