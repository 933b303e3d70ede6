/**
 * What becomes of the selected releases and of the files of their chapters: the one decision of `download`, `--update`,
 * `sync` and their dry runs, and, without pages, of `retag`. Pure.
 */
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { groupBy } from '../core/group-by.js';
import { type ReadChapter, isReadableBook, type FoundChapter } from '../library/file.js';
import type { LibraryIndex } from '../library/scan.js';
import { mayBeRewritten } from '../library/ownership.js';
import { isUnavailable } from '../events/reasons.js';
import { isInGroup, isInLanguages } from '../selection/exclusions.js';
import {
  haveOtherVolumes,
  mayBeTwo,
  mayReplace,
  type ChapterKeys,
} from '../selection/same-chapter.js';
import {
  rankOf,
  releaseKey,
  type ExcludedChapter,
  type SelectionOptions,
} from '../selection/select-chapters.js';
import { minOf } from '../core/extremes.js';
import {
  isOwnChapter,
  isWrite,
  replacedRelease,
  skip,
  type Decision,
  type FileDecision,
  type Keep,
  type KnownFile,
  type OldFile,
  type OutdatedReason,
  type Release,
  type ReplaceReason,
  type SavedChapter,
  type Skip,
  type UnnamedWrite,
  type Wait,
} from './change.js';
import { isMovedTo, mayHaveChanged, type SavedRevision } from './chapter-changes.js';
import {
  decideUpload,
  findSuperseded,
  hasName,
  type ChangedChapter,
  type EarlierUpload,
  type ReplaceRules,
} from './replacement.js';

/** The releases of a title, and which of them are selected. */
export interface SelectedTitle {
  /** All that the service lists in the requested languages. */
  readonly releases: readonly Chapter[];
  /** The releases that it listed before. */
  readonly earlier: readonly Chapter[];
  readonly selected: readonly Release[];
  readonly excluded: readonly ExcludedChapter[];
  readonly keys: ChapterKeys;
  /** Chapters in the output folder that the service does not list, of which there is a new release. */
  readonly uploads: readonly EarlierUpload[];
  /** Chapters that the service moved here from titles that their files name, see isMovedTo. */
  readonly movedIds: ReadonlySet<string>;
}

export interface Requested {
  /** Chapters that are targets themselves: whatever is saved of others, they get a file. */
  readonly named: readonly Release[];
  readonly titles: readonly SelectedTitle[];
}

/** What is known of the files of the output folder, and of those that were there. */
export interface KnownFiles {
  readonly library: Pick<LibraryIndex, 'find' | 'findDamaged'>;
  /** Chapters that count as saved although their archives may be missing. */
  readonly history?: { readonly has: (chapterId: string) => boolean } | undefined;
  /** What the files say of their chapters, by the ids of these, as far as they were read. */
  readonly saved?: ReadonlyMap<string, SavedChapter> | undefined;
  /** The metadata in the files of chapters that change, by the ids of these. */
  readonly archived?: ReadonlyMap<string, ReadChapter> | undefined;
}

export interface DecisionOptions {
  readonly selection: SelectionOptions;
  /** Files get what changed on the service: those of the selected releases, or those of the releases with these ids. */
  readonly update: boolean | ReadonlySet<string>;
  /** Files are written anew: all, or these alone, and no others are replaced then. */
  readonly force: boolean | Pick<ReadonlySet<string>, 'has'>;
  /**
   * What becomes of a release that is preferred to a saved one: it is saved beside it, replaces it, or is left out. A
   * release that is not preferred is left out in any case.
   */
  readonly better: 'beside' | 'replaces' | 'left-out';
  /** How long a chapter waits for the first of the preferred groups after its first release. */
  readonly waitForGroupMs: number;
  /** Releases for which this is true count as saved, although no file and no history has them. */
  readonly countsAsSaved: (chapter: Chapter) => boolean;
  /** Releases for which this is true are replaced by any other one. */
  readonly isUnwanted: (chapter: Chapter) => boolean;
  /** The ids of releases in place of which the owner wants any other one, whatever `better` is, in lower case. */
  readonly blocked: readonly string[] | undefined;
  readonly nowMs: number;
}

export interface Decided {
  /** First what is written, in the order in which it was selected. */
  readonly changes: readonly Decision[];
  /** The releases that have a file, or get one, also where another one of their chapter has it. */
  readonly chosen: readonly Chapter[];
  /** Releases that are not selected, and that a person would not miss. */
  readonly excluded: readonly ExcludedChapter[];
  /** The number of chapters that were saved before. */
  readonly known: number;
  /** When to decide again although nothing new is released: a wait ends, or a chapter becomes readable. */
  readonly againAtMs: number | undefined;
}

export type SavedState =
  | { readonly state: 'missing' }
  /** The history has the chapter: its archive was moved or removed. */
  | { readonly state: 'recorded' }
  | {
      readonly state: 'saved';
      readonly archive: FoundChapter;
      /** Why an update compares its pages with those of the service; undefined if it does not. */
      readonly outdated: OutdatedReason | undefined;
    };

/** `chapter` has what is known of the service's entry. */
export function savedState(
  chapter: Partial<Chapter> & Pick<Chapter, 'id'>,
  {
    library,
    history,
    saved,
  }: Omit<KnownFiles, 'saved'> & {
    readonly saved?: ReadonlyMap<string, SavedRevision> | undefined;
  },
  movedIds: ReadonlySet<string> = new Set(),
): SavedState {
  const { id } = chapter;
  const archive = library.find(id);
  if (archive) {
    const { version } = archive;
    const known: SavedRevision = saved?.get(archive.chapterId) ?? { version };
    // An update tries pages again that were lost, unless the owner accepted the file.
    const hasLostPages = known.dataSaverPages !== undefined && known.acceptedPages === undefined;
    const lost = hasLostPages ? 'lost-pages' : undefined;
    const changed = mayHaveChanged(known, chapter) ? 'changed' : lost;
    return { state: 'saved', archive, outdated: movedIds.has(id) ? 'moved' : changed };
  }
  return { state: history?.has(id) === true ? 'recorded' : 'missing' };
}

export function decide(requested: Requested, options: DecisionOptions, files: KnownFiles): Decided {
  return new Decider(requested, options, files).decide();
}

/**
 * What becomes of files whose pages stay. A book stays as it is: of a chapter that only books have, it is said once that it
 * changed. `chapters`, `titles`: what the service lists, by their ids.
 */
export function decideFiles(
  archives: readonly FoundChapter[],
  chapters: ReadonlyMap<string, Chapter>,
  titles: ReadonlyMap<string, Title>,
): readonly FileDecision[] {
  const said = new Set(archives.flatMap(({ isBound, chapterId }) => (isBound ? [] : chapterId)));
  return archives.flatMap((archive): readonly FileDecision[] => {
    const { chapterId, file, isBound, ownership, version, titleId } = archive;
    const chapter = chapters.get(chapterId);
    if (isBound) {
      const isSaid = ownership !== 'own' || said.has(chapterId);
      if (isSaid || !chapter || !mayHaveChanged({ version }, chapter)) return [];
      said.add(chapterId);
      return [skip(chapter, 'newer-version', { file })];
    }
    if (!mayBeRewritten(ownership)) return [{ kind: 'keep', file, chapterId, why: ownership }];
    // Without its title, a chapter would lose the series.
    const title = titles.get(chapter?.titleId ?? '');
    if (!chapter || !title) return [{ kind: 'keep', file, chapterId, why: 'not-listed' }];
    // The folder of a title that was merged stays.
    const isMoved = isMovedTo(title.id, titleId, (id) => titles.get(id)?.id);
    return [{ kind: 'retag', archive, chapter, title, isMoved }];
  });
}

/** A release that is to have a file, unless what is known of that says otherwise. */
interface Chosen extends Release {
  readonly title: SelectedTitle | undefined;
  /** Whether it is a target itself. */
  readonly isNamed: boolean;
  /** The saved release that it is better than. */
  readonly betterThan: string | undefined;
}

/** The releases of one chapter. */
interface Group {
  readonly title: SelectedTitle;
  readonly listed: readonly Chapter[];
  /** Releases that the service does not list any more. */
  readonly earlier: readonly Chapter[];
  readonly selected: readonly Release[];
}

type NamedRelease = Release & { readonly chapter: Chapter };

class Decider {
  /** The releases that are to have a file, by their ids. */
  readonly #chosen = new Map<string, Release>();
  /** The releases of each chapter that are there, or will be. */
  readonly #present = new Map<Group, Chapter[]>();
  readonly #writes: { readonly change: UnnamedWrite; readonly chosen: Chosen }[] = [];
  readonly #waits: Wait[] = [];
  readonly #keeps: Keep[] = [];
  /** In the order in which they are reported. */
  readonly #skips = {
    unavailable: [] as Skip[],
    otherSaved: [] as Skip[],
    leftOut: [] as Skip[],
    uploads: [] as Skip[],
    files: [] as Skip[],
  };
  readonly #groups: ReadonlyMap<SelectedTitle, ReadonlyMap<string, Group>>;
  /** Releases that are not selected, since another one of their chapter is. */
  readonly #otherReleases: ReadonlySet<string>;
  #known = 0;

  constructor(
    private readonly requested: Requested,
    private readonly options: DecisionOptions,
    private readonly files: KnownFiles,
  ) {
    this.#groups = new Map(requested.titles.map((title) => [title, this.#groupsOf(title)]));
    const excluded = requested.titles.flatMap((title) => title.excluded);
    this.#otherReleases = new Set(
      excluded.flatMap(({ chapter, reason }) => (reason === 'other-release' ? [chapter.id] : [])),
    );
  }

  decide(): Decided {
    const { named, titles } = this.requested;
    const titleOf = new Map(
      titles.flatMap((title) => title.releases.map(({ id }) => [id, title] as const)),
    );
    for (const each of named)
      this.#add({ ...each, title: titleOf.get(each.id), isNamed: true, betterThan: undefined });
    for (const title of titles)
      for (const release of title.selected)
        if (!this.#chosen.has(release.id)) this.#choose(release, title);
    for (const title of titles) this.#decideExcluded(title);
    for (const title of titles) this.#updateOthers(title);
    const leftOut = new Set(this.#skips.leftOut.map(({ id }) => id));
    return {
      changes: [
        ...this.#writesWithRemoved(),
        ...this.#waits,
        ...Object.values(this.#skips).flat(),
        ...this.#keeps,
      ],
      chosen: [...this.#chosen.values()].flatMap(({ chapter }) => chapter ?? []),
      excluded: titles.flatMap(({ excluded }) =>
        excluded.filter(
          ({ chapter: { id }, reason }) =>
            !isUnavailable(reason) && !this.#chosen.has(id) && !leftOut.has(id),
        ),
      ),
      known: this.#known,
      againAtMs: this.#againAtMs(),
    };
  }

  #againAtMs(): number | undefined {
    const { titles } = this.requested;
    const unpublished = titles.flatMap(({ excluded }) =>
      excluded.filter(({ reason }) => reason === 'chapter-unpublished'),
    );
    const again = [
      ...this.#waits.map(({ untilMs }) => untilMs),
      ...unpublished.map(({ chapter }) => firstReadableMs(chapter)),
    ].filter((ms) => ms > this.options.nowMs);
    return again.length > 0 ? minOf(again) : undefined;
  }

  #groupsOf(title: SelectedTitle): ReadonlyMap<string, Group> {
    const keyOf = (chapter: Chapter) => this.#keyOf(chapter, title);
    const listed = groupBy(title.releases, keyOf);
    const earlier = groupBy(title.earlier, keyOf);
    const selected = groupBy(title.selected, ({ chapter }) => chapter && keyOf(chapter));
    return new Map(
      [...listed].map(([key, releases]) => {
        const others = { earlier: earlier.get(key) ?? [], selected: selected.get(key) ?? [] };
        return [key, { title, listed: releases, ...others }];
      }),
    );
  }

  #keyOf(chapter: Chapter, { keys }: SelectedTitle): string {
    return releaseKey(chapter, this.options.selection, keys);
  }

  #groupOf(chapter: Chapter, title: SelectedTitle): Group {
    const group = this.#groups.get(title)?.get(this.#keyOf(chapter, title));
    return group ?? { title, listed: [], earlier: [], selected: [] };
  }

  #choose(release: Release, title: SelectedTitle): void {
    const { chapter } = release;
    const { selection, better } = this.options;
    if (!chapter || selection.allReleases) this.#addSelected(release, title);
    else if (better === 'beside')
      this.#chooseBeside({ ...release, chapter }, this.#groupOf(chapter, title));
    else this.#chooseInPlace({ ...release, chapter }, this.#groupOf(chapter, title));
  }

  /** A release of a group that is preferred to that of the saved one is saved beside it. */
  #chooseBeside(release: NamedRelease, group: Group): void {
    const { chapter } = release;
    const groupRank = (each: Chapter) => rankOf(each, this.options.selection).group;
    const saved = group.listed.filter((each) => hasName(each) && this.#isSaved(each));
    const [best] = saved.sort((a, b) => groupRank(a) - groupRank(b));
    const isKept =
      best !== undefined &&
      !this.#isSaved(chapter) &&
      (groupRank(best) <= groupRank(chapter) ||
        haveOtherVolumes(best, chapter) ||
        this.options.isUnwanted(best));
    if (!isKept) {
      this.#addSelected(release, group.title);
      return;
    }
    this.#skipForOther(chapter, best);
    // One that was taken down, or that the options exclude, is not selected.
    if (this.#otherReleases.has(best.id)) this.#addSaved(best, group);
  }

  /** A better release replaces the saved one, or is left out. */
  #chooseInPlace(release: NamedRelease, group: Group): void {
    const { chapter } = release;
    const { title } = group;
    const had = this.#hadOf(group);
    const hasState = (state: SavedState['state']) => (each: Chapter) =>
      savedState({ id: each.id }, this.files).state === state;
    const isPinned = this.#isPinned(chapter) && !had.includes(chapter);
    if (had.length === 0 || (isPinned && !had.some(hasState('saved')))) {
      this.#addSelected(release, title);
      return;
    }
    this.#known += 1;
    if (had.every(hasState('recorded')))
      this.#skips.files.push(skip(chapter, 'in-download-archive'));
    const [old] = had.filter(hasState('saved')).sort((a, b) => this.#rank(a) - this.#rank(b));
    // The owner has removed it, or never wanted it.
    if (!old) return;
    const isHad = had.includes(chapter);
    if (isPinned && !mayReplace(old, chapter, title.keys)) this.#addSelected(release, title);
    else if (!isHad && this.#isBetter(chapter, old, title))
      this.#addSelected(release, title, old.id);
    else {
      if (!isHad) this.#skipForOther(chapter, old);
      this.#addSaved(old, group);
    }
  }

  #isBetter(chapter: Chapter, saved: Chapter, { keys }: SelectedTitle): boolean {
    return (
      (this.options.better === 'replaces' || this.#isOwnersChoice(chapter, saved)) &&
      mayReplace(saved, chapter, keys) &&
      this.#rank(chapter) < this.#rank(saved)
    );
  }

  /** By language, then by group; unwanted releases come last. Lower is better. */
  #rank(chapter: Chapter): number {
    if (this.options.isUnwanted(chapter)) return Number.POSITIVE_INFINITY;
    const { selection } = this.options;
    const { pin, language, group } = rankOf(chapter, selection);
    if (pin < 0) return pin;
    return language * (selection.groups.length + 1) + group;
  }

  #isPinned(chapter: Chapter): boolean {
    return rankOf(chapter, this.options.selection).pin < 0;
  }

  /** Whether the owner asked for a release in place of a saved one. */
  readonly #isOwnersChoice = (chapter: Chapter, saved: Chapter): boolean =>
    this.#isPinned(chapter) || this.options.blocked?.includes(saved.id) === true;

  /** The releases that count as saved; one that is excluded by now counts too. */
  #hadOf({ listed, earlier }: Group): readonly Chapter[] {
    const isRecorded = ({ id }: Chapter) => savedState({ id }, this.files).state === 'recorded';
    return [...listed, ...earlier.filter(isRecorded)].filter(
      (each) => this.#isDownloaded(each) || this.options.countsAsSaved(each),
    );
  }

  #isDownloaded({ id }: Chapter): boolean {
    return savedState({ id }, this.files).state !== 'missing';
  }

  /** A damaged file has its release too. */
  #isSaved(chapter: Chapter): boolean {
    const { library } = this.files;
    return this.#isDownloaded(chapter) || library.findDamaged(chapter.id) !== undefined;
  }

  #skipForOther(chapter: Chapter, saved: Chapter): void {
    const file = this.files.library.find(saved.id)?.file;
    this.#skips.otherSaved.push(skip(chapter, 'other-release-saved', { file, instead: saved }));
  }

  #addSaved(chapter: Chapter, { title }: Group): void {
    if (this.#chosen.has(chapter.id)) return;
    this.#addSelected({ id: chapter.id, chapter, why: 'this release is saved' }, title);
  }

  #addSelected({ id, chapter, why }: Release, title: SelectedTitle, betterThan?: string): void {
    this.#add({ id, chapter, why, title, isNamed: false, betterThan });
  }

  #add(chosen: Chosen): void {
    const { id, chapter, title } = chosen;
    this.#chosen.set(id, { id, chapter, why: chosen.why });
    const isThere = this.#decideFile(chosen);
    if (!isThere || !chapter || !title) return;
    const group = this.#groupOf(chapter, title);
    this.#present.set(group, [...(this.#present.get(group) ?? []), chapter]);
  }

  /** False if the release waits. */
  #decideFile(chosen: Chosen): boolean {
    const change = this.#changeOfOwnFile(chosen);
    if (!change) return true;
    const isOfSaved = change.kind !== 'save' && !isDamaged(change);
    const write = isOfSaved ? change : this.#changeOfNewFile(chosen, change);
    if (write === 'waits') return false;
    if (write) this.#writes.push({ change: write, chosen });
    return true;
  }

  /** What becomes of the file that has the release itself: a damaged one does not. Undefined if it stays. */
  #changeOfOwnFile(chosen: Chosen): UnnamedWrite | undefined {
    const { id, chapter, why } = chosen;
    const { library, saved: records } = this.files;
    const { update: updated, force: forced } = this.options;
    const force = forced !== false;
    const update = typeof updated === 'boolean' ? updated : updated.has(id);
    const release = { id, chapter, why };
    const save = { kind: 'save', release, betterThan: undefined } as const;
    const mayBeReplaced = (file: string) => typeof forced === 'boolean' || forced.has(file);
    const movedIds = chosen.title?.movedIds;
    const saved = savedState({ ...chapter, id }, this.files, movedIds);
    if (saved.state === 'recorded' && !force) {
      this.#skips.files.push(skip(release, 'in-download-archive'));
      return undefined;
    }
    if (saved.state !== 'saved') {
      const file = library.findDamaged(id)?.file;
      if (file === undefined || !mayBeReplaced(file)) return save;
      return replace(release, { file, chapterId: id, saved: {} }, 'damaged');
    }
    const { archive, outdated } = saved;
    const { file, chapterId, version, quality, isBound, ownership } = archive;
    const known = { file, chapterId, saved: records?.get(chapterId) ?? { version, quality } };
    // Another program removed its record: its pages are compared, and it gets one again.
    const isOwn = isOwnChapter(archive);
    const isUnknown = isOwn && (known.saved.version ?? known.saved.pages) === undefined;
    const isReplaced =
      force || (update && (outdated !== undefined || (isUnknown && chapter !== undefined)));
    // A bound file keeps its other chapters: the chapter gets a file of its own.
    if (force && isBound) return save;
    if (update && outdated && isBound && isReadableBook(file))
      return { kind: 'extract', release, book: known, why: outdated, removes: [] };
    if (isReplaced && isOwn && mayBeReplaced(file))
      return replace(release, known, force ? 'forced' : (outdated ?? 'changed'));
    const isFixed = isReplaced && isBound;
    // Without the mark, its version is not known.
    const hasUnknownVersion = !isBound && ownership === 'foreign';
    if (!isFixed && (isReplaced || (update && hasUnknownVersion)) && ownership !== 'own')
      this.#keeps.push({ kind: 'keep', file, chapterId, why: ownership });
    const ifOutdated = isFixed ? 'fixed-book' : 'newer-version';
    this.#skips.files.push(skip(release, outdated ? ifOutdated : 'already-there', { file }));
    return undefined;
  }

  /** What becomes of a release of which no file is whole; undefined if it is skipped. `change`: what becomes of a damaged one. */
  #changeOfNewFile(chosen: Chosen, change: UnnamedWrite): UnnamedWrite | 'waits' | undefined {
    const { release } = change;
    const { library } = this.files;
    const { betterThan } = chosen;
    if (betterThan !== undefined) {
      const old = library.find(betterThan);
      return replaceOther(release, betterThan, old, 'better-release');
    }
    if (!isDamaged(change) || this.options.better !== 'beside') {
      const upload = this.#uploadOf(chosen);
      // A pinned release is saved beside a file that it may not replace.
      const isPinned = release.chapter !== undefined && this.#isPinned(release.chapter);
      if (upload?.kind === 'kept' && !isPinned) {
        const { reason, by } = upload;
        if (reason === 'already-there') this.#known += 1;
        const there = { file: by.archive.file, instead: by.release };
        this.#skips.uploads.push(skip(release, reason, there));
        return undefined;
      }
      if (upload?.kind === 'replaces') {
        const { archive } = upload;
        return replaceOther(release, archive.chapterId, archive, 'uploaded-again');
      }
    }
    const untilMs = this.#waitsUntilMs(chosen);
    if (untilMs <= this.options.nowMs) return change;
    this.#waits.push({ kind: 'wait', release, untilMs });
    return 'waits';
  }

  /** Undefined if no file has another upload of the chapter. */
  #uploadOf({ id, chapter, title, isNamed }: Chosen) {
    const { history } = this.files;
    const isNew = !isNamed && history?.has(id) !== true;
    if (!chapter || !title || !isNew) return undefined;
    return decideUpload(chapter, title.uploads, this.#replaceRules(title));
  }

  #replaceRules({ keys }: SelectedTitle): ReplaceRules {
    const { selection, better, update, force } = this.options;
    const ofBeside = update === true || force !== false ? 'deleted' : 'none';
    const ofInPlace = better === 'replaces' ? 'all' : 'none';
    const replaces = better === 'beside' ? ofBeside : ofInPlace;
    return { selection, keys, isOwnersChoice: this.#isOwnersChoice, replaces };
  }

  /** Until when the chapter waits for the first of the preferred groups; 0 if this is its release. */
  #waitsUntilMs({ chapter, title, isNamed }: Chosen): number {
    const { selection, waitForGroupMs } = this.options;
    const [preferred] = selection.groups;
    if (preferred === undefined || waitForGroupMs === 0 || !chapter || !title || isNamed) return 0;
    if (this.#isPinned(chapter)) return 0;
    if (chapter.groups.some((group) => isInGroup(group, preferred))) return 0;
    const inLanguages = this.#groupOf(chapter, title).listed.filter((each) =>
      isInLanguages(each, selection.languages),
    );
    return minOf(inLanguages.map(firstReadableMs)) + waitForGroupMs;
  }

  /** Releases that are not selected: those that the service does not have, and those that a person may miss. */
  #decideExcluded(title: SelectedTitle): void {
    const { library } = this.files;
    for (const { chapter, reason } of title.excluded) {
      const { id } = chapter;
      if (isUnavailable(reason)) {
        if (this.options.countsAsSaved(chapter) && !this.#isDownloaded(chapter)) continue;
        const group = this.#groupOf(chapter, title);
        const instead = group.selected[0]?.chapter ?? this.#hadOf(group)[0];
        const file = library.find(id)?.file;
        this.#skips.unavailable.push(skip(chapter, reason, { file, instead }));
      }
      if (reason !== 'other-release') continue;
      const there = this.#present.get(this.#groupOf(chapter, title)) ?? [];
      const instead = there.find((each) => mayBeTwo(each, chapter));
      if (!instead || this.#chosen.has(id) || this.#isDownloaded(chapter)) continue;
      const file = library.find(instead.id)?.file;
      this.#skips.leftOut.push(skip(chapter, 'other-release-saved', { file, instead }));
    }
  }

  /** Files of releases that are not selected, unless they make way for others. */
  #updateOthers(title: SelectedTitle): void {
    const { update } = this.options;
    if (typeof update === 'boolean') return;
    const replaced = new Set(this.#writes.map(({ change }) => replacedRelease(change)));
    for (const chapter of title.releases) {
      const { id } = chapter;
      if (!update.has(id) || this.#chosen.has(id) || replaced.has(id)) continue;
      this.#addSelected({ id, chapter, why: 'it changed on MangaDex' }, title);
    }
  }

  /** Files of deleted chapters go where a saved one has their number by now. */
  #writesWithRemoved(): readonly UnnamedWrite[] {
    const removed = new Map<string, OldFile>();
    for (const [title, writes] of groupBy(this.#writes, ({ chosen }) => chosen.title))
      for (const [id, { file, chapterId }] of title ? this.#supersededIn(title, writes) : [])
        removed.set(id, { file, chapterId });
    return this.#writes.map(({ change }) => {
      const old = removed.get(change.release.id);
      return old && change.kind !== 'save' ? { ...change, removes: [old] } : change;
    });
  }

  #supersededIn(
    title: SelectedTitle,
    writes: readonly { readonly change: UnnamedWrite }[],
  ): ReadonlyMap<string, FoundChapter> {
    const { library, archived } = this.files;
    const taken = new Set<string>();
    const changing = new Map<string, ChangedChapter>();
    for (const { change } of writes) {
      if (change.kind === 'save') continue;
      const { id, chapter } = change.release;
      const archive = library.find(id);
      if (change.kind === 'replace' && replacedRelease(change) !== undefined)
        taken.add(change.file.file);
      else if (chapter && archive)
        changing.set(id, { chapter, archive, archived: archived?.get(id) });
    }
    if (typeof this.options.force !== 'boolean' || changing.size === 0) return new Map();
    return findSuperseded(
      title.releases.flatMap(({ id }) => changing.get(id) ?? []),
      title.uploads.filter(({ archive }) => !taken.has(archive.file)),
      this.#replaceRules(title),
    );
  }
}

function isDamaged(change: UnnamedWrite): boolean {
  return change.kind === 'replace' && change.why === 'damaged';
}

function replace(release: Release, file: KnownFile, why: ReplaceReason): UnnamedWrite {
  return { kind: 'replace', release, file, why, removes: [] };
}

/** A book keeps the other release until it is bound again, and a file that is not tankobon's own stays. */
function replaceOther(
  release: Release,
  chapterId: string,
  archive: FoundChapter | undefined,
  why: 'uploaded-again' | 'better-release',
): UnnamedWrite {
  if (!archive || !isOwnChapter(archive))
    return { kind: 'save', release, betterThan: { chapterId, file: archive?.file, why } };
  const { file, version, quality } = archive;
  return replace(release, { file, chapterId: archive.chapterId, saved: { version, quality } }, why);
}

/** A release without a time counts as old. */
export function firstReadableMs({ readableAt, publishAt, createdAt }: Chapter): number {
  return (readableAt ?? publishAt ?? createdAt)?.getTime() ?? 0;
}

export function writesOf(changes: readonly Decision[]): readonly UnnamedWrite[] {
  return changes.filter(isWrite);
}
