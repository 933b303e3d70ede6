/**
 * A book as a folder of images. Its manifest names the digest of each file that `bind` wrote; what the owner added or
 * changed differs from it, and stays.
 */
import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FOLDER_MANIFEST_NAME } from '../library/mark.js';
import { COMIC_INFO_NAME } from '../library/comic-info.js';
import { readLibraryFile, type BookFile } from '../library/file.js';
import { assertOwnFile } from '../core/file-state.js';
import { keepPages, type KeepOptions } from '../library/replaced-files.js';
import { StorageError } from '../core/errors.js';
import {
  copyRights,
  digestIfRegular,
  isOwnFile,
  isSystemError,
  lstatIfExists,
  makeFoldersBelow,
  removeFile,
  removeLeftoverTemporaries,
  renameFile,
  syncFolder,
  writeFileAtomic,
} from '../core/files.js';
import { isRecord, parseJson } from '../core/json.js';
import { cleanSegment, fitSegment, pathCollisionKey } from '../core/path-segment.js';
import { respellBelow } from '../core/same-file.js';
import { chapterLabel, type BookChapter } from './source-chapter.js';
import { IMAGE_EXTENSIONS } from '../core/image-format.js';

/** The number of a chapter has them at least, in the name of its folder. */
const MIN_DIGITS = 3;
/** In a folder that is being written. */
const UNFINISHED = { unfinished: true };
/** What `bind` writes into a folder, besides the manifest. */
const WRITTEN_NAME = new RegExp(
  `^(?:(?:\\d+|cover)\\.(?:${IMAGE_EXTENSIONS.join('|')})|${COMIC_INFO_NAME.replace('.', '\\.')})$`,
);

/** Undefined for a folder that `bind` did not write: without a manifest, or with one that is a link or names no chapter. */
export async function readFolderManifest(folder: string): Promise<BookFile | undefined> {
  const file = await readFolder(folder);
  return file?.keys.length === 0 ? undefined : file;
}

/** Undefined for a folder without the mark of `bind`. Throws what prevents that it is read. */
async function readFolder(folder: string): Promise<BookFile | undefined> {
  const file = await readLibraryFile(folder, { depth: 'metadata' });
  if (file.kind === 'unreadable') throw file.cause;
  return file.kind === 'book' ? file : undefined;
}

/** Creates a folder for a new book. Until `finishFolder`, its mark says that it is unfinished. */
export async function createUnfinishedFolder(folder: string, maxMode: number): Promise<void> {
  await mkdir(folder, folderMode(maxMode));
  const text = `${JSON.stringify(UNFINISHED)}\n`;
  await writeFileAtomic(join(folder, FOLDER_MANIFEST_NAME), text, { maxMode });
}

/** Who may read the files may search the folder. */
export function folderMode(maxMode: number): number {
  return maxMode | ((maxMode & 0o444) >> 2) | 0o700;
}

/** Writes the manifest, and reads every file back. Throws StorageError `archive-wrong`. */
export async function finishFolder(
  folder: string,
  manifest: string,
  maxMode: number,
): Promise<void> {
  await writeFileAtomic(join(folder, FOLDER_MANIFEST_NAME), manifest, { maxMode });
  const book = await readFolderManifest(folder);
  if (book?.manifest !== manifest || book.files.size === 0)
    throw new StorageError('archive-wrong', `The manifest of the book is wrong: ${folder}`);
  for (const [path, digest] of book.files)
    if ((await digestIfRegular(join(folder, path))) !== digest)
      throw new StorageError('archive-wrong', `The book has a page that is wrong: ${path}`);
}

/**
 * Removes what `bind` wrote to this temporary folder, and the folders that are empty then. Everything else stays, and
 * so does a folder without the mark of `bind`.
 */
export async function removeOwnFiles(folder: string): Promise<void> {
  await removeLeftoverTemporaries(folder);
  const book = await readFolder(folder);
  const manifest = book?.keys.length === 0 ? undefined : book;
  const mark = manifest ? undefined : parseJson(book?.manifest ?? '');
  if (manifest) {
    for (const [path, digest] of manifest.files) await removeUnchanged(folder, path, digest);
  } else if (isRecord(mark) && mark['unfinished'] === true) {
    for (const path of await writtenPaths(folder))
      if (await isOwnPath(join(folder, path))) await removeFile(join(folder, path));
  }
  await removeEmptyFolders(folder);
  const remaining = await readdir(folder).catch(() => []);
  if ((manifest ?? mark) && remaining.every((name) => name === FOLDER_MANIFEST_NAME))
    await removeFile(join(folder, FOLDER_MANIFEST_NAME));
  await removeIfEmpty(folder);
}

async function removeEmptyFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((it) => it.isDirectory()))
    await removeIfEmpty(join(folder, entry.name));
}

async function writtenPaths(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile() && WRITTEN_NAME.test(entry.name)) paths.push(entry.name);
    if (!entry.isDirectory()) continue;
    const inner = await readdir(join(folder, entry.name), { withFileTypes: true });
    for (const { name } of inner.filter((it) => it.isFile() && WRITTEN_NAME.test(it.name)))
      paths.push(`${entry.name}/${name}`);
  }
  return paths;
}

export interface MergedFolder {
  /** False: the folder had all of it already. */
  readonly isChanged: boolean;
  /** Files that the owner changed, and that stay as they are. */
  readonly kept: readonly string[];
  /** False if one of them is in the place of a file of the new book. */
  readonly isWhole: boolean;
}

/** Whether a file that is not as `bind` wrote it is replaced. */
export type MayReplace = (file: string) => Promise<boolean>;

/**
 * Moves the files of a finished folder into the book's. Replaces and removes only files that are as `bind` wrote them,
 * and replaces others if `mayReplace` says so.
 * May be repeated after a kill: the manifest of the new book is written last.
 */
export async function mergeFolder(
  finished: string,
  folder: string,
  keep: KeepOptions | undefined,
  mayReplace: MayReplace = () => Promise.resolve(false),
): Promise<MergedFolder> {
  const mark = await lstatIfExists(join(folder, FOLDER_MANIFEST_NAME));
  if (mark) assertOwnFile(join(folder, FOLDER_MANIFEST_NAME), mark);
  const oldManifest = await readFolderManifest(folder);
  const newManifest = await readFolderManifest(finished);
  const files = newManifest?.files ?? new Map<string, string>();
  const old = await respellFiles(folder, oldManifest?.files ?? new Map<string, string>(), files);
  if (keep && oldManifest && newManifest) {
    await keepPages(folder, lostPages(oldManifest, newManifest), keep);
  }
  const kept: string[] = [];
  const changedFolders = new Set<string>();
  for (const [path, digest] of files) {
    const file = join(folder, path);
    const present = await digestIfRegular(file);
    if (present === digest) continue;
    const isOfOthers = present !== undefined && !(await isOwnPath(file));
    const isChanged = present !== undefined && present !== old.get(path);
    if (isOfOthers || (isChanged && !(await mayReplace(file)))) {
      kept.push(path);
      continue;
    }
    await makeFoldersBelow(folder, dirname(file));
    await moveWithRights(join(finished, path), file);
    changedFolders.add(dirname(file));
  }
  const isWhole = kept.length === 0;
  for (const [path, digest] of old) {
    if (files.has(path)) continue;
    if (await removeUnchanged(folder, path, digest)) changedFolders.add(folder);
    else if (await lstatIfExists(join(folder, path))) kept.push(path);
    await removeIfEmpty(dirname(join(folder, path)));
  }
  for (const changed of changedFolders)
    await syncFolder(changed).catch((error: unknown) => {
      if (!isSystemError(error, 'ENOENT')) throw error;
    });
  const { manifest = '' } = newManifest ?? {};
  const isNew = oldManifest?.manifest !== manifest;
  if (isNew)
    await writeFileAtomic(join(folder, FOLDER_MANIFEST_NAME), manifest, { replaced: mark });
  return { isChanged: isNew || changedFolders.size > 0, kept, isWhole };
}

/**
 * Gives files, and their folders, the spelling that they have in the new book, where the file system does not distinguish
 * it from the old one. Resolves with the old files under these names.
 */
async function respellFiles(
  folder: string,
  old: BookFile['files'],
  files: BookFile['files'],
): Promise<BookFile['files']> {
  const newPaths = new Map([...files.keys()].map((path) => [pathCollisionKey(path), path]));
  const respelled = new Map<string, string>();
  for (const [path, digest] of old) {
    const newPath = files.has(path) ? path : newPaths.get(pathCollisionKey(path));
    const [from, to] = [join(folder, path), join(folder, newPath ?? path)];
    const isSame = await respellBelow(folder, from, to);
    respelled.set(isSame ? (newPath ?? path) : path, digest);
  }
  return respelled;
}

/** The pages that the new book lacks, by their paths. A copy is compared by the versions of its chapters. */
function lostPages(old: BookFile, now: BookFile): ReadonlyMap<string, string> {
  if (old.copy && old.keys.every((key) => now.keys.includes(key))) return new Map();
  const present = new Set(now.files.values());
  const isPage = (path: string) => path.includes('/') && basename(path) !== COMIC_INFO_NAME;
  return new Map([...old.files].filter(([path, digest]) => isPage(path) && !present.has(digest)));
}

/** False if it stays: the owner changed it, or it is gone. */
async function removeUnchanged(folder: string, path: string, digest: string): Promise<boolean> {
  const file = join(folder, path);
  const isInside = (await lstatIfExists(dirname(file)))?.isDirectory() === true;
  if (!isInside || !(await isOwnPath(file))) return false;
  return (await digestIfRegular(file)) === digest && removeFile(file);
}

/** False for a file of another user, which stays. */
async function isOwnPath(path: string): Promise<boolean> {
  const stats = await lstatIfExists(path);
  return stats !== undefined && isOwnFile(path, stats);
}

/** The new file gets the rights of the one that it replaces. */
async function moveWithRights(from: string, to: string): Promise<void> {
  const stats = await lstatIfExists(to);
  if (stats) await copyRights(to, stats, from);
  await renameFile(from, to);
}

async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

/** `Ch.001`, or the title of a chapter without a number; distinct, also where file systems ignore case. */
export function chapterFolders(
  chapters: readonly Pick<BookChapter, 'metadata'>[],
  maxNameBytes: number,
): string[] {
  const used = new Set<string>();
  return chapters.map(({ metadata }) => {
    const number = metadata.number?.replace(/^\d+/, (digits) => digits.padStart(MIN_DIGITS, '0'));
    const label = number === undefined ? chapterLabel(metadata) : `Ch.${number}`;
    const base = cleanSegment(label, maxNameBytes) || 'Chapter';
    let name = base;
    for (let count = 2; used.has(name.toLowerCase()); count += 1)
      name = fitSegment(base, ` (${count})`, maxNameBytes);
    used.add(name.toLowerCase());
    return name;
  });
}
