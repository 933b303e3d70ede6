/**
 * Writes a book as a PDF: one page per image at its size, one point for a pixel. JPEG and PNG are stored as they are;
 * a GIF becomes a PNG with the same pixels. Each page is written before the next one is read.
 */
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type PDFDocument from 'pdfkit';
import { pdfManifestLine } from '../library/mark.js';
import { languageTag } from '../library/comic-info.js';
import { StorageError, thrownMessage } from '../core/errors.js';
import { countChunk } from '../core/gc-tuning.js';
import { createFile, digestIfRegular, writeBuffers } from '../core/files.js';
import type { ImageDimensions } from '../core/image-dimensions.js';
import { UNKNOWN_DATE, type Book, type FormatOptions } from './book.js';
import { manifestText } from './book-manifest.js';
import { bookTitle } from './book-metadata.js';
import { titleOfPart } from './book-copy.js';
import { assertDecodable, bookPages, requireDimensions, type BookPage } from './book-pages.js';
import { convertToPng } from './convert-image.js';
import { gifToPng } from './gif-to-png.js';
import { openPng, type PdfImage } from './pdf-image.js';
import { xmpDescription } from './pdf-metadata.js';

type Pdf = InstanceType<typeof PDFDocument>;

/** Not in pdfkit's types. */
interface ImageMethods {
  image(
    data: Buffer | PdfImage,
    x: number,
    y: number,
    options: Readonly<Record<string, unknown>>,
  ): void;
}
interface PdfInternals {
  readonly _root: {
    readonly data: { readonly ViewerPreferences: { readonly data: Record<string, unknown> } };
  };
  /** Appends a line outside of the objects, and counts its bytes. */
  readonly _write: (line: string) => void;
  /** Writes the info dictionary as XMP, without escaping it. */
  _addInfo: () => void;
}

/** The largest page that all readers show, in points (PDF 1.7, annex C). */
const MAX_POINTS = 14_400;
const MIN_POINTS = 3;

/** Resolves with the size of the file. */
export async function writePdfBook(book: Book, options: FormatOptions): Promise<number> {
  const { tmpFile, publish, convert, maxMode, signal } = options;
  const handle = await createFile(tmpFile, { maxMode });
  const hash = createHash('sha256');
  try {
    const pdf = await createPdf(book);
    // `read` would join, and so copy, the buffers.
    const buffers: Buffer[] = [];
    pdf.on('data', (chunk: Buffer) => buffers.push(chunk));
    const writePending = async () => {
      const pending = buffers.splice(0);
      for (const chunk of pending) hash.update(chunk);
      await writeBuffers(handle, pending);
    };
    // pdfkit refers to a page's bytes until they are written, and each page is before the next one is read.
    for await (const page of bookPages(book, options)) {
      await addPage(pdf, await withoutPackedInterlace(page, convert, signal), options);
      if (page.chapterTitle !== undefined) pdf.outline.addItem(page.chapterTitle);
      await writePending();
      // pdfkit made a copy of the page, which is written now.
      countChunk(page.data.length);
    }
    pdf.end();
    await once(pdf, 'end');
    await writePending();
    await handle.sync();
    const { size } = await handle.stat();
    await assertReadBack(tmpFile, hash.digest('hex'));
    signal.throwIfAborted();
    await publish(tmpFile);
    return size;
  } finally {
    await handle.close();
    await rm(tmpFile, { force: true });
  }
}

/** Throws StorageError `archive-wrong` if the file has other bytes than those that were written. */
async function assertReadBack(file: string, digest: string): Promise<void> {
  if ((await digestIfRegular(file)) !== digest)
    throw new StorageError('archive-wrong', `The PDF cannot be read back: ${file}`, { path: file });
}

async function createPdf(book: Book): Promise<Pdf> {
  const { group, metadata, part } = book;
  const title = titleOfPart(bookTitle(group), part);
  const { default: PDFDocument } = await import('pdfkit');
  const { writers = [], pencillers = [], genres = [], language } = metadata;
  const pdf = new PDFDocument({
    autoFirstPage: false,
    pdfVersion: '1.5',
    displayTitle: true,
    // Without it, pdfkit loads a font, and the file would name it.
    font: '',
    lang: language === undefined ? undefined : languageTag(language),
    info: {
      Title: title,
      Author: [...new Set([...writers, ...pencillers])].join(', '),
      Keywords: genres.join(', '),
      Creator: 'tankobon',
      CreationDate: metadata.publishedAt ?? UNKNOWN_DATE,
    },
  });
  const internals = pdf as unknown as PdfInternals;
  internals._write(pdfManifestLine(manifestText(book)));
  internals._addInfo = () => {
    pdf.appendXML(xmpDescription(book, title));
  };
  if (metadata.direction === 'rtl') {
    const { _root: root } = internals;
    root.data.ViewerPreferences.data['Direction'] = 'R2L';
  }
  return pdf;
}

async function addPage(
  pdf: Pdf,
  page: BookPage,
  options: Pick<FormatOptions, 'onBrokenPage' | 'signal'>,
): Promise<void> {
  const { signal } = options;
  const size = pageSize(requireDimensions(page));
  if (page.extension !== 'jpg') await assertDecodable(page.data, page.name);
  pdf.addPage({ size, margin: 0 });
  try {
    const image = page.extension === 'jpg' ? page.data : await pdfImage(page, options);
    const [width, height] = size;
    const images = pdf as unknown as ImageMethods;
    images.image(image, 0, 0, { width, height, ignoreOrientation: true });
  } catch (cause) {
    signal.throwIfAborted();
    const reason = thrownMessage(cause);
    throw new StorageError('archive-damaged', `Damaged page: ${reason}: ${page.name}`, { cause });
  }
}

/** A page that is broken as it was uploaded has what can be read of it. */
async function pdfImage(
  page: BookPage,
  { onBrokenPage, signal }: Pick<FormatOptions, 'onBrokenPage' | 'signal'>,
): Promise<PdfImage> {
  try {
    return await openPng(await asPng(page, signal), signal);
  } catch (error) {
    signal.throwIfAborted();
    // A cover that is broken is left out.
    if (page.extension !== 'png' || page.chapter === undefined) throw error;
    const image = await openPng(page.data, signal, { isBroken: true });
    const sentence = 'A page is broken as it was uploaded; what can be read of it is in the book';
    onBrokenPage(`${sentence}: ${page.name} (${thrownMessage(error)})`);
    return image;
  }
}

function asPng({ extension, data }: BookPage, signal: AbortSignal): Buffer | Promise<Buffer> {
  return extension === 'gif' ? gifToPng(data, signal) : data;
}

/** openPng reads interlaced PNGs of at least 8 bits only. */
async function withoutPackedInterlace(
  page: BookPage,
  convert: boolean,
  signal: AbortSignal,
): Promise<BookPage> {
  const [bits, interlaceMethod] = [page.data[24] ?? 8, page.data[28]];
  if (page.extension !== 'png' || bits >= 8 || interlaceMethod !== 1) return page;
  const message = `PDF cannot contain an interlaced PNG of ${bits} bits: ${page.name}`;
  if (!convert) throw new StorageError('page-unsupported', message);
  await assertDecodable(page.data, page.name);
  return { ...page, data: await convertToPng(page.data, signal) };
}

function pageSize({ width, height }: ImageDimensions): [number, number] {
  const scale = Math.min(1, MAX_POINTS / Math.max(width, height));
  return [Math.max(width * scale, MIN_POINTS), Math.max(height * scale, MIN_POINTS)];
}
