/** A chapter's CBZ whose ComicInfo.xml is replaced; everything else keeps its bytes, names and order. */
import {
  COMIC_INFO_NAME,
  comicInfoXml,
  MAX_COMIC_INFO_BYTES,
  type ComicPage,
} from '../cbz/comic-info.js';
import type { ChapterMetadata } from '../cbz/comic-info-reader.js';
import {
  openZip,
  readEntryText,
  toZipEntry,
  ZipEntryReader,
  type ZipEntry,
} from '../cbz/zip-file.js';
import { ZipFileWriter, type Publish } from '../cbz/zip-file-writer.js';
import { StorageError, thrownMessage } from '../core/errors.js';
import { imageDimensions } from '../image/dimensions.js';

export interface ChapterFileContent {
  readonly comment: string;
  readonly comicInfo: string;
  /** All entries but ComicInfo.xml, in order. */
  readonly entries: readonly ZipEntry[];
}

/** Undefined for an archive without ComicInfo.xml. Throws StorageError `archive-damaged`. */
export async function readChapterFile(file: string): Promise<ChapterFileContent | undefined> {
  try {
    const zip = await openZip(file);
    if (!zip) return undefined;
    try {
      const entries: ZipEntry[] = [];
      let comicInfo: string | undefined;
      for await (const entry of zip.eachEntry()) {
        const { fileName, uncompressedSize } = entry;
        if (fileName !== COMIC_INFO_NAME) entries.push(toZipEntry(entry));
        else if (uncompressedSize <= MAX_COMIC_INFO_BYTES)
          comicInfo = await readEntryText(zip, entry);
        else throw new Error(`${fileName} has ${uncompressedSize} bytes`);
      }
      return comicInfo === undefined ? undefined : { comment: zip.comment, comicInfo, entries };
    } finally {
      zip.close();
    }
  } catch (cause) {
    throw damaged(file, cause);
  }
}

/** Writes the archive with new metadata to `tmpFile` and publishes it. */
export async function rewriteChapterFile(
  file: string,
  { comment, entries }: ChapterFileContent,
  metadata: ChapterMetadata,
  {
    tmpFile,
    publish,
    signal,
  }: {
    readonly tmpFile: string;
    readonly publish: Publish;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const reader = await ZipEntryReader.open(file);
  const zip = await ZipFileWriter.create({ tmpFile, comment, signal });
  try {
    const pages: ComicPage[] = [];
    for (const entry of entries) {
      const data = await reader.read(entry, zip.bufferFor).catch((cause: unknown) => {
        throw damaged(file, cause);
      });
      pages.push({ bytes: data.length, ...(await imageDimensions(data)) });
      await zip.write(entry.name, data);
    }
    zip.append(COMIC_INFO_NAME, await comicInfoXml({ ...metadata, pages }));
    return (await zip.finish(publish)).file;
  } finally {
    await zip.discard();
    await reader.close();
  }
}

function damaged(file: string, cause: unknown): StorageError {
  const reason = thrownMessage(cause);
  return new StorageError('archive-damaged', `Cannot read the chapter: ${reason}: ${file}`, {
    cause,
  });
}
