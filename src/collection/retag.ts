/**
 * Brings the metadata of chapter files up to date: asks the service by the hundred, and rewrites ComicInfo.xml and the
 * names of the files whose metadata changed. Pages are not downloaded. Only tankobon's own files are changed, and no
 * links are followed. Titles that get another name are moved with their books and covers.
 */
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import {
  planBookRename,
  readBooksOfTitles,
  renameBook,
  type BookOfTitle,
  type BookRename,
} from '../books/rename-book.js';
import { damagedChapter } from '../library/damage.js';
import { systemClock } from '../core/clock.js';
import { pluralize } from '../core/human-format.js';
import { isFatal, thrownMessage, type TankobonError } from '../core/errors.js';
import { readFileState } from '../core/file-state.js';
import { groupBy } from '../core/group-by.js';
import { jsonDigest } from '../core/json.js';
import { toStorageError } from '../core/files.js';
import { outermostFolders, respellBelow } from '../core/same-file.js';
import { toTankobonError } from '../core/system-errors.js';
import { VERSION } from '../core/version.js';
import { toRelease } from '../download/known-title.js';
import { findLeftovers, removeLeftovers } from '../download/leftovers.js';
import { followSeriesMetadata, moveBookCover, moveExtras } from '../download/extras.js';
import type { templateOptions } from '../download/download-request.js';
import { applyRetags, filesToRetag, planRetag, retaggedEvent } from '../download/retag.js';
import type { ChapterFields } from '../events/chapter-fields.js';
import type { RetagEvent, RetagSummary } from '../events/retag-events.js';
import { readFileChapters } from '../library/file.js';
import { keptReason, mayBeRewritten } from '../library/ownership.js';
import { templateFor, type NameTemplate } from '../config/names.js';
import { type LibraryIndex, scanLibrary } from '../library/scan.js';
import { FolderStore } from '../library/store.js';
import type { Retag, UnreadRetag } from '../plan/change.js';
import { keptInUnchanged } from '../plan/chapter-changes.js';
import { decideFiles } from '../plan/decide.js';
import { newTitleNames, seriesInPath } from '../plan/title-names.js';
import { fieldsById } from '../selection/chapter-fields.js';
import { namedRuns } from '../selection/same-chapter.js';
import { fetchChapters, type Chapter } from '../service/chapters.js';
import { fetchTitles, type Title } from '../service/titles.js';
import { assertReadableFolder, noChapters, type OtherFiles } from './readable-folder.js';
import {
  addUsedNames,
  describeFoldersLeft,
  NewFolders,
  sharedFolder,
  UsedNames,
  type LeftFolder,
} from './renamed-titles.js';

type RetagOptions = Parameters<typeof planRetag>[1];

interface FolderRequest
  extends
    Omit<RetagOptions, 'hasComparedPages' | 'maxNameBytes'>,
    ReturnType<typeof templateOptions> {
  readonly folder: string;
  readonly dryRun: boolean;
  /** Whether files that their owner did not rename get the names of the template of now. */
  readonly rename: boolean;
  /** The template of the names of volumes for `rename`; undefined for the built-in one. */
  readonly bookName: string | undefined;
  /** Whether titles that the service renamed get their new name and folder. */
  readonly renameTitles: boolean;
  /** Returns a title under the name that its owner chose. */
  readonly nameTitle: (title: Title) => Title;
  /** The template of the names. */
  readonly name: string;
}

interface RetagRequest extends Omit<FolderRequest, 'folder'> {
  readonly folders: readonly string[];
}

type ExtraDeps = Parameters<typeof moveExtras>[1];

interface RetagDeps extends Omit<ExtraDeps, 'dryRun'> {
  readonly observe: (event: RetagEvent) => void;
  /** Calls `action` while the folder is locked for this run alone. */
  readonly withLock: <T>(folder: string, action: () => Promise<T>) => Promise<T>;
}

const HINT = 'Pass a folder with chapters that tankobon saved.';

type Counts = Omit<RetagSummary, 'type'>;

/**
 * Throws UsageError `nothing-to-bind` for a folder that is missing, before any is changed, and for folders without
 * chapters; and errors of the service.
 */
export async function retag(
  { folders, ...request }: RetagRequest,
  deps: RetagDeps,
): Promise<readonly TankobonError[]> {
  for (const folder of folders) await assertReadableFolder(folder, HINT);
  const errors: TankobonError[] = [];
  let total: Counts | undefined;
  let others: OtherFiles = { files: 0, links: 0 };
  try {
    for (const folder of await outermostFolders(folders)) {
      const run = () => retagFolder({ ...request, folder }, deps);
      const done = await (request.dryRun ? run() : deps.withLock(folder, run));
      others = sumOf(others, done.others);
      if (!done.counts) continue;
      total = total ? sumOf(total, done.counts) : done.counts;
      for (const error of done.errors) errors.push(error);
    }
  } finally {
    // Also if a later folder is interrupted.
    if (total) deps.observe({ type: 'retag-summary', ...total });
  }
  if (!total) throw noChapters(folders, others, HINT);
  return errors;
}

function sumOf<Sums extends { readonly [Name in keyof Sums]: number }>(a: Sums, b: Sums): Sums {
  const names = Object.keys(a) as (keyof Sums)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as Sums;
}

interface RetaggedFolder {
  /** Undefined for a folder without chapters. */
  readonly counts?: Counts;
  readonly errors: readonly TankobonError[];
  readonly others: OtherFiles;
}

async function retagFolder(
  request: FolderRequest,
  deps: Omit<RetagDeps, 'withLock'>,
): Promise<RetaggedFolder> {
  const { signal, stateFolder } = deps;
  // A dry run changes nothing: it opens only files that are new or were changed.
  const store = request.dryRun ? FolderStore.open(stateFolder, request.folder) : undefined;
  const run = new RetagRun(request, deps);
  const library = await scanLibrary(request.folder, {
    signal,
    store,
    onUnreadableFolder: (folder, error) => {
      run.fail(folder, error);
    },
  });
  const others = { files: library.unidentified.length, links: library.links.length };
  if (library.archives.length + library.damaged.length + run.errors.length === 0)
    return { errors: [], others };
  if (!request.dryRun) await removeLeftovers(findLeftovers(library), systemClock);
  try {
    return { ...(await run.run(library, store)), others };
  } finally {
    // Without it, the next dry run is slower.
    await store?.save().catch(() => undefined);
  }
}

type Planned = Awaited<ReturnType<typeof planRetag>>;

interface RetagPlan {
  /** What becomes of each file, before those whose metadata may change are read. */
  readonly decided: ReturnType<typeof decideFiles>;
  /** What becomes of these. */
  readonly changes: readonly Planned[];
  readonly books: readonly BookRename[];
  readonly failedBooks: readonly { readonly file: string; readonly error: unknown }[];
  /** By folder, the titles whose chapters it has after the retag, each with the languages of these. */
  readonly described: ReadonlyMap<string, ReadonlyMap<Title, ReadonlySet<string>>>;
  /** The folders that renamed titles leave. */
  readonly leftFolders: readonly LeftFolder[];
  /** The folders whose last chapters the service moved to other titles. */
  readonly emptiedFolders: readonly string[];
  readonly failed: readonly {
    readonly file: string;
    readonly chapter: string;
    readonly error: unknown;
  }[];
  readonly fields: ReadonlyMap<string, ChapterFields>;
}

/**
 * Files of which the store knows that they need no change are not read again. Throws errors of the service, and the
 * signal's reason when aborted.
 */
async function planFolder(
  library: LibraryIndex,
  request: FolderRequest,
  deps: Pick<ExtraDeps, 'client' | 'warn' | 'signal'>,
  store: FolderStore | undefined,
): Promise<RetagPlan> {
  const { archives } = library;
  const listed = await readListed(archives, request, deps);
  const { titles, books, failedBooks } = listed;
  const { renameTitles } = request;
  const usedNames = new UsedNames();
  for (const book of books) usedNames.add(book.titleId, usedNameOf(book, titles.get(book.titleId)));
  const { maxNameBytes } = library;
  const nameChapter = request.templatesWithin(maxNameBytes);
  const naming = { ...request, output: request.folder, nameChapter };
  const options = { ...request, maxNameBytes, hasComparedPages: false };
  const unlisted = renameTitles ? await readUnlisted(library, listed, naming, options, deps) : [];
  const all = new Map([...listed.chapters, ...unlisted.map((each) => [each.id, each] as const)]);
  const own = decideFiles(archives, all, titles).flatMap((each) =>
    each.kind === 'retag' && !each.isMoved ? [each.archive] : [],
  );
  if (renameTitles) await addUsedNames(usedNames, own, all);
  const titleNames = renameTitles ? await newTitleNames(titles, usedNames) : undefined;
  const moving = unlisted.filter(({ titleId = '' }) => titleNames?.has(titleId));
  const chapters = new Map([...listed.chapters, ...moving.map((each) => [each.id, each] as const)]);
  const decided = decideFiles(archives, chapters, titles);
  const compared = decided.filter((each) => each.kind === 'retag');
  const templates = request.rename ? templatesOf(compared, nameChapter) : undefined;
  const newNames = { titleNames, templates };
  const files = await filesToRetag(compared, library, naming, newNames, deps);
  const plan = renameTitles ? planRetag : planOnce(options, templates, store);
  const newFolders = new NewFolders();
  const { movedFrom, ...planned } = await planFiles(files, (file) => plan(file, options), {
    usedNames,
    newFolders,
    signal: deps.signal,
  });
  if (!titleNames) await warnOfRenamed(titles, usedNames, deps.warn);
  const renamedBooks = await planBooks(books, {
    ...request,
    maxNameBytes,
    titles,
    titleNames,
    newFolders,
  });
  return {
    ...planned,
    decided,
    books: renamedBooks,
    failedBooks,
    // A folder may also have the year of its title, which was corrected.
    leftFolders: newFolders.left().filter(({ title }) => renameTitles || title !== undefined),
    // What belongs to a title stays with its other chapters.
    emptiedFolders: [...movedFrom].filter((folder) => newFolders.of(folder) === undefined),
    fields: fieldsById([...chapters.values()], titles),
  };
}

/** The template of now for each title, by its id: it names the language where files of the title are in several. */
function templatesOf(
  files: readonly UnreadRetag[],
  nameChapter: ReturnType<FolderRequest['templatesWithin']>,
): ReadonlyMap<string, NameTemplate> {
  const templates = new Map<string, NameTemplate>();
  for (const [title, ofTitle] of groupBy(files, (each) => each.title)) {
    const languages = new Set(ofTitle.map(({ chapter }) => chapter.language));
    templates.set(title.id, templateFor(nameChapter(languages.size > 1), title));
  }
  return templates;
}

/** What the service lists of the chapters in the files, their titles, and the books that have them. */
async function readListed(
  archives: LibraryIndex['archives'],
  { nameTitle }: Pick<FolderRequest, 'nameTitle'>,
  { client, warn, signal }: Pick<ExtraDeps, 'client' | 'warn' | 'signal'>,
) {
  const ids = archives.flatMap(({ chapterId, isBound, ownership }) =>
    isBound || mayBeRewritten(ownership) ? [chapterId] : [],
  );
  const chapters = await fetchChapters(client, [...new Set(ids)], { signal, warn });
  const { books, failed: failedBooks } = await readBooksOfTitles(
    archives.filter(({ isBound }) => isBound),
    (chapterId) => chapters.get(chapterId)?.titleId,
  );
  // The service is asked too whether it still has the titles that the files name.
  const notBooks = archives.filter(({ isBound }) => !isBound);
  const withTitles = [...chapters.values(), ...books, ...notBooks];
  const titleIds = new Set(withTitles.flatMap(({ titleId }) => titleId ?? []));
  const listed = await fetchTitles(client, [...titleIds], { signal, warn });
  const named = new Map([...listed.titles].map(([id, title]) => [id, nameTitle(title)]));
  return { chapters, titles: withRestarts(named, chapters), books, failedBooks };
}

/**
 * The chapters that the service does not list any more, of titles that it lists, as their files describe them: these move
 * with a renamed title. A chapter is left out if its file does not say all that its name and its metadata were made of,
 * such as a number that ComicInfo.xml cannot have.
 */
async function readUnlisted(
  library: LibraryIndex,
  { chapters, titles }: Awaited<ReturnType<typeof readListed>>,
  naming: Parameters<typeof filesToRetag>[2] & Pick<FolderRequest, 'rename'>,
  options: RetagOptions,
  deps: Pick<ExtraDeps, 'client' | 'signal'>,
): Promise<readonly Chapter[]> {
  const byTitle = groupBy([...chapters.values()], ({ titleId }) => titleId);
  const unlisted = new Map<string, Chapter>();
  const notDescribed = new Set<string>();
  for (const { file, chapterId, titleId, isBound, ownership } of library.archives) {
    const title = titles.get(titleId ?? '');
    if (isBound || chapters.has(chapterId) || !mayBeRewritten(ownership) || !title) continue;
    deps.signal.throwIfAborted();
    // A file that cannot be read does not affect the others.
    const [{ record, written } = {}] = await readFileChapters(file).catch(() => []);
    const release = written && toRelease(chapterId, written, byTitle.get(title.id) ?? []);
    if (!release) notDescribed.add(chapterId);
    else {
      const volume = record?.inferredVolume === undefined ? release.volume : undefined;
      unlisted.set(chapterId, { ...release, titleId: title.id, volume });
    }
  }
  const files = decideFiles(library.archives, unlisted, titles).filter(
    (each) => each.kind === 'retag',
  );
  const templates = naming.rename ? templatesOf(files, naming.nameChapter) : undefined;
  const newNames = { titleNames: undefined, templates };
  for (const each of await filesToRetag(files, library, naming, newNames, deps)) {
    deps.signal.throwIfAborted();
    if (!(await isDescribed(each, options))) notDescribed.add(each.chapter.id);
  }
  return [...unlisted.values()].filter(({ id }) => !notDescribed.has(id));
}

/** What a chapter has of its own; the rest of its metadata is that of its title. */
const OF_CHAPTER = ['title', 'number', 'volume', 'translators', 'language', 'format'] as const;

/** Whether the file would keep its name, and the metadata of its chapter, if its title kept its name. */
async function isDescribed(file: FileToRetag, options: RetagOptions): Promise<boolean> {
  const planned = await planRetag(file, options).catch(() => undefined);
  if (planned?.kind !== 'retag') return planned !== undefined;
  const isKept = OF_CHAPTER.every((field) => !planned.changed.includes(field));
  return isKept && planned.to === planned.from;
}

type FileToRetag = Parameters<typeof planRetag>[0];

interface FoundPlaces {
  readonly usedNames: UsedNames;
  readonly newFolders: NewFolders;
  readonly signal: AbortSignal;
}

/** What becomes of each file. A file that cannot be planned does not affect the others. */
async function planFiles(
  files: readonly FileToRetag[],
  plan: (file: FileToRetag) => ReturnType<typeof planRetag>,
  { usedNames, newFolders, signal }: FoundPlaces,
) {
  const described = new Map<string, Map<Title, Set<string>>>();
  const changes: Planned[] = [];
  const failed: RetagPlan['failed'][number][] = [];
  const movedFrom = new Set<string>();
  for (const each of files) {
    signal.throwIfAborted();
    const { file, chapter, title, isMoved } = each;
    try {
      const planned = await plan(each);
      usedNames.add(title.id, planned.title.name);
      const from = resolve(file);
      const to = planned.kind === 'retag' ? planned.to : from;
      if (isMoved) movedFrom.add(dirname(from));
      else newFolders.add({ title, from, to });
      const inFolder = described.get(dirname(to)) ?? new Map<Title, Set<string>>();
      const languages = inFolder.get(title) ?? new Set<string>();
      described.set(dirname(to), inFolder.set(title, languages.add(chapter.language)));
      changes.push(planned);
    } catch (error) {
      signal.throwIfAborted();
      failed.push({ file, chapter: chapter.id, error });
    }
  }
  return { changes, failed, movedFrom, described };
}

/** The titles, with what the volumes of the chapters in the folder show of numbers that begin again. */
function withRestarts(
  titles: ReadonlyMap<string, Title>,
  chapters: ReadonlyMap<string, Chapter>,
): ReadonlyMap<string, Title> {
  const byTitle = groupBy([...chapters.values()], ({ titleId }) => titleId ?? '');
  const entries = [...titles].map(([id, title]) => {
    const { numbersRestart } = namedRuns(byTitle.get(id) ?? [], title);
    return [id, { ...title, numbersRestart }] as const;
  });
  return new Map(entries);
}

/** The content of some books keeps another name: these have that of their path, and none if it is that of their owner. */
function usedNameOf(
  { path, writtenSeries, isEdited, container }: BookOfTitle,
  title: Title | undefined,
): string | undefined {
  if (writtenSeries === undefined || (!isEdited && container !== 'pdf')) return writtenSeries;
  return seriesInPath(resolve(path).split(sep).join('/'), writtenSeries, title);
}

const UP_TO_DATE = {
  kind: 'keep',
  why: 'up-to-date',
  edited: [],
  unknown: [],
  mayHaveOtherPages: false,
} as const;

/** Plans as planRetag does, without reading a file that was compared with the same before and needed no change. */
function planOnce(
  request: FolderRequest & RetagOptions,
  templates: ReadonlyMap<string, NameTemplate> | undefined,
  store: FolderStore | undefined,
): typeof planRetag {
  if (!store) return planRetag;
  const ofRequest = jsonDigest([VERSION, request]);
  const digestOf = titleDigests();
  return async (onDisk, options) => {
    const { file, title } = onDisk;
    const { partialTitle, ...chapter } = onDisk.chapter;
    const { fileTemplate } = templates?.get(title.id) ?? {};
    const titles = [title, partialTitle].map(digestOf);
    const digest = jsonDigest([ofRequest, chapter, ...titles, fileTemplate]);
    if (store.scannedComparison(file) === digest)
      return { ...UP_TO_DATE, file, chapterId: chapter.id, title };
    const state = await readFileState(file).catch(() => undefined);
    const known = state && (await store.knownChapter(file, state));
    const planned = await planRetag(onDisk, options, known);
    const isSame =
      planned.kind !== 'retag' &&
      keptInUnchanged(planned).length === 0 &&
      !planned.mayHaveOtherPages &&
      planned.title.name === title.name;
    if (isSame && state) store.set(file, state, { comparedWith: digest });
    return planned;
  };
}

/** Titles have most of the text, and many files have the same title: each is digested once. */
function titleDigests(): (title: Title | undefined) => string {
  const digests = new Map<Title | undefined, string>();
  return (title) => {
    const digest = digests.get(title) ?? jsonDigest([title]);
    digests.set(title, digest);
    return digest;
  };
}

/** Adds the folders of books to those of chapters, which books follow. */
async function planBooks(
  books: readonly BookOfTitle[],
  options: {
    readonly folder: string;
    readonly maxNameBytes: number;
    readonly rename: boolean;
    readonly bookName: string | undefined;
    readonly titles: ReadonlyMap<string, Title>;
    readonly titleNames: ReadonlyMap<string, string> | undefined;
    readonly newFolders: NewFolders;
  },
): Promise<readonly BookRename[]> {
  const { rename: isRenamed, titles, titleNames, newFolders } = options;
  const newFolderOf = (each: string) => newFolders.of(each);
  const renames: Omit<BookRename, 'root'>[] = [];
  const used = new Set<string>();
  const planning = { ...options, newFolderOf, used };
  const folders: Parameters<NewFolders['add']>[0][] = [];
  for (const book of books) {
    const newName = titleNames?.get(book.titleId) ?? (isRenamed ? book.writtenSeries : undefined);
    const rename =
      newName === undefined ? undefined : await planBookRename(book, newName, planning);
    if (rename) renames.push(rename);
    const title = titles.get(book.titleId);
    const from = resolve(book.path);
    if (title) folders.push({ title, from, to: rename?.to ?? from });
  }
  for (const each of folders) newFolders.add(each);
  return renames.map((rename) => ({
    ...rename,
    root: sharedFolder(dirname(rename.book.path), dirname(rename.to)),
  }));
}

/** The file system may not distinguish the new name of a folder from its old one: it gets that in place. */
async function withoutRespelled(folders: readonly LeftFolder[]): Promise<readonly LeftFolder[]> {
  const left: LeftFolder[] = [];
  for (const each of folders)
    if (!(await respellBelow(each.root, each.folder, each.newFolder))) left.push(each);
  return left;
}

/** A change of the setting `title-language` renames all titles. */
const MAX_NAMED_TITLES = 20;

async function warnOfRenamed(
  titles: ReadonlyMap<string, Title>,
  usedNames: UsedNames,
  warn: (message: string) => void,
): Promise<void> {
  const names = [...(await newTitleNames(titles, usedNames))];
  for (const [id, name] of names.slice(0, MAX_NAMED_TITLES)) {
    const old = usedNames.of(id).filter((used) => used !== name);
    const called = old.map((used) => `"${used}"`).join(' and ');
    const [are, folders] = old.length === 1 ? ['is', 'its folder'] : ['are', 'their folders'];
    warn(`${called} ${are} called "${name}" by now; --rename-titles renames ${folders}`);
  }
  const rest = names.length - MAX_NAMED_TITLES;
  if (rest > 0)
    warn(`${pluralize(rest, 'more title')} have other names by now: --rename-titles --dry-run`);
}

/** Links are counted. */
const SKIP_REASONS = { foreign: 'other-program', 'other-user': 'other-user' } as const;

class RetagRun {
  readonly errors: TankobonError[] = [];
  /** The folders from which something was moved. */
  readonly #movedFrom = new Set<string>();
  #fields: ReadonlyMap<string, ChapterFields> = new Map();
  readonly #count = {
    changed: 0,
    unchanged: 0,
    books: 0,
    edited: 0,
    nameTaken: 0,
    pagesNotCompared: 0,
    changedInBooks: 0,
    notListed: 0,
    skipped: 0,
  };

  constructor(
    private readonly request: FolderRequest,
    private readonly deps: Omit<RetagDeps, 'withLock'>,
  ) {}

  async run(library: LibraryIndex, store: FolderStore | undefined) {
    const links = new Set(library.links);
    for (const { file, readError, cause } of library.damaged)
      if (!links.has(file)) this.fail(file, damagedChapter(file, cause ?? readError));
    const plan = await planFolder(library, this.request, this.deps, store);
    this.#fields = plan.fields;
    for (const each of plan.decided) this.#reportDecided(each, links);
    for (const { file, chapter, error } of plan.failed) this.fail(file, error, chapter);
    for (const { file, error } of plan.failedBooks) this.#failBook(file, error);
    for (const each of plan.changes) {
      if (each.mayHaveOtherPages) this.#count.pagesNotCompared += 1;
      if (each.kind === 'keep') this.#keep(each.file, each.chapterId, each);
    }
    await this.#apply(plan);
    const counts = { ...this.#count, links: links.size, failed: this.errors.length };
    return { counts, errors: this.errors };
  }

  #reportDecided(decided: RetagPlan['decided'][number], links: ReadonlySet<string>): void {
    if (decided.kind === 'skip') this.#count.changedInBooks += 1;
    if (decided.kind !== 'keep') return;
    const { file, chapterId: chapter, why } = decided;
    if (why === 'not-listed') this.#count.notListed += 1;
    else if (why !== 'lost-mark' && why !== 'link' && !links.has(file)) {
      this.#count.skipped += 1;
      const message = keptReason(file, why);
      const reason = SKIP_REASONS[why];
      this.deps.observe({ type: 'chapter-skipped', chapter, file, reason, message });
    }
  }

  #keep(file: string, chapter: string, unchanged: Pick<Retag, 'edited' | 'unknown'>): void {
    const kept = keptInUnchanged(unchanged);
    this.#count.unchanged += 1;
    if (kept.length === 0) return;
    this.#count.edited += 1;
    this.deps.observe({ type: 'chapter-kept', chapter, file, kept, ...this.#fields.get(chapter) });
  }

  /** The chapters come last: as long as one is in the old folder, another run finds what a killed one left there. */
  async #apply({
    changes,
    books,
    leftFolders,
    emptiedFolders,
    described,
  }: RetagPlan): Promise<void> {
    const { signal, warn } = this.deps;
    const { dryRun } = this.request;
    for (const left of leftFolders) await this.#moveExtras(left);
    for (const each of books) await this.#renameBook(each);
    const onWritten = (each: Retag, name: string) => {
      this.#report(each, name);
    };
    const onFailed = ({ file, chapter }: Retag, thrown: unknown) => {
      this.fail(file, thrown, chapter.id);
    };
    const retags = changes.filter((each) => each.kind === 'retag');
    await applyRetags(retags, { onWritten, onFailed }, { dryRun, signal });
    this.#warnOfPdfs(books);
    const left = dryRun ? [] : await withoutRespelled(leftFolders);
    // A dry run finds the files that would be moved to a folder where they are.
    const now = new Map(dryRun ? leftFolders.map((each) => [each.newFolder, each.folder]) : []);
    for (const [folder, series] of described)
      for (const [title, languages] of series) {
        const each = { title, languages: [...languages] };
        await this.#describe(folder, now.get(folder) ?? folder, each);
      }
    if (dryRun) return;
    // One from which files only go deeper, such as to that of a volume, is not left.
    const ofTitles = left.filter(({ folder, root }) => folder !== root);
    const folders = new Set([...ofTitles.map(({ folder }) => folder), ...emptiedFolders]);
    const movedFrom = [...folders].filter((folder) => this.#movedFrom.has(folder));
    for (const message of await describeFoldersLeft(movedFrom)) warn(message);
  }

  /** Covers of the title stay. `now`: where the files of the folder are. */
  async #describe(
    folder: string,
    now: string,
    series: Parameters<typeof followSeriesMetadata>[1],
  ): Promise<void> {
    const { observe, warn, signal } = this.deps;
    signal.throwIfAborted();
    try {
      for (const file of await followSeriesMetadata(now, series, this.request))
        observe({ type: 'metadata-updated', file: this.#asGiven(join(folder, basename(file))) });
    } catch (error) {
      warn(`The metadata of the series stay as they are in ${folder}: ${thrownMessage(error)}`);
    }
  }

  /** A run that names no new name says nothing of them. */
  #warnOfPdfs(books: readonly BookRename[]): void {
    const count = books.filter(({ keepsContent }) => keepsContent === 'pdf').length;
    if (count === 0) return;
    const [keep, are] = count === 1 ? ['PDF keeps', 'it is'] : [`PDFs keep`, 'they are'];
    this.deps.warn(
      `${count} ${keep} the old name of the title inside: ${are} bound anew by the next bind that has the chapters, as files or in other books`,
    );
  }

  /** A folder whose covers or series metadata cannot be moved does not affect the others. */
  async #moveExtras(left: LeftFolder): Promise<void> {
    const { warn, signal } = this.deps;
    try {
      await moveExtras(left, this.#extraDeps, { onMoved: this.#onMoved, warn });
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      warn(`Covers and series metadata stay in ${left.folder}: ${thrownMessage(error)}`);
    }
  }

  get #extraDeps(): ExtraDeps {
    return { ...this.deps, dryRun: this.request.dryRun };
  }

  readonly #onMoved = (file: string, newFile: string): void => {
    this.deps.observe({ type: 'file-moved', file: this.#asGiven(file), newFile });
  };

  #reportBook(
    { book: { path: file }, to, names, keepsContent }: BookRename,
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
      kept: keepsContent && keepsContent !== 'same-name' ? ['series'] : kept,
    });
  }

  #report(retag: Retag, name: string): void {
    const { file, chapter, from, to, edited } = retag;
    const event = retaggedEvent(retag, name);
    if (!event) {
      this.#keep(file, chapter.id, retag);
      return;
    }
    this.#count.changed += 1;
    if (name !== from) this.#movedFrom.add(dirname(from));
    if (edited.length > 0) this.#count.edited += 1;
    if (name !== to) this.#count.nameTaken += 1;
    this.deps.observe({ ...event, ...this.#fields.get(chapter.id) });
  }

  /** A book that fails does not affect the others. */
  async #renameBook(planned: BookRename): Promise<void> {
    const { signal } = this.deps;
    const { dryRun } = this.request;
    signal.throwIfAborted();
    const { path: file, container } = planned.book;
    try {
      // Before the book: where a run is killed between the two, the next one finds the book.
      if (planned.to !== file && container !== 'folder')
        await moveBookCover(file, planned.to, this.#extraDeps, this.#onMoved);
      this.#reportBook(planned, dryRun ? [] : await renameBook(planned, signal));
    } catch (thrown) {
      signal.throwIfAborted();
      this.#failBook(file, thrown);
    }
  }

  #failBook(file: string, thrown: unknown): void {
    const why = this.#addError(file, thrown);
    this.deps.observe({ type: 'book-failed', file: this.#asGiven(file), ...why });
  }

  /** A path below the folder, as the events of chapters have it. */
  #asGiven(file: string): string {
    const { folder } = this.request;
    return join(folder, relative(resolve(folder), file));
  }

  fail(file: string, thrown: unknown, chapter?: string): void {
    const named = chapter !== undefined && { chapter, ...this.#fields.get(chapter) };
    const why = this.#addError(file, thrown);
    this.deps.observe({ type: 'chapter-failed', file, ...why, ...named });
  }

  #addError(file: string, thrown: unknown) {
    const error = toTankobonError(toStorageError(thrown, file));
    this.errors.push(error);
    return { reason: error.code, message: error.message };
  }
}
