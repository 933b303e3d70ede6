/** What marks a file as tankobon's own and says which chapters it has: the comment of an archive, and the manifest of a book. */
import { UUID_PATTERN } from '../core/uuid.js';
import { type Quality, QUALITIES } from '../config/quality.js';
import { isRecord, parseJson } from '../core/json.js';
import { sha256Of } from '../core/sha256.js';

export interface CbzIdentity {
  /** The chapter's UUID, lower case. */
  readonly chapterId: string;
  /** Its title's UUID, lower case; unknown in archives of older versions, and of chapters without metadata. */
  readonly titleId?: string | undefined;
  /** The chapter's version on the service; unknown if the CBZ was made without metadata. */
  readonly version?: number | undefined;
  readonly quality?: Quality | undefined;
}

/**
 * What says that a file is tankobon's, see ownership.ts. `mark`: its own mark. `record`: the mark is lost, and a page has a
 * digest of the record. `none`: another program wrote the file.
 */
export type Proof = 'mark' | 'record' | 'none';

/** The chapter that a file names. */
export interface FoundIdentity extends CbzIdentity {
  readonly proof: Proof;
}

/** What the mark of a file names: its chapter, or those of a book, in order. */
export interface FileMark {
  readonly chapters: readonly CbzIdentity[];
  readonly isBook: boolean;
}

const COMMENT = new RegExp(
  `^tankobon chapter=(${UUID_PATTERN})(?: title=(${UUID_PATTERN}))?(?: version=([1-9]\\d{0,8}))?(?: quality=(data|data-saver))?$`,
);
const CHAPTER_ADDRESS = new RegExp(`/chapter/(${UUID_PATTERN})(?![0-9a-f-])`, 'i');

/** The mark of a chapter's file with a record, which has the rest. Some programs find the end of a ZIP in 80 bytes only. */
export function chapterComment(chapterId: string): string {
  return `tankobon chapter=${chapterId.toLowerCase()}`;
}

/** The mark of one without a record, and of files of earlier versions. */
export function formatIdentityComment({
  chapterId,
  titleId,
  version,
  quality,
}: CbzIdentity): string {
  const field = (name: string, value?: string | number) => (value ? ` ${name}=${value}` : '');
  const fields =
    field('title', titleId?.toLowerCase()) + field('version', version) + field('quality', quality);
  return `${chapterComment(chapterId)}${fields}`;
}

/** Returns undefined for a comment of another program. */
export function parseIdentityComment(comment: string): CbzIdentity | undefined {
  const [, chapterId, titleId, version, quality] = COMMENT.exec(comment) ?? [];
  if (chapterId === undefined) return undefined;
  return {
    chapterId,
    ...(titleId !== undefined && { titleId }),
    version: version === undefined ? undefined : Number(version),
    quality: quality as Quality | undefined,
  };
}

/** Whether the record has the rest of the identity. */
export function isShortComment(comment: string): boolean {
  const { chapterId } = parseIdentityComment(comment) ?? {};
  return chapterId !== undefined && comment === chapterComment(chapterId);
}

/** The chapter in the mark of an archive, with what its record adds; undefined for one without a mark. */
export function markedIdentity(comment: string, manifest: string): CbzIdentity | undefined {
  const marked = parseIdentityComment(comment);
  if (!marked) return undefined;
  const { chapterId, titleId, version, quality } = marked;
  const recorded = manifestIdentities(manifest).find((each) => each.chapterId === chapterId);
  return {
    ...recorded,
    chapterId,
    ...(titleId !== undefined && { titleId }),
    ...(version !== undefined && { version }),
    ...(quality !== undefined && { quality }),
  };
}

/** Reads the chapter's address in the `Web` element. */
export function parseComicInfoIdentity(xml: string): CbzIdentity | undefined {
  const web = /<Web>([^<]*)<\/Web>/.exec(xml)?.[1] ?? '';
  const chapterId = CHAPTER_ADDRESS.exec(web)?.[1]?.toLowerCase();
  return chapterId === undefined ? undefined : { chapterId };
}

/** In a folder of images. */
export const FOLDER_MANIFEST_NAME = '.tankobon.json';
export const MANIFEST_NAME = 'META-INF/tankobon.json';
export const MAX_MANIFEST_BYTES = 16 * 2 ** 20;

const UUID = new RegExp(`^${UUID_PATTERN}$`);
export const PDF_LINE_PREFIX = '%tankobon ';

/** An entry of an archive, as its directory has it. */
interface ListedEntry {
  readonly name: string;
  readonly bytes: number;
  readonly crc32: number;
}

const BOUND_COMMENT = /^tankobon bound( [0-9a-f]{16})?$/;

/**
 * The comment of a ZIP that contains the manifest, with a digest of its entries in any order: another program that
 * changes the book leaves the comment as it was.
 */
export function boundComment(entries: readonly ListedEntry[]): string {
  return `tankobon bound ${digestOf(entries)}`;
}

function digestOf(entries: readonly ListedEntry[]): string {
  const lines = entries.map(({ name, bytes, crc32 }) => JSON.stringify([name, bytes, crc32]));
  const digest = sha256Of(lines.sort().join('\n'));
  return digest.slice(0, 16);
}

/** The comment of a book that its owner edited: it goes on being an edited one, which no command replaces unasked. */
export function editedComment(comment: string): string {
  return hasBookDigest(comment) ? comment : `tankobon bound ${'0'.repeat(16)}`;
}

/** What the manifest of a book says of its other entries when its owner accepts them as they are. */
export function acceptedDigest(entries: readonly ListedEntry[]): string {
  return digestOf(entries.filter(({ name }) => name !== MANIFEST_NAME));
}

export function isAcceptedBook(manifest: string, entries: readonly ListedEntry[]): boolean {
  return acceptedIn(manifest) === acceptedDigest(entries);
}

/** Whether the owner accepted the book, whose entries may be lost by now. */
export function wasAccepted(manifest: string): boolean {
  return acceptedIn(manifest) !== undefined;
}

function acceptedIn(text: string): unknown {
  const manifest = parseJson(text);
  return isRecord(manifest) ? manifest['accepted'] : undefined;
}

export function isBoundComment(comment: string): boolean {
  return BOUND_COMMENT.test(comment);
}

/** Whether another program changed the book. Books of earlier versions have no digest and count as unchanged. */
export function isEditedBook(comment: string, entries: readonly ListedEntry[]): boolean {
  return hasBookDigest(comment) && comment !== boundComment(entries);
}

export function hasBookDigest(comment: string): boolean {
  return BOUND_COMMENT.exec(comment)?.[1] !== undefined;
}

/**
 * The identities in a manifest. Chapters of other programs have none; an invalid manifest has no chapters. A copy, such as
 * a book for a device, does not stand in for its chapters.
 */
export function manifestIdentities(text: string): CbzIdentity[] {
  const manifest = parseJson(text);
  if (!isRecord(manifest) || manifest['copy'] !== undefined) return [];
  return (chaptersIn(manifest) ?? []).flatMap(toIdentity);
}

/** The chapter in the record of a file; undefined for the manifest of a book with several. */
export function recordedIdentity(manifest: string): CbzIdentity | undefined {
  const [recorded, ...others] = manifestIdentities(manifest);
  return others.length === 0 ? recorded : undefined;
}

/** A file without a comment has an end record of this size. */
const END_BYTES = 22;

/**
 * The digests in the record of a chapter's file that had the mark: of the pages that were saved, and of those that its owner
 * accepted. None for a book, and for a file that had the comment of another program when it was adopted, and so no mark.
 */
export function recordedDigests(manifest: string): ReadonlySet<string> {
  const [chapter, ...others] = chaptersIn(parseJson(manifest)) ?? [];
  if (!isRecord(chapter) || others.length > 0 || !recordedIdentity(manifest)) return new Set();
  const { prefix, adopted, pages, acceptedPages } = chapter;
  const end = isRecord(adopted) ? String(adopted['end']) : '';
  const hadComment = Buffer.from(end, 'base64').length > END_BYTES;
  if (prefix !== undefined || hadComment) return new Set();
  const digests = [pages, acceptedPages].flatMap((each): unknown[] =>
    Array.isArray(each) ? each : [],
  );
  return new Set(digests.filter((digest) => typeof digest === 'string'));
}

/** The line for a PDF: a comment, which readers of PDF skip. Only of ASCII, since pdfkit writes bytes. */
export function pdfManifestLine(manifest: string): string {
  const escaped = manifest
    .trimEnd()
    .replace(/[^\x20-\x7e]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `${PDF_LINE_PREFIX}${escaped}`;
}

/** The keys of the chapters in a manifest; undefined for anything else. */
export function manifestKeys(text: string): string[] | undefined {
  return chaptersIn(parseJson(text))?.map((chapter) =>
    isRecord(chapter) && 'key' in chapter ? String(chapter['key']) : '',
  );
}

function chaptersIn(manifest: unknown): readonly unknown[] | undefined {
  const chapters = isRecord(manifest) ? manifest['chapters'] : undefined;
  return Array.isArray(chapters) ? chapters : undefined;
}

function toIdentity(value: unknown): CbzIdentity[] {
  if (!isRecord(value)) return [];
  const { chapterId, titleId, version, quality } = value;
  if (typeof chapterId !== 'string' || !UUID.test(chapterId)) return [];
  return [
    {
      chapterId,
      ...(typeof titleId === 'string' && UUID.test(titleId) && { titleId }),
      version: Number.isInteger(version) ? Number(version) : undefined,
      quality: QUALITIES.find((known) => known === quality),
    },
  ];
}
