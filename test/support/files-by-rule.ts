/**
 * Which files the rule of one chapter leaves after a run by itself, from all that was ever listed of a title: what it
 * doubles, the program may double too.
 */
import type { Chapter } from '../../src/service/chapters.js';
import { chapterKeys, mayReplace, type ChapterKeys } from '../../src/selection/same-chapter.js';
import { rankOf, selectChapters } from '../../src/selection/select-chapters.js';
import { LANGUAGE_CODES, listedChapter, type Series, type Wishes } from './random-titles.js';

interface Run {
  readonly wishes: Wishes;
  readonly numbersRestart: boolean;
  readonly nowMs: number;
  /** The ids of the releases that have a file. */
  readonly files: readonly string[];
  /** The ids of the releases whose files the owner removed: they count as had. */
  readonly removed: readonly string[];
}

export class FilesByRule {
  /** The releases as they were listed last, in a language that was read. */
  readonly #known = new Map<string, Chapter>();

  constructor(private readonly series: Series) {}

  /** The ids of the releases that have a file after the run. */
  after(run: Run): ReadonlySet<string> {
    const keys = this.#read(run);
    const { wishes, nowMs, files, removed } = run;
    const known = [...this.#known.values()];
    const isExcluded = ({ groups }: Chapter) =>
      wishes['exclude-group'].some((name) => name === groups[0]?.name);
    const options = { languages: wishes.language, groups: wishes.group };
    const allowed = known.filter((chapter) => !isExcluded(chapter));
    const { selected } = selectChapters(allowed, options, { nowMs, keys });
    const isIn = (ids: readonly string[], chapter: Chapter) =>
      known.filter(({ id }) => ids.includes(id) && keys.keyOf({ id }) === keys.keyOf(chapter));
    const rank = (chapter: Chapter) => {
      const { language, group } = rankOf(chapter, options);
      return isExcluded(chapter) ? Infinity : language * 10 + group;
    };
    const after = new Set(files);
    for (const { chapter } of selected) {
      const [old] = isIn(files, chapter).sort(
        (a, b) => Number(a.isUnavailable) - Number(b.isUnavailable) || rank(a) - rank(b),
      );
      if (!old && isIn(removed, chapter).length > 0) continue;
      if (!old) after.add(chapter.id);
      else if (wishes.upgrade && isBetter(chapter, old, rank) && mayReplace(old, chapter, keys)) {
        after.delete(old.id);
        after.add(chapter.id);
      }
    }
    return after;
  }

  /** The releases of languages that are not wished for are read where the others do not show the runs. */
  #read({ wishes, numbersRestart, nowMs }: Run): ChapterKeys {
    const read = (languages: readonly string[]): ChapterKeys => {
      for (const release of this.series.releases) {
        const chapter = listedChapter(release);
        const known = this.#known.get(release.id);
        if (!languages.includes(chapter.language)) continue;
        if (release.isListed) this.#known.set(release.id, chapter);
        else if (known) this.#known.set(release.id, { ...known, isUnavailable: true });
      }
      return chapterKeys([...this.#known.values()], { numbersRestart, nowMs });
    };
    const keys = read(wishes.language);
    return keys.areRunsGuessed ? read(LANGUAGE_CODES) : keys;
  }
}

/** A deleted release is replaced by a later one as well. */
function isBetter(chapter: Chapter, old: Chapter, rank: (chapter: Chapter) => number): boolean {
  if (rank(chapter) !== rank(old)) return rank(chapter) < rank(old);
  const isLater = (chapter.createdAt?.getTime() ?? 0) > (old.createdAt?.getTime() ?? 0);
  return old.isUnavailable && isLater;
}

/** How many files each chapter has beside its first one. */
export function doubledIn(
  ids: Iterable<string>,
  truthOf: (id: string) => string,
): ReadonlyMap<string, number> {
  const doubled = new Map<string, number>();
  for (const id of ids) doubled.set(truthOf(id), (doubled.get(truthOf(id)) ?? -1) + 1);
  return doubled;
}
