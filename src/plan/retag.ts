/**
 * What becomes of the metadata and the name of a file whose pages stay: the decision of `retag`, and of a chapter of which
 * `--update` and `upgrade` find the same pages. Pure.
 */
import { resolve } from 'node:path';
import { groupBy } from '../core/group-by.js';
import { mayBeRewritten } from '../library/ownership.js';
import { shortIdPath, wholeIdPath } from '../config/names.js';
import type { FoundChapter } from '../library/file.js';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import type { Retag, UpToDate } from './change.js';
import { mayHaveChanged, type SavedChapter } from './chapter-changes.js';

/** A file of one chapter, and what the service has of that. */
export interface ChapterOfFile {
  readonly archive: FoundChapter;
  readonly chapter: Chapter;
  readonly title: Title;
  /** The service moved the chapter from the title that the file names. */
  readonly isMoved: boolean;
}

export interface FilesToCompare {
  readonly compared: readonly ChapterOfFile[];
  /** The number of files whose chapter, or its title, the service does not list. */
  readonly notListed: number;
  /** The number of chapters that changed, and that only books have. */
  readonly changedInBooks: number;
}

/** The files whose metadata are compared with those of the service: tankobon's own, of one chapter each. */
export function filesToCompare(
  archives: readonly FoundChapter[],
  chapters: ReadonlyMap<string, Chapter>,
  titles: ReadonlyMap<string, Title>,
): FilesToCompare {
  const own = archives.filter(({ isBound, ownership }) => !isBound && mayBeRewritten(ownership));
  const compared = own.flatMap((archive): ChapterOfFile[] => {
    const chapter = chapters.get(archive.chapterId);
    // Without its title, a chapter would lose the series.
    const title = titles.get(chapter?.titleId ?? '');
    if (!chapter || !title) return [];
    return [{ archive, chapter, title, isMoved: isMoved(archive, title.id, titles) }];
  });
  const notListed = own.length - compared.length;
  return { compared, notListed, changedInBooks: changedInBooks(archives, chapters) };
}

/** A title that the service does not list any more was merged into the other one, which keeps its folder. */
function isMoved(
  { titleId: old }: FoundChapter,
  titleId: string,
  titles: ReadonlyMap<string, Title>,
): boolean {
  return old !== undefined && old !== titleId && titles.has(old);
}

function changedInBooks(
  archives: readonly FoundChapter[],
  chapters: ReadonlyMap<string, Chapter>,
): number {
  const inFiles = new Set(archives.flatMap((each) => (each.isBound ? [] : [each.chapterId])));
  const changed = archives.filter(({ chapterId, version, isBound, ownership }) => {
    const chapter = chapters.get(chapterId);
    const isOnlyInBook = isBound && ownership === 'own' && !inFiles.has(chapterId);
    return isOnlyInBook && chapter !== undefined && mayHaveChanged({ version }, chapter);
  });
  return new Set(changed.map(({ chapterId }) => chapterId)).size;
}

/** A file with the metadata that the service has, and the name that follows from these. */
export interface ComparedFile extends Pick<
  Retag,
  | 'file'
  | 'chapter'
  | 'title'
  | 'removes'
  | 'state'
  | 'metadata'
  | 'force'
  | 'to'
  | 'root'
  | 'recorded'
  | 'maxNameBytes'
> {
  /** What the metadata of the service change in the file; undefined for one without metadata. */
  readonly merged: Pick<Retag, 'changed' | 'edited' | 'unknown'> | undefined;
  /** What the file says of its chapter; undefined in one of an older tankobon, whose mark has the version alone. */
  readonly record: SavedChapter | undefined;
  readonly version: number | undefined;
  readonly isMoved: boolean;
  /** The pages were compared with those of the service: the file gets the chapter's version and time. */
  readonly hasComparedPages: boolean;
}

/** A file without metadata gets none. */
export function decideRetag(compared: ComparedFile): Retag | UpToDate {
  const { merged, record, version, isMoved, hasComparedPages, ...onDisk } = compared;
  const { file, chapter, title, removes, to } = onDisk;
  const { changed, edited, unknown } = merged ?? { changed: [], edited: [], unknown: [] };
  const now = hasComparedPages ? chapter : withOldTime(chapter, record);
  const revision = now && !isSameRevision(now, record) ? now : undefined;
  const mayHaveOtherPages = !hasComparedPages && mayHaveChanged(record ?? { version }, chapter);
  const from = resolve(file);
  const isUnchanged = changed.length === 0 && to === from && removes.length === 0;
  if (isUnchanged && !revision && !isMoved)
    return { kind: 'keep', file, why: 'up-to-date', edited, unknown, title, mayHaveOtherPages };
  const newTitleId = isMoved ? title.id : undefined;
  const change = { changed, edited, unknown, mayHaveOtherPages, revision, newTitleId };
  return { kind: 'retag', ...onDisk, from, ...change };
}

/** The time stays where pages were not compared: from its difference, `--update` knows that it has to compare them. */
function withOldTime(chapter: Chapter, { version = 0, updatedAt }: SavedChapter = {}) {
  const isLater = (chapter.updatedAt?.getTime() ?? 0) > (updatedAt?.getTime() ?? Infinity);
  return isLater && chapter.version > version ? { ...chapter, updatedAt } : undefined;
}

function isSameRevision({ version, updatedAt }: Chapter, record?: SavedChapter): boolean {
  return record?.version === version && record.updatedAt?.getTime() === updatedAt?.getTime();
}

/** What is reported of a file that stays as it is: nothing, unless the service has other metadata than its owner. */
export function keptInUnchanged({ edited, unknown }: Pick<Retag, 'edited' | 'unknown'>) {
  return edited.length > 0 ? [...edited, ...unknown] : [];
}

/** Without the files that a killed run has given their new name already, and that still have the old one too. */
export function withoutSecondNames(retags: readonly Retag[]): readonly Retag[] {
  const byFile = groupBy(retags, ({ chapter, state }) => `${chapter.id} ${state.dev} ${state.ino}`);
  const second = new Set<Retag>();
  for (const names of byFile.values())
    for (const each of names.length > 1 ? names : []) {
      const { chapter, from, to } = each;
      const target = { chapterId: chapter.id, path: to };
      const newNames = [to, shortIdPath(target, each), wholeIdPath(target, each)];
      for (const other of from === to ? [] : names)
        if (other.from !== from && newNames.includes(other.from)) second.add(other);
    }
  return retags.filter((retag) => !second.has(retag));
}
