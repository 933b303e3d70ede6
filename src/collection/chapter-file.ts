/**
 * A chapter's CBZ whose ComicInfo.xml is replaced, and with it the metadata in the record; everything else keeps its
 * bytes, names and order.
 */
import type { Entry, ZipFile } from 'yauzl';
import { assertNotBomb } from '../cbz/decode-limits.js';
import { MANIFEST_NAME, MAX_MANIFEST_BYTES } from '../cbz/bound-manifest.js';
import {
  COMIC_INFO_NAME,
  comicInfoXml,
  MAX_COMIC_INFO_BYTES,
  type ComicMetadata,
  type ComicPage,
} from '../cbz/comic-info.js';
import { mergeComicInfo, type ComicInfoMerge } from '../cbz/comic-info-merge.js';
import { writtenMetadata } from '../cbz/comic-info-reader.js';
import { formatRecord, parseRecords, type ChapterRecord } from '../cbz/record.js';
import {
  readEntryText,
  toZipEntry,
  withZip,
  ZipEntryReader,
  type ZipEntry,
} from '../cbz/zip-file.js';
import { ZipFileWriter } from '../cbz/zip-file-writer.js';
import { imageDimensions } from '../image/dimensions.js';
import { imageExtension } from '../image/format.js';
import type { WriteOptions } from '../formats/book.js';
import { damagedChapter } from '../formats/source-chapter.js';

/** A chapter has no more; ZIP64 would allow any number. */
const MAX_ENTRIES = 0xffff;
/** Larger pages do not exist. */
const MAX_ENTRY_BYTES = 2 ** 28;

export interface ChapterFileContent {
  readonly comment: string;
  readonly comicInfo: string;
  /** Undefined in archives that an older tankobon wrote. */
  readonly record: ChapterRecord | undefined;
  /** All other entries, in order. */
  readonly entries: readonly ZipEntry[];
}

/** Undefined for an archive without ComicInfo.xml. Throws StorageError `archive-damaged`. */
export async function readChapterFile(file: string): Promise<ChapterFileContent | undefined> {
  try {
    return await withZip(file, contentOf);
  } catch (cause) {
    throw damagedChapter(file, cause);
  }
}

async function contentOf(zip: ZipFile): Promise<ChapterFileContent | undefined> {
  const listed = await boundedEntries(zip);
  const entries: ZipEntry[] = [];
  let comicInfo: string | undefined;
  let record: ChapterRecord | undefined;
  for (const entry of listed) {
    const { fileName, uncompressedSize } = entry;
    const found = fileName === MANIFEST_NAME ? await readRecord(zip, entry) : undefined;
    record ??= found;
    if (found) continue;
    if (fileName !== COMIC_INFO_NAME) entries.push(toZipEntry(entry));
    else if (uncompressedSize <= MAX_COMIC_INFO_BYTES) comicInfo = await readEntryText(zip, entry);
    else throw new Error(`${fileName} has ${uncompressedSize} bytes`);
  }
  return comicInfo === undefined ? undefined : { comment: zip.comment, comicInfo, record, entries };
}

/** The archive's directory, from which it is refused before anything is inflated. */
async function boundedEntries(zip: ZipFile): Promise<readonly Entry[]> {
  if (zip.entryCount > MAX_ENTRIES) throw new Error(`it has ${zip.entryCount} entries`);
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  const sizes = entries.map(toZipEntry);
  assertNotBomb(sizes, zip.fileSize);
  for (const { name, bytes, compressedBytes } of sizes)
    if (Math.max(bytes, compressedBytes) > MAX_ENTRY_BYTES)
      throw new Error(`${name} has ${Math.max(bytes, compressedBytes)} bytes`);
  return entries;
}

async function readRecord(zip: ZipFile, entry: Entry): Promise<ChapterRecord | undefined> {
  if (entry.uncompressedSize > MAX_MANIFEST_BYTES) return undefined;
  const records = parseRecords(await readEntryText(zip, entry));
  return records?.length === 1 ? records[0] : undefined;
}

/** The new ComicInfo.xml of a file whose pages stay, and what becomes of the old one. */
export async function mergedComicInfo(
  { comicInfo, record }: Pick<ChapterFileContent, 'comicInfo' | 'record'>,
  comic: ComicMetadata,
  force: boolean,
): Promise<ComicInfoMerge> {
  // A file that was saved without metadata got its ComicInfo.xml from its owner.
  const written = record && (record.metadata ?? {});
  const newXml = await comicInfoXml(comic);
  return mergeComicInfo(comicInfo, newXml, { written, hasSamePages: true, force });
}

type RewriteOptions = Omit<WriteOptions, 'convert' | 'onPage'> & {
  readonly force: boolean;
  /** For the record: the volume in the metadata, if the service does not name it. */
  readonly inferredVolume: string | undefined;
};

/** Writes the archive with new metadata to `tmpFile` and publishes it. Edits of the owner stay unless `force`. */
export async function rewriteChapterFile(
  file: string,
  content: ChapterFileContent,
  metadata: Omit<ComicMetadata, 'pages'>,
  { tmpFile, publish, signal, force, inferredVolume }: RewriteOptions,
): Promise<string> {
  const { comment, record, entries } = content;
  const reader = await ZipEntryReader.open(file);
  const zip = await ZipFileWriter.create({ tmpFile, comment, signal });
  try {
    const pages: ComicPage[] = [];
    for (const entry of entries) {
      const data = await reader.read(entry, zip.getBuffer).catch((cause: unknown) => {
        throw damagedChapter(file, cause);
      });
      if (imageExtension(data))
        pages.push({ bytes: data.length, ...(await imageDimensions(data)) });
      await zip.write(entry.name, data);
    }
    const comic = { ...metadata, pages };
    const written = { inferredVolume, metadata: writtenMetadata(comic) };
    const newRecord = record && formatRecord({ ...record, ...written });
    if (newRecord !== undefined) zip.append(MANIFEST_NAME, newRecord);
    zip.append(COMIC_INFO_NAME, (await mergedComicInfo(content, comic, force)).xml);
    return (await zip.finish(publish)).file;
  } finally {
    await zip.discard();
    await reader.close();
  }
}
