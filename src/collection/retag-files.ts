/**
 * Brings the metadata of chapter files up to date: asks the service by the hundred, and rewrites ComicInfo.xml and the
 * names of the files whose metadata changed. Pages are not downloaded. Only tankobon's own files are changed, and no
 * links are followed. Titles that get another name are moved with their books and covers.
 */
import { dirname, join, relative, resolve } from 'node:path';
import { FolderStore } from '../library/store.js';
import { type LibraryIndex, scanLibrary } from '../library/scan.js';
import { keptReason, type Ownership } from '../library/ownership.js';
import { systemClock } from '../core/clock.js';
import { thrownMessage, UsageError, type TankobonError } from '../core/errors.js';
import { toStorageError } from '../core/files.js';
import { toTankobonError } from '../core/system-errors.js';
import { leftoversAmong, removeLeftovers } from '../download/leftovers.js';
import { keptInUnchanged } from '../download/retag-chapter.js';
import type { Retag } from '../plan/change.js';
import {
  isVisible,
  previewRetags,
  retaggedChapter,
  writeRetags,
} from '../download/write-retags.js';
import { renameBook } from '../books/rename-book.js';
import { damagedChapter } from '../books/source-chapter.js';
import type { ChapterFields } from '../events/chapter-fields.js';
import {
  describeFoldersLeft,
  isFatal,
  moveBookCover,
  moveExtras,
  type ExtraDeps,
} from './move-extras.js';
import type { LeftFolder } from './renamed-titles.js';
import { assertReadableFolder } from './readable-folder.js';
import type { BookRetag } from './retag-books.js';
import type { RetagEvent } from '../events/retag-events.js';
import { followSeriesMetadata } from '../download/series-metadata.js';
import {
  planRetags,
  type RetagPlan,
  type RetagRequest,
  type SeriesInFolder,
} from './retag-plan.js';

interface RetagDeps extends ExtraDeps {
  readonly observe: (event: RetagEvent) => void;
}

const HINT = 'Pass a folder with chapters that tankobon saved.';

/** Throws UsageError `nothing-to-bind` for a folder without chapters, and errors of the service. */
export async function retag(
  request: RetagRequest,
  deps: RetagDeps,
): Promise<readonly TankobonError[]> {
  await assertReadableFolder(request.folder, HINT);
  const { signal, stateFolder } = deps;
  // A dry run changes nothing: it opens only files that are new or were changed.
  const store = request.dryRun ? await FolderStore.open(stateFolder, request.folder) : undefined;
  const run = new RetagRun(request, deps);
  const library = await scanLibrary(request.folder, {
    signal,
    store,
    onUnreadableFolder: (folder, error) => {
      run.fail(folder, error);
    },
  });
  if (library.archives.length === 0 && library.damaged.length === 0)
    throw new UsageError('nothing-to-bind', `No chapters found: ${request.folder}`, { hint: HINT });
  if (!request.dryRun) await removeLeftovers(leftoversAmong(library), systemClock);
  try {
    return await run.run(library, store);
  } finally {
    // Without it, the next dry run is slower.
    await store?.save().catch(() => undefined);
  }
}

/** Links are counted. */
const SKIP_REASONS = { foreign: 'other-program', 'other-user': 'other-user' } as const;

function isSkipped(ownership: Ownership): ownership is keyof typeof SKIP_REASONS {
  return ownership in SKIP_REASONS;
}

class RetagRun {
  readonly #errors: TankobonError[] = [];
  /** The folders from which something was moved. */
  readonly #movedFrom = new Set<string>();
  #fields: ReadonlyMap<string, ChapterFields> = new Map();
  readonly #count = { changed: 0, unchanged: 0, books: 0, edited: 0, nameTaken: 0, skipped: 0 };

  constructor(
    private readonly request: RetagRequest,
    private readonly deps: RetagDeps,
  ) {}

  async run(
    library: LibraryIndex,
    store: FolderStore | undefined,
  ): Promise<readonly TankobonError[]> {
    const links = new Set(library.links);
    for (const { file, readError, cause } of library.damaged)
      if (!links.has(file)) this.fail(file, damagedChapter(file, cause ?? readError));
    for (const { chapterId: chapter, file, ownership, isBound } of library.archives)
      if (!isBound && isSkipped(ownership) && !links.has(file)) {
        this.#count.skipped += 1;
        const message = keptReason(file, ownership);
        const reason = SKIP_REASONS[ownership];
        this.deps.observe({ type: 'chapter-skipped', chapter, file, reason, message });
      }
    const plan = await planRetags(library.archives, this.request, this.deps, store);
    this.#fields = plan.fields;
    for (const { file, chapter, error } of plan.failed) this.fail(file, error, chapter);
    for (const { file, error } of plan.failedBooks) this.#failBook(file, error);
    for (const { file, chapter, kept } of plan.unchanged) this.#keep(file, chapter, kept);
    if (this.request.dryRun) await this.#preview(plan);
    else await this.#write(plan);
    const { notListed, pagesNotCompared, changedInBooks } = plan;
    const counts = {
      ...this.#count,
      pagesNotCompared,
      changedInBooks,
      notListed,
      links: links.size,
      failed: this.#errors.length,
    };
    this.deps.observe({ type: 'retag-summary', ...counts });
    return this.#errors;
  }

  #keep(file: string, chapter: string, kept: readonly string[]): void {
    this.#count.unchanged += 1;
    if (kept.length === 0) return;
    this.#count.edited += 1;
    this.deps.observe({ type: 'chapter-kept', chapter, file, kept, ...this.#fieldsOf(chapter) });
  }

  async #preview({ retags, bookRetags }: RetagPlan): Promise<void> {
    for (const each of bookRetags) this.#reportBook(each, []);
    for (const [each, name] of await previewRetags(retags)) this.#report(each, name);
  }

  /** The chapters come last: as long as one is in the old folder, another run finds what a killed one left there. */
  async #write({ retags, bookRetags, leftFolders, described }: RetagPlan): Promise<void> {
    const { signal, warn } = this.deps;
    for (const left of leftFolders) await this.#moveExtras(left);
    for (const each of bookRetags) await this.#writeBook(each);
    const onWritten = (each: Retag, name: string) => {
      this.#report(each, name);
    };
    const onFailed = ({ file, chapter }: Retag, thrown: unknown) => {
      this.fail(file, thrown, chapter.id);
    };
    await writeRetags(retags, { onWritten, onFailed }, signal);
    for (const [folder, series] of described)
      for (const each of series) await this.#describe(folder, each);
    const folders = new Set(leftFolders.map(({ folder }) => folder));
    const left = [...folders].filter((folder) => this.#movedFrom.has(folder));
    for (const message of await describeFoldersLeft(left)) warn(message);
  }

  /** Covers of the title stay. */
  async #describe(folder: string, series: SeriesInFolder): Promise<void> {
    const { warn, signal } = this.deps;
    signal.throwIfAborted();
    await followSeriesMetadata(folder, series).catch((error: unknown) => {
      warn(`The metadata of the series stay as they are in ${folder}: ${thrownMessage(error)}`);
    });
  }

  /** A folder whose covers or series metadata cannot be moved does not affect the others. */
  async #moveExtras(left: LeftFolder): Promise<void> {
    const { warn, signal } = this.deps;
    try {
      await moveExtras(left, this.deps, { onMoved: this.#onMoved, warn });
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      warn(`Covers and series metadata stay in ${left.folder}: ${thrownMessage(error)}`);
    }
  }

  readonly #onMoved = (file: string, newFile: string): void => {
    this.deps.observe({ type: 'file-moved', file: this.#asGiven(file), newFile });
  };

  #reportBook(
    { book: { path: file }, to, names, keepsContent }: BookRetag,
    kept: readonly string[],
  ) {
    this.#count.books += 1;
    this.#movedFrom.add(dirname(file));
    this.deps.observe({
      type: 'book-retagged',
      file: this.#asGiven(file),
      ...(to !== file && { newFile: to }),
      series: names.to,
      changed: keepsContent ? [] : ['series'],
      kept: keepsContent ? ['series'] : kept,
    });
  }

  #report(retag: Retag, name: string): void {
    const { file, chapter, from, to, edited } = retag;
    if (!isVisible(retag, name)) {
      this.#keep(file, chapter.id, keptInUnchanged(retag));
      return;
    }
    this.#count.changed += 1;
    if (name !== from) this.#movedFrom.add(dirname(from));
    if (edited.length > 0) this.#count.edited += 1;
    if (name !== to) this.#count.nameTaken += 1;
    this.deps.observe({ ...retaggedChapter(retag, name), ...this.#fieldsOf(chapter.id) });
  }

  /** A book that fails does not affect the others. */
  async #writeBook(planned: BookRetag): Promise<void> {
    const { signal, stateFolder } = this.deps;
    signal.throwIfAborted();
    const { path: file, container } = planned.book;
    try {
      // Before the book: where a run is killed between the two, the next one finds the book.
      if (planned.to !== file && container !== 'folder')
        await moveBookCover(file, planned.to, stateFolder, this.#onMoved);
      this.#reportBook(planned, await renameBook(planned.book, planned, signal));
    } catch (thrown) {
      signal.throwIfAborted();
      this.#failBook(file, thrown);
    }
  }

  #failBook(file: string, thrown: unknown): void {
    const error = toTankobonError(toStorageError(thrown, file));
    const { code: reason, message } = error;
    this.deps.observe({ type: 'book-failed', file: this.#asGiven(file), reason, message });
    this.#errors.push(error);
  }

  /** A path below the folder, as the events of chapters have it. */
  #asGiven(file: string): string {
    const { folder } = this.request;
    return join(folder, relative(resolve(folder), file));
  }

  #fieldsOf(chapter: string): ChapterFields | undefined {
    return this.#fields.get(chapter);
  }

  fail(file: string, thrown: unknown, chapter?: string): void {
    const error = toTankobonError(toStorageError(thrown, file));
    const { code: reason, message } = error;
    const failed = { type: 'chapter-failed' as const, file, reason, message };
    const named = chapter !== undefined && { chapter, ...this.#fieldsOf(chapter) };
    this.deps.observe({ ...failed, ...named });
    this.#errors.push(error);
  }
}
