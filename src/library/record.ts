/**
 * The record of a chapter, `META-INF/tankobon.json`: what tankobon knew when it wrote the file. It has the form of a
 * bound book's manifest, whose elements have further fields, with one chapter; readers of comics ignore it. The
 * archive comment remains the mark of the file, see ownership.ts: a record alone makes no file tankobon's own.
 */
import * as z from 'zod';
import { parseJson } from '../core/json.js';
import { UUID_PATTERN } from '../core/uuid.js';
import type { RecordedName } from '../config/name-template.js';
import { BIND_BY, type BindBy } from '../config/bind-choices.js';
import { QUALITIES, type Quality } from '../config/quality.js';
import { MAX_MANIFEST_BYTES } from './mark.js';
import { READ_FIELDS, type ChapterMetadata } from './comic-info/fields.js';

/** What restores a file of another program that got a record, see adopted-file.ts. */
interface AdoptedFile {
  /** The whole original file. */
  readonly sha256: string;
  readonly bytes: number;
  /** Its end record with the comment, as base64. */
  readonly end: string;
}

/** Only files of other programs, in a book, have no `chapterId`; older manifests have fewer fields. */
export interface ChapterRecord extends RecordedName {
  readonly chapterId?: string | undefined;
  readonly titleId?: string | undefined;
  /** The chapter's version on the service. */
  readonly version?: number | undefined;
  /** When the service last changed the chapter. */
  readonly updatedAt?: Date | undefined;
  readonly quality?: Quality | undefined;
  /** The volume, if the service did not name it. */
  readonly inferredVolume?: string | undefined;
  /** In a book: the series that tankobon wrote, if `metadata` has another one of the owner. */
  readonly writtenSeries?: string | undefined;
  /** In a book: the names of the other `metadata` that the owner edited in the chapter's file. */
  readonly edited?: readonly string[] | undefined;
  /** In a book: identifies the version of the chapter, or the pages of one without an id. */
  readonly key?: string | undefined;
  /** In a book: the beginning of the names of the chapter's pages. */
  readonly prefix?: string | undefined;
  /** The sha256 of each page in order, as lower-case hex. */
  readonly pages?: readonly string[] | undefined;
  /** The sha256 of each page in order, if the owner changed the pages and accepted them with `verify --accept`. */
  readonly acceptedPages?: readonly string[] | undefined;
  /** The pages, counted from 1, that are in data-saver, since no node had them in the quality of the chapter. */
  readonly dataSaverPages?: readonly number[] | undefined;
  /** What tankobon wrote, as readers of ComicInfo.xml see it; a difference to the file is an edit of the owner. */
  readonly metadata?: ChapterMetadata | undefined;
  /** Set in a file that another program wrote. */
  readonly adopted?: AdoptedFile | undefined;
}

export interface BookPart {
  /** Counts from 1. */
  readonly number: number;
  readonly total: number;
}

/** A book from which its chapters cannot be read back: with the pages of a device, or in several files. */
export interface BookCopy {
  /** The options that the pages and the parts depend on. */
  readonly profile: string;
  /** The keys of the chapters in all parts. At least one. */
  readonly keys: readonly string[];
  readonly part: BookPart;
}

/** What a book is called, as its manifest keeps it. Older books have none. */
export interface BookName {
  readonly by: BindBy;
  /** The name that the program gave to the file or folder. */
  readonly name: string;
}

const MAX_CHAPTERS = 20_000;
/** A larger number of parts in a manifest is wrong. */
const MAX_PARTS = 10_000;
/** A ZIP without ZIP64 has no more entries. */
const MAX_PAGES = 0xffff;
const MAX_LIST_ITEMS = 10_000;
/** The end record of a ZIP with the longest comment, as base64. */
const MAX_END_LENGTH = 90_000;
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * The text of a chapter's record. The same record always gives the same text. Undefined for a record that is too large
 * to be read back.
 */
export function formatRecord(record: ChapterRecord): string | undefined {
  const { chapterId, titleId, path, folderTemplate, fileTemplate } = record;
  const { version, updatedAt, quality, inferredVolume, pages, acceptedPages } = record;
  const { dataSaverPages, metadata, adopted } = record;
  const chapter = {
    chapterId,
    titleId,
    path,
    folderTemplate,
    fileTemplate,
    version,
    updatedAt,
    quality,
    inferredVolume,
    pages,
    acceptedPages,
    dataSaverPages,
    metadata,
    adopted,
  };
  const text = `${JSON.stringify({ chapters: [chapter] })}\n`;
  return Buffer.byteLength(text) <= MAX_MANIFEST_BYTES ? text : undefined;
}

const uuid = z.string().regex(new RegExp(`^${UUID_PATTERN}$`));
const text = z.string().optional();
const texts = z.array(z.string()).max(MAX_LIST_ITEMS).optional();
const date = z.iso
  .datetime()
  .transform((value) => new Date(value))
  .optional();

/** The record has what readers of ComicInfo.xml see, each field of it. */
export const recordMetadata = z.object(
  Object.fromEntries(READ_FIELDS.map(({ name, kind }) => [name, schemaOf(kind)])),
);

function schemaOf(kind: (typeof READ_FIELDS)[number]['kind']): z.ZodType {
  if (typeof kind === 'object') return z.enum(kind).optional();
  return { text, texts, date }[kind];
}

const digests = z.array(z.string().regex(DIGEST)).max(MAX_PAGES).optional();

const chapterRecord = z.object({
  chapterId: uuid.optional(),
  titleId: uuid.optional(),
  path: text,
  folderTemplate: text,
  fileTemplate: text,
  version: z.int().positive().optional(),
  updatedAt: date,
  quality: z.enum(QUALITIES).optional(),
  inferredVolume: text,
  writtenSeries: text,
  edited: texts,
  // Nothing else depends on these two.
  key: text.catch(undefined),
  prefix: z
    .string()
    .regex(/^c\d+-$/)
    .optional()
    .catch(undefined),
  pages: digests,
  acceptedPages: digests,
  dataSaverPages: z.array(z.int().positive()).min(1).max(MAX_PAGES).optional().catch(undefined),
  metadata: recordMetadata.optional(),
  adopted: z
    .object({
      sha256: z.string().regex(DIGEST),
      bytes: z.int().nonnegative(),
      end: z.base64().max(MAX_END_LENGTH),
    })
    .optional(),
});

const records = z.object({ chapters: z.array(chapterRecord).min(1).max(MAX_CHAPTERS) });

/**
 * The chapters of a record or a manifest; other fields are left out. Undefined for anything that tankobon does not write:
 * the caller treats it as absent. Never throws.
 */
export function parseRecords(json: string): readonly ChapterRecord[] | undefined {
  if (Buffer.byteLength(json) > MAX_MANIFEST_BYTES) return undefined;
  return records.safeParse(parseJson(json)).data?.chapters;
}

const copied = z.object({
  copy: z.object({
    profile: z.string(),
    keys: z.array(z.string()).min(1),
    part: z.object({ number: z.int().positive(), total: z.int().positive().max(MAX_PARTS) }),
  }),
});

/** Undefined for a book from which its chapters can be read back, and for anything but a manifest. */
export function parseCopy(json: string): BookCopy | undefined {
  return copied.safeParse(parseJson(json)).data?.copy;
}

const named = z.object({ named: z.object({ by: z.enum(BIND_BY), name: z.string().min(1) }) });

/** Undefined for a book of an earlier version, and for anything but a manifest. */
export function parseBookName(json: string): BookName | undefined {
  return named.safeParse(parseJson(json)).data?.named;
}
