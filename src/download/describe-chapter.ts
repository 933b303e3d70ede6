/** The record and ComicInfo.xml of a chapter that was downloaded. The libraries for XML are loaded when they are needed. */
import type { Chapter } from '../api/chapters.js';
import type { Title } from '../api/titles.js';
import type { CbzDescription } from '../cbz/cbz-writer.js';
import type { ComicFields, ComicMetadata } from '../cbz/comic-info.js';
import type { ComicInfoMerge } from '../cbz/comic-info-merge.js';
import type { Quality } from '../image/page-url.js';
import { comicMetadata, inferredVolumeOf, titleIdOf } from './comic-metadata.js';
import type { PackedPage } from './workspace.js';

export interface DescribedChapter {
  readonly id: string;
  readonly quality: Quality;
  readonly chapter: Chapter | undefined;
  readonly pages: readonly PackedPage[];
  /** Undefined for an archive without ComicInfo.xml. */
  readonly named:
    { readonly title: Title | undefined; readonly folderTemplate: string | undefined } | undefined;
  readonly fields: ComicFields;
  /** The archive of this chapter that is replaced; what its owner edited stays. */
  readonly editedFile: string | undefined;
}

export interface ChapterDescription extends CbzDescription {
  /** The metadata that stays because the owner edited it, and the elements that tankobon never writes. */
  readonly kept?: readonly string[];
}

/** Never throws. */
export async function describeChapter(described: DescribedChapter): Promise<ChapterDescription> {
  const { comicInfoXml } = await import('../cbz/comic-info.js');
  const { writtenMetadata } = await import('../cbz/comic-info-reader.js');
  const { formatRecord } = await import('../cbz/record.js');
  const { id, quality, chapter, pages, named, editedFile } = described;
  const { version, updatedAt } = chapter ?? {};
  const comic = chapter && named && describeComic(chapter, named.title, described);
  const record = formatRecord({
    chapterId: id.toLowerCase(),
    titleId: titleIdOf(chapter),
    folderTemplate: named?.folderTemplate,
    version,
    updatedAt,
    quality,
    inferredVolume: comic && inferredVolumeOf(chapter),
    pages: pages.map(({ sha256 }) => sha256),
    metadata: comic && writtenMetadata(comic),
  });
  const merged = comic && editedFile !== undefined && (await mergeEdits(editedFile, comic));
  if (!merged) return { record, comicInfo: comic && (await comicInfoXml(comic)) };
  return { record, comicInfo: merged.xml, kept: [...merged.edited, ...merged.unknown] };
}

function describeComic(
  chapter: Chapter,
  title: Title | undefined,
  { pages, fields }: DescribedChapter,
): ComicMetadata {
  const sized = pages.map(({ bytes, width, height }) => ({ bytes, width, height }));
  return comicMetadata(chapter, title, sized, fields);
}

/** Undefined for a file that is gone or damaged. */
async function mergeEdits(file: string, comic: ComicMetadata): Promise<ComicInfoMerge | undefined> {
  const { mergedComicInfo, readChapterFile } = await import('./chapter-file.js');
  const content = await readChapterFile(file).catch(() => undefined);
  return content && mergedComicInfo(content, comic, { force: false, hasSamePages: false });
}
