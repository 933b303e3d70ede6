/**
 * Files that were replaced or removed for others, and that have pages which these lack: they are kept for a while in a
 * hidden folder of the output folder, under names that no reader takes for a comic.
 */
import type { Dirent } from 'node:fs';
import { constants, link, open, readdir, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import {
  createFile,
  digestIfRegular,
  haveSameBytes,
  isLeftoverTemporary,
  isSystemError,
  lstatIfExists,
  makeSyncedFolders,
  readRegularFileIfExists,
  removeEmptyFolders,
  removeFile,
  syncFolder,
  temporaryName,
} from '../core/files.js';
import { isRecord, parseJson } from '../core/json.js';
import { publishNew } from '../core/publish.js';
import { containerNamed } from './containers.js';
import { readMarks } from './file.js';
import { FOLDER_MANIFEST_NAME, manifestKeys, MAX_MANIFEST_BYTES } from './mark.js';
import { fileChanged, isUnchanged, readFileState, type FileState } from '../core/file-state.js';
import { maxNameBytes } from '../core/file-system.js';
import { fitSegment } from '../core/path-segment.js';

const REPLACED_FOLDER = '.tankobon-replaced';
const REPLACED_SUFFIX = '.replaced';
const DAY_FOLDER = /^\d{4}-\d{2}-\d{2}$/;
/** The manifest of a book in a folder. */
const KEPT_MANIFEST = /^\.tankobon(\.\d+)?\.json\.replaced$/;
const DAY_LENGTH = 'YYYY-MM-DD'.length;
const DAY_MS = 86_400_000;
/** While others remove the folder of a kept file, since it is empty. */
const MAX_ATTEMPTS = 5;

export interface KeepOptions {
  /** The output folder of the run. */
  readonly output: string;
  /** How long a replaced file is kept; 0: not at all. */
  readonly maxAgeMs: number;
  readonly nowMs: number;
}

interface ReplacedFile {
  readonly file: string;
  readonly state: FileState;
}

/**
 * Calls `replace`, which replaces or removes the file, or leaves it. The file gets a second name among the kept ones
 * before, if it has pages that none of the `replacements`, which are whole, has: a killed run leaves it under both.
 * Throws StorageError `file-changed` if it is not in its state any more, and what prevents that it is kept.
 */
export async function keepReplaced<T>(
  { file, state }: ReplacedFile,
  replacements: readonly string[],
  options: KeepOptions,
  replace: () => Promise<T>,
): Promise<T> {
  if (options.maxAgeMs === 0) return replace();
  // The schemas of records are slow to load.
  const { hasOtherPages } = await import('./read/other-pages.js');
  if (!(await hasOtherPages(file, replacements))) return replace();
  const root = await rootOnSameDevice(file, options.output);
  const kept = await keep({ file, state }, root, options);
  try {
    return await replace();
  } finally {
    // It was not replaced.
    if (await isUnchanged(file, state).catch(() => false)) {
      await removeFile(kept);
      await removeEmptyFolders(dirname(kept), root);
    }
  }
}

/**
 * Gives pages of a book in a folder second names among the kept ones, before they are replaced; the manifest first, which
 * marks them as tankobon's. `pages`: the sha256 of each, by its path; those that the owner changed stay where they are.
 */
export async function keepPages(
  folder: string,
  pages: ReadonlyMap<string, string>,
  options: KeepOptions,
): Promise<void> {
  if (options.maxAgeMs === 0 || pages.size === 0) return;
  const root = await rootOnSameDevice(join(folder, FOLDER_MANIFEST_NAME), options.output);
  const keepIfOwn = async (file: string, digest?: string) => {
    const state = await readFileState(file);
    if (state && (!digest || (await digestIfRegular(file)) === digest))
      await keep({ file, state }, root, options);
  };
  await keepIfOwn(join(folder, FOLDER_MANIFEST_NAME));
  for (const [path, digest] of pages) await keepIfOwn(join(folder, path), digest);
}

/** The output folder, or the folder below it in which another file system begins: a link cannot leave that. */
async function rootOnSameDevice(file: string, output: string): Promise<string> {
  const top = resolve(output);
  let root = dirname(resolve(file));
  if (!`${root}${sep}`.startsWith(`${top}${sep}`)) return root;
  const { dev } = await stat(root);
  while (root !== top && (await stat(dirname(root))).dev === dev) root = dirname(root);
  return root;
}

/** Gives the file a second name, and resolves with it. A killed run may have given it. */
async function keep(
  { file, state }: ReplacedFile,
  root: string,
  { nowMs }: KeepOptions,
): Promise<string> {
  const day = new Date(nowMs).toISOString().slice(0, DAY_LENGTH);
  const folder = join(replacedFolder(root), day, relative(root, dirname(resolve(file))));
  const maxBytes = await maxNameBytes(root);
  let attempts = 0;
  for (let count = 1; ;) {
    const kept = join(folder, keptName(basename(file), count, maxBytes));
    attempts += 1;
    const isNew = await makeSyncedFolders(root, folder)
      .then(() => addName(file, kept))
      .catch(async (error: unknown) => {
        // The folder was empty, and was removed with another file of it.
        if (!isSystemError(error, 'ENOENT') || attempts === MAX_ATTEMPTS) throw error;
        if (!(await isUnchanged(file, state))) throw fileChanged(file);
        return undefined;
      });
    if (isNew === undefined) continue;
    if (isNew) {
      if (await isUnchanged(file, state)) return kept;
      await removeFile(kept);
      throw fileChanged(file);
    }
    if (await isUnchanged(kept, state)) return kept;
    if (await haveSameBytes(file, kept).catch(() => false)) return kept;
    count += 1;
    attempts = 0;
  }
}

/** Such as `Chapter 1.cbz.replaced`, and `Chapter 1.2.cbz.replaced` for a second file of the day. */
function keptName(name: string, count: number, maxBytes: number): string {
  const extension = extname(name);
  const ending = `${count === 1 ? '' : `.${count}`}${extension}${REPLACED_SUFFIX}`;
  return fitSegment(basename(name, extension), ending, maxBytes);
}

/** False if something has the name. A copy, where the file system has no hard links. */
async function addName(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name);
  } catch (error) {
    return isSystemError(error, 'EEXIST') ? false : copyAs(file, name);
  }
  await syncFolder(dirname(name));
  return true;
}

async function copyAs(file: string, name: string): Promise<boolean> {
  const tmpFile = temporaryName(name);
  try {
    await copyBytes(file, tmpFile);
    return await publishNew(tmpFile, name);
  } finally {
    await removeFile(tmpFile);
  }
}

/** Unlike copyFile, it works where a file system in user space cannot set modes. */
async function copyBytes(file: string, newFile: string): Promise<void> {
  const source = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const target = await createFile(newFile);
    try {
      // Each call writes on where the last one ended.
      for await (const chunk of source.createReadStream({ autoClose: false }))
        await target.writeFile(chunk as Buffer);
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Where the replaced files of a folder are kept that are on its file system. */
function replacedFolder(output: string): string {
  return join(output, REPLACED_FOLDER);
}

/**
 * Removes the files that were kept for longer in folders of replaced files, and the folders that are empty then. Only
 * regular files with the mark and the suffix are removed. The rest costs only space: failures are ignored.
 *
 * @param hiddenFolders what a scan found; by default, only that of the output folder
 */
export async function removeExpired(
  { output, maxAgeMs, nowMs }: KeepOptions,
  hiddenFolders: readonly string[] = [replacedFolder(output)],
): Promise<void> {
  for (const folder of hiddenFolders.filter((each) => basename(each) === REPLACED_FOLDER)) {
    const days = await dayFolders(folder);
    // A day is over at its end.
    const isExpired = (day: string) =>
      maxAgeMs === 0 || Date.parse(basename(day)) + DAY_MS + maxAgeMs <= nowMs;
    for (const day of days.filter(isExpired)) await removeKept(day);
    await rmdir(folder).catch(() => undefined);
  }
}

/** @param digests the sha256 of pages that a manifest above the folder names */
async function removeKept(folder: string, digests: ReadonlySet<string> = new Set()): Promise<void> {
  const entries = await entriesOf(folder);
  const isManifest = (entry: Dirent) => entry.isFile() && KEPT_MANIFEST.test(entry.name);
  const manifests = entries.filter(isManifest).map(({ name }) => join(folder, name));
  const named = (await Promise.all(manifests.map(pagesIn))).flat();
  const pages = named.length === 0 ? digests : new Set([...digests, ...named]);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeKept(path, pages);
    else if (isLeftoverTemporary(path) || (entry.isFile() && (await isOwnKept(path, pages))))
      await removeFile(path).catch(() => false);
  }
  // What is left of the book needs them.
  const isEmpty = (await entriesOf(folder)).every(isManifest);
  for (const manifest of isEmpty && named.length > 0 ? manifests : [])
    await removeFile(manifest).catch(() => false);
  await rmdir(folder).catch(() => undefined);
}

async function isOwnKept(path: string, pages: ReadonlySet<string>): Promise<boolean> {
  if (!path.endsWith(REPLACED_SUFFIX)) return false;
  const name = path.slice(0, -REPLACED_SUFFIX.length);
  if ((await readMarks(path, true, containerNamed(name))).proof === 'mark') return true;
  const digest = pages.size > 0 ? await digestIfRegular(path).catch(() => undefined) : undefined;
  return digest !== undefined && pages.has(digest);
}

/** The digests in the manifest of a book in a folder; none in anything else. */
async function pagesIn(manifest: string): Promise<readonly string[]> {
  const options = { maxBytes: MAX_MANIFEST_BYTES };
  const bytes = await readRegularFileIfExists(manifest, options).catch(() => undefined);
  const text = bytes?.toString('utf8') ?? '';
  const content = parseJson(text);
  const files = isRecord(content) && isRecord(content['files']) ? content['files'] : {};
  return (manifestKeys(text) ?? []).length > 0 ? Object.values(files).map(String) : [];
}

/** What is kept in an output folder, on its file system; undefined for nothing. */
export async function measureReplaced(output: string) {
  const folder = replacedFolder(output);
  let [files, bytes] = [0, 0];
  const folders = [...(await dayFolders(folder))];
  for (let next = folders.pop(); next !== undefined; next = folders.pop())
    for (const entry of await entriesOf(next)) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile() || !entry.name.endsWith(REPLACED_SUFFIX)) continue;
      files += 1;
      bytes += (await lstatIfExists(path).catch(() => undefined))?.size ?? 0;
    }
  return files === 0 ? undefined : { folder, files, bytes };
}

/** None in a link. */
async function dayFolders(folder: string): Promise<readonly string[]> {
  const stats = await lstatIfExists(folder).catch(() => undefined);
  if (stats?.isDirectory() !== true) return [];
  return (await entriesOf(folder)).flatMap((entry) =>
    entry.isDirectory() && DAY_FOLDER.test(entry.name) ? [join(folder, entry.name)] : [],
  );
}

async function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
