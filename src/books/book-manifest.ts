/** The manifest in a book: from that of a CBZ or EPUB its chapters can be read back, with everything known of them. */
import { isDeepStrictEqual } from 'node:util';
import { READ_FIELDS } from '../library/comic-info.js';
import { plainTitle } from '../config/names.js';
import { chapterPrefix, type Book } from './book.js';
import { sourceKey } from './source-chapter.js';
import { type ReadChapter } from '../library/file.js';

/** The same chapters always give the same text. `files`: the sha256 of each file of a book in a folder, by its path. */
export function manifestText(
  { group: { chapters }, copy, named }: Pick<Book, 'group' | 'copy' | 'named'>,
  files?: Readonly<Record<string, string>>,
): string {
  const entries = chapters.map((chapter, index) => ({
    // One by one, since an identity that was read back has them in another order.
    chapterId: chapter.chapterId,
    titleId: chapter.record?.titleId ?? chapter.titleId,
    version: chapter.version,
    quality: chapter.quality,
    updatedAt: chapter.record?.updatedAt,
    inferredVolume: chapter.record?.inferredVolume,
    writtenSeries: writtenSeries(chapter),
    edited: editedNames(chapter),
    key: sourceKey(chapter),
    prefix: chapterPrefix(index, chapters.length),
    pages: copy ? undefined : chapter.record?.pages,
    acceptedPages: copy ? undefined : chapter.record?.acceptedPages,
    metadata: chapter.metadata,
  }));
  return `${JSON.stringify({ copy, named: copy ? undefined : named, chapters: entries, files })}\n`;
}

/** The series that tankobon wrote, if the owner of the chapter's file changed it. */
function writtenSeries({ record, metadata }: ReadChapter): string | undefined {
  if (record?.writtenSeries !== undefined) return record.writtenSeries;
  const written = record?.metadata?.series;
  return written === metadata.series ? undefined : written;
}

/** A number that the service does not name may be a guess from the file name. */
function editedNames({ record, metadata }: ReadChapter): readonly string[] | undefined {
  if (!record?.metadata || record.edited) return record?.edited;
  const written = { ...record.metadata, title: plainTitle(record.metadata.title) };
  const names = METADATA_NAMES.filter(
    (name) =>
      !isDeepStrictEqual(metadata[name], written[name]) &&
      (name !== 'number' || written.number !== undefined),
  );
  return names.length > 0 ? names : undefined;
}

const METADATA_NAMES = READ_FIELDS.map(({ name }) => name).filter((name) => name !== 'series');
