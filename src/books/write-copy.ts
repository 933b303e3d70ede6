/**
 * Writes a book whose chapters cannot be read back from it: with the pages of a device, or in several files. Its pages are
 * made first, so that the sizes of the parts are known, and wait in one temporary file.
 */
import { isUnchanged } from '../core/file-state.js';
import { hasCode } from '../core/errors.js';
import { isOwnFile, removeFile, temporaryName } from '../core/files.js';
import { formatBytes, pluralize } from '../core/human-format.js';
import type { Book, CoverImage, PreparedImage, PreparedPages } from './book.js';
import { manifestText } from './book-manifest.js';
import { copyProfile, partFile, type BookPart } from './book-copy.js';
import { isLongStrip } from './book-metadata.js';
import { divideBook } from './book-parts.js';
import { assertReplaceable } from './compare-book.js';
import { partBadge } from './device/part-badge.js';
import { PageSpool } from './device/page-spool.js';
import type { PageContext } from './device/plan-page.js';
import { prepareCover, preparePages, type PrepareOptions } from './device/prepare-pages.js';
import { assertOwnBook, readExistingBook, type ExistingBook } from './existing-book.js';
import type { MergedFolder } from './folder-book.js';
import { pageCount, type BindContext, type BindRequest } from './plan-books.js';
import { sourceKey } from './source-chapter.js';
import { type ReadChapter } from '../library/file.js';
import { maxModeOfBook } from './source-rights.js';
import { writeInPlace, WRITERS } from './write-book.js';

export async function writeCopy(
  file: string,
  book: Book,
  tmpFile: string,
  context: BindContext,
): Promise<MergedFolder> {
  const { request, observe, signal } = context;
  const { profile } = request;
  const spool = profile && (await PageSpool.create(temporaryName(tmpFile)));
  try {
    const { accepted, needsWholeImages } = WRITERS[request.format];
    const options: PrepareOptions | undefined = profile && {
      profile,
      context: pageContext(book),
      accepted: needsWholeImages ? [] : accepted,
      onPage: () => {
        observe({ type: 'book-page', file });
      },
      onBrokenPage: (message) => {
        observe({ type: 'warning', message });
      },
      signal,
    };
    const images = spool && options && (await preparePages(book, spool, options));
    const groups = divide(file, book, images, context);
    const total = groups.length;
    const parts = groups.map((group, index) => ({ group, part: { number: index + 1, total } }));
    const targets = await readTargets(
      file,
      parts.map(({ part }) => part),
      request,
    );
    let merged: MergedFolder = { isChanged: false, kept: [], isWhole: true };
    for (const [index, { group, part }] of parts.entries()) {
      const cover =
        spool && options && book.cover
          ? await coverOf(book.cover, part, spool, options, context)
          : [];
      const prepared: PreparedPages | undefined = images && {
        cover,
        imagesOf: (page) => images.get(page) ?? [],
      };
      const keys = book.group.chapters.map(sourceKey);
      const copy = { profile: copyProfile(request) ?? '', keys, part };
      const partBook = { ...book, group, part, copy, profile, prepared };
      const target = targets[index] ?? { file, existing: { kind: 'none' } };
      const tmp = index === 0 ? tmpFile : temporaryName(tmpFile);
      const written = await writePart(partBook, target, tmp, file, context);
      merged = {
        isChanged: merged.isChanged || written.isChanged,
        kept: [...merged.kept, ...written.kept],
        isWhole: merged.isWhole && written.isWhole,
      };
    }
    await removeOldParts(file, total, request);
    return merged;
  } finally {
    await spool?.close();
  }
}

function pageContext({ metadata }: Book): PageContext {
  return { direction: metadata.direction ?? 'ltr', isLongStrip: isLongStrip(metadata) };
}

function divide(
  file: string,
  book: Book,
  images: Awaited<ReturnType<typeof preparePages>> | undefined,
  { request: { format, maxBytes = Infinity }, observe }: BindContext,
) {
  const bytesOf = ({ pages }: ReadChapter) =>
    pages.map((page) =>
      images ? (images.get(page) ?? []).reduce((sum, { bytes }) => sum + bytes, 0) : page.bytes,
    );
  const baseBytes = Buffer.byteLength(manifestText(book)) * 2 + (book.cover?.data.length ?? 0);
  const { groups, cutChapters } = divideBook(book.group, bytesOf, { format, maxBytes, baseBytes });
  if (cutChapters.length > 0) {
    const which = cutChapters.slice(0, 3).join(', ') + (cutChapters.length > 3 ? ', …' : '');
    const chapters = pluralize(cutChapters.length, 'chapter');
    const message = `Cut ${chapters} larger than ${formatBytes(maxBytes)} between pages (${which}): ${file}`;
    observe({ type: 'warning', message });
  }
  return groups;
}

interface Target {
  readonly file: string;
  readonly existing: Exclude<ExistingBook, { readonly kind: 'foreign' }>;
}

/** What the parts replace. Throws StorageError `name-taken`, before anything is written. */
async function readTargets(
  file: string,
  parts: readonly BookPart[],
  request: BindRequest,
): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const part of parts) {
    const target = partFile(file, part, request.extension);
    const existing = await readExistingBook(target, request.format);
    assertReplaceable(target, existing, copyProfile(request));
    targets.push({ file: target, existing });
  }
  return targets;
}

async function writePart(
  book: Book,
  { file, existing }: Target,
  tmpFile: string,
  wholeFile: string,
  { request, observe, signal }: BindContext,
): Promise<MergedFolder> {
  const { format, convert = false, maxBytes = Infinity } = request;
  assertOwnBook(file, existing);
  const sources = { chapters: book.group.chapters, cover: book.cover, existing };
  const target = { file, existing, format, keep: request.keep };
  const { bytes, ...published } = await writeInPlace(book, target, {
    tmpFile,
    convert,
    maxMode: await maxModeOfBook(file, sources),
    onPage: () => {
      observe({ type: 'book-page', file: wholeFile });
    },
    onBrokenPage: (message) => {
      observe({ type: 'warning', message: `${message}, in ${file}` });
    },
    signal,
  });
  if (bytes > maxBytes) {
    const message = `Larger than ${formatBytes(maxBytes)}, since a page is too large: ${file}`;
    observe({ type: 'warning', message });
  }
  const { chapters } = book.group;
  const saved = { chapters: chapters.length, pages: pageCount(chapters), bytes };
  const part = book.part && book.part.total > 1 && { part: book.part, book: wholeFile };
  if (published.isChanged || request.force)
    observe({ type: 'book-saved', file, ...saved, ...part });
  else observe({ type: 'book-skipped', file, reason: 'already-there' });
  return published;
}

/** Empty, with a warning, for a cover that cannot be decoded. */
async function coverOf(
  cover: CoverImage,
  part: BookPart,
  spool: PageSpool,
  options: PrepareOptions,
  { cover: chosen, observe }: BindContext,
): Promise<readonly PreparedImage[]> {
  try {
    const overlay = part.total > 1 ? partBadge(part, options.profile.screen) : undefined;
    return await prepareCover(cover, overlay, spool, options);
  } catch (error) {
    if (chosen || !hasCode(error, 'archive-damaged')) throw error;
    const message = `Bound without a cover: ${error.message} (${cover.file})`;
    if (part.number === 1) observe({ type: 'warning', message });
    return [];
  }
}

/** What an earlier run wrote under names that the book no longer has. */
export async function removeOldParts(
  file: string,
  total: number,
  { format, extension }: Pick<BindRequest, 'format' | 'extension'>,
): Promise<void> {
  if (format === 'folder') return;
  const remove = async (old: string): Promise<boolean> => {
    const existing = await readExistingBook(old, format);
    if (existing.kind !== 'bound' || !existing.copy || existing.isEdited) return false;
    const { state } = existing;
    if (!state || !isOwnFile(old, state) || !(await isUnchanged(old, state))) return false;
    return removeFile(old);
  };
  if (total > 1) await remove(file);
  let number = total === 1 ? 1 : total + 1;
  while (await remove(partFile(file, { number, total: number + 1 }, extension))) number += 1;
}
