/**
 * Binds one book: writes it aside, reads it back whole, and publishes it. Only then are the chapter files that it
 * replaces removed; a book that seems to have them already is not believed, but written aside and compared.
 */
import { basename, dirname, resolve } from 'node:path';
import { CONTAINERS } from '../config/containers.js';
import { isUnchanged } from '../core/file-state.js';
import { hasCode } from '../core/errors.js';
import { withoutTouching } from '../core/folder-times.js';
import { lstatIfExists, removeFile } from '../core/files.js';
import { isSameName } from '../core/relative-paths.js';
import { systemReason } from '../core/system-errors.js';
import type { ObserveBind } from '../events/bind-events.js';
import { copyProfile } from './book-copy.js';
import type { PlannedBook } from './book-names.js';
import type { BookName, CoverImage } from './book.js';
import { bookMetadata } from './book-metadata.js';
import { compareBook } from './compare-book.js';
import { editedWarning } from './edited-book.js';
import { assertOwnBook, readExistingParts, type ExistingBook } from './existing-book.js';
import { findCover } from './find-cover.js';
import { withListed } from './inferred-volumes.js';
import type { MergedFolder } from './folder-book.js';
import { groupVolumes, type ChapterGroup } from './group-volumes.js';
import { filesWith, movedChapters } from './moved-chapters.js';
import { pageCount, type BindContext, type BindPlan, type BindRequest } from './plan-books.js';
import { withBookLock } from './publish-book.js';
import { withPages } from './read-chapters.js';
import { maxModeOfBook } from './source-rights.js';
import { mayBeRemoved, sourceKey, type BookChapter } from './source-chapter.js';
import { writeInPlace, WRITERS } from './write-book.js';

/**
 * `waiting`: with `mayWait`, the book has chapters that others are still to get, and is not written. Throws StorageError;
 * its chapter files stay then.
 */
export async function bindBook(
  { file, name, group: planned }: PlannedBook,
  plan: BindPlan,
  context: BindContext,
  { mayWait }: { readonly mayWait: boolean },
): Promise<'saved' | 'skipped' | 'waiting'> {
  const { request, observe, signal } = context;
  const bind = async (tmpFile: string) => {
    const { format, extension } = request;
    const existing = await readExistingParts(file, format, extension);
    const { arrived, isWaiting } = await movedChapters(file, existing, plan, request);
    if (isWaiting && mayWait) return 'waiting';
    const group = await currentGroup({ file, name, group: planned }, existing, arrived, request);
    const book = { file, name, group };
    const { chapters } = book.group;
    const removable = request.removeChapters ? chapters.filter(mayBeRemoved) : [];
    const state = compareBook(book, existing, plan, {
      profile: copyProfile(request),
      arrived,
      mayLose: request.onDevice !== undefined,
    });
    const isUpToDate = state === 'same' && !request.force && removable.length === 0;
    if (isUpToDate || state === 'has-more') {
      observe({ type: 'book-skipped', file, reason: 'already-there' });
      return 'skipped';
    }
    if (existing.kind === 'bound' && existing.isEdited && !request.force) {
      observe({ type: 'book-skipped', file, reason: 'edited' });
      observe(editedWarning({ file, existing, chapters }, plan, request));
      return 'skipped';
    }
    assertOwnBook(file, existing);
    const { bytes, isChanged, kept, isWhole } = await write(
      book,
      existing,
      tmpFile,
      plan,
      context,
      filesWith(arrived, plan),
    );
    // Each part of a copy has an event of its own.
    if (bytes === undefined) return isChanged || request.force ? 'saved' : 'skipped';
    if (isChanged || request.force)
      observe({
        type: 'book-saved',
        file,
        chapters: chapters.length,
        pages: pageCount(chapters),
        bytes,
        missing: book.group.missing,
      });
    else observe({ type: 'book-skipped', file, reason: 'already-there' });
    if (kept.length > 0) warnOfKept(file, kept, observe);
    if (isWhole) for (const chapter of removable) await removeChapter(chapter, file, observe);
    return isChanged || request.force ? 'saved' : 'skipped';
  };
  return withoutTouching(
    dirname(file),
    () => withBookLock(request.output, file, request.keep, signal, bind),
    (outcome) => outcome !== 'saved',
  );
}

/**
 * The planned chapters as they are now, with those of the existing book, unless an input has another release of the same
 * number or another book has them by now. Another process may have bound and removed the files since the plan was made.
 */
async function currentGroup(
  { file, group }: PlannedBook,
  existing: ExistingBook,
  arrived: ReadonlySet<string>,
  { by, group: groups, listedChapter }: BindRequest,
): Promise<ChapterGroup> {
  if (existing.kind !== 'bound') return group;
  const present: BookChapter[] = [];
  for (const chapter of group.chapters) {
    const isInBook = existing.keys.includes(sourceKey(chapter));
    const isGone =
      resolve(chapter.file) === resolve(file) || (await lstatIfExists(chapter.file)) === undefined;
    if (!isInBook || !isGone) present.push(chapter);
  }
  const { series, language } = group;
  const kept = existing.chapters.filter(({ chapterId = '' }) => !arrived.has(chapterId));
  const chapters = withListed(kept, listedChapter).map((chapter) => ({
    ...chapter,
    metadata: { ...chapter.metadata, series, language },
  }));
  const merged = groupVolumes([...present, ...chapters], by, groups);
  return (
    merged.groups.find(({ volume }) => volume === group.volume) ?? { ...group, chapters: present }
  );
}

interface WrittenBook extends MergedFolder {
  /** Undefined for a copy. */
  readonly bytes: number | undefined;
}

async function write(
  planned: PlannedBook,
  existing: ExistingBook,
  tmpFile: string,
  plan: BindPlan,
  context: BindContext,
  others: readonly string[],
): Promise<WrittenBook> {
  const { request, cover, observe, signal } = context;
  const { format, convert = false } = request;
  const { file } = planned;
  const keep = { ...request.keep, others };
  const group = { ...planned.group, chapters: await withPages(planned.group.chapters) };
  const known = [...group.chapters, ...(existing.kind === 'bound' ? existing.chapters : [])];
  const volumeCount =
    request.volumeCount?.(group) ?? known.find((chapter) => chapter.volumeCount)?.volumeCount;
  const metadata = bookMetadata(group, request, volumeCount);
  if (metadata.direction === undefined) warnOfDirection(group.series, request, observe);
  const found = cover ? undefined : await coverBeside(group, plan, request, observe);
  const named = nameToRecord(planned, existing);
  const book = { group, metadata, cover: cover ?? found, named };
  if (copyProfile(request) !== undefined) {
    const { writeCopy } = await import('./write-copy.js');
    return { bytes: undefined, ...(await writeCopy(file, book, tmpFile, context)) };
  }
  const sources = { chapters: group.chapters, cover: book.cover, existing };
  // A book in parts has no file of this name.
  const isInParts = existing.kind === 'bound' && (existing.copy?.part.total ?? 1) > 1;
  const replaced: ExistingBook = isInParts ? { kind: 'none' } : existing;
  const target = { file, existing: replaced, format, keep };
  let hasWrittenPages = false;
  const options = {
    tmpFile,
    convert,
    maxMode: await maxModeOfBook(file, sources),
    onPage: () => {
      hasWrittenPages = true;
      observe({ type: 'book-page', file });
    },
    onBrokenPage: (message: string) => {
      observe({ type: 'warning', message: `${message}, in ${file}` });
    },
    signal,
  };
  const written = await writeInPlace(book, target, options).catch((error: unknown) => {
    // The cover is the first page.
    if (!found || hasWrittenPages || !hasCode(error, 'archive-damaged', 'page-unsupported'))
      throw error;
    const message = `Bound without a cover: ${error.message} (${found.file})`;
    observe({ type: 'warning', message });
    return writeInPlace({ ...book, cover: undefined }, target, options);
  });
  if (isInParts) await (await import('./write-copy.js')).removeOldParts(file, 1, request);
  return written;
}

/** A book that has the name of its record keeps that, whatever the templates are now. */
function nameToRecord({ file, name, group }: PlannedBook, existing: ExistingBook): BookName {
  const recorded = existing.kind === 'bound' ? existing.named : undefined;
  return recorded && isSameName(recorded.name, basename(file)) ? recorded : { by: group.by, name };
}

function warnOfDirection(
  series: string,
  { format, profile }: BindRequest,
  observe: ObserveBind,
): void {
  if (profile === undefined && !WRITERS[format].hasDirection) return;
  const message = `The files of ${series} do not say how pages turn, which is from left to right in its books; for manga: --direction rtl`;
  observe({ type: 'warning', message });
}

async function coverBeside(
  group: ChapterGroup,
  plan: BindPlan,
  { bookCover, format, convert, profile }: BindRequest,
  observe: ObserveBind,
): Promise<CoverImage | undefined> {
  if (bookCover !== 'auto') return undefined;
  const warn = (message: string): void => {
    observe({ type: 'warning', message: `Bound without a cover: ${message}` });
  };
  const own = new Set(group.chapters.map(({ file }) => file));
  const hasOthers = (folder: string): boolean =>
    plan.filesByFolder.get(folder)?.some((file) => !own.has(file)) ?? false;
  const found = await findCover(group, hasOthers, warn);
  if (!found || convert || profile || WRITERS[format].accepted.includes(found.extension))
    return found;
  warn(
    `${CONTAINERS[format].label} cannot contain ${found.extension.toUpperCase()}: ${found.file}`,
  );
  return undefined;
}

function warnOfKept(
  book: string,
  [first = '', ...others]: readonly string[],
  observe: ObserveBind,
) {
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const message = `Kept, since it was changed after it was bound: ${first}${more} in ${book}`;
  observe({ type: 'warning', message });
}

/** Unless another program has changed the file since it was read. */
async function removeChapter(
  chapter: BookChapter,
  book: string,
  observe: ObserveBind,
): Promise<void> {
  const { file, state } = chapter;
  if (!state || !mayBeRemoved(chapter) || resolve(file) === resolve(book)) return;
  if (!(await isUnchanged(file, state))) return;
  try {
    await removeFile(file);
    observe({ type: 'chapter-removed', file, book });
  } catch (error) {
    observe({ type: 'warning', message: `Cannot remove ${file}: ${systemReason(error)}` });
  }
}
