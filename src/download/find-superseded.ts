/**
 * Files of chapters that the service deleted, and whose number a saved chapter gets now: that one takes their place, since
 * otherwise two files of one number would be left.
 */
import type { Chapter } from '../service/chapters.js';
import { readFileChapters, type FileChapter } from '../library/file.js';
import { shortIdPath } from '../library/names.js';
import type { ExistingArchive, LibraryIndex } from '../library/scan.js';
import { numberKey } from '../selection/reading-order.js';
import { haveOtherVolumes, mayReplace } from '../selection/same-chapter.js';
import { rankOf } from '../selection/select-chapters.js';
import {
  groupsOf,
  isAlternative,
  type EarlierUpload,
  type UploadRules,
} from './earlier-uploads.js';

/** `changed`: saved chapters that get other metadata, or other pages. Pairs of their archives and those that make way. */
export async function findSuperseded(
  changed: readonly Chapter[],
  uploads: readonly EarlierUpload[],
  library: LibraryIndex,
  { selection, keys }: Pick<UploadRules, 'selection' | 'keys'>,
): Promise<readonly (readonly [saved: ExistingArchive, old: ExistingArchive])[]> {
  const found: (readonly [ExistingArchive, ExistingArchive])[] = [];
  const free = new Set(uploads.filter(isReplaceable));
  for (const chapter of free.size === 0 ? [] : changed) {
    const old = [...free].find(
      (upload) =>
        mayReplace(upload.release, chapter, keys) &&
        isNotBetter(upload.release, chapter, selection),
    );
    const saved = library.find(chapter.id);
    if (!old || !saved || !(await isSuccessor(saved, chapter, old))) continue;
    found.push([saved, old.archive]);
    free.delete(old);
  }
  return found;
}

/** A number that its owner gave it stays with it. */
function isReplaceable({ archive, isDeleted, hasOwnNumber }: EarlierUpload): boolean {
  return isDeleted && !hasOwnNumber && !archive.isBound && archive.ownership === 'own';
}

function isNotBetter(
  earlier: Chapter,
  chapter: Chapter,
  selection: UploadRules['selection'],
): boolean {
  return (
    earlier.language === chapter.language &&
    isAlternative(chapter, earlier, selection) &&
    rankOf(chapter, selection).group <= rankOf(earlier, selection).group
  );
}

async function isSuccessor(
  { file, chapterId }: ExistingArchive,
  chapter: Chapter,
  old: EarlierUpload,
): Promise<boolean> {
  const archived = await readFileChapters(file);
  const found = archived.find(({ identity }) => identity?.chapterId === chapterId);
  // A file that was saved without metadata could not take over the edits of the other one.
  if (found?.metadata.series === undefined) return false;
  return isNamedBeside(file, chapter, old) || isRenumbered(found, chapter);
}

/** Whether `retag` gave the file the number, and the name with the id of the chapter, since the other one had the plain name. */
function isNamedBeside(file: string, chapter: Chapter, { archive, release: old }: EarlierUpload) {
  const beside = shortIdPath({ chapterId: chapter.id, path: archive.file });
  return file === beside && groupsOf(chapter) === groupsOf(old);
}

/** Whether its file has another number or volume, which the owner did not change. */
function isRenumbered({ metadata, written = metadata }: FileChapter, chapter: Chapter) {
  const { number, volume } = written;
  if (metadata.number !== number) return false;
  return (
    numberKey(number) !== numberKey(chapter.number) ||
    haveOtherVolumes({ volume, title: undefined }, chapter)
  );
}
