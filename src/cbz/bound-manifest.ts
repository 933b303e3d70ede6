/**
 * What a bound file says about its chapters, so that a later run neither downloads them again nor binds them twice: a
 * JSON entry in a CBZ or EPUB, whose comment announces it, and a comment line near the end of a PDF.
 */
import { openRegularFile } from '../core/files.js';
import { isRecord, parseJson } from '../core/json.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { QUALITIES } from '../image/page-url.js';
import type { CbzIdentity } from './identity.js';

/** In a folder of images. */
export const FOLDER_MANIFEST_NAME = '.tankobon.json';
/** The comment of a ZIP that contains the manifest. */
export const BOUND_COMMENT = 'tankobon bound';
export const MANIFEST_NAME = 'META-INF/tankobon.json';
export const MAX_MANIFEST_BYTES = 16 * 2 ** 20;

const UUID = new RegExp(`^${UUID_PATTERN}$`);
const PDF_LINE_PREFIX = '%tankobon ';
/** Enough for more than a thousand chapters. */
const PDF_TAIL_BYTES = 512 * 1024;

/** The identities in a manifest. Chapters of other programs have none; an invalid manifest has no chapters. */
export function manifestIdentities(text: string): CbzIdentity[] {
  return (chaptersIn(text) ?? []).flatMap(toIdentity);
}

/** A chapter as a bound file names it. `key` distinguishes it from other chapters, releases and versions. */
export interface BoundChapter extends Partial<CbzIdentity> {
  readonly key: string;
}

/** The line for a PDF: a comment, which readers of PDF skip. */
export function pdfManifestLine(chapters: readonly BoundChapter[]): string {
  return `${PDF_LINE_PREFIX}${JSON.stringify({ chapters })}`;
}

/** The keys of the chapters in a manifest; undefined for anything else. */
export function manifestKeys(text: string): string[] | undefined {
  return chaptersIn(text)?.map((chapter) =>
    isRecord(chapter) && 'key' in chapter ? String(chapter['key']) : '',
  );
}

/** The manifest in the PDF's last part; undefined for a PDF of another program. */
export async function readPdfManifest(file: string): Promise<string | undefined> {
  const handle = await openRegularFile(file);
  try {
    const { size } = await handle.stat();
    const tail = Buffer.alloc(Math.min(size, PDF_TAIL_BYTES));
    await handle.read(tail, 0, tail.length, size - tail.length);
    const start = tail.lastIndexOf(`\n${PDF_LINE_PREFIX}`, undefined, 'latin1');
    if (start === -1) return undefined;
    const lineStart = start + 1 + PDF_LINE_PREFIX.length;
    return tail.toString('utf8', lineStart, tail.indexOf('\n', lineStart));
  } finally {
    await handle.close();
  }
}

function chaptersIn(text: string): readonly unknown[] | undefined {
  const manifest = parseJson(text);
  const chapters = isRecord(manifest) ? manifest['chapters'] : undefined;
  return Array.isArray(chapters) ? chapters : undefined;
}

function toIdentity(value: unknown): CbzIdentity[] {
  if (!isRecord(value)) return [];
  const { chapterId, version, quality } = value;
  if (typeof chapterId !== 'string' || !UUID.test(chapterId)) return [];
  return [
    {
      chapterId,
      version: Number.isInteger(version) ? Number(version) : undefined,
      quality: QUALITIES.find((known) => known === quality),
    },
  ];
}
