/** Where books go and what they are called. */
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { withExtension, type NameTemplate } from '../config/names.js';
import { pathCollisionKey, cleanSegment } from '../core/path-segment.js';
import { isSameName } from '../core/relative-paths.js';
import { isTitleFolder } from '../config/name-template.js';
import { isComicFile } from '../config/containers.js';
import { UsageError, type TankobonError } from '../core/errors.js';
import { sha256Of } from '../core/sha256.js';
import { groupBy } from '../core/group-by.js';
import { copyProfile } from './book-copy.js';
import type { PageProfile } from './page-profile.js';
import { normalizedNumber, type ChapterGroup } from './group-volumes.js';
import { chapterLabel, sourceKey, type BookChapter } from './source-chapter.js';

/** A book whose name another one has gets a digest of this length at the end. */
const DIGEST_LENGTH = 8;

export interface PlannedBook {
  readonly file: string;
  /** The name that the templates give; the file has another one if its owner gave it that, or an earlier template did. */
  readonly name: string;
  readonly group: ChapterGroup;
}

/** A book that exists, of `bind`. */
export interface KnownBook {
  readonly file: string;
  /** The chapters are as they were bound: MangaDex may have moved them since. `id`: see sourceId. */
  readonly chapters: readonly { readonly id: string; readonly volume: string | undefined }[];
}

export interface BookNames {
  /** CBZ files, bound CBZ or EPUB files, and folders that contain such. */
  readonly inputs: readonly string[];
  /** The folder for the books. */
  readonly output: string;
  /** Returns a book's path below the output folder. */
  readonly nameBook: NameTemplate;
  /** Returns the path of the book of the chapters without a volume. */
  readonly nameWithoutVolume: NameTemplate;
  /** What books of other kinds are called, such as those of whole titles. */
  readonly otherNames: readonly NameTemplate[];
  /** Whether this is the built-in template, whose names Kavita understands. */
  readonly hasDefaultName: boolean;
  /** Whether a file has this path. */
  readonly isThere: (file: string) => boolean;
  /** The folders of the template of these names. */
  readonly folderTemplate: string;
  /** The end of the books' names, with its dot. */
  readonly extension: string;
  /** Set for books for a device. */
  readonly profile?: PageProfile | undefined;
  /** Larger books are divided. */
  readonly maxBytes?: number | undefined;
}

/** A book that is not written, since its file has another use. */
export type RefusedBook = PlannedBook &
  /** Its only chapter is a file of that name: a volume of another program. */
  ({ readonly kind: 'itself' } | { readonly kind: 'taken'; readonly error: TankobonError });

export interface NamedBooks {
  readonly books: readonly PlannedBook[];
  readonly refused: readonly RefusedBook[];
}

/**
 * The file of each book. Where books in several languages would have one name, theirs end with the language, and other
 * chapters of one name end with a digest; a book that exists keeps its name. Throws UsageError `bad-option` if a template
 * of the owner gives two books the same name, or the name of one of `chapters`.
 */
export function nameBooks(
  groups: readonly ChapterGroup[],
  names: BookNames,
  chapters: readonly BookChapter[],
  knownBooks: readonly KnownBook[] = [],
): NamedBooks {
  const books = booksByChapter(knownBooks, names);
  const key = ({ file }: PlacedBook): string => pathCollisionKey(file);
  const placed = groups.map((group) => ({
    group,
    file: placeBook(pathOf(group, names), group, names),
  }));
  const samePlace = groupBy(placed, key);
  const planned = placed.map((book) => {
    const { group } = book;
    const file = kavitaFile(book, samePlace.get(key(book)) ?? [], names);
    return { group, file: renamedBook(group, file, names, books) ?? file };
  });
  const sameName = groupBy(planned, key);
  const bookLanguages = new Map(
    chapters
      .filter(({ isBound }) => isBound)
      .map(({ file, metadata }) => [resolve(file), metadata.language]),
  );
  const named = planned
    .map((book) => withLanguage(book, sameName.get(key(book)) ?? [], names, bookLanguages))
    .map((book) => withName(book, names));
  const { books: accepted, refused } = refuseTaken(withDigests(named, names), chapters);
  const [first] = names.hasDefaultName ? [] : refused;
  if (first) throw first.kind === 'taken' ? first.error : replacesInput(first);
  return { books: accepted, refused };
}

type PlacedBook = Omit<PlannedBook, 'name'>;

function withName({ file, group }: PlacedBook, names: BookNames): PlannedBook {
  const given = namesOfBook(group, names);
  const name = given.find((each) => isSameName(each, basename(file))) ?? given[0] ?? '';
  return { file, group, name };
}

/** What the templates call the book, the usual name first: older versions gave others, and a second language gives one. */
export function namesOfBook(group: ChapterGroup, names: NamesOfBook): readonly string[] {
  const plain = basename(pathOf(group, { ...names, output: '' }));
  const usual = isForKavita(group, names) ? kavitaName(group, names) : plain;
  const each = [usual, plain];
  return [...each, ...each.map((name) => languageFile(name, group, names))];
}

/** What a name depends on. */
export type NamesOfBook = Pick<
  BookNames,
  'nameBook' | 'nameWithoutVolume' | 'hasDefaultName' | 'profile' | 'maxBytes' | 'extension'
>;

function withLanguage(
  book: PlacedBook,
  sameName: readonly PlacedBook[],
  names: BookNames,
  /** The languages of existing books, by their files. */
  bookLanguages: ReadonlyMap<string, string | undefined>,
): PlacedBook {
  const { file, group } = book;
  const named = languageFile(file, group, names);
  const exists = (path: string): boolean => bookLanguages.get(resolve(path)) === group.language;
  const isAmbiguous = sameName.some(({ group: other }) => other.language !== group.language);
  return exists(named) || (isAmbiguous && !exists(file)) ? { group, file: named } : book;
}

/** The file with the language at the end of its name; unchanged for an unknown language. */
function languageFile(
  file: string,
  group: ChapterGroup,
  names: Pick<BookNames, 'extension' | 'nameBook'>,
): string {
  const language = cleanSegment(group.language);
  return language === '' ? file : fileWithEnding(file, ` [${language}]`, names);
}

function fileWithEnding(
  file: string,
  ending: string,
  { extension, nameBook: { maxNameBytes } }: Pick<BookNames, 'extension' | 'nameBook'>,
): string {
  const name = withExtension(basename(file, extension), ending + extension, maxNameBytes);
  return join(dirname(file), name);
}

function pathOf(
  group: ChapterGroup,
  { output, nameBook, nameWithoutVolume }: NamesOfBook & Pick<BookNames, 'output'>,
): string {
  const hasNone = group.by === 'volume' && group.volume === undefined;
  return join(output, (hasNone ? nameWithoutVolume : nameBook)(nameValues(group)));
}

/**
 * The file under a name that Kavita understands, unless an earlier version gave it to the book or to the one in another
 * language. `samePlace`: the books in all languages that would have this file.
 */
function kavitaFile(
  { file, group }: PlacedBook,
  samePlace: readonly PlacedBook[],
  names: BookNames,
): string {
  if (!isForKavita(group, names)) return file;
  const { isThere } = names;
  const name = kavitaName(group, names);
  const isKept =
    isThere(file) || samePlace.some((other) => isThere(languageFile(file, other.group, names)));
  return isKept ? file : join(dirname(file), name);
}

function kavitaName(group: ChapterGroup, { nameBook }: Pick<BookNames, 'nameBook'>): string {
  const series = hyphenedNumbers(group.series);
  return basename(nameBook({ ...nameValues(group), series }));
}

/** Copies of volumes for a device are not for Kavita, and it reads the metadata of other formats. */
function isForKavita({ by }: ChapterGroup, names: NamesOfBook): boolean {
  const isCopy = copyProfile(names) !== undefined;
  return by === 'volume' && names.hasDefaultName && !isCopy && isComicFile(names.extension);
}

/**
 * `Mob Psycho 100` becomes `Mob Psycho-100`: Kavita takes a number after a space for that of a chapter, and a volume has no
 * other one in ComicInfo.xml that would count instead.
 */
export function hyphenedNumbers(series: string): string {
  return cleanSegment(series).replace(/[\s_]+(?=\.?\d+(?:\D?\d+)?b?(?![\p{L}\p{N}]))/gu, '-');
}

type BooksByChapter = ReadonlyMap<string, readonly KnownBook[]>;

/** The books in the output folder that books of these names may replace. */
function booksByChapter(books: readonly KnownBook[], names: BookNames): BooksByChapter {
  const byChapter = new Map<string, KnownBook[]>();
  for (const book of books) {
    if (extname(book.file).toLowerCase() !== names.extension && names.extension !== '') continue;
    if (isOutside(book.file, names)) continue;
    for (const { id } of book.chapters) {
      const others = byChapter.get(id);
      if (others) others.push(book);
      else byChapter.set(id, [book]);
    }
  }
  return byChapter;
}

/**
 * The book of this volume under a name that is not of the template, if there is one in the output folder: its owner
 * renamed or moved it, or an earlier template named it. Otherwise a second book of the volume would be written. `file`: the
 * path by the template, which the owner may have in another Unicode form.
 */
function renamedBook(
  group: ChapterGroup,
  file: string,
  names: BookNames,
  books: BooksByChapter,
): string | undefined {
  if (copyProfile(names) !== undefined || !bindsLibrary(names)) return undefined;
  const ids = new Set(group.chapters.map(sourceId));
  const known = [...new Set([...ids].flatMap((id) => books.get(id) ?? []))].filter(({ chapters }) =>
    chapters.every(({ id }) => ids.has(id)),
  );
  const found = known.map((book) => book.file);
  const usual = found.find((path) => isSameName(resolve(path), resolve(file)));
  if (usual !== undefined || group.by !== 'volume') return usual;
  // A book of the whole title, or of a chapter, is another one.
  const otherPaths = [pathOf({ ...group, by: 'title' }, names)];
  for (const name of names.otherNames)
    for (const by of ['title', 'chapter'] as const)
      otherPaths.push(name(nameValues({ ...group, by })));
  const otherNames = otherPaths.map((path) => basename(path));
  const isOther = (path: string) => otherNames.some((name) => isSameName(name, basename(path)));
  const read = new Set(group.chapters.flatMap((each) => (each.isBound ? each.file : [])));
  // Where its chapters are read from their own files, they may have moved from another volume.
  const isOfVolume = ({ file: path, chapters }: KnownBook) =>
    read.size > 0
      ? read.has(path)
      : chapters.every(({ volume }) => normalizedNumber(volume) === group.volume);
  const [book, ...others] = known.filter((each) => !isOther(each.file) && isOfVolume(each));
  return others.length === 0 ? book?.file : undefined;
}

export function sourceId(chapter: BookChapter): string {
  return chapter.chapterId ?? sourceKey(chapter);
}

function bindsLibrary({ inputs, output }: BookNames): boolean {
  return inputs.length === 0 || inputs.some((input) => resolve(input) === resolve(output));
}

function isOutside(file: string, { output }: BookNames): boolean {
  const path = relative(resolve(output), resolve(file));
  return path.split(sep)[0] === '..' || isAbsolute(path);
}

/**
 * In the output folder of the chapters, a book whose folder is theirs by the templates goes where they are: it may have
 * been moved. One that its owner edited stays where it is, under the name that it has.
 */
function placeBook(file: string, { chapters }: ChapterGroup, names: BookNames): string {
  const { output, folderTemplate } = names;
  if (!bindsLibrary(names)) return file;
  const edited = editedBook(chapters, names);
  if (edited !== undefined) return edited;
  if (!isTitleFolder(folderTemplate)) return file;
  const beside = chapters.findLast(
    ({ isBound, record }) => !isBound && record?.folderTemplate === folderTemplate,
  );
  if (!beside || isOutside(beside.file, names)) return file;
  const folder = relative(resolve(output), resolve(dirname(beside.file)));
  return join(output, folder, basename(file));
}

/** The book that has all of these chapters, if its owner edited it. */
function editedBook(chapters: readonly BookChapter[], names: BookNames): string | undefined {
  const [book, ...others] = new Set(chapters.map(({ file }) => file));
  const isEdited = others.length === 0 && chapters[0]?.isBookEdited === true;
  if (book === undefined || !isEdited || copyProfile(names) !== undefined) return undefined;
  return extname(book).toLowerCase() === names.extension ? book : undefined;
}

function nameValues(group: ChapterGroup) {
  const { by, series, language, volume, chapters } = group;
  const [first] = chapters;
  const { number, title, translators = [] } = first?.metadata ?? {};
  const isChapter = by === 'chapter';
  return {
    id: first ? (first.chapterId ?? chapterLabel(first.metadata)) : 'book',
    series,
    language,
    volume: by === 'title' ? undefined : volume,
    chapter: isChapter ? number : undefined,
    title: isChapter ? title : undefined,
    group: isChapter ? translators.join(' + ') : undefined,
    author: first?.metadata.writers?.join(', '),
    artist: first?.metadata.pencillers?.join(', '),
    'title-id': first?.record?.titleId ?? first?.titleId,
    'chapter-id': isChapter ? first?.chapterId : undefined,
    date: isChapter ? first?.metadata.publishedAt?.toISOString().slice(0, 10) : undefined,
  };
}

/** Chapters of one number differ by their titles, which a template may not have. */
function withDigests(books: readonly PlannedBook[], names: BookNames): readonly PlannedBook[] {
  const used = new Set<string>();
  return books.map((book) => {
    const key = pathCollisionKey(book.file);
    const [chapter] = book.group.chapters;
    if (book.group.by !== 'chapter' || !chapter || !used.has(key)) {
      used.add(key);
      return book;
    }
    const digest = sha256Of(sourceId(chapter)).slice(0, DIGEST_LENGTH);
    return { ...book, file: fileWithEnding(book.file, ` (${digest})`, names) };
  });
}

/** The first of several books of one name gets it. */
function refuseTaken(
  books: readonly PlannedBook[],
  chapters: readonly BookChapter[],
): NamedBooks & { readonly books: PlannedBook[] } {
  const inputs = new Set(chapters.flatMap(({ isBound, file }) => (isBound ? [] : [resolve(file)])));
  const byKey = new Map<string, PlannedBook>();
  const refused: RefusedBook[] = [];
  for (const book of books) {
    const key = pathCollisionKey(book.file);
    const other = byKey.get(key);
    const isOnly = book.group.chapters.every(({ file }) => resolve(file) === resolve(book.file));
    if (other) refused.push({ ...book, kind: 'taken', error: sameName(book, other) });
    else if (!inputs.has(resolve(book.file))) byKey.set(key, book);
    else if (isOnly) refused.push({ ...book, kind: 'itself' });
    else refused.push({ ...book, kind: 'taken', error: replacesInput(book) });
  }
  return { books: [...byKey.values()], refused };
}

function sameName({ file, group }: PlannedBook, { group: other }: PlannedBook): UsageError {
  const languages = [other.language, group.language].map((code) => code || 'unknown');
  const message =
    languages[0] === languages[1]
      ? `Two books have the same name: ${file}`
      : `Chapters in two languages (${languages.join(', ')}) have the same name: ${file}`;
  const hint = 'Distinguish them with --name, which has {language}, {volume} and {chapter}.';
  return new UsageError('bad-option', message, { hint });
}

function replacesInput({ file }: Pick<PlannedBook, 'file'>): UsageError {
  const message = `The book would replace the chapter that it is made of: ${relative('.', file)}`;
  const hint = 'Choose another folder with --output, or another --name.';
  return new UsageError('bad-option', message, { hint });
}
