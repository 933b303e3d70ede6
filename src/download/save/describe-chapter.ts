/** The record and ComicInfo.xml of a chapter that was downloaded. The libraries for XML are loaded when they are needed. */
import type { Chapter } from '../../service/chapters.js';
import type { Title } from '../../service/titles.js';
import type { Cbz } from '../../library/cbz-writer.js';
import {
  type ComicFields,
  type ComicMetadata,
  type ChapterMetadata,
  comicMetadata,
} from '../../library/comic-info.js';
import type { RecordedName } from '../../config/name-template.js';
import type { Quality } from '../../config/quality.js';
import { inferredVolumeOf, titleIdOf } from '../planning/comic-metadata.js';
import { pageEntries } from '../../config/names.js';
import type { PackedPage } from './workspace.js';

export interface DescribedChapter {
  readonly id: string;
  readonly quality: Quality;
  readonly chapter: Chapter | undefined;
  readonly pages: readonly PackedPage[];
  /** Undefined for an archive without ComicInfo.xml. */
  readonly named:
    { readonly title: Title | undefined; readonly recorded: RecordedName } | undefined;
  readonly fields: ComicFields;
  /** The archives that are replaced; what their owner edited stays, of the first one first. */
  readonly editedFiles: readonly string[];
  /** The book that has the chapter: what its owner edited before it was bound stays. */
  readonly book: string | undefined;
}

export interface ChapterDescription extends Pick<Cbz, 'comicInfo' | 'record'> {
  /** The metadata that stays because the owner edited it, and the elements that tankobon never writes. */
  readonly kept: readonly string[];
}

/** Never throws. */
export async function describeChapter(described: DescribedChapter): Promise<ChapterDescription> {
  const { comicInfoXml, writtenMetadata } = await import('../../library/comic-info.js');
  const { formatRecord } = await import('../../library/record.js');
  const { id, quality, chapter, pages, named, editedFiles, book } = described;
  const { version, updatedAt } = chapter ?? {};
  const comic = chapter && named && describeComic(chapter, named.title, described);
  const compressed = pages.flatMap(({ page, isCompressed }) => (isCompressed ? page : []));
  const digests = pages.map(({ sha256 }) => sha256);
  const known = {
    chapterId: id.toLowerCase(),
    titleId: titleIdOf(chapter),
    version,
    updatedAt,
    quality,
    pages: digests,
    dataSaverPages: compressed.length > 0 ? compressed : undefined,
  };
  if (!comic) {
    const { comicInfo, ...written } = await oldDescription(editedFiles);
    return { record: formatRecord({ ...known, ...written }), comicInfo, kept: [] };
  }
  const inferredVolume = inferredVolumeOf(chapter);
  const metadata = writtenMetadata(comic);
  const record = formatRecord({ ...known, ...named.recorded, inferredVolume, metadata });
  const inBook = book === undefined ? {} : await editsInBook(book, id);
  const withEdits = { ...comic, ...inBook };
  const merged =
    editedFiles.length > 0 ? await mergeEdits(editedFiles, withEdits, digests) : undefined;
  const { xml = await comicInfoXml(withEdits), edited = [], unknown = [] } = merged ?? {};
  return { record, comicInfo: xml, kept: [...Object.keys(inBook), ...edited, ...unknown] };
}

/** ComicInfo.xml of the file that is replaced, and what its record says of it: the rest of it is the owner's. */
async function oldDescription(files: readonly string[]) {
  const contents = await readEditedFiles(files);
  const found = contents.find(({ comicInfo }) => comicInfo !== undefined);
  const { path, folderTemplate, fileTemplate, inferredVolume, metadata } = found?.record ?? {};
  const written = { path, folderTemplate, fileTemplate, inferredVolume, metadata };
  // What is read in another encoding is written in UTF-8.
  const encoding = /^(<\?xml\s[^>]*\bencoding\s*=\s*["'])[\w.:-]+/;
  return { ...written, comicInfo: found?.comicInfo?.replace(encoding, '$1utf-8') };
}

/** Files that are gone or cannot be read are left out. */
async function readEditedFiles(files: readonly string[]) {
  const { readChapterFile } = await import('../../library/chapter-file.js');
  const contents = await Promise.all(
    files.map((file) => readChapterFile(file).catch(() => undefined)),
  );
  return contents.filter((content) => content !== undefined);
}

/** None of a book that is gone or damaged. */
async function editsInBook(book: string, id: string): Promise<Partial<ChapterMetadata>> {
  const { readChapters } = await import('../../books/read-chapters.js');
  const chapters = await readChapters(book).catch(() => []);
  const found = chapters.find(({ chapterId }) => chapterId === id.toLowerCase());
  const edited = new Set(found?.record?.edited);
  return Object.fromEntries(
    Object.entries(found?.metadata ?? {}).filter(([name]) => edited.has(name)),
  );
}

function describeComic(
  chapter: Chapter,
  title: Title | undefined,
  { pages, fields }: DescribedChapter,
): ComicMetadata {
  const sized = pages.map(({ bytes, width, height }) => ({ bytes, width, height }));
  return comicMetadata(chapter, title, sized, fields);
}

/** Undefined if all files are gone or cannot be read. `digests`: those of the new pages. */
async function mergeEdits(
  files: readonly string[],
  comic: ComicMetadata,
  digests: readonly (string | undefined)[],
) {
  const { mergedComicInfo } = await import('../../library/chapter-file.js');
  const readable = await readEditedFiles(files);
  const { comicInfo, record, entries = [] } = readable[0] ?? {};
  const saved = record?.pages ?? [];
  const hasSamePages =
    comicInfo !== undefined &&
    pageEntries(entries).length === digests.length &&
    saved.length === digests.length &&
    saved.every((page, index) => page === digests[index]);
  return mergedComicInfo(readable, comic, { force: false, hasSamePages });
}
