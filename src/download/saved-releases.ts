/** A download does not choose another release of a chapter that is saved. Pure. */
import type { Chapter } from '../service/chapters.js';
import { groupBy } from '../core/group-by.js';
import { excludedGroup } from '../selection/exclusions.js';
import { haveOtherVolumes } from '../selection/same-chapter.js';
import type { Resolution } from '../selection/resolve-targets.js';
import {
  leftOutReleases,
  rankOf,
  releaseKey,
  type ExcludedChapter,
  type SelectionOptions,
} from '../selection/select-chapters.js';
import type { ChosenChapter, PlanSelection, SkippedChapter } from './plan-selection.js';
import { hasName } from './earlier-uploads.js';
import type { KnownTitles } from './known-title.js';
import { savedState, type KnownChapters } from './saved-state.js';

type Releases = Pick<Resolution, 'chapters' | 'series'>;

/**
 * The selection with the saved releases in place of the others, which are skipped. A release of a group that is
 * preferred to that of the saved one stays selected, unless that is excluded or of another volume, and so does a chapter
 * that is a target itself.
 */
export function preferSavedReleases<Selection extends PlanSelection>(
  selection: Selection,
  releases: Releases,
  options: SelectionOptions,
  known: KnownChapters & { readonly titles: KnownTitles },
): Selection {
  if (options.allReleases) return selection;
  const savedInstead = findSavedReleases(selection, releases, options, known);
  const excluded = new Map(selection.excluded.map((each) => [each.chapter.id, each]));
  const taken = new Set(selection.selected.map(({ id }) => id));
  const skipped: SkippedChapter[] = [];
  const selected = selection.selected.flatMap((chosen): ChosenChapter[] => {
    const saved = savedInstead.get(chosen.id);
    if (!saved) return [chosen];
    const { id } = saved;
    const file = known.library.find(id)?.file;
    skipped.push({ id: chosen.id, reason: 'other-release-saved', file });
    // One that was taken down, or that the options exclude, is not selected.
    if (taken.has(id) || excluded.get(id)?.reason !== 'other-release') return [];
    taken.add(id);
    return [{ ...chosen, id, chapter: saved, why: 'this release is saved' }];
  });
  const others = selection.excluded.filter(({ chapter }) => !taken.has(chapter.id));
  const leftOut = new Set(findLeftOut(selected, others, releases, known));
  for (const { id } of leftOut) skipped.push({ id, reason: 'other-release-saved' });
  return {
    ...selection,
    selected,
    skipped: [...selection.skipped, ...skipped],
    excluded: others.filter(({ chapter }) => !leftOut.has(chapter)),
  };
}

/** Releases that are named, since a person may take them for chapters of their own. */
function findLeftOut(
  selected: readonly ChosenChapter[],
  excluded: readonly ExcludedChapter[],
  { series }: Releases,
  { titles, ...known }: KnownChapters & { readonly titles: KnownTitles },
): readonly Chapter[] {
  const chosen = new Set(selected.map(({ id }) => id));
  const others = new Set(
    excluded.flatMap(({ chapter, reason }) => (reason === 'other-release' ? [chapter] : [])),
  );
  return series.flatMap(({ titleId, chapters }) => {
    const keys = titles.get(titleId)?.keys;
    const ofTitle = chapters.filter(
      (chapter) => others.has(chapter) && savedState(chapter, known).state === 'missing',
    );
    const instead = chapters.filter(({ id }) => chosen.has(id));
    return keys ? leftOutReleases(ofTitle, instead, keys) : [];
  });
}

/** The saved releases by the ids of the selected ones in whose place they are. */
function findSavedReleases(
  { selected }: PlanSelection,
  { chapters: targets, series }: Releases,
  options: SelectionOptions,
  { titles, ...known }: KnownChapters & { readonly titles: KnownTitles },
): ReadonlyMap<string, Chapter> {
  const isSaved = ({ id }: Chapter) =>
    savedState({ id }, known).state !== 'missing' || known.library.findDamaged(id) !== undefined;
  const isNamed = new Set(targets.map(({ id }) => id));
  const isSelected = new Set(selected.flatMap(({ id, chapter }) => (chapter ? [id] : [])));
  const found = new Map<string, Chapter>();
  for (const { titleId, chapters } of series) {
    const keys = titles.get(titleId)?.keys;
    if (!keys) continue;
    const groupRank = (chapter: Chapter) => rankOf(chapter, options).group;
    const savedByKey = groupBy(
      chapters.filter((chapter) => hasName(chapter) && isSaved(chapter)),
      (chapter) => releaseKey(chapter, options, keys),
    );
    for (const chapter of chapters) {
      if (!isSelected.has(chapter.id) || isNamed.has(chapter.id) || isSaved(chapter)) continue;
      const saved = savedByKey.get(releaseKey(chapter, options, keys)) ?? [];
      const [best] = [...saved].sort((a, b) => groupRank(a) - groupRank(b));
      const isKept =
        best &&
        (groupRank(best) <= groupRank(chapter) ||
          haveOtherVolumes(best, chapter) ||
          excludedGroup(best, options) !== undefined);
      if (isKept) found.set(chapter.id, best);
    }
  }
  return found;
}
