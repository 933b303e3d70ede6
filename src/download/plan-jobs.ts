/** Compares the selected chapters with the existing archives, and plans a job for each missing one. Pure. */
import { dirname, join, relative, sep } from 'node:path';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { distinctPaths, type FormatFileName } from '../library/names.js';
import { pathCollisionKey } from '../core/path-segment.js';
import { formatIdentityComment } from '../library/mark.js';
import { type ExistingArchive, type LibraryIndex, type UnreadableFile } from '../library/scan.js';
import { isReadableBook } from '../library/file.js';
import type { KeepOptions } from '../library/replaced-files.js';
import { chapterFields, chapterName } from '../selection/chapter-fields.js';
import type { Resolution } from '../selection/resolve-targets.js';
import type { ChapterJob } from './chapter.js';
import { nameValues, titleIdOf, withInferredVolume } from './comic-metadata.js';
import { describeChapter } from './describe-chapter.js';
import type { DownloadRequest } from './download-request.js';
import type { ChosenChapter, SkippedChapter } from './plan-selection.js';
import { savedState, type KnownChapters } from './saved-state.js';
import type { TitleHome } from './title-home.js';

export interface PlannedChapter {
  readonly job: ChapterJob;
  readonly chapter: Chapter | undefined;
  /** For people; undefined without metadata. */
  readonly seriesName: string | undefined;
  /** With its people and covers, once they are loaded. Never rejects. */
  readonly title: Promise<Title | undefined>;
  /** Its archive, if the pages are compared with those of the service before they are loaded. */
  readonly compared: ExistingArchive | undefined;
  /** Why this release was selected, for people. */
  readonly why: string;
  /** The file at the path that the chapter would have. It cannot be read, and is kept. */
  readonly unreadable: UnreadableFile | undefined;
}

export interface JobOptions extends Pick<
  DownloadRequest,
  | 'output'
  | 'quality'
  | 'force'
  | 'metadata'
  | 'volumeField'
  | 'titleField'
  | 'localizedSeries'
  | 'folderTemplate'
  | 'filesToReplace'
  | 'lostMarks'
> {
  /** Archives of other releases whose names may be taken over, by the id of the chapter that replaces each. */
  readonly replacements?: ReadonlyMap<string, ExistingArchive>;
  /** Archives of deleted chapters that make way, by the id of the chapter that gets the number of each. */
  readonly superseded?: ReadonlyMap<string, ExistingArchive>;
  /** Returns a chapter's path below the output folder. */
  readonly nameChapter: FormatFileName;
  /** Where the chapters of titles are, by the title's id. */
  readonly homes?: ReadonlyMap<string, TitleHome>;
  /** How replaced files are kept. */
  readonly keep: KeepOptions;
}

/**
 * Which chapters are missing or to be compared, and which are skipped; `finished` has the ids of those that did not change,
 * `kept` the archives that might be replaced if they were tankobon's own.
 */
export function compareWithLibrary(
  selected: readonly ChosenChapter[],
  known: KnownChapters,
  {
    force = false,
    update,
    filesToReplace,
  }: Pick<DownloadRequest, 'force' | 'update' | 'filesToReplace'>,
) {
  const missing: ChosenChapter[] = [];
  const skipped: SkippedChapter[] = [];
  const finished: string[] = [];
  const kept: ExistingArchive[] = [];
  for (const chosen of selected) {
    const { id, chapter } = chosen;
    const saved = savedState({ ...chapter, id }, known);
    if (saved.state !== 'saved') {
      const damaged = known.library.findDamaged(id)?.file;
      if (saved.state !== 'missing' && !force) skipped.push({ id, reason: 'in-download-archive' });
      else if (damaged === undefined || filesToReplace?.has(damaged) === false)
        missing.push(chosen);
      else missing.push({ ...chosen, replaces: damaged, isDamaged: true });
      continue;
    }
    const { archive, isOutdated } = saved;
    const isReplaced = force || (isOutdated && update);
    const { version, quality } = archive;
    const compared = force
      ? undefined
      : { archive, saved: known.saved?.get(archive.chapterId) ?? { version, quality } };
    if (isReplaced && archive.isBound && (force || isReadableBook(archive.file)))
      // A bound file keeps its other chapters: the chapter gets a file of its own.
      missing.push({ ...chosen, compared });
    else if (
      isReplaced &&
      !archive.isBound &&
      archive.ownership === 'own' &&
      (filesToReplace?.has(archive.file) ?? true)
    )
      missing.push({ ...chosen, replaces: archive.file, compared });
    else {
      // Without the mark, its version is not known.
      const hasUnknownVersion = !archive.isBound && archive.ownership === 'foreign';
      const isFixed = isReplaced && archive.isBound;
      if (!isFixed && (isReplaced || (update && hasUnknownVersion))) kept.push(archive);
      const outdated = isFixed ? ('fixed-book' as const) : ('newer-version' as const);
      skipped.push({ id, reason: isOutdated ? outdated : 'already-there', file: archive.file });
      // The pages of an unfinished update are kept.
      if (!isOutdated) finished.push(id);
    }
  }
  return { missing, skipped, finished, kept };
}

/** One job for each of `selected`, with a path that no other chapter has. */
export function planJobs(
  selected: readonly ChosenChapter[],
  library: LibraryIndex,
  { titles, loadedTitles }: Pick<Resolution, 'titles' | 'loadedTitles'>,
  options: JobOptions,
): PlannedChapter[] {
  const { output, quality, metadata } = options;
  const findTitle = (known: ReadonlyMap<string, Title>, chapter: Chapter | undefined) =>
    known.get(titleIdOf(chapter) ?? '') ?? chapter?.partialTitle;
  const homeOf = (chapter: Chapter | undefined) => options.homes?.get(titleIdOf(chapter) ?? '');
  const withHome = (title: Title | undefined, chapter: Chapter | undefined) =>
    title && { ...title, name: homeOf(chapter)?.series ?? title.name };
  const pathOf = (chapter: Chapter): string => {
    const title = withHome(findTitle(titles, chapter), chapter);
    const path = options.nameChapter(nameValues(chapter, title));
    return homeOf(chapter)?.place(path) ?? path;
  };
  const templatePaths = selected.map(({ id, chapter }) =>
    chapter && metadata ? pathOf(chapter) : `${id}.cbz`,
  );
  const candidates = selected.map(({ id, replaces, renamed }, index) => {
    const existing = renamed?.file ?? replaces;
    const path = existing === undefined ? templatePaths[index] : pathBelow(output, existing);
    return { chapterId: id, path: path ?? '' };
  });
  const superseded = [...(options.superseded?.values() ?? [])].map(({ file }) => file);
  const replaced = new Set([...selected.map(({ replaces }) => replaces), ...superseded]);
  // Also by a file that tankobon did not write.
  const isTaken = (path: string) =>
    library.filesAt(join(output, path)).some((file) => !replaced.has(file));
  const paths = distinctPaths(candidates, isTaken);
  const unreadable = new Map(
    library.damaged.map((damaged) => [pathCollisionKey(pathBelow(output, damaged.file)), damaged]),
  );
  return selected.map((chosen, index) => {
    const { id, chapter, why, replaces, renamed, compared, isDamaged = false } = chosen;
    const file = renamed?.file ?? replaces ?? join(output, paths[index] ?? `${id}.cbz`);
    const templatePath = templatePaths[index] ?? '';
    // The files have the name that the title had when its folder was made.
    const asInFolder = (title: Title | undefined) =>
      title && renamed ? { ...title, name: renamed.series } : withHome(title, chapter);
    const seriesName = findTitle(titles, chapter)?.name;
    const old = options.superseded?.get(id);
    const title = loadedTitles.then((loaded) => findTitle(loaded.titles, chapter));
    const job: ChapterJob = {
      id,
      name: chapter && chapterName(chapterFields(chapter, seriesName)),
      file,
      output,
      quality,
      replace:
        options.force === true || isDamaged || (replaces !== undefined && compared !== undefined),
      replaces,
      replacesChapter: options.replacements?.get(id)?.chapterId,
      supersedes: old && { ...old, keep: options.keep },
      replacedState: options.filesToReplace?.get(replaces ?? file),
      hasLostMark: isDamaged || options.lostMarks?.has(file),
      isDamaged,
      keep: options.keep,
      comment: formatIdentityComment({
        chapterId: id,
        titleId: titleIdOf(chapter),
        quality,
        version: chapter?.version,
      }),
      describe: async (pages, inferredVolume) => {
        // A file that is replaced may be where an earlier template put it.
        const isPlaced = dirname(file) === dirname(join(output, templatePath));
        const home = homeOf(chapter) ?? options;
        const folderTemplate = isPlaced ? home.folderTemplate : undefined;
        const named =
          chapter && metadata ? { title: asInFolder(await title), folderTemplate } : undefined;
        // The edits of an older upload are the owner's too.
        const edited = [replaces, old?.file];
        return describeChapter({
          id,
          quality,
          chapter: chapter && withInferredVolume(chapter, inferredVolume),
          pages,
          named,
          fields: options,
          book: compared?.archive.isBound ? compared.archive.file : undefined,
          editedFiles: options.force === true ? [] : edited.filter((each) => each !== undefined),
        });
      },
      hasSamePages:
        compared &&
        (async (delivered) => {
          const { comparePages } = await import('./read-saved.js');
          return comparePages(compared, delivered, quality);
        }),
    };
    return {
      job,
      chapter,
      seriesName,
      title: title.then(asInFolder),
      compared: compared?.archive,
      why,
      unreadable:
        replaces === undefined ? unreadable.get(pathCollisionKey(templatePath)) : undefined,
    };
  });
}

/** Why a chapter is loaded, and what becomes of the file that has it. */
export function whyLoaded({ why, job, compared }: PlannedChapter): string {
  const { replaces, replacesChapter, supersedes, isDamaged } = job;
  if (isDamaged) return `its file is damaged, and is kept beside the new one: ${replaces ?? ''}`;
  const others = supersedes ? ` and ${supersedes.file}` : '';
  if (compared?.isBound)
    return `its pages changed on MangaDex; binding puts it into the book in place of the old one: ${compared.file}`;
  if (compared) return `its pages changed on MangaDex; it replaces ${compared.file}${others}`;
  return replacesChapter === undefined ? why : `uploaded again; it replaces ${replaces ?? ''}`;
}

/** With `/` between folders. */
function pathBelow(output: string, file: string): string {
  return relative(output, file).split(sep).join('/');
}
