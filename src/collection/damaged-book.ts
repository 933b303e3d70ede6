/** What is left of a damaged book: its chapters by its manifest, or by the metadata in its folders. */
import { dirname, join } from 'node:path';
import { COMIC_INFO_NAME } from '../library/comic-info.js';
import { lostBook, readFileChapters, readLibraryFile, type BookFile } from '../library/file.js';
import type { CbzIdentity } from '../library/mark.js';
import { sortPages } from '../config/names.js';
import { readdirIfReadable } from '../core/read-folder.js';
import { isAccessError } from '../core/system-errors.js';
import { shellQuoted } from '../core/shell-quoted.js';
import { UUID_PATTERN } from '../core/uuid.js';

const TITLE_ADDRESS = new RegExp(`<Web>[^<]*/title/(${UUID_PATTERN})[^<]*</Web>`);

/** Why a book is not rebuilt, as the end of a sentence, and the command that may help. */
export interface NotRebuildable {
  readonly reason: string;
  readonly hint?: string | undefined;
}

/**
 * Undefined for anything but a book of `bind`. `known`: the chapters that the book had when an earlier scan or check read
 * it, which count if its manifest is lost; they have nothing but their identity. Throws why a file cannot be opened or read.
 */
export async function readDamagedBook(
  path: string,
  known: readonly CbzIdentity[],
): Promise<BookFile | NotRebuildable | undefined> {
  const file = await readLibraryFile(path);
  if (file.kind === 'unreadable') {
    const lost = lostBook(file, known);
    if (!lost && isAccessError(file.cause)) throw file.cause;
    return lost;
  }
  if (file.kind !== 'book') return undefined;
  const { container, chapters, keys, copy, isEdited } = file;
  if (keys.length > 0 && copy) return { reason: 'it was made for a device, or in parts' };
  if (keys.length > 0 && isEdited)
    return { reason: 'another program changed it after it was bound' };
  if (keys.length > 0 && chapters.length > 0) return file;
  const lost = container === 'folder' ? await chaptersInFolders(path) : known;
  if (lost.length > 0) return lostBook(file, lost);
  const reason = 'its list of chapters is damaged, and no earlier scan or check saw it';
  return { reason, hint: downloadHint(file.comicInfo ?? '', path) };
}

/** By the title and the volume that the metadata of the book names. */
function downloadHint(comicInfo: string, file: string): string | undefined {
  const titleId = TITLE_ADDRESS.exec(comicInfo)?.[1];
  if (titleId === undefined) return undefined;
  const volume = /<Volume>([\d.]{1,9})<\/Volume>/.exec(comicInfo)?.[1];
  const volumes = volume === undefined ? '' : ` --volumes ${volume}`;
  const bind = `--bind ${volume === undefined ? 'title' : 'volume'} -o ${shellQuoted(dirname(file))}`;
  return `Move it away, then: tankobon download title:${titleId}${volumes} ${bind}`;
}

/** The chapters that the metadata in the folders of a book names; none if one of them names none. */
async function chaptersInFolders(book: string): Promise<readonly CbzIdentity[]> {
  const folders = (await readdirIfReadable(book)).filter((entry) => entry.isDirectory());
  const chapters: CbzIdentity[] = [];
  for (const { name } of sortPages(folders)) {
    const file = join(book, name, COMIC_INFO_NAME);
    const [chapter] = await readFileChapters(file);
    if (chapter?.chapterId === undefined) return [];
    const { chapterId, titleId, version, quality } = chapter;
    chapters.push({ chapterId, titleId, version, quality });
  }
  return chapters;
}
