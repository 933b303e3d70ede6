/** Reads what the files of chapters say of them, for the comparison with the service. */
import { readFileChapters, readLibraryFile, type FoundChapter } from '../../library/file.js';
import { mayBeRewritten } from '../../library/ownership.js';
import type { ChapterRecord } from '../../library/record.js';
import { comparedFile, type Write } from '../../plan/change.js';
import { reusableBuffer } from '../../core/zip-file.js';
import type { AtHomeMetadata } from '../../service/at-home.js';
import type { Quality } from '../../config/quality.js';
import { hasSamePages } from '../../plan/chapter-changes.js';
import { readPageDigests } from '../../library/chapter-file.js';

type SavedChapter = Parameters<typeof hasSamePages>[0];

/** What the files say, by the ids of the chapters. Files of other programs and links are left out. */
export async function readSaved(
  archives: readonly FoundChapter[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SavedChapter>> {
  const books = new Map<string, Promise<readonly (ChapterRecord | undefined)[]>>();
  const saved = new Map<string, SavedChapter>();
  for (const archive of archives) {
    const { chapterId, file, isBound, ownership, version, quality } = archive;
    signal.throwIfAborted();
    if (!mayBeRewritten(ownership)) continue;
    if (isBound && !books.has(file)) books.set(file, recordsOfBook(file));
    const record = isBound
      ? (await books.get(file))?.find((each) => each?.chapterId === chapterId)
      : await recordOfFile(file);
    // The comment of an older archive has less.
    const known = Object.entries(record ?? {}).filter(([, value]) => value !== undefined);
    saved.set(chapterId, { version, quality, ...Object.fromEntries(known) });
  }
  return saved;
}

/** Undefined without a record, and for a file that cannot be read: its pages are compared, and then differ. */
async function recordOfFile(file: string): Promise<ChapterRecord | undefined> {
  return (await readFileChapters(file))[0]?.record;
}

/** A PDF or a folder has no records of pages. */
async function recordsOfBook(file: string): Promise<readonly (ChapterRecord | undefined)[]> {
  const book = await readLibraryFile(file);
  const isWhole = book.kind === 'book' && book.damage === undefined && book.hasReadablePages;
  return isWhole ? book.chapters.map(({ record }) => record) : [];
}

/**
 * Whether the service has the pages of the file that a chapter is compared with. A file that is damaged counts as having
 * none of them, and so does a chapter in a book with pages of another quality than `quality`: it gets a file of its own.
 */
export async function comparePages(
  change: Write,
  metadata: AtHomeMetadata,
  quality: Quality,
): Promise<boolean> {
  const compared = comparedFile(change);
  if (!compared) return false;
  const { file, saved } = compared;
  const isInBook = change.kind === 'extract';
  if (isInBook && (saved.quality ?? quality) !== quality) return false;
  const acceptsLost = quality === 'data-saver' || saved.acceptedPages !== undefined;
  if (saved.pages !== undefined || isInBook) return hasSamePages(saved, metadata, acceptsLost);
  const pages = await readPageDigests({ file }, reusableBuffer()).catch(() => []);
  return hasSamePages({ ...saved, pages }, metadata);
}
