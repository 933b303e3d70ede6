/**
 * Binds the saved chapters of titles: the last step of a download with `bind`, and of a sync. Chapters of earlier
 * downloads in the output folder count too.
 */
import type { Chapter } from '../service/chapters.js';
import { fetchTitleFeed } from '../service/feeds.js';
import { type LibraryIndex, scanLibrary } from '../library/scan.js';
import { type FoundChapter, isReadableBook } from '../library/file.js';
import type { Options } from '../config/options.js';
import { containerByExtension } from '../config/containers.js';
import { thrownMessage, type TankobonError } from '../core/errors.js';
import { warnOfForbidden } from '../core/read-folder.js';
import { bindBooks } from '../books/bind-books.js';
import { bookPath } from '../books/rename-book.js';
import type { ObserveBind } from '../events/bind-events.js';
import { type FailedFile, toChapter } from '../books/source-chapter.js';
import type { ChapterGroup, OnDevice } from '../books/group-volumes.js';
import { missingChapters, type TitleChapters } from '../books/volume-completeness.js';
import { inferVolumes } from '../selection/infer-volumes.js';
import { bindRequest } from '../books/bind-request.js';
import { BookCovers } from './extras/book-covers.js';
import type { DownloadSession } from './download-session.js';
import type { Plan } from './plan.js';
import { openSavedCovers } from './extras/saved-covers.js';

export interface TitlesToBind {
  /** What the service lists of each title. */
  readonly titles: readonly TitleChapters[];
  /** The archives in the output folder. */
  readonly library: LibraryIndex;
  /** The options in force. */
  readonly options: Options;
  readonly nowMs: number;
  /** Whether a volume is bound only when all its chapters are there. */
  readonly completeOnly: boolean;
  /** Whether the files of bound chapters are removed. */
  readonly removeChapters: boolean;
  /** Has the record of the covers that tankobon saved. */
  readonly stateFolder: string;
  /** Set for books in a folder on a device, with those that are made. */
  readonly onDevice?: OnDevice & { readonly isSelected: (group: ChapterGroup) => boolean };
}

/** Throws UsageError, and the signal's reason when aborted. Resolves with the errors of books that were not written. */
export async function bindTitles(
  {
    titles,
    library,
    options,
    nowMs,
    completeOnly,
    removeChapters,
    stateFolder,
    onDevice,
  }: TitlesToBind,
  observe: ObserveBind,
  signal: AbortSignal,
): Promise<readonly TankobonError[]> {
  const { bind: by } = options;
  const listed = listedChapters(titles);
  const present = [...listed.keys()]
    .flatMap((chapterId) => library.copiesOf(chapterId))
    .filter(({ ownership }) => ownership !== 'link')
    .sort((a, b) => (a.file < b.file ? -1 : 1));
  const found = filesToRead(present);
  if (by === false || found.length === 0) return [];
  const isComplete = (group: ChapterGroup, failed: readonly FailedFile[]): boolean => {
    const first = firstListed(group, listed);
    const { series, language, volume } = group;
    if (!first || group.by !== 'volume' || volume === undefined) return first !== undefined;
    const selected = { language: first.chapter.language, volume };
    const chapters = group.chapters.map((chapter) => toChapter(chapter, chapter.file));
    const failedFiles = new Set(failed.map(({ file }) => file));
    const read = present.filter(({ file }) => !failedFiles.has(file));
    const presentIds = new Set(read.map(({ chapterId }) => chapterId));
    const { missing, unavailable } = missingChapters(first.title, selected, {
      presentIds,
      chapters,
      nowMs,
    });
    if (missing.length > 0)
      observe({ type: 'volume-incomplete', series, language, volume, missing, unavailable });
    else if (unavailable.length > 0)
      observe({ type: 'chapters-unavailable', series, language, volume, chapters: unavailable });
    return missing.length === 0;
  };
  const request = {
    ...bindRequest([], { ...options, by }, nowMs),
    found,
    fixedBooks: fixedBooks(present, options.format),
    removeChapters,
    listedChapter: (chapterId: string) => listed.get(chapterId)?.chapter,
    ...(completeOnly && { isSelected: isComplete }),
    ...(onDevice && { onDevice, isSelected: onDevice.isSelected }),
    volumeCount: (group: ChapterGroup) => firstListed(group, listed)?.title.volumeCount,
  };
  const hasBookCovers = options.cover === 'all' && options.coverName === 'komga';
  if (!hasBookCovers) return (await bindBooks(request, observe, signal)).errors;
  const covers = new BookCovers();
  const observeBooks: ObserveBind = (event) => {
    covers.observe(event);
    observe(event);
  };
  const { errors } = await bindBooks(request, observeBooks, signal);
  const savedCovers = openSavedCovers(stateFolder);
  try {
    await covers.save(savedCovers);
    await savedCovers.save();
  } catch (error) {
    observe({ type: 'warning', message: `Covers not saved beside books: ${thrownMessage(error)}` });
  }
  return errors;
}

interface ChapterOfTitle {
  readonly chapter: Chapter;
  readonly title: TitleChapters;
}

function listedChapters(titles: readonly TitleChapters[]): ReadonlyMap<string, ChapterOfTitle> {
  return new Map(
    titles.flatMap((title) => title.chapters.map((chapter) => [chapter.id, { chapter, title }])),
  );
}

/** The first chapter of the group that is in the list of a title. */
function firstListed(
  { chapters }: ChapterGroup,
  listed: ReadonlyMap<string, ChapterOfTitle>,
): ChapterOfTitle | undefined {
  return chapters.map(({ chapterId = '' }) => listed.get(chapterId)).find(Boolean);
}

/**
 * A PDF or a folder cannot be read back; it is compared with the new book. The first of two files of a chapter
 * counts: books come last, so that the files of their chapters are known as such.
 */
function filesToRead(archives: readonly FoundChapter[]): readonly string[] {
  const readable = archives.filter(({ file }) => isReadableBook(file));
  const ordered = [
    ...readable.filter(({ isBound }) => !isBound),
    ...readable.filter(({ isBound }) => isBound),
  ];
  return [...new Set(ordered.map(({ file }) => file))];
}

/** The books of the format. */
function fixedBooks(archives: readonly FoundChapter[], format: Options['format']) {
  const fixed = archives.filter(
    ({ file }) =>
      !isReadableBook(file) &&
      (format === 'folder' ? bookPath(file) !== file : containerByExtension(file) === format),
  );
  return [...new Set(fixed.map(({ file }) => bookPath(file)))];
}

/** Binds the titles of a plan. Resolves with the errors of books that were not written. */
export async function bindDownloaded(
  plan: Plan,
  session: DownloadSession,
): Promise<readonly TankobonError[]> {
  const { context, request, listeners, userSignal: signal } = session;
  const titles = await titlesOf(plan, session);
  const toBind: TitlesToBind = {
    titles,
    library: await scanLibrary(request.output, {
      signal,
      // The download has said so.
      onUnreadableFolder: warnOfForbidden(() => undefined),
    }),
    options: request,
    nowMs: context.clock.wallMs(),
    completeOnly: true,
    removeChapters: !request.keepChapters,
    stateFolder: context.paths.state,
  };
  return bindTitles(toBind, listeners.observeBind ?? (() => undefined), signal);
}

/** The service's chapters of each title in the plan, also of those that are only known by a chapter. */
async function titlesOf(
  plan: Plan,
  { client, userSignal: signal, warn }: DownloadSession,
): Promise<readonly TitleChapters[]> {
  const titles = new Map<string, TitleChapters>(
    plan.series.map((series) => [series.titleId, series]),
  );
  // A killed run may have saved the others, and not have bound them.
  const unbound = plan.present.filter(({ isInBook }) => !isInBook);
  for (const { chapter, title } of [...plan.chapters, ...unbound]) {
    const titleId = chapter?.titleId;
    if (titleId === undefined || titles.has(titleId)) continue;
    const { language } = chapter ?? {};
    const languages = language === undefined ? [] : [language];
    const feed = await fetchTitleFeed(client, titleId, { languages, signal, warn });
    const chapters = inferVolumes(feed, plan.listedVolumes.get(titleId) ?? []);
    const { numbersRestart = false, volumeCount } = (await title) ?? {};
    titles.set(titleId, { chapters, numbersRestart, volumeCount });
  }
  return [...titles.values()];
}
