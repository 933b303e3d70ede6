/** What retag changes: compares the files of a folder with what the service says of their chapters and titles. */
import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { fetchChapters, type Chapter } from '../service/chapters.js';
import { fetchTitles, type Title } from '../service/titles.js';
import { groupBy } from '../core/group-by.js';
import { readFileState } from '../core/file-state.js';
import type { FolderStore } from '../library/store.js';
import type { ExistingArchive } from '../library/scan.js';
import { VERSION } from '../core/version.js';
import { mayHaveChanged } from '../plan/chapter-changes.js';
import {
  keptInUnchanged,
  planRetag,
  withoutSecondNames,
  type RetagOptions,
} from '../download/retag-chapter.js';
import type { Retag } from '../plan/change.js';
import { fieldsById } from '../selection/chapter-fields.js';
import type { ChapterFields } from '../events/chapter-fields.js';
import type { ExtraDeps } from './move-extras.js';
import {
  planBookRetag,
  readBooks,
  usedName,
  type BookOfTitle,
  type BookRetag,
  type ReadBooks,
} from './retag-books.js';
import {
  addUsedNames,
  NewFolders,
  newTitleNames,
  UsedNames,
  type LeftFolder,
} from './renamed-titles.js';

export interface RetagRequest extends Omit<RetagOptions, 'titleNames' | 'hasComparedPages'> {
  readonly folder: string;
  readonly dryRun: boolean;
  /** Whether titles that the service renamed get their new name and folder. */
  readonly renameTitles: boolean;
  /** The template of the names, from which `nameTemplates` are made. */
  readonly name: string;
}

export interface RetagPlan {
  readonly retags: readonly Retag[];
  readonly bookRetags: readonly BookRetag[];
  readonly failedBooks: ReadBooks['failed'];
  /** By folder, the titles whose chapters it has after the retag, each with the languages of these. */
  readonly described: ReadonlyMap<string, readonly SeriesInFolder[]>;
  /** The folders that renamed titles leave. */
  readonly leftFolders: readonly LeftFolder[];
  readonly unchanged: readonly {
    readonly file: string;
    readonly chapter: string;
    /** The metadata that stays; none if the service has the same. */
    readonly kept: readonly string[];
  }[];
  readonly failed: readonly {
    readonly file: string;
    readonly chapter: string;
    readonly error: unknown;
  }[];
  /** The number of chapters that changed since their pages were compared. */
  readonly pagesNotCompared: number;
  /** The number of chapters that changed, and that only books have. */
  readonly changedInBooks: number;
  /** The number of chapters that the service does not list. */
  readonly notListed: number;
  readonly fields: ReadonlyMap<string, ChapterFields>;
}

export interface SeriesInFolder {
  readonly title: Title;
  readonly languages: readonly string[];
}

/**
 * Files of which `compared` knows that they need no change are not read again. Throws errors of the service,
 * and the signal's reason when aborted.
 */
export async function planRetags(
  all: readonly ExistingArchive[],
  request: RetagRequest,
  { client, warn, signal }: Pick<ExtraDeps, 'client' | 'warn' | 'signal'>,
  compared: FolderStore | undefined,
): Promise<RetagPlan> {
  const archives = all.filter(({ isBound, ownership }) => !isBound && ownership === 'own');
  const bound = all.filter(({ isBound }) => isBound);
  const ids = new Set([...archives, ...bound].map(({ chapterId }) => chapterId));
  const chapters = await fetchChapters(client, [...ids], { signal, warn });
  const { books, failed: failedBooks } = await readBooks(bound, chapters);
  const titleIds = [...chapters.values(), ...books].flatMap(({ titleId }) => titleId ?? []);
  const { titles } = await fetchTitles(client, titleIds, { signal, warn });
  const usedNames = new UsedNames();
  for (const book of books) usedNames.add(book.titleId, usedName(book));
  if (request.renameTitles) await addUsedNames(usedNames, archives, chapters);
  const titleNames = request.renameTitles ? newTitleNames(titles, usedNames) : undefined;
  const options = { ...request, titleNames, hasComparedPages: false };
  const plan = request.renameTitles ? planRetag : planOnce(request, compared);
  const newFolders = new NewFolders();
  const inFolders: InFolder[] = [];
  const retags: Retag[] = [];
  const unchanged: RetagPlan['unchanged'][number][] = [];
  const failed: RetagPlan['failed'][number][] = [];
  let [notListed, pagesNotCompared] = [0, 0];
  for (const { file, chapterId } of archives) {
    signal.throwIfAborted();
    const chapter = chapters.get(chapterId);
    const title = titles.get(chapter?.titleId ?? '');
    // Without its title, a chapter would lose the series.
    if (!chapter || !title) notListed += 1;
    else
      try {
        const planned = await plan({ file, chapter, title, removes: [] }, options);
        usedNames.add(title.id, planned.title.name);
        if (planned.mayHaveOtherPages) pagesNotCompared += 1;
        const { from, to } =
          planned.kind === 'retag' ? planned : { from: resolve(file), to: resolve(file) };
        newFolders.add({ title, from, to });
        inFolders.push({ folder: dirname(to), title, language: chapter.language });
        if (planned.kind === 'retag') retags.push(planned);
        else unchanged.push({ file, chapter: chapterId, kept: keptInUnchanged(planned) });
      } catch (error) {
        signal.throwIfAborted();
        failed.push({ file, chapter: chapterId, error });
      }
  }
  if (!titleNames) warnOfRenamed(titles, usedNames, warn);
  const bookRetags = planBooks(books, { ...request, titles, titleNames, newFolders });
  // A folder may also have the year of its title, which was corrected.
  const leftFolders = newFolders
    .left()
    .filter(({ title }) => request.renameTitles || title !== undefined);
  const fields = fieldsById([...chapters.values()], titles);
  return {
    retags: withoutSecondNames(retags),
    bookRetags,
    failedBooks,
    described: describedIn(inFolders),
    leftFolders,
    unchanged,
    failed,
    pagesNotCompared,
    changedInBooks: changedInBooks(all, chapters),
    notListed,
    fields,
  };
}

interface InFolder {
  readonly folder: string;
  readonly title: Title;
  readonly language: string;
}

function describedIn(all: readonly InFolder[]): RetagPlan['described'] {
  return new Map(
    [...groupBy(all, ({ folder }) => folder)].map(([folder, ofFolder]) => [
      folder,
      [...groupBy(ofFolder, ({ title }) => title).entries()].map(([title, each]) => {
        return { title, languages: [...new Set(each.map(({ language }) => language))] };
      }),
    ]),
  );
}

const UP_TO_DATE = {
  kind: 'keep',
  why: 'up-to-date',
  edited: [],
  unknown: [],
  mayHaveOtherPages: false,
} as const;

/** Plans as planRetag does, without reading a file that was compared with the same before and needed no change. */
function planOnce(request: RetagRequest, compared: FolderStore | undefined): typeof planRetag {
  if (!compared) return planRetag;
  return async (onDisk, options) => {
    const { file, chapter, title } = onDisk;
    const text = JSON.stringify([VERSION, request, chapter, title]);
    const digest = createHash('sha256').update(text).digest('base64url').slice(0, 16);
    const state = await readFileState(file).catch(() => undefined);
    if (state && compared.get(file, state)?.comparedWith === digest)
      return { ...UP_TO_DATE, file, title };
    const planned = await planRetag(onDisk, options);
    const isSame =
      planned.kind !== 'retag' &&
      keptInUnchanged(planned).length === 0 &&
      !planned.mayHaveOtherPages &&
      planned.title.name === title.name;
    if (isSame && state) compared.set(file, state, { comparedWith: digest });
    return planned;
  };
}

function changedInBooks(
  archives: readonly ExistingArchive[],
  chapters: ReadonlyMap<string, Chapter>,
): number {
  const inFiles = new Set(archives.flatMap((each) => (each.isBound ? [] : [each.chapterId])));
  const changed = archives.filter(({ chapterId, version, isBound, ownership }) => {
    const chapter = chapters.get(chapterId);
    const isOnlyInBook = isBound === true && ownership === 'own' && !inFiles.has(chapterId);
    return isOnlyInBook && chapter !== undefined && mayHaveChanged({ version }, chapter);
  });
  return new Set(changed.map(({ chapterId }) => chapterId)).size;
}

/** Adds the folders of books to those of chapters, which books follow. */
function planBooks(
  books: readonly BookOfTitle[],
  options: {
    readonly folder: string;
    readonly titles: ReadonlyMap<string, Title>;
    readonly titleNames: ReadonlyMap<string, string> | undefined;
    readonly newFolders: NewFolders;
  },
): readonly BookRetag[] {
  const { titles, titleNames, newFolders } = options;
  const planned = books.map((book) => {
    const newName = titleNames?.get(book.titleId);
    const retag = newName === undefined ? undefined : planBookRetag(book, newName, options);
    return { book, retag };
  });
  for (const { book, retag } of planned) {
    const title = titles.get(book.titleId);
    const from = resolve(book.path);
    if (title) newFolders.add({ title, from, to: retag?.to ?? from });
  }
  return planned.flatMap(({ retag }) => retag ?? []);
}

function warnOfRenamed(
  titles: ReadonlyMap<string, Title>,
  usedNames: UsedNames,
  warn: (message: string) => void,
): void {
  for (const [id, name] of newTitleNames(titles, usedNames)) {
    const old = usedNames.of(id).filter((used) => used !== name);
    const names = old.map((used) => `"${used}"`).join(' and ');
    const [are, folders] = old.length === 1 ? ['is', 'its folder'] : ['are', 'their folders'];
    warn(`${names} ${are} called "${name}" by now; --rename-titles renames ${folders}`);
  }
}
