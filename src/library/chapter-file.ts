/**
 * A chapter's CBZ whose ComicInfo.xml is replaced, and with it the metadata in the record; everything else keeps its
 * bytes, names and order.
 */
import { createHash } from 'node:crypto';
import type { Chapter } from '../service/chapters.js';
import {
  MANIFEST_NAME,
  chapterComment,
  formatIdentityComment,
  parseIdentityComment,
  type CbzIdentity,
} from './mark.js';
import {
  COMIC_INFO_NAME,
  comicInfoXml,
  type ComicMetadata,
  type ComicPage,
  writtenMetadata,
  mergeComicInfo,
  type ComicInfoMerge,
} from './comic-info.js';
import { readLibraryFile } from './file.js';
import { formatRecord, type ChapterRecord } from './record.js';
import type { RecordedName } from '../config/name-template.js';
import { ZipEntryReader, type ZipEntry, ZipFileWriter, type Publish } from './archive.js';
import { PRIVATE_FILE_MODE } from '../core/files.js';
import { imageDimensions } from '../core/image-dimensions.js';
import { imageExtension, MAX_IMAGE_BYTES } from '../core/image-format.js';
import { damagedChapter } from './damage.js';

export interface ChapterFileContent {
  readonly comment: string;
  /** The chapter of a file of tankobon, also of one that lost its mark. */
  readonly identity: CbzIdentity | undefined;
  /** Undefined in archives that were saved without metadata. */
  readonly comicInfo: string | undefined;
  /** Undefined in archives that an older tankobon wrote. */
  readonly record: ChapterRecord | undefined;
  /** All other entries, in order. */
  readonly entries: readonly ZipEntry[];
}

/** Throws StorageError `archive-damaged`, also for a book. */
export async function readChapterFile(path: string): Promise<ChapterFileContent> {
  const file = await readLibraryFile(path);
  if (file.kind === 'missing' || file.kind === 'unreadable') throw damagedChapter(path, file.cause);
  if (file.kind === 'book') throw damagedChapter(path, new Error('it is a book'));
  const { comment, comicInfo, entries } = file;
  const tooLarge = entries.find(isTooLarge);
  const isUnread = comicInfo === undefined && entries.some(({ name }) => name === COMIC_INFO_NAME);
  if (tooLarge || isUnread)
    throw damagedChapter(path, new Error(`${tooLarge?.name ?? COMIC_INFO_NAME} is too large`));
  const { record, ...chapter } = file.chapter;
  const isOwn = file.named !== 'record' && file.named !== 'address';
  const identity = isOwn ? chapter.identity : undefined;
  const isDescription = ({ name }: ZipEntry) =>
    name === COMIC_INFO_NAME || (name === MANIFEST_NAME && record !== undefined);
  const others = entries.filter((each) => !isDescription(each));
  return { comment, identity, comicInfo, record, entries: others };
}

function isTooLarge({ bytes, compressedBytes }: ZipEntry): boolean {
  return Math.max(bytes, compressedBytes) > MAX_IMAGE_BYTES;
}

/** The new ComicInfo.xml of a file whose pages stay, and what becomes of the old one; undefined without an old one. */
export async function mergedComicInfo(
  { comicInfo, record }: MergedContent,
  comic: ComicMetadata,
  { superseded, ...options }: MergeFileOptions,
): Promise<ComicInfoMerge | undefined> {
  if (comicInfo === undefined) return undefined;
  const contents = [{ comicInfo, record }, ...(superseded ? [superseded] : [])];
  return mergeIntoFiles(contents, await comicInfoXml(comic), options);
}

interface MergeFileOptions {
  readonly force: boolean;
  /** The pages are those of the first file. */
  readonly hasSamePages: boolean;
  /** Another file, whose edits the new text gets too. */
  readonly superseded?: MergedContent | undefined;
}

type MergedContent = Pick<ChapterFileContent, 'comicInfo' | 'record'>;

/** The new text with what the owner edited in these files; of the first one, where several differ. */
export async function mergeIntoFiles(
  [first, ...others]: readonly MergedContent[],
  newXml: string,
  options: Omit<MergeFileOptions, 'superseded'>,
): Promise<ComicInfoMerge | undefined> {
  if (!first) return undefined;
  const rest = await mergeIntoFiles(others, newXml, { ...options, hasSamePages: false });
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

export interface ChapterFileChange {
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
  file: string,
  content: ChapterFileContent,
  change: ChapterFileChange,
): Promise<string> {
  const reader = await ZipEntryReader.open(file);
  try {
    return await writeChanged(file, reader, content, change);
  } finally {
    await reader.close();
  }
}

async function writeChanged(
  file: string,
  reader: ZipEntryReader,
  content: ChapterFileContent,
  change: ChapterFileChange,
): Promise<string> {
  const { metadata, inferredVolume, recorded, force, superseded, revision, newTitleId } = change;
  const { tmpFile, publish, signal } = change;
  const comment = await newComment(content, change, reader);
  const mode = PRIVATE_FILE_MODE;
  const zip = await ZipFileWriter.create({ tmpFile, comment, mode, signal });
  try {
    const pages: ComicPage[] = [];
    const digests: string[] = [];
    for (const entry of content.entries) {
      const data = await reader.read(entry, zip.getBuffer).catch((cause: unknown) => {
        throw damagedChapter(file, cause);
      });
      if (imageExtension(data)) {
        pages.push({ bytes: data.length, ...(await imageDimensions(data)) });
        if (revision) digests.push(sha256(data));
      }
      await zip.write(entry.name, data);
    }
    const comic = { ...metadata, pages };
    const options = { force, hasSamePages: true, superseded };
    const merged = await mergedComicInfo(content, comic, options);
    const described = merged
      ? { inferredVolume, metadata: writtenMetadata(comic) }
      : { inferredVolume: content.record?.inferredVolume, metadata: content.record?.metadata };
    const titled = newTitleId !== undefined && { titleId: newTitleId };
    const news = { ...titled, ...described, ...recorded };
    const record = newRecord(content, revision, { pages: digests, ...news });
    if (record !== undefined) zip.append(MANIFEST_NAME, record);
    if (merged) zip.append(COMIC_INFO_NAME, merged.xml);
    return (await zip.finish(publish)).file;
  } finally {
    await zip.discard();
  }
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

/** The sha256 of each page, in order. Throws StorageError `archive-damaged`. */
export async function readPageDigests(file: string): Promise<readonly string[]> {
  const { entries } = await readChapterFile(file);
  const reader = await ZipEntryReader.open(file);
  try {
    const digests: string[] = [];
    for (const entry of entries) {
      const data = await reader.read(entry, (bytes) => Buffer.allocUnsafe(bytes));
      if (imageExtension(data)) digests.push(sha256(data));
    }
    return digests;
  } catch (cause) {
    throw damagedChapter(file, cause);
  } finally {
    await reader.close();
  }
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
