/**
 * Files of chapters that the service deleted, and whose number a saved chapter gets now: that one takes their place, since
 * otherwise two files of one number would be left.
 */
import type { Chapter } from '../api/chapters.js';
import { readArchivedChapters, type ArchivedChapter } from '../cbz/archived-chapters.js';
import { shortIdPath } from '../cbz/file-name.js';
import type { ExistingArchive, LibraryIndex } from '../cbz/library-index.js';
import { chapterKey } from '../selection/reading-order.js';
import type { Resolution } from '../selection/resolve-targets.js';
import { rankOf, type SelectionOptions } from '../selection/select-chapters.js';
import {
  groupsOf,
  isAlternative,
  readEarlierUploads,
  type EarlierUpload,
} from './earlier-uploads.js';
import type { DownloadSession } from './download-session.js';
import type { ChosenChapter } from './plan-selection.js';

/** By the ids of the chapters that take their place. */
export type ReplacedArchives = ReadonlyMap<string, ExistingArchive>;

/**
 * `changed`: saved chapters that get other metadata, or other pages. One in a book gets a file of its own, which is added
 * to `replaced`, what other chapters replace.
 */
export async function findSuperseded(
  changed: readonly ChosenChapter[],
  { titles, series }: Pick<Resolution, 'titles' | 'series'>,
  library: LibraryIndex,
  replaced: ReplacedArchives,
  session: DownloadSession,
): Promise<{ readonly superseded: ReplacedArchives; readonly replacements: ReplacedArchives }> {
  const { selection } = session.request;
  const superseded = new Map<string, ExistingArchive>();
  const replacements = new Map(replaced);
  const chapters = new Map(changed.flatMap(({ id, chapter }) => (chapter ? [[id, chapter]] : [])));
  for (const { titleId, chapters: listed } of series) {
    const title = titles.get(titleId);
    const added = listed.flatMap(({ id }) => chapters.get(id) ?? []);
    if (!title || added.length === 0) continue;
    const uploads = await readEarlierUploads({ title, added, listed, library }, session);
    const taken = new Set([...replaced.values()].map(({ file }) => file));
    const free = new Set(
      uploads.filter((each) => isReplaceable(each) && !taken.has(each.archive.file)),
    );
    for (const chapter of free.size === 0 ? [] : added) {
      const keyOf = (each: Chapter) => chapterKey(each, title.numbersRestart);
      const old = [...free].find(
        (upload) =>
          keyOf(upload.chapter) === keyOf(chapter) && isNotBetter(upload, chapter, selection),
      );
      const saved = library.find(chapter.id);
      if (!old || !saved || !(await isSuccessor(saved, chapter, old, keyOf))) continue;
      (saved.isBound ? replacements : superseded).set(chapter.id, old.archive);
      free.delete(old);
    }
  }
  return { superseded, replacements };
}

/** A number that its owner gave it stays with it. */
function isReplaceable({ archive, isRenumbered: isListed, hasOwnNumber }: EarlierUpload): boolean {
  return !isListed && !hasOwnNumber && !archive.isBound && archive.ownership === 'own';
}

function isNotBetter(upload: EarlierUpload, chapter: Chapter, selection: SelectionOptions) {
  const { chapter: earlier } = upload;
  return (
    earlier.language === chapter.language &&
    isAlternative(chapter, upload, selection) &&
    rankOf(chapter, selection).group <= rankOf(earlier, selection).group
  );
}

async function isSuccessor(
  { file, chapterId }: ExistingArchive,
  chapter: Chapter,
  old: EarlierUpload,
  keyOf: (chapter: Chapter) => string,
): Promise<boolean> {
  const archived = await readArchivedChapters(file);
  const found = archived.find((each) => each.chapterId === chapterId);
  // A file that was saved without metadata could not take over the edits of the other one.
  if (found?.metadata.series === undefined) return false;
  return isNamedBeside(file, chapter, old) || isRenumbered(found, chapter, keyOf);
}

/** Whether `retag` gave the file the number, and the name with the id of the chapter, since the other one had the plain name. */
function isNamedBeside(file: string, chapter: Chapter, { archive, chapter: old }: EarlierUpload) {
  const beside = shortIdPath({ chapterId: chapter.id, path: archive.file });
  return file === beside && groupsOf(chapter) === groupsOf(old);
}

/** Whether its file has another number, which the owner did not change. */
function isRenumbered(
  { metadata, written = metadata }: ArchivedChapter,
  chapter: Chapter,
  keyOf: (chapter: Chapter) => string,
): boolean {
  const { number, volume } = written;
  return metadata.number === number && keyOf({ ...chapter, number, volume }) !== keyOf(chapter);
}
