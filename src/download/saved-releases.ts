/** A download does not choose another release of a number that is saved in the same language. Pure. */
import type { Chapter } from '../api/chapters.js';
import { groupBy } from '../core/group-by.js';
import { isInGroup } from '../selection/exclusions.js';
import type { Resolution } from '../selection/resolve-targets.js';
import { rankOf, releaseKey, type SelectionOptions } from '../selection/select-chapters.js';
import type { ChosenChapter, PlanSelection, SkippedChapter } from './plan-selection.js';
import { savedState, type KnownChapters } from './saved-state.js';

type Releases = Pick<Resolution, 'chapters' | 'series' | 'titles'>;

/**
 * The selection with the saved releases in place of the others, which are skipped. A release of a group that is
 * preferred to that of the saved one stays selected, and so does a chapter that is a target itself.
 */
export function preferSavedReleases<Selection extends PlanSelection>(
  selection: Selection,
  releases: Releases,
  options: SelectionOptions,
  known: KnownChapters,
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
  return {
    ...selection,
    selected,
    skipped: [...selection.skipped, ...skipped],
    excluded: selection.excluded.filter(({ chapter }) => !taken.has(chapter.id)),
  };
}

/** The saved releases by the ids of the selected ones in whose place they are. */
function findSavedReleases(
  { selected }: PlanSelection,
  { chapters: targets, series, titles }: Releases,
  options: SelectionOptions,
  known: KnownChapters,
): ReadonlyMap<string, Chapter> {
  const isSaved = ({ id }: Chapter) =>
    savedState({ id }, known).state !== 'missing' || known.library.findDamaged(id) !== undefined;
  const isExcluded = ({ groups }: Chapter) =>
    options.excludedGroups?.some((name) => groups.some((group) => isInGroup(group, name))) ?? false;
  const isNamed = new Set(targets.map(({ id }) => id));
  const isSelected = new Set(selected.flatMap(({ id, chapter }) => (chapter ? [id] : [])));
  const found = new Map<string, Chapter>();
  for (const { titleId, chapters } of series) {
    const numbersRestart = titles.get(titleId)?.numbersRestart ?? false;
    const keyOf = (chapter: Chapter) => releaseKey(chapter, { languages: [] }, numbersRestart);
    const groupRank = (chapter: Chapter) => rankOf(chapter, options).group;
    const savedByKey = groupBy(
      chapters.filter((chapter) => hasName(chapter) && isSaved(chapter) && !isExcluded(chapter)),
      keyOf,
    );
    for (const chapter of chapters) {
      if (!isSelected.has(chapter.id) || isNamed.has(chapter.id) || isSaved(chapter)) continue;
      const saved = savedByKey.get(keyOf(chapter)) ?? [];
      const [best] = [...saved].sort((a, b) => groupRank(a) - groupRank(b));
      if (best && groupRank(best) <= groupRank(chapter)) found.set(chapter.id, best);
    }
  }
  return found;
}

/** Two chapters without a number and a title may be of different stories. */
function hasName({ number, title }: Chapter): boolean {
  return number !== undefined || (title ?? '') !== '';
}
