/**
 * Writes a damaged book anew from its chapters, under its name and in its format, with its cover. The new one takes the
 * place of the damaged one in one step, once it was read back whole.
 */
import { basename, dirname, join } from 'node:path';
import { effectiveOptions, type Settings } from '../config/options.js';
import { hasBookExtension } from '../config/containers.js';
import { lstatIfExists, readRegularFileIfExists } from '../core/files.js';
import { imageExtension, MAX_IMAGE_BYTES } from '../core/image-format.js';
import { hasValidTrailer } from '../core/image-trailer.js';
import { readdirIfReadable } from '../core/read-folder.js';
import { reusableBuffer, type ZipEntry } from '../core/zip-file.js';
import { sha256Of } from '../core/sha256.js';
import { checkFile, isEditedMetadata } from '../library/damage.js';
import { openPages, type BookFile, type ReadChapter } from '../library/file.js';
import { bookMetadata } from './book-metadata.js';
import type { BookGroup, CoverImage } from './book.js';
import { builtInName } from './name-by-template.js';
import { hasConverter } from './convert-image.js';
import { findCover } from './find-cover.js';
import { volumeOf, type ChapterGroup } from './group-volumes.js';
import { publishBookFile, publishBookFolder, withBookLock } from './publish-book.js';
import { writeBook } from './write-book.js';

export interface FoundBook {
  readonly book: BookFile;
  readonly chapters: readonly ReadChapter[];
  /** The chapter files in the folder of the book that have some of the chapters. */
  readonly beside: readonly string[];
}

interface RebuildDeps {
  readonly settings: Settings;
  /** Called for each file before it is replaced. */
  readonly keep: (file: string) => Promise<void>;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** What became of the damaged book; `left`: what is still wrong with it, such as a link in the place of a page. */
export type Rebuilt = 'replaced' | 'unchanged' | { readonly left: string };

export async function rebuildBook(
  { book: damaged, chapters, beside }: FoundBook,
  { settings, keep, warn, signal }: RebuildDeps,
): Promise<Rebuilt> {
  const { path: file, container: format, volumeCount } = damaged;
  const options = effectiveOptions({}, settings);
  const group = toGroup(damaged, chapters);
  const named = damaged.named ?? builtInName({ ...damaged, chapters });
  const metadata = bookMetadata(group, options, volumeCount);
  const cover =
    options.bookCover === 'none' ? undefined : await coverOf(damaged, group, beside, warn);
  // Pages were converted where the format cannot contain them.
  const convert = hasConverter();
  return withBookLock(dirname(file), file, undefined, signal, async (tmpFile) => {
    let rebuilt: Rebuilt = 'unchanged';
    const publish = async (finished: string): Promise<string> => {
      rebuilt = await publishRebuilt(finished, damaged, keep, signal);
      return file;
    };
    const onPage = (): void => undefined;
    const writeOptions = { tmpFile, publish, convert, onPage, onBrokenPage: onPage, signal };
    await writeBook({ group, metadata, cover, named }, format, writeOptions);
    return rebuilt;
  });
}

async function publishRebuilt(
  finished: string,
  { path: file, container, state }: BookFile,
  keep: (file: string) => Promise<void>,
  signal: AbortSignal,
): Promise<Rebuilt> {
  if (container !== 'folder') {
    await keep(file);
    return (await publishBookFile(finished, file, state, undefined)) ? 'replaced' : 'unchanged';
  }
  await publishBookFolder(finished, file, undefined, async (each) => {
    const isRegular = (await lstatIfExists(each))?.isFile() === true;
    if (!isRegular || (await isEditedMetadata(each))) return false;
    await keep(each);
    return true;
  });
  const left = await checkFile(file, { signal, container });
  // What a killed run left may have been put in place already.
  return left.state === 'damaged' ? { left: left.damage.detail } : 'replaced';
}

/** The metadata of the book distinguishes a book of one chapter from a volume with one. */
function toGroup({ comicInfo = '' }: BookFile, chapters: readonly ReadChapter[]): BookGroup {
  const { series = '', language = '' } = chapters[0]?.metadata ?? {};
  const volume = volumeOf(chapters);
  const isChapter = chapters.length === 1 && comicInfo.includes('<Number>');
  const by = isChapter ? 'chapter' : volume === undefined ? 'title' : 'volume';
  return { by, series, language, volume, chapters, missing: [] };
}

/** The cover of the damaged book, or the one that is beside it if that is damaged or lost. */
async function coverOf(
  damaged: BookFile,
  group: ChapterGroup,
  chapterFiles: readonly string[],
  warn: (message: string) => void,
): Promise<CoverImage | undefined> {
  const { path: file } = damaged;
  const own = await readOwnCover(damaged);
  if (own === 'none') return undefined;
  if (typeof own === 'object') return own;
  const beside = { ...group, chapters: group.chapters.map((chapter) => ({ ...chapter, file })) };
  const isDamaged = own === 'damaged';
  // A cover that the book had is its own; otherwise one that other chapters share is not.
  const others = isDamaged ? [] : await otherArchives(file, chapterFiles);
  const hasOthers = (folder: string) => others.some((other) => dirname(other) === folder);
  const cover = await findCover(beside, hasOthers, warn);
  if (isDamaged && !cover) warn(`Rebuilt without its cover, which is damaged: ${file}`);
  return cover;
}

async function otherArchives(file: string, chapterFiles: readonly string[]): Promise<string[]> {
  const folder = dirname(file);
  const own = new Set([file, ...chapterFiles]);
  return (await readdirIfReadable(folder))
    .map(({ name }) => join(folder, name))
    .filter((path) => hasBookExtension(path) && !own.has(path));
}

/** The cover in the book. `none`: it has no cover; `unknown`: whether it had one is not known. */
async function readOwnCover({
  path: file,
  entries,
  files,
}: BookFile): Promise<CoverImage | 'none' | 'damaged' | 'unknown'> {
  if (entries.length === 0 && files.size === 0) return 'unknown';
  // The page of the cover is before the first chapter.
  const entry = entries.find(({ name }) => basename(name).startsWith('c000-cover.'));
  const [path, digest] = [...files].find(([name]) => name.startsWith('cover.')) ?? [];
  if (!entry && path === undefined) return 'none';
  const data = entry
    ? await readEntry(file, entry)
    : await readRegularFileIfExists(join(file, path ?? ''), { maxBytes: MAX_IMAGE_BYTES }).catch(
        () => undefined,
      );
  const extension = data && imageExtension(data);
  if (!extension) return 'damaged';
  const isWhole = entry ? hasValidTrailer(extension, data) : sha256Of(data) === digest;
  return isWhole ? { file, data, extension } : 'damaged';
}

/** Undefined for an entry that is too large, or has another checksum than its directory says. */
async function readEntry(file: string, entry: ZipEntry): Promise<Buffer | undefined> {
  const reader = await openPages(file);
  try {
    return await reader.read(entry, reusableBuffer());
  } catch {
    return undefined;
  } finally {
    await reader.close();
  }
}
