/** Answers for every command what a file is: whose it is, which chapters it has, and what is wrong with it. */
import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileErrorReason, isSystemError, type OpenOptions } from '../core/files.js';
import { groupBy } from '../core/group-by.js';
import {
  manifestIdentities,
  manifestKeys,
  parseComicInfoIdentity,
  markedIdentity,
  recordedIdentity,
  type CbzIdentity,
  type FoundIdentity,
  type Proof,
} from './mark.js';
import { readValidComicInfo, type ChapterMetadata } from './comic-info.js';
import { CONTAINERS, type ContainerName } from '../config/containers.js';
import { containerNamed, containerOf, HANDLERS } from './containers.js';
import { ownershipOf, toOwnership, type Ownership } from './ownership.js';
import { readFileState, toFileState, type FileState } from '../core/file-state.js';
import { pageEntries, sortPages } from '../config/names.js';
import type { BookCopy, BookName, ChapterRecord } from './record.js';
import { NO_CONTENT, UnmarkedDamage, type Depth, type FileContent } from './read/content.js';

export { isReadableBook, openPages, rewriterOf } from './containers.js';
import type { ZipEntry } from '../core/zip-file.js';

/** A chapter that a file names, and what may be done with the file. A scan knows this much of each. */
export interface FoundChapter extends CbzIdentity {
  readonly file: string;
  readonly ownership: Ownership;
  /** The file contains other chapters too, or is not a CBZ: it cannot be replaced by a chapter. */
  readonly isBound: boolean;
}

/** A chapter that was read from its file; without an id, it names none on the service. */
export interface ReadChapter extends Omit<FoundChapter, 'chapterId'> {
  readonly chapterId?: string | undefined;
  /** What the file was when it was read. Undefined for a folder. */
  readonly state: FileState | undefined;
  /** What tankobon knew when it wrote the file; undefined for a file without a record. */
  readonly record: ChapterRecord | undefined;
  /** What the file says now. */
  readonly metadata: ChapterMetadata;
  /** The metadata as tankobon wrote it; undefined without a record. */
  readonly written: ChapterMetadata | undefined;
  /** In reading order; empty where they cannot be read, and if they were not asked for. */
  readonly pages: readonly ZipEntry[];
  /** Identifies a chapter without an id in a book, whose pages may have been converted. */
  readonly key?: string | undefined;
  /** The beginning of the names of the chapter's pages in a book. */
  readonly prefix?: string | undefined;
  /** How many volumes the series has, if the book that contains the chapter says so. */
  readonly volumeCount?: number | undefined;
  /** Another program changed the book that contains the chapter after it was bound. */
  readonly isBookEdited?: boolean | undefined;
  /** Set for a chapter in a book with other pages than the chapter has: it is not bound again. */
  readonly copy?: BookCopy | undefined;
}

/** The metadata by which chapters are recognized, named and grouped into books. */
export const KNOWN_FIELDS = {
  title: true,
  series: true,
  number: true,
  volume: true,
  publishedAt: true,
  writers: true,
  pencillers: true,
  translators: true,
  language: true,
  web: true,
} as const satisfies Partial<Record<keyof ChapterMetadata, true>>;

export type KnownField = keyof typeof KNOWN_FIELDS;

export const KNOWN_RECORD = [
  'titleId',
  'version',
  'path',
  'folderTemplate',
  'fileTemplate',
  'inferredVolume',
  'dataSaverPages',
  'updatedAt',
] as const;
type KnownRecordField = (typeof KNOWN_RECORD)[number];

/** A chapter as far as plans need it. The store knows this much of it. */
export interface KnownChapter extends Omit<
  ReadChapter,
  'record' | 'metadata' | 'written' | 'pages' | 'prefix'
> {
  /** What tankobon knew when it wrote the file. */
  readonly record?: Pick<ChapterRecord, KnownRecordField> | undefined;
  /** How many pages its record names. */
  readonly savedPages?: number | undefined;
  readonly metadata: Pick<ChapterMetadata, KnownField>;
  readonly pages: {
    readonly length: number;
    /** Set for a chapter without an id. */
    readonly checksum?: number | undefined;
  };
  /** The digest of the metadata of a file that has them as tankobon wrote them. */
  readonly asWritten?: string | undefined;
}

/** What the store knows of a file. */
export type KnownFile = { readonly path: string; readonly ownership: Ownership } & (
  | (Pick<ChapterFile, 'kind' | 'hasReadablePages' | 'isRecorded' | 'described'> & {
      readonly chapter: KnownChapter;
    })
  | (Pick<BookFile, 'kind' | 'hasReadablePages' | 'damage'> & {
      readonly chapters: readonly KnownChapter[];
    })
);

interface ReadFile extends Omit<FileContent, 'mark' | 'isEdited' | 'damage'> {
  readonly path: string;
  readonly container: ContainerName;
  /** Pages, and with them chapters, can be read from it. */
  readonly hasReadablePages: boolean;
  /** When it was read. Undefined for a folder, and for an archive without its directory that was not looked at before. */
  readonly state: FileState | undefined;
  readonly ownership: Ownership;
  /** What a scan finds in it. */
  readonly found: FoundMarks;
}

/** What its ComicInfo.xml says: something, nothing, what cannot be read; or it has none. */
export type ComicInfoState = 'described' | 'empty' | 'broken' | 'none';

/** A file of one chapter, of tankobon or of another program; also any other file that can be read. */
export interface ChapterFile extends ReadFile {
  readonly kind: 'chapter';
  readonly chapter: ReadChapter;
  /** The mark or the record names the chapter, and not its address on the web alone. */
  readonly isRecorded: boolean;
  readonly described: ComicInfoState;
}

/** A file or folder with the mark of `bind`. */
export interface BookFile extends ReadFile {
  readonly kind: 'book';
  /** In order. None if the list of chapters is damaged. */
  readonly chapters: readonly ReadChapter[];
  /** In order; those of all parts for a copy. None if the list of chapters is damaged. */
  readonly keys: readonly string[];
  /** Set for a book that was made for a device, or in parts: its chapters cannot be read back. */
  readonly copy: BookCopy | undefined;
  /** What the program called it; undefined for a copy, and for a book of an earlier version. */
  readonly named: BookName | undefined;
  /** How many volumes the series has, if the book says so. */
  readonly volumeCount: number | undefined;
  /** Another program changed the book after it was bound. Of a file; in a folder, each file is checked. */
  readonly isEdited: boolean;
  /** What is wrong with it; undefined for a whole book. */
  readonly damage: unknown;
}

export type LibraryFile =
  | ChapterFile
  | BookFile
  | UnreadableFile
  | { readonly kind: 'missing'; readonly path: string; readonly cause: unknown };

/** Also a link, a pipe, a socket or a device. */
export interface UnreadableFile {
  readonly kind: 'unreadable';
  readonly path: string;
  /** What the name says; undefined for one that says nothing. */
  readonly container: ContainerName | undefined;
  /** Undefined for a file that was not looked at before it was opened. */
  readonly state: FileState | undefined;
  readonly cause: unknown;
}

export interface ReadFileOptions {
  /** Without the pages, less of the file is read. */
  readonly depth?: Exclude<Depth, 'mark'>;
  /** A file with a temporary name needs it; by default, the name says it. */
  readonly container?: ContainerName;
  /** The caller found a regular file there, which is opened without another look at it. */
  readonly isRegular?: boolean;
}

/**
 * What the file at this path is; for a chapter in a folder of a book, the path of its ComicInfo.xml. Links are not
 * followed. Rejects for nothing that can be wrong with a file.
 */
export async function readLibraryFile(
  path: string,
  { depth = 'pages', isRegular = false, ...options }: ReadFileOptions = {},
): Promise<LibraryFile> {
  let state: FileState | undefined;
  // Some versions of libuv give an open file another device than its path on Windows (libuv/libuv#4698).
  const looksFirst = !isRegular || process.platform === 'win32';
  try {
    if (looksFirst) state = await readFileState(path);
    const folder = looksFirst && !state ? await lstat(path) : undefined;
    const isFolder = folder?.isDirectory() === true;
    if (folder && !isFolder) throw new Error('it is not a regular file');
    const container = isFolder ? 'folder' : (options.container ?? containerOf(path));
    const content = await HANDLERS[container].read(path, depth, { isRegular: !isFolder });
    if (!isFolder) state ??= content.state && toFileState(content.state);
    return await toLibraryFile(path, { content, container, depth, state, owner: state ?? folder });
  } catch (cause) {
    if (isSystemError(cause, 'ENOENT', 'ENOTDIR')) return { kind: 'missing', path, cause };
    return { kind: 'unreadable', path, container: containerNamed(path), state, cause };
  }
}

interface Opened {
  readonly content: FileContent;
  readonly container: ContainerName;
  readonly depth: Depth;
  readonly state: FileState | undefined;
  readonly owner: Parameters<typeof ownershipOf>[2];
}

/** What a file is that was opened. */
export async function toLibraryFile(
  path: string,
  { content, container, depth, state, owner }: Opened,
): Promise<ChapterFile | BookFile> {
  const { comment, manifest, comicInfo, entries, files, hasRecordedPage } = content;
  const { hasReadablePages } = CONTAINERS[container];
  const found = marksIn(content, container);
  const ownership = ownershipOf(path, found.proof, owner);
  const file = {
    path,
    container,
    hasReadablePages,
    state,
    ownership,
    found,
    comment,
    manifest,
    comicInfo,
    entries,
    files,
    hasRecordedPage,
  };
  return content.mark === 'book' ? toBook(file, content, depth) : toChapterFile(file);
}

/** The chapters of a file with their metadata, without pages. None if it cannot be read. */
export async function readFileChapters(path: string): Promise<readonly ReadChapter[]> {
  const file = await readLibraryFile(path, { depth: 'metadata' });
  if (file.kind === 'chapter') return [file.chapter];
  return file.kind === 'book' ? file.chapters : [];
}

/** The name of the series in a file as tankobon wrote it, or, in an older one, as it is. */
export async function readSeries(path: string): Promise<string | undefined> {
  const [chapter] = await readFileChapters(path);
  return chapter?.written?.series ?? chapter?.metadata.series;
}

async function toChapterFile(file: ReadFile): Promise<ChapterFile> {
  const { manifest, comicInfo, entries, found } = file;
  const identity = found.identities[0];
  const isMarked = identity?.proof === 'mark';
  const records = await recordsIn(manifest);
  const record = records.find(({ chapterId }) => !isMarked || chapterId === identity.chapterId);
  const text = comicInfo ? await readValidComicInfo(comicInfo) : {};
  return {
    ...file,
    kind: 'chapter',
    isRecorded: isMarked || recordedIdentity(manifest) !== undefined,
    described: comicInfo === undefined ? 'none' : comicInfoState(text),
    chapter: {
      ...inFile(file),
      chapterId: identity?.chapterId,
      titleId: identity && (identity.titleId ?? record?.titleId),
      version: identity?.version,
      quality: identity?.quality,
      record,
      // A file that another program wrote may have no ComicInfo.xml.
      metadata: comicInfo === undefined ? (record?.metadata ?? {}) : (text ?? {}),
      written: record?.metadata,
      pages: sortPages(pageEntries(entries)),
    },
  };
}

function comicInfoState(text: ChapterMetadata | undefined): ComicInfoState {
  if (!text) return 'broken';
  return Object.keys(text).length > 0 ? 'described' : 'empty';
}

async function toBook(
  file: ReadFile,
  { isEdited, damage }: Pick<BookFile, 'isEdited' | 'damage'>,
  depth: Depth,
): Promise<BookFile> {
  const { manifest, comicInfo = '', entries, hasReadablePages } = file;
  const { parseBookName, parseCopy } = await import('./record.js');
  const copy = parseCopy(manifest);
  const pages = pageEntries(entries);
  const byPrefix = groupBy(pages, ({ name }) => /^c\d+-/.exec(basename(name))?.[0] ?? '');
  const count = /<Count>(\d{1,6})<\/Count>/.exec(comicInfo)?.[1];
  const volumeCount = count === undefined ? undefined : Number(count);
  const ofBook = { ...inFile(file), volumeCount, isBookEdited: isEdited, copy };
  const chapters = (await recordsIn(manifest)).map((record) => ({
    ...ofBook,
    ...chapterInBook(record, byPrefix),
  }));
  const missing =
    hasReadablePages && depth === 'pages' ? missingPart(chapters, pages.length) : undefined;
  return {
    kind: 'book',
    ...file,
    chapters,
    keys: copy?.keys ?? manifestKeys(manifest) ?? [],
    copy,
    named: parseBookName(manifest),
    volumeCount,
    isEdited,
    damage: damage ?? missing,
  };
}

/**
 * The book that a file was when it had these chapters, of which nothing is known but their identity. Undefined for anything
 * but a file or a folder that may be a book.
 */
export function lostBook(
  file: BookFile | UnreadableFile,
  identities: readonly CbzIdentity[],
): BookFile | undefined {
  const { path, container, state } = file;
  const ownership = file.kind === 'book' ? file.ownership : 'foreign';
  const ofBook = inFile({ path, state, ownership, found: { isBound: true } });
  const chapters = identities.map((identity) => ({
    ...ofBook,
    ...chapterInBook(identity, new Map()),
    record: undefined,
  }));
  if (file.kind === 'book') return { ...file, chapters, files: new Map() };
  if (!container || !state || chapters.length === 0) return undefined;
  const { hasReadablePages } = CONTAINERS[container];
  const own = { path, container, hasReadablePages, state, ownership, found: NO_MARKS } as const;
  const none = { keys: [], copy: undefined, named: undefined, volumeCount: undefined };
  return { kind: 'book', ...NO_CONTENT, ...none, ...own, chapters, damage: file.cause };
}

/** What every chapter of a file has in common. */
function inFile({
  path,
  state,
  ownership,
  found: { isBound },
}: Pick<ReadFile, 'path' | 'state' | 'ownership'> & {
  readonly found: Pick<FoundMarks, 'isBound'>;
}) {
  return { file: path, state, ownership, isBound };
}

function chapterInBook(
  record: ChapterRecord,
  byPrefix: ReadonlyMap<string, readonly ZipEntry[]>,
): Omit<ReadChapter, keyof ReturnType<typeof inFile>> {
  const { chapterId, titleId, version, quality, metadata = {}, prefix, key } = record;
  const { writtenSeries = metadata.series } = record;
  return {
    ...(chapterId !== undefined && { chapterId, titleId, version, quality }),
    record,
    metadata,
    written: { ...metadata, series: writtenSeries },
    pages: byPrefix.get(prefix ?? '') ?? [],
    key: chapterId === undefined ? key : undefined,
    prefix,
  };
}

function missingPart(chapters: readonly ReadChapter[], pages: number): Error | undefined {
  if (pages === 0) return new Error('it contains no images');
  const prefixes = chapters.map(({ prefix }) => prefix);
  if (chapters.length === 0 || prefixes.includes(undefined))
    return new Error('its manifest is invalid');
  // Otherwise a short manifest could name the same pages millions of times.
  if (new Set(prefixes).size < prefixes.length) return new Error('its manifest names pages twice');
  const lacking = chapters.find((chapter) => chapter.pages.length === 0);
  return lacking && new Error(`it lacks the pages ${lacking.prefix ?? ''}`);
}

/** Its schemas are slow to load, and most folders are read before the first request. */
async function recordsIn(text: string): Promise<readonly ChapterRecord[]> {
  if (text === '') return [];
  const { parseRecords } = await import('./record.js');
  return parseRecords(text) ?? [];
}

/** What names the chapters of a file, which is enough for a scan. */
export interface FoundMarks {
  readonly identities: readonly FoundIdentity[];
  /** The file may contain several chapters, or is not an archive. */
  readonly isBound: boolean;
}

export interface FileMarks extends FoundMarks {
  readonly proof: Proof;
  /** Why the file cannot be read. */
  readonly readError?: string;
  readonly cause?: unknown;
}

export const NO_MARKS: FileMarks = { identities: [], isBound: false, proof: 'none' };

/** A chapter that another user saved, or to which a link leads, is not downloaded again. */
const FOR_IDENTITY: OpenOptions = { anyOwner: true };

/**
 * Reads as little of the file as possible. Never rejects. `isRegular`: the file is known not to be a link, a pipe, a socket
 * or a device.
 */
export async function readMarks(
  path: string,
  isRegular = false,
  container = containerOf(path),
): Promise<FileMarks> {
  try {
    const followsLink = !isRegular && CONTAINERS[container].hasReadablePages;
    const options = { ...FOR_IDENTITY, isRegular, followsLink };
    const content = await HANDLERS[container].read(path, 'mark', options);
    return marksIn(content, container);
  } catch (error) {
    return { ...NO_MARKS, readError: fileErrorReason(error), cause: error };
  }
}

function marksIn(content: FileContent, container: ContainerName): FileMarks {
  const { mark, comment, manifest, comicInfo = '', hasRecordedPage, damage } = content;
  if (mark === 'book') return bookMarks(manifest, damage !== undefined);
  const marked = markedIdentity(comment, manifest);
  if (marked) return marksOf({ ...marked, proof: 'mark' });
  const identity = recordedIdentity(manifest) ?? parseComicInfoIdentity(comicInfo);
  const isBound = !CONTAINERS[container].hasReadablePages;
  const proof = hasRecordedPage ? 'record' : 'none';
  return { ...marksOf(identity && { ...identity, proof }), isBound };
}

/** An empty manifest does not count as a mark: `bind` never writes one. The chapters of a truncated PDF are not there. */
function bookMarks(manifest: string, isDamaged: boolean): FileMarks {
  const isMarked = !isDamaged && (manifestKeys(manifest) ?? []).length > 0;
  const proof = isMarked ? 'mark' : 'none';
  const identities = isDamaged ? [] : manifestIdentities(manifest);
  return {
    identities: identities.map((identity) => ({ ...identity, proof })),
    isBound: true,
    proof,
  };
}

/** The marks of a file of one chapter. */
export function marksOf(found: FoundIdentity | undefined): FileMarks {
  return found ? { identities: [found], isBound: false, proof: found.proof } : NO_MARKS;
}

/** Reads the file: what an index says of it may be out of date. Never rejects; `foreign` for a missing file. */
export async function readOwnership(file: string): Promise<Ownership> {
  const stats = await lstat(file).catch(() => undefined);
  const isRegular = stats?.isFile() === true;
  const { proof } = await readMarks(file, isRegular);
  return toOwnership(file, proof, isRegular);
}

/**
 * Resolves with undefined if the file is not of one chapter, or has no mark and is damaged, and with an error message if it
 * cannot be read.
 */
export async function readIdentity(path: string): Promise<FoundIdentity | string | undefined> {
  const { identities, isBound, readError, cause } = await readMarks(path);
  if (cause instanceof UnmarkedDamage) return undefined;
  return readError ?? (isBound ? undefined : identities[0]);
}
