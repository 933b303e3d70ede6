/**
 * Gives a book that `bind` wrote another name of its series, in its metadata and its path. Its pages keep their bytes.
 * The old file is removed once the new one was read back whole.
 */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { boundComment, FOLDER_MANIFEST_NAME } from '../library/mark.js';
import { COMIC_INFO_NAME } from '../library/comic-info.js';
import { readLibraryFile, type BookFile } from '../library/file.js';
import {
  fileChanged,
  moveUnchanged,
  assertOwnFile,
  publishAs,
  replaceUnchanged,
} from '../core/file-state.js';
import { ZipEntryReader, ZipFileWriter } from '../library/archive.js';
import { StorageError } from '../core/errors.js';
import {
  lstatIfExists,
  readRegularFileIfExists,
  removeEmptyFolders,
  PRIVATE_FILE_MODE,
  renameInto,
  writeFileAtomic,
} from '../core/files.js';
import { isAccessError } from '../core/system-errors.js';
import type { WriteOptions } from './book.js';
import {
  RENAMED_ENTRIES,
  renameInComicInfo,
  renameInManifest,
  type SeriesRename,
} from './book-series.js';
import { readFolderManifest } from './folder-book.js';
import { withBookLock } from './publish-book.js';
import { renameInPdf } from './rename-pdf.js';
import { damagedChapter } from './source-chapter.js';

/** The book that contains this file: the file itself, or the folder above the chapter's metadata. */
export function bookPath(file: string): string {
  return basename(file) === COMIC_INFO_NAME ? dirname(dirname(file)) : file;
}

/**
 * Undefined for anything but a whole book of `bind`. Throws why a file cannot be opened or read: StorageError `unsafe-path`
 * for a file of another user, or errors of the file system.
 */
export async function readOwnBook(path: string): Promise<BookFile | undefined> {
  const file = await readLibraryFile(path);
  if (file.kind === 'unreadable' && isAccessError(file.cause)) throw file.cause;
  const isWhole = file.kind === 'book' && file.damage === undefined && file.chapters.length > 0;
  return isWhole ? file : undefined;
}

export interface BookMove {
  /** The new path; the old one if it stays. */
  readonly to: string;
  /** A folder above both paths. */
  readonly root: string;
  /** Undefined if the content stays. */
  readonly rename: SeriesRename | undefined;
}

/**
 * May be repeated after a kill. Resolves with the files in a folder that keep the old name, since their owner changed
 * them. Throws StorageError: `name-taken` if something else has the new path, `file-changed`, `archive-damaged`.
 */
export async function renameBook(
  book: BookFile,
  { to, root, rename }: BookMove,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { path: file, container, state } = book;
  return withBookLock(root, to, undefined, signal, async (tmpFile) => {
    if (container === 'folder') {
      if (to !== file) await moveFolder(file, to);
      await removeEmptyFolders(dirname(file), root);
      return rename ? renameInFolder(to, rename) : [];
    }
    if (!state) throw fileChanged(file);
    assertOwnFile(file, state);
    const publish = async (finished: string): Promise<string> => {
      if (to !== file && !(await publishAs(finished, to, { file, state }))) throw nameTaken(to);
      if (to === file && !(await replaceUnchanged(finished, file, state))) throw fileChanged(file);
      return to;
    };
    const options = { tmpFile, signal, publish };
    if (rename && container === 'pdf') await renameInPdf(file, rename, options);
    else if (rename) await renameInArchive(book, rename, options);
    else if (to !== file && !(await moveUnchanged(to, { file, state }))) throw nameTaken(to);
    await removeEmptyFolders(dirname(file), root);
    return [];
  });
}

async function moveFolder(folder: string, to: string): Promise<void> {
  const stats = await lstatIfExists(folder);
  if (stats) assertOwnFile(folder, stats);
  if (await lstatIfExists(to)) throw nameTaken(to);
  await renameInto(folder, to);
}

function nameTaken(file: string): StorageError {
  const hint = 'Move one of the two books away, then run the same command again.';
  return new StorageError('name-taken', `${file} exists and is another book.`, { hint });
}

/** All other entries keep their bytes, names and order. */
async function renameInArchive(
  { path: file, entries }: BookFile,
  rename: SeriesRename,
  { tmpFile, publish, signal }: Omit<WriteOptions, 'convert' | 'onPage'>,
): Promise<void> {
  const reader = await ZipEntryReader.open(file);
  const zip = await ZipFileWriter.create({
    tmpFile,
    comment: boundComment([]),
    mode: PRIVATE_FILE_MODE,
    signal,
  });
  try {
    for (const entry of entries) {
      signal.throwIfAborted();
      const { name } = entry;
      const data = await reader.read(entry, zip.getBuffer).catch((cause: unknown) => {
        throw damagedChapter(file, cause);
      });
      const renameIn = RENAMED_ENTRIES.get(name);
      if (renameIn) zip.append(name, renameIn(data.toString(), rename));
      else await zip.write(name, data);
    }
    await zip.finish(publish, boundComment(zip.entries));
  } finally {
    await zip.discard();
    await reader.close();
  }
}

/** The manifest is written last: until then, it has the old name and the digests of the old files. */
async function renameInFolder(folder: string, rename: SeriesRename): Promise<readonly string[]> {
  const { files = new Map<string, string>() } = (await readFolderManifest(folder)) ?? {};
  const renamed: Record<string, string> = {};
  const kept: string[] = [];
  for (const [path, digest] of files) {
    if (basename(path) !== COMIC_INFO_NAME) continue;
    const file = join(folder, path);
    const text = await readText(file);
    const newText = renameInComicInfo(text, rename);
    const oldText = renameInComicInfo(text, { from: rename.to, to: rename.from });
    // A killed run may have written the new one.
    if (![text, oldText].some((each) => sha256(each) === digest)) kept.push(path);
    else {
      if (newText !== text) await rewriteFile(file, newText);
      renamed[path] = sha256(newText);
    }
  }
  const manifest = join(folder, FOLDER_MANIFEST_NAME);
  const json = await readText(manifest);
  await rewriteFile(manifest, renameInManifest(json, rename, renamed));
  return kept;
}

async function readText(file: string): Promise<string> {
  return (await readRegularFileIfExists(file))?.toString() ?? '';
}

async function rewriteFile(file: string, text: string): Promise<void> {
  const replaced = await lstatIfExists(file);
  if (replaced) assertOwnFile(file, replaced);
  await writeFileAtomic(file, text, { replaced });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
