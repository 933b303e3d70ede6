/**
 * Books that `bind` wrote, of a title that gets another name: they move with its chapters, with the new name in their
 * metadata. Pages keep their bytes, and the old file is removed once the new one was read back whole. The text inside of a
 * PDF stays: `bind` writes one anew while it has the chapters.
 */
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { FOLDER_MANIFEST_NAME, MANIFEST_NAME } from '../library/mark.js';
import { COMIC_INFO_NAME } from '../library/comic-info.js';
import { readLibraryFile, rewriterOf, type BookFile, type FoundChapter } from '../library/file.js';
import { compileNameTemplate, cutName } from '../config/names.js';
import {
  fileChanged,
  moveUnchanged,
  assertOwnFile,
  publishAs,
  replaceUnchanged,
} from '../core/file-state.js';
import { StorageError } from '../core/errors.js';
import { lstatIfExists, removeEmptyFolders, renameInto } from '../core/files.js';
import { isRecord, parseJson } from '../core/json.js';
import { cleanSegment, pathCollisionKey } from '../core/path-segment.js';
import { isSameName, nameInPath } from '../core/relative-paths.js';
import { inFolderOf, isSameEntry, respell } from '../core/same-file.js';
import { isAccessError } from '../core/system-errors.js';
import { escapeXml } from '../core/xml-text.js';
import type { BookName, WriteOptions } from './book.js';
import { BOOK_SUFFIX_BYTES } from '../config/bind-choices.js';
import { CONTAINERS } from '../config/containers.js';
import { hyphenedNumbers } from './book-names.js';
import { nameByTemplate, type SeriesRename, type TemplateOfNow } from './name-by-template.js';
import { withBookLock } from './publish-book.js';

/** What changes in the texts of a book. */
interface TextRename extends SeriesRename {
  readonly named?: BookName | undefined;
}

export interface BookOfTitle extends BookFile {
  readonly titleId: string;
  /** The series as tankobon wrote it. */
  readonly writtenSeries: string | undefined;
}

/** What becomes of a book whose title gets another name, or whose chapters get another folder. */
export interface BookRename {
  readonly book: BookOfTitle;
  readonly names: SeriesRename;
  /** The new path; the old one if it stays. */
  readonly to: string;
  /** What its manifest says of the new name; undefined if that stays. */
  readonly named: BookName | undefined;
  /** A folder above both paths. */
  readonly root: string;
  /** Why the content stays: the owner changed the series or the book, it is a PDF, or the title keeps its name. */
  readonly keepsContent: 'edited' | 'pdf' | 'same-name' | undefined;
}

interface BooksOfTitles {
  readonly books: readonly BookOfTitle[];
  readonly failed: readonly { readonly file: string; readonly error: unknown }[];
}

/** The books among the archives of a library whose title is known. `titleOf`: the title of a chapter by its id. */
export async function readBooksOfTitles(
  archives: readonly FoundChapter[],
  titleOf: (chapterId: string) => string | undefined,
): Promise<BooksOfTitles> {
  const titleIds = new Map<string, string>();
  for (const { file, chapterId, titleId: written } of archives) {
    const titleId = titleOf(chapterId) ?? written;
    const path = bookPath(file);
    if (titleId !== undefined && !titleIds.has(path)) titleIds.set(path, titleId);
  }
  const books: BookOfTitle[] = [];
  const failed: BooksOfTitles['failed'][number][] = [];
  for (const [file, titleId] of titleIds)
    try {
      const book = await readOwnBook(file);
      const writtenSeries = book?.chapters[0]?.written?.series;
      if (book) books.push({ ...book, titleId, writtenSeries });
    } catch (error) {
      failed.push({ file, error });
    }
  return { books, failed };
}

/** The book that contains this file: the file itself, or the folder above the chapter's metadata. */
export function bookPath(file: string): string {
  return basename(file) === COMIC_INFO_NAME ? dirname(dirname(file)) : file;
}

/**
 * Undefined for anything but a whole book of `bind`. Throws why a file cannot be opened or read: StorageError `unsafe-path`
 * for a file of another user, or errors of the file system.
 */
export async function readOwnBook(path: string): Promise<BookFile | undefined> {
  const file = await readLibraryFile(path);
  if (file.kind === 'unreadable' && isAccessError(file.cause)) throw file.cause;
  const isWhole = file.kind === 'book' && file.damage === undefined && file.chapters.length > 0;
  return isWhole ? file : undefined;
}

/**
 * Undefined if the book stays as it is. `folder`: the one that was named, whose name may be that of the title.
 * `newFolderOf`: where the chapters of a folder go; undefined for one without chapters.
 */
export async function planBookRename(
  book: BookOfTitle,
  newName: string,
  {
    folder,
    newFolderOf,
    rename,
    used,
    ...naming
  }: TemplateOfNow & {
    readonly folder: string;
    readonly newFolderOf: (folder: string) => string | undefined;
    /** Whether a book that its owner did not rename gets the name of the template of now. */
    readonly rename: boolean;
    /** The paths that the books before it get. */
    readonly used: Set<string>;
  },
): Promise<PlannedRename | undefined> {
  const { writtenSeries, titleId } = book;
  if (writtenSeries === undefined) return undefined;
  const names = { from: writtenSeries, to: newName };
  const { maxNameBytes } = naming;
  const nameFolder = compileNameTemplate('{series}/{id}', { maxNameBytes });
  const folderOf = (series: string) =>
    dirname(nameFolder({ id: titleId, 'title-id': titleId, series }));
  const folders = { from: folderOf(names.from), to: folderOf(names.to) };
  const file = resolve(book.path);
  const top = dirname(resolve(folder));
  const newFolder =
    newFolderOf(dirname(file)) ?? join(top, renamedFolder(relative(top, dirname(file)), folders));
  const given = rename ? nameByTemplate(book, names, naming) : undefined;
  const name = newBasename(book, names, given, maxNameBytes);
  const to = join(newFolder, name);
  const named = isSameName(name, basename(file)) ? undefined : newRecord(book, name, given);
  const keepsContent = isSameName(writtenSeries, newName) ? 'same-name' : whyContentStays(book);
  if (keepsContent && isSameName(to, file)) return undefined;
  const planned = { book: { ...book, path: file }, to, named, names, keepsContent };
  if (!given || !(await isNameTaken(planned, used))) return planned;
  const kept = join(newFolder, basename(file));
  return kept === file ? undefined : { ...planned, to: kept, named: undefined };
}

type PlannedRename = Omit<BookRename, 'root'>;

/** The name in the form that it has, if it stays. */
function newBasename(
  book: BookOfTitle,
  names: SeriesRename,
  given: BookName | undefined,
  maxNameBytes: number,
): string {
  const name = basename(book.path);
  if (!given) return renamedFile(name, book, names, maxNameBytes);
  return isSameName(given.name, name) ? name : given.name;
}

/** Undefined for a name that its owner gave, or of which nothing was recorded. */
function newRecord(
  { path, named }: BookOfTitle,
  name: string,
  given: BookName | undefined,
): BookName | undefined {
  if (given) return { ...given, name };
  return named && isSameName(named.name, basename(path)) ? { ...named, name } : undefined;
}

/**
 * Whether the template alone gives the book a name that another file has. One of a title that has another name is an error
 * then; so is one that has the same chapters, unless a killed run wrote it. `used`: the names that other books get.
 */
async function isNameTaken(
  { book, to, keepsContent }: PlannedRename,
  used: Set<string>,
): Promise<boolean> {
  const key = pathCollisionKey(to);
  const isUsed = used.has(key);
  used.add(key);
  return keepsContent === 'same-name' && (isUsed || (await isOtherBook(book, to)));
}

async function isOtherBook({ path, keys }: BookOfTitle, to: string): Promise<boolean> {
  if (!(await lstatIfExists(to)) || (await isSameEntry(path, to))) return false;
  const other = await readLibraryFile(to, { depth: 'metadata' });
  return other.kind !== 'book' || other.keys.join('\n') !== keys.join('\n');
}

function whyContentStays({
  isEdited,
  chapters,
  writtenSeries,
  container,
}: BookOfTitle): BookRename['keepsContent'] {
  if (isEdited || chapters[0]?.metadata.series !== writtenSeries) return 'edited';
  return CONTAINERS[container].isRewritable ? undefined : 'pdf';
}

/** Folders that have the name of the series. */
function renamedFolder(path: string, { from, to }: SeriesRename): string {
  return path
    .split(sep)
    .map((name) => (isSameName(name, from) ? to : name))
    .join(sep);
}

/** `Old Vol.01.cbz` becomes `New Vol.01.cbz`; a name that does not begin with that of the series stays. */
function renamedFile(
  name: string,
  { container }: Pick<BookFile, 'container'>,
  { from, to }: SeriesRename,
  maxNameBytes: number,
): string {
  const hyphened = { from: hyphenedNumbers(from), to: hyphenedNumbers(to) };
  const written = nameInPath(name, [from, to]) === from ? { from, to } : hyphened;
  // The new name may begin with the old one.
  const found = nameInPath(name, [written.from, written.to]);
  if (found === written.to) return name;
  const start = found === undefined ? cutStart(name, from, maxNameBytes) : cleanSegment(found);
  if (start === undefined) return name;
  const rest = name.normalize('NFC').slice(start.length);
  const extension = container === 'folder' ? '' : extname(name);
  const stem = rest.slice(0, rest.length - extension.length);
  const maxBytes = maxNameBytes - BOOK_SUFFIX_BYTES - Buffer.byteLength(stem + extension);
  return cleanSegment(cleanSegment(cutName(written.to, maxBytes)) + stem) + extension;
}

/** By so much may a name that was cut be below the limit: letters are not divided. */
const MAX_CUT_REST_BYTES = 30;
const MIN_CUT_BYTES = 30;

/** What a name has of that of the series, which did not fit; undefined for one that begins otherwise, or that its owner shortened. */
function cutStart(name: string, series: string, maxNameBytes: number): string | undefined {
  const minBytes = maxNameBytes - BOOK_SUFFIX_BYTES - MAX_CUT_REST_BYTES;
  if (Buffer.byteLength(name) < minBytes) return undefined;
  const [text, whole] = [name.normalize('NFC'), cleanSegment(series).normalize('NFC')];
  let length = 0;
  while (length < whole.length && text.charAt(length) === whole.charAt(length)) length += 1;
  const start = text.slice(0, length).trimEnd();
  const isNext = !/^[\p{L}\p{N}\p{M}]/u.test(text.slice(start.length));
  return isNext && Buffer.byteLength(start) >= MIN_CUT_BYTES ? start : undefined;
}

/**
 * May be repeated after a kill. Resolves with the files in a folder that keep the old name, since their owner changed
 * them. Throws StorageError: `name-taken` if something else has the new path, `file-changed`, `archive-damaged`.
 */
export async function renameBook(
  { book, names, named, to, root, keepsContent }: BookRename,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { path: file, container, state } = book;
  const isKept = whyContentStays(book) !== undefined || (keepsContent && !named);
  const rename = isKept ? undefined : { ...names, named };
  return withBookLock(root, to, undefined, signal, async (tmpFile) => {
    const publish = async (finished: string): Promise<string> => {
      if (!state) throw fileChanged(file);
      if (to !== file && !(await publishAs(finished, to, { file, state }))) throw nameTaken(to);
      if (to === file && !(await replaceUnchanged(finished, file, state))) throw fileChanged(file);
      return to;
    };
    const options = { tmpFile, signal, publish };
    if (container === 'folder') {
      const folder = await inFolderOf(file, to);
      if (to !== file) await moveFolder(file, folder);
      await removeEmptyFolders(dirname(file), root);
      return rename ? renameTexts({ ...book, path: folder }, rename, options) : [];
    }
    if (!state) throw fileChanged(file);
    assertOwnFile(file, state);
    if (rename) await renameTexts(book, rename, options);
    else if (to !== file && !(await moveUnchanged(to, { file, state }))) throw nameTaken(to);
    await removeEmptyFolders(dirname(file), root);
    return [];
  });
}

async function moveFolder(folder: string, to: string): Promise<void> {
  const stats = await lstatIfExists(folder);
  if (stats) assertOwnFile(folder, stats);
  if (await isSameEntry(folder, to)) await respell(folder, to);
  else {
    if (await lstatIfExists(to)) throw nameTaken(to);
    await renameInto(folder, to);
  }
}

/** Resolves with the files in a folder that stay. */
async function renameTexts(
  book: BookFile,
  rename: TextRename,
  options: Pick<WriteOptions, 'tmpFile' | 'publish' | 'signal'>,
): Promise<readonly string[]> {
  const { rewrite } = await rewriterOf(book);
  const { from: to, to: from } = rename;
  const renamed = (by: TextRename) => (entry: { readonly name: string }, data: Buffer) =>
    RENAMED_ENTRIES.get(entry.name)?.(data.toString(), by);
  const { kept } = await rewrite(book, {
    ...options,
    comment: 'of-book',
    newText: renamed(rename),
    oldText: renamed({ from, to }),
  });
  return kept;
}

function nameTaken(file: string): StorageError {
  const hint = 'Move one of the two books away, then run the same command again.';
  return new StorageError('name-taken', `${file} exists and is another book.`, {
    hint,
    path: file,
  });
}

/** The series itself, or the title of a book, such as `Series, Vol. 3`; any other text stays. */
function renamedSeries(text: string, { from, to }: SeriesRename): string {
  if (text !== from && !text.startsWith(`${from}, `)) return text;
  return to + text.slice(from.length);
}

function renameInManifest(json: string, { from, to, named }: TextRename): string {
  const manifest = parseJson(json);
  if (!isRecord(manifest) || !Array.isArray(manifest['chapters'])) return json;
  const chapters = manifest['chapters'].map((chapter: unknown) => {
    const metadata = isRecord(chapter) ? chapter['metadata'] : undefined;
    if (!isRecord(chapter) || !isRecord(metadata) || metadata['series'] !== from) return chapter;
    return { ...chapter, metadata: { ...metadata, series: to } };
  });
  // In the order in which a new book has them.
  const ordered = { copy: undefined, named: undefined, ...manifest };
  return `${JSON.stringify({ ...ordered, ...(named && { named }), chapters })}\n`;
}

function renameInComicInfo(xml: string, rename: SeriesRename): string {
  // The builder of ComicInfo.xml escapes it too: renamed back, the text is the one that was written.
  const escape = (text: string) => escapeXml(text).replaceAll("'", '&apos;');
  return replaceText(xml, /(<Series>)([^<]*)(<\/Series>)/, rename, escape);
}

type RenameIn = (text: string, rename: TextRename) => string;

/** The texts in a book that contain the name. */
const RENAMED_ENTRIES: ReadonlyMap<string, RenameIn> = new Map<string, RenameIn>([
  [MANIFEST_NAME, renameInManifest],
  [FOLDER_MANIFEST_NAME, renameInManifest],
  [COMIC_INFO_NAME, renameInComicInfo],
  [
    'OEBPS/content.opf',
    (xml, rename) =>
      [
        /(<dc:title>)([^<]*)(<\/dc:title>)/,
        /(<meta property="belongs-to-collection" id="series">)([^<]*)(<)/,
        /(<meta name="calibre:series" content=")([^"]*)(")/,
      ].reduce((text, pattern) => replaceText(text, pattern, rename), xml),
  ],
  ['OEBPS/nav.xhtml', (xml, rename) => replaceText(xml, /(<title>)([^<]*)(<\/title>)/, rename)],
  [
    'OEBPS/toc.ncx',
    (xml, rename) => replaceText(xml, /(<docTitle><text>)([^<]*)(<\/text>)/, rename),
  ],
]);

/** The first match of start, text and end. */
function replaceText(
  xml: string,
  pattern: RegExp,
  rename: SeriesRename,
  escape = escapeXml,
): string {
  return xml.replace(pattern, (whole, start: string, text: string, end: string) => {
    const old = unescapeXml(text);
    const renamed = renamedSeries(old, rename);
    return renamed === old ? whole : `${start}${escape(renamed)}${end}`;
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function unescapeXml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');
}
