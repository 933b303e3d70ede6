/**
 * The files of other programs that may be chapters: CBZ and ZIP archives, and folders of images. Reads the directory and
 * ComicInfo.xml of each archive, opens it once, and follows no links.
 */
import type { Dirent } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { FOLDER_MANIFEST_NAME } from '../library/mark.js';
import { serviceCode } from '../config/language-codes.js';
import type { TitleFile } from './adopted-titles.js';
import { COMIC_INFO_NAME, type ChapterMetadata } from '../library/comic-info.js';
import { readLibraryFile } from '../library/file.js';
import { expectFiles } from '../core/compiler-tuning.js';
import { maxNameBytes } from '../core/file-system.js';
import { fitSegment, isHiddenFolder } from '../core/path-segment.js';
import { mayHaveFiles, readdirIfReadable, type UnreadableFolder } from '../core/read-folder.js';
import { inOneSpelling } from '../core/same-file.js';
import type { FileState } from '../core/file-state.js';
import { mayBeLeftover } from '../download/leftovers.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { guessFolder, guessName } from '../books/guess-name.js';
import { isOtherArchive, isPage } from '../config/names.js';
import { mayBeComic } from '../config/containers.js';
import type { KnownArchives } from './known-archives.js';

/** The fields by which a chapter is recognized. */
type RecognizedField = 'series' | 'number' | 'volume' | 'title' | 'language' | 'translators';

export interface AdoptableFile {
  readonly file: string;
  /** A folder of images. */
  readonly isFolder: boolean;
  /** Only an archive that is as it was when it was read gets a record. */
  readonly state: FileState | undefined;
  readonly pages: number;
  /** The images of a folder, in no order. */
  readonly images: readonly string[];
  /** Without the extension. */
  readonly baseName: string;
  readonly name: ReturnType<typeof guessName>;
  /** What the folder that it is in says, or the one above that of a volume. */
  readonly folder: ReturnType<typeof guessFolder>;
  /** What a chapter is recognized by. Empty if it cannot be read, or if there is none. */
  readonly comicInfo: Pick<ChapterMetadata, RecognizedField>;
  readonly hasComicInfo: boolean;
  readonly hasBrokenMetadata: boolean;
  /** In the address of ComicInfo.xml. */
  readonly chapterId: string | undefined;
  readonly titleId: string | undefined;
  /** The language that the name of a folder has, as in `MangaDex (EN)` and `English`. */
  readonly sourceLanguage: string | undefined;
}

/** A file whose chapter tankobon knows. */
export interface KnownFile extends TitleFile {
  readonly chapterId: string;
}

export interface FoundFiles {
  readonly adoptable: readonly AdoptableFile[];
  /** What has a mark or a record of tankobon. */
  readonly already: readonly KnownFile[];
  readonly unreadable: readonly { readonly file: string; readonly cause: unknown }[];
  readonly unreadableFolders: readonly UnreadableFolder[];
  /** ZIP archives of something else, such as books or other archives. */
  readonly withoutImages: readonly string[];
  /** Archives of kinds that are not read. */
  readonly otherArchives: readonly string[];
  /** Folders of images that were left out. */
  readonly imageFolders: number;
  /** Links to archives and folders, which were skipped. */
  readonly links: number;
  /** What killed processes left. */
  readonly leftovers: readonly string[];
}

interface ListedFolders {
  /** CBZ and ZIP files. */
  readonly archives: string[];
  /** RAR, 7z and tar. */
  readonly otherArchives: string[];
  readonly folders: { readonly folder: string; readonly images: readonly string[] }[];
  readonly leftovers: string[];
  /** Because of errors of the disk. */
  readonly unreadableFolders: UnreadableFolder[];
  links: number;
}

const MAX_OPEN_FILES = 16;
const COVER = /^(cover|folder|poster)\b/i;

interface FindOptions {
  readonly withFolders: boolean;
  /** What is known of the archives, which gets what is read. */
  readonly archives: KnownArchives;
  readonly signal: AbortSignal;
}

/** Rejects with the signal's reason when aborted. */
export async function findAdoptableFiles(
  roots: readonly string[],
  { withFolders, archives, signal }: FindOptions,
): Promise<FoundFiles> {
  const listed = await listFolders(roots, signal);
  const folderNames: FolderNames = new Map();
  const adoptable: AdoptableFile[] = [];
  const already: KnownFile[] = [];
  const withoutImages: string[] = [];
  const unreadable: { file: string; cause: unknown }[] = [];
  const files = new Set(listed.archives);
  const folders = withFolders ? await unpacked(listed.folders, files) : [];
  const read = async (file: string, content: () => Promise<Adoptable>): Promise<void> => {
    signal.throwIfAborted();
    try {
      const found = await content();
      if (found === undefined) return;
      if (found === 'no-images') withoutImages.push(file);
      else if ('known' in found) already.push(found.known);
      else adoptable.push(found);
    } catch (cause) {
      unreadable.push({ file, cause });
    }
  };
  const remaining = [
    ...[...files].map((file) => () => read(file, () => readArchive(file, archives, folderNames))),
    ...folders.map((each) => () => read(each.folder, () => readImageFolder(each, folderNames))),
  ][Symbol.iterator]();
  const work = async () => {
    for (const next of remaining) await next();
  };
  await Promise.all(Array.from({ length: MAX_OPEN_FILES }, work));
  return {
    adoptable: adoptable.sort(byFile),
    already: already.sort(byFile),
    unreadable: unreadable.sort(byFile),
    withoutImages: withoutImages.sort(),
    otherArchives: listed.otherArchives.sort(),
    imageFolders: withFolders ? 0 : listed.folders.length,
    links: listed.links,
    leftovers: listed.leftovers,
    unreadableFolders: listed.unreadableFolders,
  };
}

function byFile(a: { readonly file: string }, b: { readonly file: string }): number {
  return a.file < b.file ? -1 : 1;
}

/** Where a folder of images is packed. */
export async function packedPath(folder: string): Promise<string> {
  const parent = dirname(folder);
  return join(parent, fitSegment(basename(folder), '.cbz', await maxNameBytes(parent)));
}

async function unpacked(
  folders: ListedFolders['folders'],
  archives: ReadonlySet<string>,
): Promise<ListedFolders['folders']> {
  const paths = await Promise.all(folders.map(({ folder }) => packedPath(folder)));
  return folders.filter((_, index) => !archives.has(paths[index] ?? ''));
}

/** Follows no links, and leaves hidden files and folders out. */
export async function listFolders(
  roots: readonly string[],
  signal: AbortSignal,
): Promise<ListedFolders> {
  const listed: ListedFolders = {
    archives: [],
    otherArchives: [],
    folders: [],
    leftovers: [],
    unreadableFolders: [],
    links: 0,
  };
  const folders = (await inOneSpelling(roots)).map((folder) => ({ folder, isInBook: false }));
  const listedFolders = new Set<string>();
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { folder } = next;
    signal.throwIfAborted();
    if (listedFolders.has(folder)) continue;
    listedFolders.add(folder);
    const entries = await readdirIfReadable(folder, (cause) => {
      if (mayHaveFiles({ folder, cause })) listed.unreadableFolders.push({ folder, cause });
    });
    const below: string[] = [];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (mayBeLeftover(path)) listed.leftovers.push(path);
      else if (entry.isDirectory() && isHiddenFolder(entry.name)) continue;
      else if (entry.isDirectory()) below.push(path);
      else if (entry.name.startsWith('.')) continue;
      else if (entry.isSymbolicLink()) listed.links += 1;
      else if (entry.isFile() && mayBeComic(entry.name)) listed.archives.push(path);
      else if (entry.isFile() && isOtherArchive(entry.name)) listed.otherArchives.push(path);
    }
    const images = imagesOf(entries);
    // The folders in a book of tankobon are its chapters.
    const isInBook = next.isInBook || entries.some(({ name }) => name === FOLDER_MANIFEST_NAME);
    // Covers of a series are beside its chapters.
    const isChapter = below.length === 0 && !entries.some(({ name }) => mayBeComic(name));
    if (images.length > 0 && isChapter && !isInBook) listed.folders.push({ folder, images });
    for (const each of below) folders.push({ folder: each, isInBook });
  }
  expectFiles(listed.archives.length);
  return listed;
}

function imagesOf(entries: readonly Dirent[]): readonly string[] {
  return entries
    .filter((entry) => entry.isFile() && isPage(entry.name) && !COVER.test(entry.name))
    .map(({ name }) => name);
}

/** Undefined for a book. */
type Adoptable = AdoptableFile | { readonly known: KnownFile } | 'no-images' | undefined;

/** What the names of folders say, by their paths: a folder has several files, and its name is read once. */
type FolderNames = Map<string, AdoptableFile['folder']>;

/** Throws why the file cannot be read. */
async function readArchive(
  path: string,
  archives: KnownArchives,
  folderNames: FolderNames,
): Promise<Adoptable> {
  const file = await archives.read(path);
  if (file.kind === 'missing' || file.kind === 'unreadable') throw file.cause;
  if (file.kind === 'book') {
    // Its end is lost.
    if ('comment' in file && file.comment === '') throw file.damage;
    return undefined;
  }
  const { chapterId, titleId, metadata, pages, state } = file.chapter;
  if (chapterId !== undefined && file.isRecorded) {
    const named = { titleName: metadata.series, language: codeOf(metadata) };
    return { known: { file: path, chapterId, titleId, ...named } };
  }
  if (pages.length === 0) {
    // A ZIP archive is only a comic if it has images.
    if (extname(path).toLowerCase() === '.zip') return 'no-images';
    throw new Error('it contains no images');
  }
  const own = { file: path, state, pages: pages.length, images: [], isFolder: false };
  return toAdoptable(own, file, folderNames);
}

function codeOf({ language }: Pick<ChapterMetadata, 'language'>): string | undefined {
  return language === undefined ? undefined : serviceCode(language.toLowerCase());
}

async function readImageFolder(
  { folder, images }: ListedFolders['folders'][number],
  folderNames: FolderNames,
): Promise<AdoptableFile> {
  const file = await readLibraryFile(join(folder, COMIC_INFO_NAME));
  if (file.kind === 'unreadable') throw file.cause;
  const own = { file: folder, state: undefined, pages: images.length, images, isFolder: true };
  return toAdoptable(own, file.kind === 'chapter' ? file : NOT_DESCRIBED, folderNames);
}

const TITLE_ADDRESS = new RegExp(`/(?:title|manga)/(${UUID_PATTERN})(?![0-9a-f-])`, 'i');
/** The folder that Mihon and Suwayomi give each source. */
const SOURCE_FOLDER = /^MangaDex \(([A-Z]{2}(?:-[A-Z]{2,3})?)\)$/;

type Described = Pick<
  Extract<Awaited<ReturnType<KnownArchives['read']>>, { kind: 'chapter' }>,
  'described'
> & {
  readonly chapter: {
    readonly chapterId?: string | undefined;
    readonly metadata: Pick<ChapterMetadata, RecognizedField | 'web'>;
  };
};

const NOT_DESCRIBED: Described = { described: 'none', chapter: { metadata: {} } };

function toAdoptable(
  own: Pick<AdoptableFile, 'file' | 'state' | 'pages' | 'images' | 'isFolder'>,
  { described, chapter }: Described,
  folderNames: FolderNames,
): AdoptableFile {
  const { file, isFolder, state, pages, images } = own;
  const metadata = described === 'none' ? {} : chapter.metadata;
  const { series, number, volume, title, language, translators, web = '' } = metadata;
  const folder = dirname(resolve(file));
  const ofFolder = folderNames.get(folder) ?? guessFolder(folder);
  folderNames.set(folder, ofFolder);
  const baseName = isFolder ? basename(file) : basename(file, extname(file));
  return {
    file,
    isFolder,
    state,
    pages,
    images,
    // The summaries of thousands of files would fill the memory.
    comicInfo: { series, number, volume, title, language, translators },
    hasComicInfo: described === 'described',
    hasBrokenMetadata: described === 'broken',
    chapterId: chapter.chapterId,
    titleId: TITLE_ADDRESS.exec(web)?.[1]?.toLowerCase(),
    baseName,
    name: guessName(baseName, [ofFolder.series, ...(series === undefined ? [] : [series])]),
    folder: ofFolder,
    sourceLanguage:
      SOURCE_FOLDER.exec(basename(dirname(folder)))?.[1]?.toLowerCase() ?? ofFolder.language,
  };
}
