/** What is left of a damaged book: its chapters by its manifest, and the entries of its directory. */
import { createHash } from 'node:crypto';
import { basename, dirname, extname, join } from 'node:path';
import { readComicInfoFile } from '../library/archive-content.js';
import {
  hasPdfHeader,
  isBoundComment,
  MANIFEST_NAME,
  readPdfManifest,
} from '../library/bound-manifest.js';
import { COMIC_INFO_NAME, MAX_COMIC_INFO_BYTES } from '../library/comic-info.js';
import { listEntries } from '../library/decode-limits.js';
import { parseComicInfoIdentity, type CbzIdentity } from '../library/identity.js';
import { readFileState, type FileState } from '../library/ownership.js';
import { readdirIfReadable } from '../library/scan-library.js';
import {
  reusableBuffer,
  toZipEntry,
  withZip,
  ZipEntryReader,
  type ZipEntry,
} from '../library/zip-file.js';
import { lstatIfExists, readRegularFileIfExists } from '../core/files.js';
import { shellQuoted } from '../core/shell-quoted.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { BOOK_FORMATS, type BookFormat } from '../config/bind-choices.js';
import type { CoverImage } from '../books/book.js';
import { parseManifest, type ManifestChapter } from '../books/book-manifest.js';
import { readExistingBook, readLeadingManifest } from '../books/existing-book.js';
import { readFolderManifest, readManifestText } from '../books/folder-book.js';
import { MAX_ENTRIES, sortPages } from '../books/read-chapters.js';
import { imageExtension } from '../core/image-format.js';
import { hasValidTrailer } from '../core/image-trailer.js';

const TITLE_ADDRESS = new RegExp(`<Web>[^<]*/title/(${UUID_PATTERN})[^<]*</Web>`);

export interface DamagedBook {
  /** For a book in a folder, the folder. */
  readonly file: string;
  readonly format: BookFormat;
  /** Only a file that is as it was is replaced; undefined for a folder, whose files are compared one by one. */
  readonly state: FileState | undefined;
  /** In the order of the book; at least one. Those of a book whose manifest is lost have nothing but their identity. */
  readonly chapters: readonly ManifestChapter[];
  /** Empty for a PDF and a folder, and if the end of the file is lost. */
  readonly entries: readonly ZipEntry[];
  /** The one of the book; empty if it cannot be read. */
  readonly comicInfo: string;
  /** The sha256 of each file of a folder, by its path; empty if the manifest is lost. */
  readonly files: ReadonlyMap<string, string>;
}

/** Why a book is not rebuilt, as the end of a sentence, and the command that may help. */
export interface NotRebuildable {
  readonly reason: string;
  readonly hint?: string | undefined;
}

/**
 * Undefined for anything but a book of `bind`. `known`: the chapters that the book had when an earlier scan or check read
 * it, which count if its manifest is lost.
 */
export async function readDamagedBook(
  file: string,
  known: readonly CbzIdentity[],
): Promise<DamagedBook | NotRebuildable | undefined> {
  const stats = await lstatIfExists(file);
  const isFolder = stats?.isDirectory() === true;
  if (!isFolder && stats?.isFile() !== true) return undefined;
  const extension = extname(file).slice(1).toLowerCase();
  const format = isFolder ? 'folder' : BOOK_FORMATS.find((each) => each === extension);
  if (!format) return undefined;
  const existing = await readExistingBook(file, format);
  if (existing.kind === 'bound' && existing.copy)
    return { reason: 'it was made for a device, or in parts' };
  if (existing.kind === 'bound' && existing.isEdited)
    return { reason: 'another program changed it after it was bound' };
  const content = await readContent(file, format);
  const listed = parseManifest(content.manifest) ?? [];
  const book = { file, format, ...content };
  const state = isFolder ? undefined : await readFileState(file);
  if (listed.length > 0 && existing.kind === 'bound') return { ...book, state, chapters: listed };
  if (content.mark === 'none') return undefined;
  const lost = isFolder ? await chaptersInFolders(file) : known;
  if (lost.length > 0)
    return { ...book, state, chapters: lost.map(toManifestChapter), files: new Map() };
  if (content.mark === 'lost') return undefined;
  const reason = 'its list of chapters is damaged, and no earlier scan or check saw it';
  return { reason, hint: downloadHint(content.comicInfo, file) };
}

function toManifestChapter(identity: CbzIdentity): ManifestChapter {
  return { identity, record: undefined, metadata: {}, prefix: '', key: undefined };
}

/** By the title and the volume that the metadata of the book names. */
function downloadHint(comicInfo: string, file: string): string | undefined {
  const titleId = TITLE_ADDRESS.exec(comicInfo)?.[1];
  if (titleId === undefined) return undefined;
  const volume = /<Volume>([\d.]{1,9})<\/Volume>/.exec(comicInfo)?.[1];
  const volumes = volume === undefined ? '' : ` --volumes ${volume}`;
  const bind = `--bind ${volume === undefined ? 'title' : 'volume'} -o ${shellQuoted(dirname(file))}`;
  return `Move it away, then: tankobon download title:${titleId}${volumes} ${bind}`;
}

interface BookContent extends Pick<DamagedBook, 'entries' | 'comicInfo' | 'files'> {
  readonly manifest: string;
  /** `none`: it can be read, and is one of another program. */
  readonly mark: 'book' | 'lost' | 'none';
}

const NO_CONTENT = { manifest: '', entries: [], comicInfo: '', files: new Map<string, string>() };

async function readContent(file: string, format: BookFormat): Promise<BookContent> {
  if (format === 'folder') {
    const files = (await readFolderManifest(file))?.files ?? new Map<string, string>();
    return { ...NO_CONTENT, manifest: await readManifestText(file), files, mark: 'book' };
  }
  if (format !== 'pdf') return readZip(file);
  const manifest = (await readPdfManifest(file))?.text;
  if (manifest !== undefined) return { ...NO_CONTENT, manifest, mark: 'book' };
  return { ...NO_CONTENT, mark: (await hasPdfHeader(file)) ? 'none' : 'lost' };
}

async function readZip(file: string): Promise<BookContent> {
  let mark: BookContent['mark'] = 'lost';
  const listed = await withZip(file, (zip) => {
    mark = isBoundComment(zip.comment) ? 'book' : 'none';
    return listEntries(zip, MAX_ENTRIES);
  }).catch(() => undefined);
  const entries = listed?.map(toZipEntry) ?? [];
  const textOf = async (name: string): Promise<string> => {
    const entry = entries.find((each) => each.name === name);
    return entry ? ((await readEntry(file, entry))?.toString() ?? '') : '';
  };
  const manifest = (await textOf(MANIFEST_NAME)) || (await readLeadingManifest(file));
  const text = await textOf(COMIC_INFO_NAME);
  const comicInfo = text.length > MAX_COMIC_INFO_BYTES ? '' : text;
  return { ...NO_CONTENT, manifest, entries, comicInfo, mark };
}

/** The chapters that the metadata in the folders of a book names; none if one of them names none. */
async function chaptersInFolders(book: string): Promise<readonly CbzIdentity[]> {
  const folders = (await readdirIfReadable(book)).filter((entry) => entry.isDirectory());
  const chapters: CbzIdentity[] = [];
  for (const { name } of sortPages(folders)) {
    const file = join(book, name, COMIC_INFO_NAME);
    const chapter = parseComicInfoIdentity((await readComicInfoFile(file).catch(() => '')) ?? '');
    if (!chapter) return [];
    chapters.push(chapter);
  }
  return chapters;
}

/** The cover in the book. `none`: it has no cover; `unknown`: whether it had one is not known. */
export async function readOwnCover({
  file,
  entries,
  files,
}: DamagedBook): Promise<CoverImage | 'none' | 'damaged' | 'unknown'> {
  if (entries.length === 0 && files.size === 0) return 'unknown';
  // The page of the cover is before the first chapter.
  const entry = entries.find(({ name }) => basename(name).startsWith('c000-cover.'));
  const [path, digest] = [...files].find(([name]) => name.startsWith('cover.')) ?? [];
  if (!entry && path === undefined) return 'none';
  const data = entry
    ? await readEntry(file, entry)
    : await readRegularFileIfExists(join(file, path ?? '')).catch(() => undefined);
  const extension = data && imageExtension(data);
  if (!extension) return 'damaged';
  const isWhole = entry
    ? hasValidTrailer(extension, data)
    : createHash('sha256').update(data).digest('hex') === digest;
  return isWhole ? { file, data, extension } : 'damaged';
}

/** Undefined for an entry that is too large, or has another checksum than its directory says. */
async function readEntry(file: string, entry: ZipEntry): Promise<Buffer | undefined> {
  const reader = await ZipEntryReader.open(file);
  try {
    return await reader.read(entry, reusableBuffer());
  } catch {
    return undefined;
  } finally {
    await reader.close();
  }
}
