/**
 * Gives a chapter that is in a book, and of which only the metadata changed, a file of its own: its pages are those of the
 * book. The next binding puts it into the book in place of the old one.
 */
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { MANIFEST_NAME } from '../../library/mark.js';
import {
  COMIC_INFO_NAME,
  readValidComicInfo,
  type ChapterMetadata,
} from '../../library/comic-info.js';
import { plainTitle, pageName } from '../../config/names.js';
import type { EntryReader } from '../../core/zip-file.js';
import { ZipFileWriter } from '../../core/zip-file-writer.js';
import { makeSyncedFolders, maxModeIn, statIfExists, temporaryName } from '../../core/files.js';
import { readChapters } from '../../books/read-chapters.js';
import { openPages, type ReadChapter } from '../../library/file.js';
import { damagedChapter } from '../../library/damage.js';
import { imageDimensions } from '../../core/image-dimensions.js';
import { imageExtension } from '../../core/image-format.js';
import { sha256Of } from '../../core/sha256.js';
import type { ChapterJob } from './chapter.js';
import type { ChapterDescription } from './describe-chapter.js';
import { publishChapter } from './publish-chapter.js';
import type { PackedPage } from './workspace.js';

export interface ExtractedChapter {
  readonly job: ChapterJob;
  readonly source: ReadChapter;
  /** The names of the metadata that changed, such as `volume`. */
  readonly changed: readonly string[];
  /** What the owner edited in the file of a deleted chapter that it replaces. */
  readonly kept: readonly string[];
}

/** Throws StorageError `archive-damaged`. */
export async function planExtract(job: ChapterJob, book: string): Promise<ExtractedChapter> {
  const source = (await readChapters(book)).find(
    ({ chapterId }) => chapterId === job.id.toLowerCase(),
  );
  if (!source) throw damagedChapter(book, new Error(`it lacks the chapter ${job.id}`));
  const { comicInfo = '', kept } = await job.describe([], source.record?.inferredVolume);
  const described = (await readValidComicInfo(comicInfo)) ?? {};
  const now = { ...described, title: plainTitle(described.title) };
  return { job, source, changed: differences(source.metadata, now), kept };
}

function differences(before: ChapterMetadata, after: ChapterMetadata): readonly string[] {
  const names = Object.keys({ ...before, ...after }) as (keyof ChapterMetadata)[];
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name])).sort();
}

/** Resolves with the path of the file, which was read back whole. Throws StorageError. */
export async function writeExtract(
  { job, source }: ExtractedChapter,
  signal: AbortSignal,
): Promise<string> {
  await makeSyncedFolders(job.output, dirname(job.file));
  const reader = await openPages(source.file);
  try {
    const book = await statIfExists(source.file);
    const zip = await ZipFileWriter.create({
      tmpFile: temporaryName(job.file),
      comment: job.comment,
      maxMode: maxModeIn(dirname(job.file), book ? [book] : []),
      signal,
    });
    try {
      const { record, comicInfo } = await copyPages(job, source, reader, zip);
      if (record !== undefined) zip.append(MANIFEST_NAME, record);
      if (comicInfo !== undefined) zip.append(COMIC_INFO_NAME, comicInfo);
      return (await zip.finish((tmpFile) => publishChapter(tmpFile, job))).file;
    } finally {
      await zip.discard();
    }
  } finally {
    await reader.close();
  }
}

/** The record keeps the digests of the pages that the service has: a book may have converted ones. */
async function copyPages(
  { describe }: ChapterJob,
  { file, pages, record }: ReadChapter,
  reader: Pick<EntryReader, 'read'>,
  zip: ZipFileWriter,
): Promise<ChapterDescription> {
  const packed: PackedPage[] = [];
  for (const [index, entry] of pages.entries()) {
    const data = await reader.read(entry, zip.getBuffer).catch((cause: unknown) => {
      throw damagedChapter(file, cause);
    });
    const extension = imageExtension(data);
    if (!extension) throw damagedChapter(file, new Error(`${entry.name} is not an image`));
    await zip.write(pageName(index, pages.length, extension), data);
    const dimensions = await imageDimensions(data);
    const sha256 = record?.pages?.[index] ?? sha256Of(data);
    packed.push({
      page: index + 1,
      file,
      bytes: data.length,
      crc32: entry.crc32,
      sha256,
      ...dimensions,
      ...(record?.dataSaverPages?.includes(index + 1) && { isCompressed: true }),
    });
  }
  return describe(packed, record?.inferredVolume);
}
