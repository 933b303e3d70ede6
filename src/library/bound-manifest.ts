/**
 * What a bound file says about its chapters, so that a later run neither downloads them again nor binds them twice: a
 * JSON entry in a CBZ or EPUB, whose comment announces it, and a comment line at the start of a PDF, where a truncated
 * file still has it.
 */
import { createHash } from 'node:crypto';
import { openForReading, type OpenOptions } from '../core/files.js';
import { isRecord, parseJson } from '../core/json.js';
import type { OpenedFile } from '../core/opened-file.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { QUALITIES } from '../config/quality.js';
import type { CbzIdentity } from './identity.js';

/** In a folder of images. */
export const FOLDER_MANIFEST_NAME = '.tankobon.json';
export const MANIFEST_NAME = 'META-INF/tankobon.json';
export const MAX_MANIFEST_BYTES = 16 * 2 ** 20;

const UUID = new RegExp(`^${UUID_PATTERN}$`);
const PDF_LINE_PREFIX = '%tankobon ';
const PDF_HEAD_BYTES = 16 * 1024;
const PDF_TAIL_BYTES = 512 * 1024;
const PDF_END_BYTES = 4 * 1024;

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
  const lines = entries.map(({ name, bytes, crc32 }) => JSON.stringify([name, bytes, crc32]));
  const digest = createHash('sha256').update(lines.sort().join('\n')).digest('hex');
  return `tankobon bound ${digest.slice(0, 16)}`;
}

export function isBoundComment(comment: string): boolean {
  return BOUND_COMMENT.test(comment);
}

/** Whether another program changed the book. Books of earlier versions have no digest and count as unchanged. */
export function isEditedBook(comment: string, entries: readonly ListedEntry[]): boolean {
  const hasDigest = BOUND_COMMENT.exec(comment)?.[1] !== undefined;
  return hasDigest && comment !== boundComment(entries);
}

/**
 * The identities in a manifest. Chapters of other programs have none; an invalid manifest has no chapters. A copy, such as
 * a book for a device, does not stand in for its chapters.
 */
export function manifestIdentities(text: string): CbzIdentity[] {
  return isCopy(text) ? [] : (chaptersIn(text) ?? []).flatMap(toIdentity);
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
  return chaptersIn(text)?.map((chapter) =>
    isRecord(chapter) && 'key' in chapter ? String(chapter['key']) : '',
  );
}

interface PdfManifest {
  readonly text: string;
  /** Where its line is in the file, without the line break. */
  readonly start: number;
  readonly end: number;
  /** The file ends as a PDF does, at the place of its table of objects. */
  readonly isWhole: boolean;
  /** Another program appended to it, as readers do that save annotations. */
  readonly isEdited: boolean;
}

/** The manifest of a PDF; undefined for a PDF of another program. */
export async function readPdfManifest(
  file: string,
  options: OpenOptions = {},
): Promise<PdfManifest | undefined> {
  const pdf = await openForReading(file, options);
  try {
    const line = await readPdfLine(pdf);
    return line && { ...line, ...(await readPdfEnd(pdf)) };
  } finally {
    await pdf.close();
  }
}

/** Readers accept other bytes before it, as in a PDF of another program. */
export async function hasPdfHeader(file: string, options: OpenOptions = {}): Promise<boolean> {
  const pdf = await openForReading(file, options);
  try {
    return (await readPart(pdf, 0, PDF_HEAD_BYTES)).includes('%PDF-');
  } finally {
    await pdf.close();
  }
}

/** At the start, or near the end as earlier versions wrote it. */
async function readPdfLine(
  pdf: OpenedFile,
): Promise<Pick<PdfManifest, 'text' | 'start' | 'end'> | undefined> {
  const { size } = pdf.stats;
  for (const position of [0, Math.max(0, size - PDF_TAIL_BYTES)]) {
    const bytes = position === 0 ? PDF_HEAD_BYTES : PDF_TAIL_BYTES;
    const part = await readPart(pdf, position, bytes);
    const newline = part.lastIndexOf(`\n${PDF_LINE_PREFIX}`, undefined, 'latin1');
    if (newline === -1) continue;
    const start = position + newline + 1;
    const textStart = start + PDF_LINE_PREFIX.length;
    const text = await readLine(pdf, textStart);
    return text === undefined
      ? undefined
      : { text, start, end: textStart + Buffer.byteLength(text) };
  }
  return undefined;
}

async function readLine(pdf: OpenedFile, position: number): Promise<string | undefined> {
  for (let bytes = PDF_HEAD_BYTES; bytes <= MAX_MANIFEST_BYTES; bytes *= 4) {
    const part = await readPart(pdf, position, bytes);
    const end = part.indexOf('\n');
    if (end !== -1) return part.toString('utf8', 0, end);
    if (part.length < bytes) return undefined;
  }
  return undefined;
}

async function readPdfEnd(pdf: OpenedFile): Promise<Omit<PdfManifest, 'text' | 'start' | 'end'>> {
  const { size } = pdf.stats;
  const start = Math.max(0, size - PDF_END_BYTES);
  const end = (await readPart(pdf, start, PDF_END_BYTES)).toString('latin1');
  const offset = /\nstartxref\s+(\d{1,15})\s+%%EOF\s*$/.exec(end)?.[1];
  if (offset === undefined) return { isWhole: false, isEdited: false };
  const table = (await readPart(pdf, Number(offset), PDF_END_BYTES)).toString('latin1');
  const isTable = table.startsWith('xref\n');
  // Its dictionary is after a table, or before the data of a stream, and names the table that was the last one before.
  const dictionary = isTable ? end.slice(end.lastIndexOf('trailer')) : streamDictionary(table);
  const isEdited = /\/Prev\s+\d/.test(dictionary);
  return { isWhole: isTable || isEdited, isEdited };
}

function streamDictionary(table: string): string {
  return /^\d+ \d+ obj\b.*?\bstream\b/s.exec(table)?.[0] ?? '';
}

async function readPart(pdf: OpenedFile, position: number, bytes: number): Promise<Buffer> {
  return pdf.readFully(Buffer.alloc(bytes), position);
}

/** Whether the pages are those for a device, or the book is in parts. */
export function isCopy(text: string): boolean {
  return copyIn(text) !== undefined;
}

/** The keys of the chapters in a book, of a copy those in all of its parts; undefined for anything else. */
export function bookKeys(text: string): string[] | undefined {
  const copy = copyIn(text);
  const keys = isRecord(copy) ? copy['keys'] : undefined;
  return Array.isArray(keys) ? keys.map(String) : manifestKeys(text);
}

function copyIn(text: string): unknown {
  const manifest = parseJson(text);
  return isRecord(manifest) ? manifest['copy'] : undefined;
}

function chaptersIn(text: string): readonly unknown[] | undefined {
  const manifest = parseJson(text);
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
