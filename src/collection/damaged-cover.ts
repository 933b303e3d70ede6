/** The cover in a damaged book. */
import { basename, join } from 'node:path';
import { digestIfRegular, readRegularFileIfExists } from '../core/files.js';
import type { CoverImage } from '../formats/book.js';
import { imageExtension } from '../image/format.js';
import { areWhole } from './damage.js';
import { readEntry, type DamagedBook } from './damaged-book.js';

/** `none`: the book has no cover; `unknown`: whether it had one is not known. */
export async function readOwnCover(
  book: DamagedBook,
  signal: AbortSignal,
): Promise<CoverImage | 'none' | 'damaged' | 'unknown'> {
  const { file, format, entries, files } = book;
  const data = await (format === 'folder' ? coverInFolder(file, files) : coverInFile(book, signal));
  if (data === undefined) return entries.length > 0 || files.size > 0 ? 'none' : 'unknown';
  const extension = data === 'damaged' ? undefined : imageExtension(data);
  return data === 'damaged' || !extension ? 'damaged' : { file, data, extension };
}

async function coverInFolder(
  folder: string,
  files: DamagedBook['files'],
): Promise<Buffer | 'damaged' | undefined> {
  const [path, digest] = [...files].find(([name]) => name.startsWith('cover.')) ?? [];
  if (path === undefined) return undefined;
  const file = join(folder, path);
  if ((await digestIfRegular(file)) !== digest) return 'damaged';
  return (await readRegularFileIfExists(file)) ?? 'damaged';
}

async function coverInFile(
  { file, entries }: DamagedBook,
  signal: AbortSignal,
): Promise<Buffer | 'damaged' | undefined> {
  // The page of the cover is before the first chapter.
  const entry = entries.find(({ name }) => basename(name).startsWith('c000-cover.'));
  if (!entry) return undefined;
  if (!(await areWhole(file, [entry], signal))) return 'damaged';
  return (await readEntry(file, entry)) ?? 'damaged';
}
