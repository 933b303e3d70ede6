/**
 * Gives a file whose pages its owner changed a record of the pages that are there, and a chapter the mark again if another
 * program removed it. All other entries keep their bytes and their order.
 */
import { assertOwnFile, fileChanged, replaceUnchanged } from '../../core/file-state.js';
import { temporaryName, toStorageError } from '../../core/files.js';
import { ZipEntryReader } from '../../core/zip-file.js';
import { sha256Of } from '../../core/sha256.js';
import { damagedChapter } from '../damage.js';
import { readLibraryFile, rewriterOf, type ChapterFile } from '../file.js';
import { chapterComment, MANIFEST_NAME } from '../mark.js';
import { mayBeRewritten } from '../ownership.js';
import { acceptBook } from './accept-book.js';
import { formatRecord } from '../record.js';

/** `not-own`: of another program or user, or a book without its mark. */
type Acceptance = { readonly pages: number } | 'not-needed' | 'not-own';

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
    const file = await readLibraryFile(path);
    if (file.kind === 'missing' || file.kind === 'unreadable')
      throw damagedChapter(path, file.cause);
    if (!mayBeRewritten(file.ownership)) return 'not-own';
    // One in a folder has no state.
    if (file.kind === 'book' && !isEdited) return 'not-needed';
    const { state } = file;
    if (!state) throw fileChanged(path);
    assertOwnFile(path, state);
    const publish = async (tmpFile: string): Promise<string> => {
      if (!(await replaceUnchanged(tmpFile, path, state))) throw fileChanged(path);
      return path;
    };
    if (file.kind === 'chapter') return await write(file, isEdited, signal, publish);
    return { pages: await acceptBook(file, publish, signal) };
  } catch (error) {
    signal.throwIfAborted();
    throw toStorageError(error, path);
  }
}

async function write(
  { path, container, comment, entries, ownership, chapter }: ChapterFile,
  isEdited: boolean,
  signal: AbortSignal,
  publish: (tmpFile: string) => Promise<string>,
): Promise<Acceptance> {
  const { chapterId, record, pages } = chapter;
  if (chapterId === undefined || !record) return 'not-needed';
  // What another program wrote in place of the mark stays.
  const kept = ownership === 'own' ? Buffer.alloc(0) : await readComment(path, comment);
  const isFree = kept.toString().trim() === '';
  if (!isEdited && !isFree) return 'not-needed';
  const digests = new Map<unknown, string>();
  const { rewrite } = await rewriterOf({ path, container });
  await rewrite(
    { path, entries: entries.filter(({ name }) => name !== MANIFEST_NAME) },
    {
      tmpFile: temporaryName(path),
      publish,
      signal,
      comment: () => (isFree ? chapterComment(chapterId) : kept),
      newText: (entry, data) => {
        digests.set(entry, sha256Of(data));
        return undefined;
      },
      added: () => {
        const there = pages.map((page) => digests.get(page) ?? '');
        const acceptedPages = isSame(there, record.pages) ? undefined : there;
        const text = formatRecord({ ...record, acceptedPages });
        if (text === undefined) throw damagedChapter(path, new Error('it has too many pages'));
        return [[MANIFEST_NAME, text]];
      },
    },
  );
  return { pages: pages.length };
}

async function readComment(path: string, comment: string): Promise<Buffer> {
  const reader = await ZipEntryReader.open(path);
  return reader.readComment(comment).finally(() => reader.close());
}

function isSame(pages: readonly string[], others: readonly string[] = []): boolean {
  return pages.length === others.length && pages.every((page, index) => page === others[index]);
}
