/** A chapter's CBZ whose ComicInfo.xml is replaced; everything else keeps its bytes, names and order. */
import type { ZipFile } from 'yauzl';
import {
  COMIC_INFO_NAME,
  comicInfoXml,
  MAX_COMIC_INFO_BYTES,
  type ComicPage,
} from '../cbz/comic-info.js';
import type { ChapterMetadata } from '../cbz/comic-info-reader.js';
import {
  readEntryText,
  toZipEntry,
  withZip,
  ZipEntryReader,
  type ZipEntry,
} from '../cbz/zip-file.js';
import { ZipFileWriter } from '../cbz/zip-file-writer.js';
import { imageDimensions } from '../image/dimensions.js';
import type { WriteOptions } from './book.js';
import { damagedChapter } from './source-chapter.js';

export interface ChapterFileContent {
  readonly comment: string;
  readonly comicInfo: string;
  /** All entries but ComicInfo.xml, in order. */
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
  const entries: ZipEntry[] = [];
  let comicInfo: string | undefined;
  for await (const entry of zip.eachEntry()) {
    const { fileName, uncompressedSize } = entry;
    if (fileName !== COMIC_INFO_NAME) entries.push(toZipEntry(entry));
    else if (uncompressedSize <= MAX_COMIC_INFO_BYTES) comicInfo = await readEntryText(zip, entry);
    else throw new Error(`${fileName} has ${uncompressedSize} bytes`);
  }
  return comicInfo === undefined ? undefined : { comment: zip.comment, comicInfo, entries };
}

/** Writes the archive with new metadata to `tmpFile` and publishes it. */
export async function rewriteChapterFile(
  file: string,
  { comment, entries }: ChapterFileContent,
  metadata: ChapterMetadata,
  { tmpFile, publish, signal }: Omit<WriteOptions, 'convert' | 'onPage'>,
): Promise<string> {
  const reader = await ZipEntryReader.open(file);
  const zip = await ZipFileWriter.create({ tmpFile, comment, signal });
  try {
    const pages: ComicPage[] = [];
    for (const entry of entries) {
      const data = await reader.read(entry, zip.getBuffer).catch((cause: unknown) => {
        throw damagedChapter(file, cause);
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
