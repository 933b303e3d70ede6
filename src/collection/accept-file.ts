/**
 * Gives a chapter file whose pages its owner changed a record of the pages that are there, and the mark again if another
 * program removed it. All other entries keep their bytes and their order.
 */
import { createHash } from 'node:crypto';
import { assertOwnFile, fileChanged, readFileState, replaceUnchanged } from '../core/file-state.js';
import { PRIVATE_FILE_MODE, temporaryName, toStorageError } from '../core/files.js';
import { ZipEntryReader } from '../core/zip-file.js';
import { ZipFileWriter } from '../core/zip-file-writer.js';
import { damagedChapter } from '../library/damage.js';
import { readLibraryFile, type LibraryFile } from '../library/file.js';
import { chapterComment, MANIFEST_NAME } from '../library/mark.js';
import { mayBeRewritten } from '../library/ownership.js';
import { formatRecord } from '../library/record.js';

/** `not-chapter`: a book, or a file of another program or user. */
type Acceptance = { readonly pages: number } | 'not-needed' | 'not-chapter';

/**
 * Throws StorageError; then nothing has changed.
 *
 * @param isEdited whether the pages are not those of the record: otherwise only the mark may be missing
 */
export async function acceptFile(
  path: string,
  isEdited: boolean,
  signal: AbortSignal,
): Promise<Acceptance> {
  try {
    const state = await readFileState(path);
    const file = await readLibraryFile(path);
    if (file.kind === 'missing' || file.kind === 'unreadable')
      throw damagedChapter(path, file.cause);
    if (file.kind === 'book' || !mayBeRewritten(file.ownership)) return 'not-chapter';
    if (!state) throw fileChanged(path);
    assertOwnFile(path, state);
    return await write(file, isEdited, signal, async (tmpFile) => {
      if (!(await replaceUnchanged(tmpFile, path, state))) throw fileChanged(path);
      return path;
    });
  } catch (error) {
    signal.throwIfAborted();
    throw toStorageError(error, path);
  }
}

async function write(
  {
    path,
    comment,
    entries,
    ownership,
    chapter,
  }: Extract<LibraryFile, { readonly kind: 'chapter' }>,
  isEdited: boolean,
  signal: AbortSignal,
  publish: (tmpFile: string) => Promise<string>,
): Promise<Acceptance> {
  const { chapterId, record, pages } = chapter;
  if (chapterId === undefined || !record) return 'not-needed';
  const tmpFile = temporaryName(path);
  const reader = await ZipEntryReader.open(path);
  let zip: ZipFileWriter | undefined;
  try {
    // What another program wrote in place of the mark stays.
    const kept = ownership === 'own' ? Buffer.alloc(0) : await reader.readComment(comment);
    const isFree = kept.toString().trim() === '';
    if (!isEdited && !isFree) return 'not-needed';
    const mark = chapterComment(chapterId);
    const options = { comment: isFree ? mark : kept, mode: PRIVATE_FILE_MODE, signal };
    zip = await ZipFileWriter.create({ tmpFile, ...options });
    const digests = new Map<unknown, string>();
    for (const entry of entries) {
      if (entry.name === MANIFEST_NAME) continue;
      const data = await reader.read(entry, zip.getBuffer).catch((cause: unknown) => {
        throw damagedChapter(path, cause);
      });
      digests.set(entry, createHash('sha256').update(data).digest('hex'));
      await zip.write(entry.name, data);
    }
    const there = pages.map((page) => digests.get(page) ?? '');
    const acceptedPages = isSame(there, record.pages) ? undefined : there;
    const text = formatRecord({ ...record, acceptedPages });
    if (text === undefined) throw damagedChapter(path, new Error('it has too many pages'));
    zip.append(MANIFEST_NAME, text);
    await zip.finish(publish);
    return { pages: there.length };
  } finally {
    await zip?.discard();
    await reader.close();
  }
}

function isSame(pages: readonly string[], others: readonly string[] = []): boolean {
  return pages.length === others.length && pages.every((page, index) => page === others[index]);
}
