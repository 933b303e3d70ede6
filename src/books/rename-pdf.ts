/**
 * A PDF of `bind` with another name of the series: its manifest, its title and its XMP metadata are replaced, all other
 * objects keep their bytes, and the table of objects gets their new positions.
 */
import { createHash } from 'node:crypto';
import { rm, type FileHandle } from 'node:fs/promises';
import { pdfManifestLine } from '../library/mark.js';
import { readLibraryFile, readPdfLine } from '../library/file.js';
import type { Publish } from '../library/archive.js';
import { StorageError } from '../core/errors.js';
import { createFile, digestIfRegular, openRegularFile, PRIVATE_FILE_MODE } from '../core/files.js';
import { decodeString, encodeString } from './pdf-string.js';
import { renamedSeries, renameInManifest, replaceText, type SeriesRename } from './book-series.js';

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: Buffer;
}

interface ObjectTable {
  readonly position: number;
  /** By the number of the object. */
  readonly offsets: readonly number[];
  readonly trailer: string;
}

const END_BYTES = 4 * 1024;
const MAX_TABLE_BYTES = 2 ** 24;
const MAX_OBJECT_BYTES = 2 ** 24;
const COPY_BYTES = 2 ** 20;
/** An entry of the table, and the offset of an object that is not free. */
const TABLE_ENTRY_BYTES = 20;
const USED_ENTRY = /^(\d{10}) \d{5} n/;

/** Writes the PDF to `tmpFile`, reads it back, and publishes it. Throws StorageError `archive-damaged`, `archive-wrong`. */
export async function renameInPdf(
  file: string,
  rename: SeriesRename,
  options: { readonly tmpFile: string; readonly publish: Publish; readonly signal: AbortSignal },
): Promise<string> {
  const { tmpFile, publish, signal } = options;
  const source = await openRegularFile(file);
  const target = await createFile(tmpFile, { mode: PRIVATE_FILE_MODE });
  try {
    const table = await readTable(source, file);
    const replacements = [
      await manifestReplacement(file, rename),
      ...(await objectReplacements(source, table, rename)),
    ].sort((a, b) => a.start - b.start);
    const digest = await writeReplaced({ source, target, table, replacements }, signal);
    await target.sync();
    await assertReadBack(tmpFile, digest);
    signal.throwIfAborted();
    return await publish(tmpFile);
  } finally {
    await source.close();
    await target.close();
    await rm(tmpFile, { force: true });
  }
}

/** Throws StorageError `archive-wrong` if the file has other bytes than those that were written, or is not a whole PDF. */
export async function assertReadBack(file: string, digest: string): Promise<void> {
  const written = await readLibraryFile(file, { container: 'pdf' });
  const isWhole = written.kind === 'book' && written.damage === undefined;
  if (!isWhole || (await digestIfRegular(file)) !== digest)
    throw new StorageError('archive-wrong', `The PDF cannot be read back: ${file}`);
}

async function manifestReplacement(file: string, rename: SeriesRename): Promise<Replacement> {
  const manifest = await readPdfLine(file);
  if (!manifest) throw unexpected(file);
  const { start, end, text } = manifest;
  return { start, end, text: Buffer.from(pdfManifestLine(renameInManifest(text, rename))) };
}

/** Replaces the document's title, and the title in its XMP metadata. */
async function objectReplacements(
  source: FileHandle,
  table: ObjectTable,
  rename: SeriesRename,
): Promise<Replacement[]> {
  const replacements: Replacement[] = [];
  const read = (number: string | undefined) => readObject(source, table, Number(number));
  const info = await read(/\/Info (\d+) 0 R/.exec(table.trailer)?.[1]);
  const title = await read(/\/Title (\d+) 0 R/.exec(info?.text ?? '')?.[1]);
  const literal = /\((.*)\)/s.exec(title?.text ?? '');
  if (title && literal) {
    const text = encodeString(renamedSeries(decodeString(literal[1] ?? ''), rename));
    const start = title.start + literal.index;
    const end = start + literal[0].length;
    replacements.push({ start, end, text: Buffer.from(`(${text})`, 'latin1') });
  }
  const catalog = await read(/\/Root (\d+) 0 R/.exec(table.trailer)?.[1]);
  const metadata = await read(/\/Metadata (\d+) 0 R/.exec(catalog?.text ?? '')?.[1]);
  if (metadata) replacements.push(metadataReplacement(metadata, rename));
  return replacements;
}

interface PdfObject {
  readonly start: number;
  readonly end: number;
  /** A character for each byte. */
  readonly text: string;
}

/** Earlier versions wrote only the title, and did not escape it. */
const SERIES_IN_XMP: readonly RegExp[] = [
  /(<dc:title>\s*<rdf:Alt>\s*<rdf:li[^>]*>)(.*?)(<\/rdf:li>)/s,
  /(<calibre:series rdf:parseType="Resource"><rdf:value>)([^<]*)(<)/,
];

function metadataReplacement({ start, end, text }: PdfObject, rename: SeriesRename): Replacement {
  const [head = '', body = '', tail = ''] = splitStream(text);
  const xml = Buffer.from(body, 'latin1').toString();
  const renamed = Buffer.from(
    SERIES_IN_XMP.reduce((found, pattern) => replaceText(found, pattern, rename), xml),
  );
  const lengths = head.replace(/(\/Length )\d+/, `$1${renamed.length}`);
  const parts = [Buffer.from(lengths, 'latin1'), renamed, Buffer.from(tail, 'latin1')];
  return { start, end, text: Buffer.concat(parts) };
}

function splitStream(text: string): readonly string[] {
  const start = text.indexOf('stream\n') + 'stream\n'.length;
  const end = text.lastIndexOf('\nendstream');
  return [text.slice(0, start), text.slice(start, end), text.slice(end)];
}

/** Expects what pdfkit writes: one table, after all objects. */
async function readTable(source: FileHandle, file: string): Promise<ObjectTable> {
  const { size } = await source.stat();
  const end = await readPart(source, Math.max(0, size - END_BYTES), END_BYTES);
  const position = Number(/\nstartxref\n(\d{1,15})\n%%EOF\n?$/.exec(end)?.[1]);
  if (!(position < size && size - position <= MAX_TABLE_BYTES)) throw unexpected(file);
  const text = await readPart(source, position, size - position);
  const head = /^xref\n0 (\d{1,7})\n/.exec(text);
  const count = Number(head?.[1]);
  const entriesStart = head?.[0].length ?? 0;
  const trailerStart = entriesStart + count * TABLE_ENTRY_BYTES;
  if (!text.startsWith('trailer', trailerStart)) throw unexpected(file);
  const offsets = Array.from({ length: count }, (_, index) => {
    const entryStart = entriesStart + index * TABLE_ENTRY_BYTES;
    const entry = text.slice(entryStart, entryStart + TABLE_ENTRY_BYTES);
    return Number(USED_ENTRY.exec(entry)?.[1] ?? 0);
  });
  return { position, offsets, trailer: text.slice(trailerStart) };
}

/** Undefined for one that is missing or too large. */
async function readObject(
  source: FileHandle,
  { offsets, position }: ObjectTable,
  number: number,
): Promise<PdfObject | undefined> {
  const start = offsets[number] ?? 0;
  if (start === 0) return undefined;
  const end = offsets.reduce((next, each) => (each > start && each < next ? each : next), position);
  if (end - start > MAX_OBJECT_BYTES) return undefined;
  const text = await readPart(source, start, end - start);
  return text.startsWith(`${number} 0 obj`) ? { start, end, text } : undefined;
}

interface ReplacedPdf {
  readonly source: FileHandle;
  readonly target: FileHandle;
  readonly table: ObjectTable;
  /** By their position; none overlap. */
  readonly replacements: readonly Replacement[];
}

/** Resolves with the sha256 of what was written. */
async function writeReplaced(
  { source, target, table, replacements }: ReplacedPdf,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  const write = async (data: Buffer) => {
    hash.update(data);
    await target.writeFile(data);
  };
  let copied = 0;
  const copyUntil = async (end: number) => {
    while (copied < end) {
      signal.throwIfAborted();
      const bytes = Buffer.alloc(Math.min(COPY_BYTES, end - copied));
      const { bytesRead } = await source.read(bytes, 0, bytes.length, copied);
      if (bytesRead === 0) throw new StorageError('archive-damaged', 'The PDF ends too early.');
      await write(bytes.subarray(0, bytesRead));
      copied += bytesRead;
    }
  };
  for (const { start, end, text } of replacements) {
    await copyUntil(start);
    await write(text);
    copied = end;
  }
  await copyUntil(table.position);
  const moved = (offset: number) =>
    replacements
      .filter(({ start }) => start < offset)
      .reduce((sum, { start, end, text }) => sum + text.length - (end - start), offset);
  await write(Buffer.from(tableText(table, moved), 'latin1'));
  return hash.digest('hex');
}

function tableText(
  { offsets, position, trailer }: ObjectTable,
  moved: (offset: number) => number,
): string {
  const entries = offsets.map((offset) =>
    offset === 0
      ? '0000000000 65535 f \n'
      : `${String(moved(offset)).padStart(10, '0')} 00000 n \n`,
  );
  const end = trailer.replace(/(startxref\n)\d+/, `$1${moved(position)}`);
  return `xref\n0 ${offsets.length}\n${entries.join('')}${end}`;
}

async function readPart(source: FileHandle, position: number, bytes: number): Promise<string> {
  const { buffer, bytesRead } = await source.read(Buffer.alloc(bytes), 0, bytes, position);
  return buffer.toString('latin1', 0, bytesRead);
}

function unexpected(file: string): StorageError {
  return new StorageError('archive-damaged', `The PDF is not as bind wrote it: ${file}`);
}
