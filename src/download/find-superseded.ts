/**
 * Files of chapters that the service deleted, and whose number a saved chapter gets now: that one takes their place, since
 * otherwise two files of one number would be left.
 */
import type { Chapter } from '../api/chapters.js';
import { readArchivedChapters } from '../cbz/archived-chapters.js';
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
  type UploadsDeps,
} from './earlier-uploads.js';
import type { ChosenChapter } from './plan-selection.js';

/** By the ids of the chapters that take their place. `changed`: saved chapters that get other metadata, or other pages. */
export async function findSuperseded(
  changed: readonly ChosenChapter[],
  { titles, series }: Pick<Resolution, 'titles' | 'series'>,
  library: LibraryIndex,
  selection: SelectionOptions,
  deps: UploadsDeps,
): Promise<ReadonlyMap<string, ExistingArchive>> {
  const superseded = new Map<string, ExistingArchive>();
  const chapters = new Map(changed.flatMap(({ id, chapter }) => (chapter ? [[id, chapter]] : [])));
  for (const { titleId, chapters: listed } of series) {
    const title = titles.get(titleId);
    const added = listed.flatMap(({ id }) => chapters.get(id) ?? []);
    if (!title || added.length === 0) continue;
    const uploads = await readEarlierUploads({ title, added, listed, library }, deps);
    const free = new Set(uploads.filter(isReplaceable));
    for (const chapter of free.size === 0 ? [] : added) {
      const keyOf = (each: Chapter) => chapterKey(each, title.numbersRestart);
      const old = [...free].find(
        (upload) =>
          keyOf(upload.chapter) === keyOf(chapter) && isNotBetter(upload, chapter, selection),
      );
      const file = library.find(chapter.id)?.file;
      if (!old || file === undefined) continue;
      if (!isNamedBeside(file, chapter, old) && !(await isRenumbered(file, chapter, keyOf)))
        continue;
      superseded.set(chapter.id, old.archive);
      free.delete(old);
    }
  }
  return superseded;
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

/** Whether `retag` gave the file the number, and the name with the id of the chapter, since the other one had the plain name. */
function isNamedBeside(file: string, chapter: Chapter, { archive, chapter: old }: EarlierUpload) {
  const beside = shortIdPath({ chapterId: chapter.id, path: archive.file });
  return file === beside && groupsOf(chapter) === groupsOf(old);
}

/** Whether its file has another number, which the owner did not change. */
async function isRenumbered(
  file: string,
  chapter: Chapter,
  keyOf: (chapter: Chapter) => string,
): Promise<boolean> {
  const archived = await readArchivedChapters(file);
  const found = archived.find(({ chapterId }) => chapterId === chapter.id);
  const { number, volume } = found?.written ?? found?.metadata ?? {};
  if (!found || found.metadata.number !== number) return false;
  return keyOf({ ...chapter, number, volume }) !== keyOf(chapter);
}
