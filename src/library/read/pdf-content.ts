/** Reads what a PDF says of its chapters: the manifest in a comment line, and whether the end of the file is there. */
import { openForReading } from '../../core/files.js';
import type { OpenedFile } from '../../core/opened-file.js';
import { MAX_MANIFEST_BYTES, PDF_LINE_PREFIX } from '../mark.js';
import { NO_CONTENT, type Depth, type FileContent, type ReadOptions } from './content.js';

const HEAD_BYTES = 16 * 1024;
const TAIL_BYTES = 512 * 1024;
const END_BYTES = 4 * 1024;

export async function readPdfContent(
  path: string,
  depth: Depth,
  options: ReadOptions,
): Promise<FileContent> {
  const pdf = await openForReading(path, options);
  try {
    const line = await readLine(pdf);
    if (line === undefined) {
      // Readers accept other bytes before the header.
      const isPdf = depth !== 'pages' || (await readPart(pdf, 0, HEAD_BYTES)).includes('%PDF-');
      if (!isPdf) throw new Error('it is not a PDF');
      return { ...NO_CONTENT, state: pdf.stats };
    }
    const { isWhole, isEdited } = await readEnd(pdf);
    const damage = isWhole ? undefined : new Error('its end is lost');
    return { ...NO_CONTENT, state: pdf.stats, mark: 'book', manifest: line, isEdited, damage };
  } finally {
    await pdf.close();
  }
}

/** The line with the manifest, at the start, or near the end as earlier versions wrote it; undefined for a PDF of another program. */
async function readLine(pdf: OpenedFile): Promise<string | undefined> {
  const { size } = pdf;
  for (const position of [0, Math.max(0, size - TAIL_BYTES)]) {
    const bytes = position === 0 ? HEAD_BYTES : TAIL_BYTES;
    const part = await readPart(pdf, position, bytes);
    const newline = part.lastIndexOf(`\n${PDF_LINE_PREFIX}`, undefined, 'latin1');
    if (newline === -1) continue;
    return readTo(pdf, position + newline + 1 + PDF_LINE_PREFIX.length);
  }
  return undefined;
}

/** Up to the next line break. */
async function readTo(pdf: OpenedFile, position: number): Promise<string | undefined> {
  for (let bytes = HEAD_BYTES; bytes <= MAX_MANIFEST_BYTES; bytes *= 4) {
    const part = await readPart(pdf, position, bytes);
    const end = part.indexOf('\n');
    if (end !== -1) return part.toString('utf8', 0, end);
    if (part.length < bytes) return undefined;
  }
  return undefined;
}

interface PdfEnd {
  /** The file ends as a PDF does, at the place of its table of objects. */
  readonly isWhole: boolean;
  /** Another program appended to it, as readers do that save annotations. */
  readonly isEdited: boolean;
}

async function readEnd(pdf: OpenedFile): Promise<PdfEnd> {
  const { size } = pdf;
  const start = Math.max(0, size - END_BYTES);
  const end = (await readPart(pdf, start, END_BYTES)).toString('latin1');
  const offset = /\nstartxref\s+(\d{1,15})\s+%%EOF\s*$/.exec(end)?.[1];
  if (offset === undefined) return { isWhole: false, isEdited: false };
  const table = (await readPart(pdf, Number(offset), END_BYTES)).toString('latin1');
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
