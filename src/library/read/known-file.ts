/** What the store keeps of a chapter file or a book that was read, so that plans do not open it again. */
import * as z from 'zod';
import { QUALITIES } from '../../config/quality.js';
import type { FileState } from '../../core/file-state.js';
import { MAX_IMAGE_BYTES } from '../../core/image-format.js';
import { jsonDigest } from '../../core/json.js';
import { isOwnFile } from '../../core/safe-open.js';
import { UUID_PATTERN } from '../../core/uuid.js';
import { entriesChecksum, type ZipEntry } from '../../core/zip-file.js';
import { findComicInfo } from '../comic-info.js';
import { PAGE_ELEMENTS, READ_FIELDS, type ChapterMetadata } from '../comic-info/fields.js';
import {
  KNOWN_FIELDS,
  KNOWN_RECORD,
  type ChapterFile,
  type KnownChapter,
  type KnownField,
  type KnownFile,
  type LibraryFile,
  type ReadChapter,
} from '../file.js';
import type { Ownership } from '../ownership.js';
import { recordMetadata, type ChapterRecord } from '../record.js';

const text = z.string().optional();
const uuid = z.string().regex(new RegExp(`^${UUID_PATTERN}$`));

const chapterSchema = z.object({
  chapterId: uuid.optional(),
  titleId: uuid.optional(),
  version: z.int().positive().optional(),
  quality: z.enum(QUALITIES).optional(),
  record: z
    .object({
      titleId: text,
      version: z.int().positive().optional(),
      path: text,
      folderTemplate: text,
      fileTemplate: text,
      inferredVolume: text,
      dataSaverPages: z.array(z.int()).optional(),
      updatedAt: z.iso.datetime().pipe(z.coerce.date()).optional(),
    })
    .optional(),
  savedPages: z.int().nonnegative().optional(),
  metadata: recordMetadata.pick(KNOWN_FIELDS),
  key: text,
  pages: z.object({ length: z.int().nonnegative(), checksum: z.int().optional() }),
  asWritten: text,
});

const RECORD_FIELDS = { chapterId: true, quality: true, record: true, savedPages: true } as const;
const recordSchema = z.object({
  isRecorded: z.boolean(),
  chapters: z.tuple([chapterSchema.pick(RECORD_FIELDS)]),
});
export type ScannedRecord = z.output<typeof recordSchema>['chapters'][0];

const fileSchema = z.object({
  ownership: z.enum(['own', 'lost-mark', 'foreign', 'other-user']),
  isRecorded: z.boolean().optional(),
  described: z.enum(['described', 'empty', 'broken', 'none']).optional(),
  volumeCount: z.int().optional(),
  isBookEdited: z.boolean().optional(),
  form: z.number().optional(),
  chapters: z.array(chapterSchema),
});

/** Chapters without an identity have it: earlier versions of the program found other pages, in another order. */
const FORM = 2;

/** Undefined for a file of which the next command is to find out what is wrong with it. JSON turns it into a `fileSchema`. */
export function toStored(file: LibraryFile): object | undefined {
  if (file.kind === 'missing' || file.kind === 'unreadable' || !file.hasReadablePages)
    return undefined;
  const { ownership } = file;
  if (file.kind === 'chapter') {
    const { isRecorded, described } = file;
    const chapter = storedChapter(file.chapter, isRecorded);
    const chapters = [{ ...chapter, asWritten: isRecorded ? asWritten(file) : undefined }];
    const form = chapter.chapterId === undefined ? FORM : undefined;
    return { ownership, isRecorded, described, form, chapters };
  }
  const { volumeCount, isEdited: isBookEdited, damage, copy } = file;
  if (damage !== undefined) return undefined;
  const chapters = copy ? [] : file.chapters.map((chapter) => storedChapter(chapter, true));
  return { ownership, volumeCount, isBookEdited, chapters };
}

/** After `adopt` gave the file this record. */
export function recordedContent(
  stored: unknown,
  record: ChapterRecord,
  isMarked: boolean,
): object | undefined {
  const { data } = fileSchema.safeParse(stored);
  const [chapter] = data?.chapters ?? [];
  if (!data || !chapter) return undefined;
  const { chapterId, titleId, version, quality } = record;
  const hasNone = data.described === 'none';
  const recorded = {
    ...chapter,
    ...{ chapterId, titleId, version, quality },
    ...storedRecord(record),
    ...(hasNone && { metadata: knownMetadata(record.metadata ?? {}), asWritten: '' }),
  };
  return {
    ...data,
    ownership: isMarked ? 'own' : 'foreign',
    isRecorded: true,
    chapters: [recorded],
  };
}

function storedRecord(record: ChapterRecord | undefined) {
  return {
    record: record && Object.fromEntries(KNOWN_RECORD.map((name) => [name, record[name]])),
    savedPages: record?.pages?.length,
  };
}

function knownMetadata(metadata: ChapterMetadata) {
  const names = Object.keys(KNOWN_FIELDS) as KnownField[];
  return Object.fromEntries(names.map((name) => [name, metadata[name]]));
}

function storedChapter(chapter: ReadChapter, isRecorded: boolean) {
  const { chapterId, titleId, version, quality, record, metadata, pages, key } = chapter;
  // The address of a chapter of tankobon follows from its id.
  const known = isRecorded ? { ...metadata, web: undefined } : metadata;
  return {
    chapterId,
    titleId,
    version,
    quality,
    ...storedRecord(record),
    metadata: knownMetadata(known),
    key,
    pages: {
      length: pages.length,
      checksum: chapterId === undefined ? entriesChecksum(pages) : undefined,
    },
  };
}

/** Undefined for a book, and for content of another form. */
export function recordIn(stored: unknown): ScannedRecord | undefined {
  return recordSchema.safeParse(stored).data?.chapters[0];
}

/** Undefined for content of another form. */
export function fromStored(stored: unknown, path: string, state: FileState): KnownFile | undefined {
  const { data } = fileSchema.safeParse(stored);
  if (!data) return undefined;
  const { isRecorded, described = 'none', volumeCount, isBookEdited } = data;
  const isChapter = isRecorded !== undefined;
  const ownership: Ownership = isOwnFile(path, state) ? data.ownership : 'other-user';
  const chapters = data.chapters.map(
    (chapter) =>
      ({
        file: path,
        state,
        ownership,
        isBound: !isChapter,
        volumeCount,
        isBookEdited,
        chapterId: chapter.chapterId,
        titleId: chapter.titleId,
        version: chapter.version,
        quality: chapter.quality,
        record: chapter.record,
        savedPages: chapter.savedPages,
        metadata: chapter.metadata,
        key: chapter.key,
        pages: chapter.pages,
        asWritten: chapter.asWritten,
        copy: undefined,
      }) satisfies AllFieldsOf<KnownChapter>,
  );
  const own = { path, ownership, hasReadablePages: true } as const;
  if (!isChapter) return { ...own, kind: 'book', chapters, damage: undefined };
  const [chapter] = chapters;
  if (chapter?.chapterId === undefined && data.form !== FORM) return undefined;
  return chapter && { ...own, kind: 'chapter', isRecorded, described, chapter };
}

/**
 * Requires every field, also those that are optional. An object that is copied by `...` and extended takes twice the time
 * and memory of one whose fields are named, and there are thousands.
 */
type AllFieldsOf<T> = Record<keyof T, unknown>;

/**
 * The digest of the metadata in a ComicInfo.xml that is as tankobon wrote it, empty for a file without one; undefined if its
 * owner may have edited it.
 */
function asWritten({ comicInfo, entries, chapter }: ChapterFile): string | undefined {
  const { metadata, written } = chapter;
  const isTooLarge = ({ bytes, compressedBytes }: ZipEntry) =>
    Math.max(bytes, compressedBytes) > MAX_IMAGE_BYTES;
  // The command that reads such a file says what is wrong with it.
  if (entries.some(isTooLarge)) return undefined;
  if (comicInfo === undefined) return findComicInfo(entries) ? undefined : '';
  if (!written) return undefined;
  if (JSON.stringify(metadata) !== JSON.stringify(written)) return undefined;
  const isOwn = [...comicInfo.matchAll(/<([^/?\s>]+)/g)].every(([, element = '']) => {
    const field = FIELD_OF.get(element);
    return OTHER_ELEMENTS.has(element) || (field && written[field] !== undefined);
  });
  return isOwn ? jsonDigest(metadata) : undefined;
}

const FIELD_OF = new Map(
  READ_FIELDS.flatMap(({ name, elements }) => elements.map((element) => [element, name] as const)),
);
const OTHER_ELEMENTS = new Set(['ComicInfo', 'Page', ...PAGE_ELEMENTS]);
