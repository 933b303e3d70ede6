/** Checks the archives and books in folders for damage and edits, offline, and on demand has the damaged chapters loaded again. */
import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { checkFile } from '../library/damage.js';
import { listArchives } from '../library/scan.js';
import type { FileStore } from '../library/store.js';
import { reusableBuffer, type GetBuffer } from '../core/zip-file.js';
import { fileErrorReason, isSystemError, lstatIfExists } from '../core/files.js';
import type { FileOwner } from '../core/safe-open.js';
import { mayHaveFiles } from '../core/read-folder.js';
import { inOneSpelling } from '../core/same-file.js';
import { readFolderManifest } from '../books/folder-book.js';
import { isReadableFolder, noChapters } from './readable-folder.js';
import type { RepairedFile, VerifyEvent } from '../events/verify-events.js';
import { toTankobonError } from '../core/system-errors.js';
import { removeRepairLeftovers } from './repair-leftovers.js';

export interface VerifyProgress {
  readonly checked: number;
  readonly total: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

interface VerifyDeps {
  readonly store: FileStore;
  /** Files that were whole less than a month ago, and that did not change, are not read. */
  readonly sinceLast: boolean;
  /** By the wall clock. */
  readonly nowMs: number;
  readonly observe: (event: VerifyEvent) => void;
  readonly onProgress: (progress: VerifyProgress) => void;
  readonly mode: VerifyMode;
  readonly signal: AbortSignal;
}

/**
 * What becomes of the files that are found: nothing; damaged ones, and with `edited` these too, are passed to `repair`, which
 * replaces some of them; or edited ones get a record of the pages that are there.
 */
type VerifyMode =
  | { readonly kind: 'check' }
  | {
      readonly kind: 'repair';
      readonly edited: boolean;
      readonly repair: (
        damaged: readonly string[],
        edited: readonly string[],
      ) => Promise<readonly RepairedFile[]>;
    }
  | { readonly kind: 'accept' };

interface Listed {
  readonly file: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** The folder in which it was found. */
  readonly root: string;
  readonly isFolder: boolean;
  /** False for a link, a pipe, a socket or a device. */
  readonly isRegular: boolean;
  /** Undefined for a folder, and for a file that is gone. */
  readonly owner: FileOwner | undefined;
}

export interface UnverifiedCounts {
  /** Files that stay damaged. */
  readonly damaged: number;
  readonly edited: number;
  /** Edited files that were to be repaired, and were not. */
  readonly editedLeft: number;
  readonly unreadableFiles: number;
  readonly unreadableFolders: number;
}

/**
 * Resolves with what is not known to be whole. Throws UsageError `nothing-to-bind` for an input that is missing, and for a folder
 * without an archive: its disk may not be mounted.
 */
export async function verifyFiles(
  inputs: readonly string[],
  deps: VerifyDeps,
): Promise<UnverifiedCounts> {
  const { observe, onProgress, mode, signal, store, sinceLast, nowMs } = deps;
  const accepts = mode.kind === 'accept';
  const repairsEdited = mode.kind === 'repair' && mode.edited;
  const listed = await listInputs(inputs, deps);
  const toCheck: Listed[] = [];
  for (const each of listed.files)
    if (!sinceLast || !isRecent(each, store, nowMs)) toCheck.push(each);
  const totalBytes = toCheck.reduce((sum, { size }) => sum + size, 0);
  const damaged: string[] = [];
  const edited: string[] = [];
  const getBuffer = reusableBuffer();
  const { links, unreadableFolders } = listed;
  const unreadable: string[] = [];
  let [checked, readBytes, accepted] = [0, 0, 0];
  const repaired = new Set<string>();
  const isLeft = (file: string) => !repaired.has(file);
  try {
    for (const each of toCheck) {
      onProgress({ checked, total: toCheck.length, bytes: readBytes, totalBytes });
      const found = await check(each, getBuffer, deps);
      readBytes += each.size;
      const { file } = each;
      if (found.state === 'forbidden') {
        unreadable.push(file);
        observe({ type: 'warning', message: `Not checked (${found.reason}): ${file}` });
        continue;
      }
      checked += 1;
      if (found.state === 'damaged') {
        damaged.push(file);
        const { reason, detail: message } = found.damage;
        observe({ type: 'file-damaged', file, reason, message });
      } else if (found.state === 'edited') {
        edited.push(file);
        const { pages, detail: message } = found.edits;
        observe({ type: 'file-edited', file, pages, message });
      }
      if (accepts && (await acceptEdited(file, found, deps))) accepted += 1;
    }
    const editedToo = repairsEdited ? edited : [];
    if (mode.kind === 'repair' && damaged.length + editedToo.length > 0)
      for (const each of await mode.repair(damaged, editedToo)) {
        repaired.add(each.file);
        observe({ type: 'file-repaired', ...each });
      }
    if (mode.kind === 'repair' && !signal.aborted) {
      const notWhole = new Set([...damaged.filter(isLeft), ...unreadable]);
      const whole = listed.files.filter(({ file }) => !notWhole.has(file));
      await removeRepairLeftovers(listed.leftovers, whole, store, signal);
    }
  } finally {
    // Also after an interruption.
    const found = { damaged: damaged.length, edited: edited.length };
    const counts = { checked, ...found, repaired: repaired.size, links };
    const unchanged = sinceLast && { unchanged: listed.files.length - toCheck.length };
    const taken = accepts && { accepted };
    const unread = {
      ...(unreadable.length > 0 && { unreadableFiles: unreadable.length }),
      ...(unreadableFolders > 0 && { unreadableFolders }),
    };
    observe({ type: 'verify-summary', ...counts, ...taken, ...unread, ...unchanged });
  }
  return {
    damaged: damaged.filter(isLeft).length,
    edited: edited.length,
    editedLeft: repairsEdited ? edited.filter(isLeft).length : 0,
    unreadableFiles: unreadable.length,
    unreadableFolders,
  };
}

/** Disks lose data without a change of the time: everything is read again after a month. */
const MAX_AGE_MS = 30 * 24 * 3_600_000;

/** Whether the file was whole less than a month ago, and is as it was. */
function isRecent(listed: Listed, store: FileStore, nowMs: number): boolean {
  const wholeAtMs = store.wholeAtMs(resolve(listed.file), listed);
  return wholeAtMs !== undefined && Math.abs(nowMs - wholeAtMs) < MAX_AGE_MS;
}

async function check(listed: Listed, getBuffer: GetBuffer, { signal, store, nowMs }: VerifyDeps) {
  const { file, root, isFolder, isRegular, owner, size, mtimeMs } = listed;
  const container = isFolder && { container: 'folder' as const };
  const options = { signal, getBuffer, isRegular, ...container };
  const { mark, content, ...found } = await checkFile(file, options);
  const checked = { root, file: resolve(file), version: { size, mtimeMs }, owner };
  if (found.state === 'forbidden') return { ...found, hasMark: false };
  if (found.state === 'damaged') store.setDamaged(checked, mark);
  // Otherwise another version was read: what it had would count once the listed one is restored.
  else if (await isAsListed(listed)) {
    // An edited file is read again, and listed, until its owner accepts it.
    const wholeAtMs = found.state === 'whole' ? nowMs : undefined;
    await store.setChecked(checked, wholeAtMs, { mark, content });
  }
  return { ...found, hasMark: mark !== undefined };
}

async function isAsListed({ file, root, isFolder, size, mtimeMs }: Listed): Promise<boolean> {
  const now = isFolder ? await listedFolder(file, root) : versionAt(file);
  return now?.size === size && now.mtimeMs === mtimeMs;
}

/** Only for a file that was just read: the system answers at once for it. */
function versionAt(file: string): Pick<Listed, 'size' | 'mtimeMs'> | undefined {
  try {
    return lstatSync(file);
  } catch {
    return undefined;
  }
}

/** Whether it was accepted. A file that cannot be is named, and does not affect the others. */
async function acceptEdited(
  file: string,
  { state, hasMark }: Awaited<ReturnType<typeof check>>,
  { observe, signal }: Pick<VerifyDeps, 'observe' | 'signal'>,
): Promise<boolean> {
  if (state === 'damaged' || (state === 'whole' && hasMark)) return false;
  const { acceptFile } = await import('../library/chapter-file.js');
  const warn = (reason: string, hint?: string) => {
    observe({ type: 'warning', message: `Not accepted (${reason}): ${file}`, hint });
  };
  try {
    const acceptance = await acceptFile(file, state === 'edited', signal);
    if (typeof acceptance === 'object') {
      observe({ type: 'file-accepted', file, ...acceptance });
      return true;
    }
    if (acceptance === 'not-own' && state === 'edited')
      warn('it is a file of another program or user, or a book that lost its mark');
  } catch (error) {
    signal.throwIfAborted();
    const { message, hint } = toTankobonError(error);
    warn(message, hint);
  }
  return false;
}

async function listInputs(
  inputs: readonly string[],
  { observe, store, signal }: Pick<VerifyDeps, 'observe' | 'store' | 'signal'>,
) {
  const hint = 'Pass CBZ files or folders that contain them.';
  const files = new Map<string, Listed>();
  const leftovers = { hiddenFolders: new Set<string>(), leftoverFiles: new Set<string>() };
  let [links, unreadableFolders] = [0, 0];
  for (const input of await inOneSpelling(inputs)) {
    if (!(await isReadableFolder(input, hint))) {
      files.set(input, await listedFile(input, dirname(input)));
      continue;
    }
    const found = await listArchives(input, signal, store.folder(input));
    links += found.skippedLinks;
    for (const each of found.hiddenFolders) leftovers.hiddenFolders.add(each);
    for (const each of found.leftoverFiles) leftovers.leftoverFiles.add(each);
    for (const each of found.unreadableFolders) {
      const { folder, cause } = each;
      const isLost = isSystemError(cause, 'ENOENT');
      if (!isLost && !mayHaveFiles(each)) continue;
      unreadableFolders += 1;
      const reason = isLost ? 'its name is not UTF-8, or it is gone' : fileErrorReason(cause);
      observe({ type: 'warning', message: `Not checked (${reason}): ${folder}` });
    }
    const inFolder = [...found.files, ...found.pdfs, ...found.folderBooks];
    if (inFolder.length === 0)
      throw noChapters([input], { files: 0, links: found.skippedLinks }, hint);
    for (const file of [...found.files, ...found.pdfs])
      if (!files.has(file)) files.set(file, await listedFile(file, input));
    for (const folder of found.folderBooks) {
      // What is known of a file is stored with the folders above it.
      const root = folder === input ? dirname(resolve(folder)) : input;
      files.set(folder, await listedFolder(folder, root));
    }
  }
  return { files: [...files.values()], leftovers, links, unreadableFolders };
}

/** The check reports a file that cannot be read. */
async function listedFile(file: string, root: string): Promise<Listed> {
  const stats = await lstatIfExists(file).catch(() => undefined);
  const { size = 0, mtimeMs = 0 } = stats ?? {};
  const isRegular = stats?.isFile() === true;
  const owner = stats && { uid: stats.uid, dev: stats.dev };
  return { file, root, size, mtimeMs, isFolder: false, isRegular, owner };
}

/** The sum of the sizes and the newest time of the files that the book has. */
async function listedFolder(folder: string, root: string): Promise<Listed> {
  const manifest = await readFolderManifest(folder).catch(() => undefined);
  let [size, mtimeMs] = [0, 0];
  for (const path of manifest?.files.keys() ?? []) {
    const listed = await listedFile(join(folder, path), root);
    size += listed.size;
    mtimeMs = Math.max(mtimeMs, listed.mtimeMs);
  }
  const notFile = { isFolder: true, isRegular: false, owner: undefined };
  return { file: folder, root, size, mtimeMs, ...notFile };
}
