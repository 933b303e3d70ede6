/** What exists at the path of a book that is to be written. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDER_MANIFEST_NAME, manifestKeys, readPdfManifest } from '../cbz/bound-manifest.js';
import { fileErrorReason, isSystemError, statIfExists } from '../core/files.js';
import { hasCode } from '../core/errors.js';
import type { BookFormat } from './bind-choices.js';
import { readChapters } from './read-chapters.js';
import { sourceKey, type SourceChapter } from './source-chapter.js';

export type ExistingBook =
  | { readonly kind: 'none' }
  /** Not written by `bind`, or not readable. */
  | { readonly kind: 'other'; readonly isFolder: boolean; readonly readError?: string }
  | {
      readonly kind: 'bound';
      /** In order; see sourceKey. */
      readonly keys: readonly string[];
      /** Those that can be read back: of a CBZ or an EPUB. */
      readonly chapters: readonly SourceChapter[];
    };

export async function readExistingBook(file: string, format: BookFormat): Promise<ExistingBook> {
  const stats = await statIfExists(file);
  if (!stats) return { kind: 'none' };
  const other: ExistingBook = { kind: 'other', isFolder: stats.isDirectory() };
  if (stats.isDirectory() !== (format === 'folder')) return other;
  if (format === 'cbz' || format === 'epub') {
    try {
      const chapters = await readChapters(file);
      if (!chapters.every(({ isBound }) => isBound)) return other;
      return { kind: 'bound', keys: chapters.map(sourceKey), chapters };
    } catch (error) {
      if (!hasCode(error, 'archive-damaged')) throw error;
      return { ...other, readError: fileErrorReason(error.cause) };
    }
  }
  const manifest = await (format === 'pdf' ? readPdfManifest(file) : folderManifest(file));
  const keys = manifestKeys(manifest ?? '');
  return keys ? { kind: 'bound', keys, chapters: [] } : other;
}

async function folderManifest(folder: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, FOLDER_MANIFEST_NAME), 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}
