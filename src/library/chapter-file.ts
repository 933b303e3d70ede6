/**
 * A chapter's CBZ whose ComicInfo.xml is replaced, and with it the metadata in the record; everything else keeps its
 * bytes, names and order.
 */
import type { Chapter } from '../service/chapters.js';
import {
  chapterComment,
  formatIdentityComment,
  MANIFEST_NAME,
  parseIdentityComment,
  type CbzIdentity,
} from './mark.js';
import {
  COMIC_INFO_NAME,
  comicInfoXml,
  findComicInfo,
  type ComicMetadata,
  writtenMetadata,
  mergeComicInfo,
} from './comic-info.js';
import type { ComicInfoMerge } from './comic-info/merge.js';
import { readLibraryFile, rewriterOf, type ChapterFile, type ReadChapter } from './file.js';
import { formatRecord, type ChapterRecord } from './record.js';
import type { RecordedName } from '../config/name-template.js';
import type { GetBuffer, ZipEntry, ZipEntryReader } from '../core/zip-file.js';
import { containerOf, HANDLERS, openPages } from './containers.js';
import { digestsOfFolder, digestsOfPages } from './read/page-digests.js';
import type { Publish } from '../core/zip-file-writer.js';
import { imageDimensions } from '../core/image-dimensions.js';
import { imageExtension, MAX_IMAGE_BYTES } from '../core/image-format.js';
import { sha256Of } from '../core/sha256.js';
import { damagedChapter } from './damage.js';

export { acceptFile } from './rewrite/accept-file.js';

interface ChapterFileContent
  extends Pick<ReadChapter, 'record' | 'metadata'>, Pick<ChapterFile, 'container'> {
  readonly comment: string;
  /** The chapter of a file of tankobon, also of one that lost its mark. */
  readonly identity: CbzIdentity | undefined;
  /** Undefined in archives that were saved without metadata. */
  readonly comicInfo: string | undefined;
  /** All other entries, in order. */
  readonly entries: readonly ZipEntry[];
}

/** Throws StorageError `archive-damaged`, also for a book. */
export async function readChapterFile(path: string): Promise<ChapterFileContent> {
  const file = await readLibraryFile(path);
  if (file.kind === 'missing' || file.kind === 'unreadable') throw damagedChapter(path, file.cause);
  if (file.kind === 'book') throw damagedChapter(path, new Error('it is a book'));
  const { comment, comicInfo, entries, container } = file;
  const tooLarge = entries.find(isTooLarge);
  const description = findComicInfo(entries);
  const unread = tooLarge ?? (comicInfo === undefined ? description : undefined);
  if (unread) throw damagedChapter(path, new Error(`${unread.name} is too large`));
  const { chapter, ownership } = file;
  const { chapterId, titleId, version, quality, record, metadata } = chapter;
  const identity =
    ownership === 'foreign' || chapterId === undefined
      ? undefined
      : { chapterId, titleId, version, quality };
  const isWritten = (entry: ZipEntry) =>
    entry === description || (entry.name === MANIFEST_NAME && record !== undefined);
  const others = entries.filter((each) => !isWritten(each));
  return { container, comment, identity, comicInfo, record, metadata, entries: others };
}

function isTooLarge({ bytes, compressedBytes }: ZipEntry): boolean {
  return Math.max(bytes, compressedBytes) > MAX_IMAGE_BYTES;
}

type MergedFile = Pick<ChapterFileContent, 'comicInfo' | 'record'>;

interface MergeOptions {
  readonly force: boolean;
  /** The text is for the first file, whose pages stay. */
  readonly hasSamePages: boolean;
}

/**
 * The new ComicInfo.xml with what the owner edited in these files, and what becomes of the old ones; of the first file,
 * where several differ. Undefined without an old one; a file that has none, and whose pages stay, gets none either.
 */
export async function mergedComicInfo(
  files: readonly MergedFile[],
  comic: ComicMetadata,
  options: MergeOptions,
): Promise<ComicInfoMerge | undefined> {
  const [first] = files;
  if (options.hasSamePages && first?.comicInfo === undefined) return undefined;
  return mergeInto(files, await comicInfoXml(comic), options);
}

async function mergeInto(
  [first, ...others]: readonly MergedFile[],
  newXml: string,
  options: MergeOptions,
): Promise<ComicInfoMerge | undefined> {
  if (!first) return undefined;
  const rest = await mergeInto(others, newXml, { ...options, hasSamePages: false });
  const { comicInfo, record } = first;
  if (comicInfo === undefined) return rest;
  // A file that was saved without metadata got its ComicInfo.xml from its owner.
  const written = record && (record.metadata ?? {});
  const merged = await mergeComicInfo(comicInfo, rest?.xml ?? newXml, { written, ...options });
  return {
    ...merged,
    edited: [...new Set([...merged.edited, ...(rest?.edited ?? [])])],
    unknown: [...new Set([...merged.unknown, ...(rest?.unknown ?? [])])],
  };
}

interface ChapterFileChange {
  /** A new file, on the file system of the final path. */
  readonly tmpFile: string;
  /** Called with the finished file, which was read back whole. */
  readonly publish: Publish;
  readonly signal: AbortSignal;
  readonly metadata: Omit<ComicMetadata, 'pages'>;
  /** The volume in the metadata if the service does not name it; the record keeps it. */
  readonly inferredVolume: string | undefined;
  /** What the record says of the name; undefined if that stays. */
  readonly recorded: RecordedName | undefined;
  /** Edits of the owner are replaced too. */
  readonly force: boolean;
  /** A file that makes way for this one, which gets the edits of its owner. */
  readonly superseded?: ChapterFileContent | undefined;
  /** The chapter whose version and time the file gets, if it has others. */
  readonly revision: Chapter | undefined;
  /** The title that the file names from now on, if it is another one. */
  readonly newTitleId?: string | undefined;
}

/** Writes the archive with new metadata to `tmpFile`, and publishes it in place of a file whose rights it gets then. */
export async function rewriteChapterFile(
  path: string,
  content: ChapterFileContent,
  change: ChapterFileChange,
): Promise<string> {
  const { metadata, inferredVolume, recorded, force, superseded, revision, newTitleId } = change;
  const { tmpFile, publish, signal } = change;
  const pages: ComicMetadata['pages'][number][] = [];
  const digests: string[] = [];
  const onEntry = async (_: unknown, data: Buffer) => {
    if (!imageExtension(data)) return undefined;
    pages.push({ bytes: data.length, ...(await imageDimensions(data)) });
    if (revision) digests.push(sha256Of(data));
    return undefined;
  };
  const describe = async () => {
    const comic = { ...metadata, pages };
    const files = [content, ...(superseded ? [superseded] : [])];
    const merged = await mergedComicInfo(files, comic, { force, hasSamePages: true });
    const described = merged
      ? { inferredVolume, metadata: writtenMetadata(comic) }
      : { inferredVolume: content.record?.inferredVolume, metadata: content.record?.metadata };
    const titled = newTitleId !== undefined && { titleId: newTitleId };
    const news = { ...titled, ...described, ...recorded };
    const record = newRecord(content, revision, { pages: digests, ...news });
    return [
      ...(record === undefined ? [] : [[MANIFEST_NAME, record] as const]),
      ...(merged ? [[COMIC_INFO_NAME, merged.xml] as const] : []),
    ];
  };
  const { rewrite } = await rewriterOf({ path, ...content });
  const { entries } = content;
  const written = await rewrite(
    { path, entries },
    {
      tmpFile,
      publish,
      signal,
      newText: onEntry,
      added: describe,
      comment: (reader) => newComment(content, change, reader),
    },
  );
  return written.file;
}

/** The mark comes back where it was lost; what another program wrote in its place stays. */
async function newComment(
  { comment, identity, record, entries }: ChapterFileContent,
  { revision, newTitleId }: Pick<ChapterFileChange, 'revision' | 'newTitleId'>,
  reader: ZipEntryReader,
): Promise<string | Buffer> {
  const isMark = parseIdentityComment(comment) !== undefined;
  const kept = isMark ? Buffer.alloc(0) : await reader.readComment(comment);
  if (!identity || kept.toString().trim() !== '') return kept;
  const { titleId, version } = identity;
  const isTaken = entries.some(({ name }) => name === MANIFEST_NAME);
  if (record || (revision && !isTaken)) return chapterComment(identity.chapterId);
  return formatIdentityComment({
    ...identity,
    titleId: newTitleId ?? titleId,
    version: revision?.version ?? version,
  });
}

/** An archive of an older tankobon gets a record when its pages were compared. */
function newRecord(
  { identity, record, entries }: ChapterFileContent,
  revision: Chapter | undefined,
  {
    pages,
    ...described
  }: RecordedName & Pick<ChapterRecord, 'pages' | 'metadata' | 'inferredVolume' | 'titleId'>,
): string | undefined {
  const { titleId, version, updatedAt } = revision ?? {};
  const news = revision && { titleId, version, updatedAt };
  if (record) return formatRecord({ ...record, ...news, ...described });
  const isTaken = entries.some(({ name }) => name === MANIFEST_NAME);
  const { chapterId, quality } = identity ?? {};
  return news && !isTaken
    ? formatRecord({ chapterId, quality, ...news, pages, ...described })
    : undefined;
}

/** An archive, or a folder of images. */
interface PagedFile {
  readonly file: string;
  readonly isFolder?: boolean;
  /** The images of a folder, in no order. */
  readonly images?: readonly string[];
}

/**
 * The sha256 of each page in reading order, as lower-case hex. Throws Error with what is wrong with a page.
 *
 * @param getBuffer one for all files of a run: a new one for each file takes longer than a small file
 */
export async function readPageDigests(
  { file, isFolder = false, images = [] }: PagedFile,
  getBuffer: GetBuffer,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (isFolder) return digestsOfFolder(file, images, signal);
  const { entries, damage } = await HANDLERS[containerOf(file)].read(file, 'pages', {});
  if (damage !== undefined) throw new Error('it is damaged', { cause: damage });
  const reader = await openPages(file);
  return digestsOfPages(entries, reader, getBuffer, signal).finally(() => reader.close());
}
