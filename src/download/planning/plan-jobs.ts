/** A job for each chapter that is written. Pure. */
import type { Chapter } from '../../service/chapters.js';
import type { Title } from '../../service/titles.js';
import { chapterComment } from '../../library/mark.js';
import type { KeepOptions } from '../../library/replaced-files.js';
import { replacedFile, type Write } from '../../plan/change.js';
import { chapterFields } from '../../selection/chapter-fields.js';
import { chapterName } from '../../events/chapter-fields.js';
import type { Resolution } from '../../selection/resolve-targets.js';
import type { ChapterJob } from '../save/chapter.js';
import { nameValues, withInferredVolume } from './comic-metadata.js';
import { describeChapter } from '../save/describe-chapter.js';
import type { DownloadRequest } from '../download-request.js';
import { findTitle, withHome, type Naming } from './name-files.js';

export interface PlannedChapter {
  readonly job: ChapterJob;
  readonly chapter: Chapter | undefined;
  /** For people; undefined without metadata. */
  readonly seriesName: string | undefined;
  /** The values for a template, once more when the title is loaded; undefined without metadata. */
  readonly nameValues: ((title: Title | undefined) => ReturnType<typeof nameValues>) | undefined;
  /** With its people and covers, once they are loaded. Never rejects. */
  readonly title: Promise<Title | undefined>;
}

export interface JobOptions
  extends
    Naming,
    Pick<Resolution, 'loadedTitles'>,
    Pick<
      DownloadRequest,
      | 'quality'
      | 'lostPages'
      | 'force'
      | 'volumeField'
      | 'titleField'
      | 'localizedSeries'
      | 'filesToReplace'
      | 'lostMarks'
    > {
  /** How replaced files are kept. */
  readonly keep: KeepOptions;
}

export function planJobs(writes: readonly Write[], options: JobOptions): readonly PlannedChapter[] {
  return writes.map((change) => planJob(change, options));
}

function planJob(change: Write, options: JobOptions): PlannedChapter {
  const { output, quality, lostPages, metadata, loadedTitles, titles, force = false } = options;
  const { release, path } = change;
  const { id, chapter } = release;
  const seriesName = findTitle(titles, chapter)?.name;
  // The files have the name that the title had when its folder was made.
  const series = change.kind === 'save' ? undefined : change.series;
  const asInFolder = (title: Title | undefined) =>
    title && series !== undefined ? { ...title, name: series } : withHome(title, chapter, options);
  const title = loadedTitles.then((loaded) => asInFolder(findTitle(loaded.titles, chapter)));
  const isDamaged = change.kind === 'replace' && change.why === 'damaged';
  const job: ChapterJob = {
    id,
    name: chapter && chapterName(chapterFields(chapter, seriesName)),
    file: path,
    output,
    quality,
    lostPages,
    change,
    isForced: force,
    maxNameBytes: options.library.maxNameBytes,
    replacedState: options.filesToReplace?.get(replacedFile(change)?.file ?? path),
    hasLostMark: isDamaged || options.lostMarks?.has(path) === true,
    keep: options.keep,
    comment: chapterComment(id),
    describe: async (pages, inferredVolume) =>
      describeChapter({
        id,
        quality,
        chapter: chapter && withInferredVolume(chapter, inferredVolume),
        pages,
        named: chapter && metadata ? { title: await title, recorded: change.recorded } : undefined,
        fields: options,
        book: change.kind === 'extract' ? change.book.file : undefined,
        // A repair writes the files anew, and its owner's edits stay.
        editedFiles: force && !options.filesToReplace ? [] : editedFiles(change),
      }),
  };
  const valuesOf =
    chapter && ((loaded: Title | undefined) => nameValues(chapter, loaded ?? chapter.partialTitle));
  return { job, chapter, seriesName, nameValues: valuesOf, title };
}

/** The edits in an older upload are the owner's too. */
function editedFiles(change: Write): readonly string[] {
  if (change.kind === 'save') return [];
  const others = change.removes.map(({ file }) => file);
  return change.kind === 'replace' ? [change.file.file, ...others] : others;
}
