/** What the archives of a library say of their chapters, beyond their ids: the record, and ComicInfo.xml as it is now. */
import { basename } from 'node:path';
import type { ZipFile } from 'yauzl';
import { entryTexts, readComicInfoFile } from './archive-content.js';
import {
  FOLDER_MANIFEST_NAME,
  isBoundComment,
  MANIFEST_NAME,
  MAX_MANIFEST_BYTES,
  readPdfManifest,
} from './bound-manifest.js';
import { COMIC_INFO_NAME } from './comic-info.js';
import { readComicInfo, type ChapterMetadata } from './comic-info-reader.js';
import { parseComicInfoIdentity, parseIdentityComment } from './identity.js';
import { readRegularFileIfExists } from '../core/files.js';
import { withZip } from './zip-file.js';

export interface ArchivedChapter {
  readonly chapterId: string | undefined;
  readonly titleId: string | undefined;
  readonly folderTemplate: string | undefined;
  readonly metadata: ChapterMetadata;
  /** The metadata as tankobon wrote it; undefined without a record. */
  readonly written: ChapterMetadata | undefined;
}

/** Several of a bound file. None if the file cannot be read. */
export async function readArchivedChapters(file: string): Promise<readonly ArchivedChapter[]> {
  try {
    if (basename(file) === COMIC_INFO_NAME)
      return [await ofComicInfo((await readComicInfoFile(file)) ?? '')];
    if (basename(file) === FOLDER_MANIFEST_NAME)
      return await ofManifest(await folderManifest(file));
    if (/\.pdf$/i.test(file)) return await ofManifest((await readPdfManifest(file))?.text);
    return (await withZip(file, ofZip)) ?? [];
  } catch {
    return [];
  }
}

async function folderManifest(file: string): Promise<string | undefined> {
  return (await readRegularFileIfExists(file, { maxBytes: MAX_MANIFEST_BYTES }))?.toString();
}

async function ofZip(zip: ZipFile): Promise<readonly ArchivedChapter[]> {
  const texts = await entryTexts(zip);
  const manifest = texts.get(MANIFEST_NAME) ?? '';
  if (isBoundComment(zip.comment)) return ofManifest(manifest);
  const [record] = (await recordsIn(manifest)) ?? [];
  const chapter = await ofComicInfo(texts.get(COMIC_INFO_NAME) ?? '');
  const marked = parseIdentityComment(zip.comment);
  return [
    {
      ...chapter,
      chapterId: marked?.chapterId ?? record?.chapterId ?? chapter.chapterId,
      titleId: marked?.titleId ?? record?.titleId,
      folderTemplate: record?.folderTemplate,
      // A file that another program wrote may have no ComicInfo.xml.
      metadata: texts.has(COMIC_INFO_NAME) ? chapter.metadata : (record?.metadata ?? {}),
      written: record?.metadata,
    },
  ];
}

async function ofComicInfo(xml: string): Promise<ArchivedChapter> {
  return {
    chapterId: parseComicInfoIdentity(xml)?.chapterId,
    titleId: undefined,
    folderTemplate: undefined,
    written: undefined,
    metadata: await readComicInfo(xml),
  };
}

/** Its schemas are slow to load, and most folders are read before the first request. */
async function recordsIn(text: string) {
  const { parseRecords } = await import('./record.js');
  return parseRecords(text);
}

/** The name of a book is another template's. */
async function ofManifest(text = ''): Promise<readonly ArchivedChapter[]> {
  return ((await recordsIn(text)) ?? []).map(
    ({ chapterId, titleId, metadata = {}, writtenSeries = metadata.series }) => ({
      chapterId,
      titleId,
      folderTemplate: undefined,
      written: { ...metadata, series: writtenSeries },
      metadata,
    }),
  );
}
