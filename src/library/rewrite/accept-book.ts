/**
 * Gives a bound CBZ or EPUB that its owner edited a manifest that says what is there. Its comment still has the digest of
 * what was bound: the book stays an edited one, which `bind` replaces with `--force` only.
 */
import { isDeepStrictEqual } from 'node:util';
import { pageEntries } from '../../config/names.js';
import { temporaryName } from '../../core/files.js';
import { isRecord, parseJson } from '../../core/json.js';
import { reusableBuffer, ZipEntryReader } from '../../core/zip-file.js';
import { damagedChapter } from '../damage.js';
import { readLibraryFile, rewriterOf, type BookFile } from '../file.js';
import { digestsOfPages } from '../read/page-digests.js';
import { acceptedDigest, editedComment, isAcceptedBook, MANIFEST_NAME } from '../mark.js';

/** Resolves with the number of its pages. Throws StorageError; then nothing has changed. */
export async function acceptBook(
  book: BookFile,
  publish: (tmpFile: string) => Promise<string>,
  signal: AbortSignal,
): Promise<number> {
  const { path, container, entries } = book;
  const manifest = await acceptedManifest(book, signal);
  const { rewrite } = await rewriterOf(book);
  await rewrite(book, {
    tmpFile: temporaryName(path),
    publish: async (tmpFile) => {
      const written = await readLibraryFile(tmpFile, { container });
      const isAccepted =
        written.kind === 'book' && written.isEdited && isAcceptedBook(manifest, written.entries);
      if (!isAccepted) throw damagedChapter(path, new Error('its entries cannot be written again'));
      return publish(tmpFile);
    },
    signal,
    comment: () => editedComment(book.comment),
    newText: ({ name }) => (name === MANIFEST_NAME ? manifest : undefined),
  });
  return pageEntries(entries).length;
}

/** Chapters whose pages are not those that were saved have the digests of both. */
async function acceptedManifest(book: BookFile, signal: AbortSignal): Promise<string> {
  const { path, manifest, entries, chapters } = book;
  const parsed = parseJson(manifest);
  const listed = isRecord(parsed) ? parsed['chapters'] : undefined;
  if (!isRecord(parsed) || !Array.isArray(listed))
    throw damagedChapter(path, new Error('its list of chapters is damaged'));
  const pagesOf = new Map<unknown, readonly string[]>();
  const getBuffer = reusableBuffer();
  const reader = await ZipEntryReader.open(path);
  try {
    for (const { prefix, pages } of chapters)
      pagesOf.set(prefix, await digestsOfPages(pages, reader, getBuffer, signal));
  } catch (cause) {
    signal.throwIfAborted();
    throw damagedChapter(path, cause);
  } finally {
    await reader.close();
  }
  const accepted = listed.map((chapter: unknown) => {
    if (!isRecord(chapter)) return chapter;
    const there = pagesOf.get(chapter['prefix']);
    const { pages } = chapter;
    const isSaved = pages === undefined || isDeepStrictEqual(there, pages);
    return { ...chapter, acceptedPages: isSaved ? undefined : there };
  });
  const digest = acceptedDigest(entries);
  return `${JSON.stringify({ ...parsed, accepted: digest, chapters: accepted })}\n`;
}
