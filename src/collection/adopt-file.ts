/**
 * Gives a recognized file the record and the mark of tankobon, in place; a folder of images is packed into a new CBZ
 * beside it. Each file is written aside, read back, and only then renamed over the original, if that is as it was when
 * it was recognized.
 */
import { MAX_IMAGE_BYTES } from '../core/image-format.js';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeCbz, type CbzPage } from '../library/cbz-writer.js';
import {
  comicInfoXml,
  type ComicMetadata,
  writtenMetadata,
  comicMetadata,
} from '../library/comic-info.js';
import { rewriterOf } from '../library/file.js';
import { chapterComment } from '../library/mark.js';
import {
  assertOwnFile,
  fileChanged,
  readFileState,
  renameUnchanged,
  type FileState,
} from '../core/file-state.js';
import { readPageDigests } from '../library/chapter-file.js';
import { sortPages } from '../config/names.js';
import { formatRecord, type ChapterRecord } from '../library/record.js';
import { OWNERS_NAME } from '../config/name-template.js';
import { isOfOtherKind, type GetBuffer } from '../core/zip-file.js';
import { StorageError } from '../core/errors.js';
import {
  fileErrorReason,
  maxModeIn,
  readRegularFileIfExists,
  temporaryName,
  toStorageError,
  type FileRights,
} from '../core/files.js';
import { publishNew } from '../core/publish.js';
import { isFileError } from '../core/system-errors.js';
import { damagedChapter } from '../library/damage.js';
import { imageDimensions } from '../core/image-dimensions.js';
import { packedPath } from './adoptable-files.js';
import type { AdoptedFile } from './known-archives.js';
import type { Recognized } from './recognize-files.js';

const HINT = 'Check it with: tankobon verify FILE';

/**
 * Throws StorageError; then nothing has changed.
 *
 * @param getBuffer one for all files of a run
 */
export async function adoptFile(
  recognized: Recognized,
  getBuffer: GetBuffer,
  signal: AbortSignal,
): Promise<AdoptedFile> {
  const { file, isFolder, state } = recognized.file;
  try {
    if (isFolder) {
      const pages = recognized.pages ?? (await readPageDigests(recognized.file, getBuffer, signal));
      const described = describe(recognized, pages);
      const packed = await pack(recognized, described, signal);
      return { file: packed, from: undefined, record: described.record, isMarked: true };
    }
    if (!state) throw fileChanged(file);
    const { pages } = recognized;
    let record: ChapterRecord | undefined;
    let isMarked = false;
    const { adopt } = await rewriterOf({ path: file });
    assertOwnFile(file, state);
    await replace(file, state, async (tmpFile) => {
      isMarked = await adopt({ file, state }, tmpFile, async (readDigests) => {
        const described = describe(recognized, pages ?? (await readDigests(getBuffer, signal)));
        record = described.record;
        return described;
      });
      return true;
    });
    if (!record) throw fileChanged(file);
    return { file, from: state, record, isMarked };
  } catch (error) {
    signal.throwIfAborted();
    throw toAdoptError(error, file);
  }
}

/** Restores a file that adoptFile changed; false for any other. Throws StorageError; then nothing has changed. */
export async function restoreFile(file: string): Promise<boolean> {
  try {
    const state = await readFileState(file);
    if (!state) return false;
    const { restore } = await rewriterOf({ path: file });
    return await replace(file, state, (tmpFile) => restore({ file, state }, tmpFile));
  } catch (error) {
    // adoptFile refuses it.
    if (await isOfOtherKind(file).catch(() => false)) return false;
    // The file itself is only opened to be read.
    if (isFileError(error) && (error.path === file || error.syscall === 'read'))
      throw damagedChapter(file, error);
    throw toAdoptError(error, file);
  }
}

/**
 * A file without ComicInfo.xml gets the metadata in its record, by which later chapters find its folder: nothing of it is
 * in the file, so that it has no edits. A file that differs from the service's may be of another version: `--update`
 * compares it then.
 */
function describe({ file, chapter, title, quality }: Recognized, pages: readonly string[]) {
  const isSameCount = file.pages === chapter.pages;
  const { version, updatedAt } = chapter;
  const identity = { chapterId: chapter.id, titleId: title?.id ?? chapter.titleId, quality };
  const revision = isSameCount ? { version, updatedAt } : {};
  const record: ChapterRecord & { readonly pages: readonly string[] } = {
    ...identity,
    path: OWNERS_NAME,
    ...revision,
    pages,
    ...(!file.hasComicInfo && { metadata: writtenMetadata(comicMetadata(chapter, title, [])) }),
  };
  return { record, comment: chapterComment(chapter.id) };
}

/** `write` resolves with false if the file stays, and else gives the new one the rights and the time of the old one. */
async function replace(
  file: string,
  state: FileState,
  write: (tmpFile: string) => Promise<boolean>,
): Promise<boolean> {
  const tmpFile = temporaryName(file);
  try {
    if (!(await write(tmpFile))) return false;
    if (await renameUnchanged(tmpFile, file, state)) return true;
    throw fileChanged(file);
  } catch (error) {
    await rm(tmpFile, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** The images stay where they are. */
async function pack(
  { file: { file: folder, images }, chapter, title }: Recognized,
  { record, comment }: ReturnType<typeof describe>,
  signal: AbortSignal,
): Promise<string> {
  const digests = record.pages;
  const pages: CbzPage[] = [];
  const comicPages: ComicMetadata['pages'][number][] = [];
  const rights: FileRights[] = [];
  for (const [index, { name }] of sortPages(images.map((image) => ({ name: image }))).entries()) {
    const file = join(folder, name);
    const onOpen = (stats: FileRights) => rights.push(stats);
    const data = await readRegularFileIfExists(file, { maxBytes: MAX_IMAGE_BYTES, onOpen });
    const sha256 = digests[index];
    if (!data || sha256 === undefined) throw fileChanged(file);
    pages.push({ file, bytes: data.length, sha256 });
    comicPages.push({ bytes: data.length, ...(await imageDimensions(data)) });
  }
  const comic = comicMetadata(chapter, title, comicPages);
  const target = await packedPath(folder);
  const { file } = await writeCbz({
    file: target,
    pages,
    comment,
    record: formatRecord({ ...record, metadata: writtenMetadata(comic) }),
    comicInfo: await comicInfoXml(comic),
    maxMode: maxModeIn(dirname(target), rights),
    publish: async (tmpFile) => {
      if (await publishNew(tmpFile, target)) return target;
      throw new StorageError('name-taken', `Another file or folder is in the way: ${target}`, {
        path: target,
      });
    },
    signal,
  });
  return file;
}

function toAdoptError(error: unknown, file: string): unknown {
  const named = toStorageError(error, file);
  if (named instanceof StorageError) return named;
  const message = `The file stays as it is (${fileErrorReason(error)}): ${file}`;
  return new StorageError('archive-damaged', message, { cause: error, hint: HINT });
}
