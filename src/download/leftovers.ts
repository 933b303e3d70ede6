/** The hidden folder in which a repair works, and what killed runs left in an output folder. */
import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  createFile,
  isLeftoverTemporary,
  isTemporary,
  isTemporaryLock,
  lstatIfExists,
  PRIVATE_FILE_MODE,
  removeFile,
  removeLeftoverFile,
} from '../core/files.js';
import type { Quality } from '../config/quality.js';
import { readFileChapters, readOwnership } from '../library/file.js';
import type { LibraryIndex } from '../library/scan.js';
import { readdirIfReadable } from '../core/read-folder.js';
import { systemClock, type Clock } from '../core/clock.js';
import { StorageError } from '../core/errors.js';
import { removeLeftoverLock, tryLockFile } from '../core/lock.js';
import { holdOwnFolder, PRIVATE_FOLDER_MODE, type HeldFolder } from '../core/own-folder.js';
import { isSystemError } from '../core/system-errors.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { Workspace, workspaceName } from './save/workspace.js';

const NAME = '.tankobon-repair';
const NAMES = /^\.tankobon-repair(\.\d+)?$/;
/** Others may put something in the place of each. */
const MAX_NAMES = 20;
/** A folder with anything but it is not one of a repair. It is written first and removed last. */
const MARK_FILE = 'tankobon-repair';
const LOADED_FILE = new RegExp(`^${UUID_PATTERN}\\.cbz$`, 'i');
const WORKSPACE = new RegExp(`^\\.${UUID_PATTERN}\\..*\\.tankobon$`, 'i');
const COPIED_FILE = /^\.chapter-\d+\.zip$/;

/**
 * The folder for the chapters of a book that is rebuilt: beside the book, on whose file system there is space for it. It
 * is private, it is used through its descriptor where the system allows it, and only what a repair writes is removed.
 */
export class RepairFolder {
  #copies = 0;

  private constructor(
    private readonly folder: string,
    private readonly held: HeldFolder,
  ) {}

  /** The path of the lock under which a folder beside the book is opened. */
  static lockFile(folder: string): string {
    return join(folder, `${NAME}.lock`);
  }

  /** Creates one in `folder`, or takes over what a killed run left there. Throws StorageError and system errors. */
  static async open(folder: string): Promise<RepairFolder> {
    for (let count = 1; count <= MAX_NAMES; count += 1) {
      const path = join(folder, count === 1 ? NAME : `${NAME}.${count}`);
      await mkdir(path, PRIVATE_FOLDER_MODE).catch((error: unknown) => {
        if (!isSystemError(error, 'EEXIST')) throw error;
      });
      const opened = await RepairFolder.#openExisting(path);
      if (opened) return opened;
    }
    throw new StorageError('unsafe-path', `${join(folder, NAME)} exists and is not used.`);
  }

  /** Whether the folder has the name of one of a repair. */
  static isNameOf(folder: string): boolean {
    return NAMES.test(basename(folder));
  }

  /** Removes what a killed run left there, unless a repair is running. Throws StorageError and system errors. */
  static async removeLeftover(path: string): Promise<void> {
    const lockFile = RepairFolder.lockFile(dirname(path));
    const lock = await tryLockFile(lockFile);
    if (!lock) return;
    try {
      await (await RepairFolder.#openExisting(path))?.close();
    } finally {
      await removeFile(lockFile).catch(() => undefined);
      lock.release();
    }
  }

  /** Undefined for a folder that is not one of a repair. An empty one is: a kill may come before or after the mark. */
  static async #openExisting(path: string): Promise<RepairFolder | undefined> {
    const held = holdOwnFolder(path);
    if (!held) return undefined;
    try {
      const mark = join(held.path, MARK_FILE);
      if ((await readdir(held.path)).length === 0)
        await (await createFile(mark, { mode: PRIVATE_FILE_MODE })).close();
      if ((await lstatIfExists(mark))?.isFile() === true) return new RepairFolder(path, held);
    } catch (error) {
      held.close();
      throw error;
    }
    held.close();
    return undefined;
  }

  get path(): string {
    return this.held.path;
  }

  /** A new name for the pages of a chapter, which a download into this folder does not take for a file of its own. */
  async newFile(): Promise<string> {
    for (;;) {
      this.#copies += 1;
      const file = join(this.path, `.chapter-${this.#copies}.zip`);
      if (!(await lstatIfExists(file))) return file;
    }
  }

  /** Removes what this and killed runs wrote, and the folder if nothing else is in it. */
  async close(): Promise<void> {
    try {
      for (const entry of await readdirIfReadable(this.path)) {
        const path = join(this.path, entry.name);
        if (entry.isDirectory() && WORKSPACE.test(entry.name)) await removeWorkspace(path);
        else if (entry.isFile() && (await isWritten(path, entry.name))) await removeFile(path);
      }
      // With it, the next repair removes the rest.
      if (!(await this.#hasWorkspace())) await removeFile(join(this.path, MARK_FILE));
    } finally {
      this.held.close();
    }
    // Fails if its owner put something into it.
    await rmdir(this.folder).catch(() => undefined);
  }

  async #hasWorkspace(): Promise<boolean> {
    const entries = await readdirIfReadable(this.path);
    return entries.some((entry) => entry.isDirectory() && WORKSPACE.test(entry.name));
  }
}

/** On a full disk its lock cannot be made, and it may be empty for the same reason. */
async function removeWorkspace(folder: string): Promise<void> {
  await Workspace.removeLeftover(folder, systemClock).catch(() =>
    rmdir(folder).catch(() => undefined),
  );
}

async function isWritten(path: string, name: string): Promise<boolean> {
  if (COPIED_FILE.test(name) || isTemporary(name)) return true;
  return LOADED_FILE.test(name) && (await readOwnership(path)) === 'own';
}

interface FinishedChapter {
  readonly chapterId: string;
  readonly quality: Quality;
}

/**
 * The temporary files, locks and folders of repairs, and the workspaces of the chapters that are saved: any other one may
 * have pages that are not saved yet.
 */
export function findLeftovers(
  { hiddenFolders, leftoverFiles }: Pick<LibraryIndex, 'hiddenFolders' | 'leftoverFiles'>,
  saved: readonly FinishedChapter[] = [],
): readonly string[] {
  const names = new Set(saved.map(({ chapterId, quality }) => workspaceName(chapterId, quality)));
  const workspaces = hiddenFolders.filter((folder) => names.has(basename(folder)));
  const repairs = hiddenFolders.filter((folder) => RepairFolder.isNameOf(folder));
  return [...workspaces, ...repairs, ...leftoverFiles];
}

/** Whether the name of a file or folder says that a killed run may have left it. */
export function mayBeLeftover(path: string): boolean {
  return isLeftoverTemporary(path) || isTemporaryLock(path) || RepairFolder.isNameOf(path);
}

/** Leaves what is in use. The rest costs only space: failures are ignored. */
export async function removeLeftovers(paths: readonly string[], clock: Clock): Promise<void> {
  for (const path of paths) await removeLeftover(path, clock).catch(() => undefined);
}

async function removeLeftover(path: string, clock: Clock): Promise<void> {
  if (RepairFolder.isNameOf(path)) await RepairFolder.removeLeftover(path);
  else if (isTemporaryLock(path)) await removeLeftoverLock(path);
  else if (isTemporary(path)) await removeLeftoverFile(path);
  else await Workspace.removeLeftover(path, clock);
}

/** Removes the workspace of a chapter beside its file, if that has all its pages. Failures are ignored. */
export async function removeSavedWorkspace(
  file: string,
  { chapterId, quality }: FinishedChapter,
  hiddenFolders: ReadonlySet<string>,
  clock: Clock,
): Promise<void> {
  const workspace = join(dirname(file), workspaceName(chapterId, quality));
  if (!hiddenFolders.has(workspace)) return;
  const [chapter] = await readFileChapters(file);
  const digests = new Set(chapter?.record?.pages);
  await Workspace.removeSaved(workspace, digests, clock).catch(() => undefined);
}
