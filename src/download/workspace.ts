/**
 * Where the pages of an unfinished chapter wait: a hidden folder beside the target. A page is there under its
 * own digest or not at all, so what a killed run left behind can be proven again, and is.
 */
import { createHash } from 'node:crypto';
import { readdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { imageExtension, type ImageExtension } from '../image/format.js';
import { hasValidTrailer } from '../image/trailer.js';
import type { Clock } from '../core/clock.js';
import { hasCode, StorageError } from '../core/errors.js';
import {
  toStorageError,
  isSystemError,
  makeFoldersBelow,
  makePrivateFolder,
  readFileIfExists,
  removeFile,
  renameFile,
  writeFileAtomic,
} from '../core/files.js';
import { lockFile, type HeldLock } from '../core/lock.js';

/** What makes two runs' pages the same pages. */
export interface ChapterManifest {
  readonly hash: string;
  readonly quality: string;
  readonly names: readonly string[];
}

export interface KeptPage {
  /** Counted from 1. */
  readonly page: number;
  readonly file: string;
  readonly bytes: number;
  /** Of the bytes that were proven, lower-case hex. */
  readonly sha256: string;
}

const MANIFEST_FILE = 'chapter.json';
const LOCK_FILE = 'lock';
const ARCHIVE_FILE = 'archive.part';
/** As large as a page can be set to be. */
const MAX_PAGE_BYTES = 2 ** 30;
const PAGE_FILE = /^(\d+)\.([0-9a-f]{64})\.([a-z]+)$/;
const UNFINISHED_FILE = /^(\d+\.part|\.chapter\.json\.[0-9a-f]{12}\.tmp)$/;

/** FUSE, NFS and SMB keep a removed file under such a name for a moment after its last handle was closed. */
const REMOVED_FILE = /^\.(fuse_hidden|nfs|smb)[0-9a-f]+$/i;
const MAX_FOLDER_TRIES = 20;
const FOLDER_PAUSE_MS = 50;

export interface WorkspaceOptions {
  readonly chapterId: string;
  /** The CBZ's final path; the workspace is beside it. */
  readonly target: string;
  /** The folder that the user named for all archives. Below it, links to folders are refused. */
  readonly output: string;
  readonly quality: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Called once when another process holds the workspace, with that process, such as `process 1234`. */
  readonly onBusy?: (holder: string) => void;
}

export class Workspace {
  readonly #kept = new Map<number, KeptPage>();

  private constructor(
    readonly folder: string,
    private readonly lock: HeldLock,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes the folder, of mode 0700, and takes it for this process alone; waits while another has it. Nothing of it
   * is trusted until `resume`. A link or another user's folder in its place is a StorageError `unsafe-path`.
   */
  static async take(wish: WorkspaceOptions): Promise<Workspace> {
    const folder = join(dirname(wish.target), `.${wish.chapterId}.${wish.quality}.tankobon`);
    try {
      await makeFoldersBelow(wish.output, dirname(wish.target));
      await makePrivateFolder(folder);
      const lock = await lockFile(join(folder, LOCK_FILE), {
        clock: wish.clock,
        pollMs: 200,
        ...(wish.signal ? { signal: wish.signal } : {}),
        ...(wish.onBusy ? { onWait: wish.onBusy } : {}),
      });
      return new Workspace(folder, lock, wish.clock);
    } catch (error) {
      // What Node says of a folder that it could not make on a read-only file system.
      if (!isSystemError(error, 'ENOENT')) throw toStorageError(error, folder);
      throw new StorageError('not-writable', `May not write ${folder}: it cannot be made.`, {
        cause: error,
      });
    }
  }

  /**
   * Proves again what an earlier run left of this very chapter; what else it left is removed. Files that tankobon
   * does not make are left alone. Rejects with the signal's reason when aborted, and with StorageError.
   */
  async resume(
    manifest: ChapterManifest,
    promised: (page: number) => string | undefined,
    signal?: AbortSignal,
  ): Promise<void> {
    try {
      await this.#resume(manifest, promised, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw toStorageError(error, this.folder);
    }
  }

  async #resume(
    manifest: ChapterManifest,
    promised: (page: number) => string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const file = join(this.folder, MANIFEST_FILE);
    const text = JSON.stringify(manifest);
    const found = await readFileIfExists(file).catch(undefinedIfUnsafe);
    const same = found?.toString('utf8') === text;
    for (const name of await ownFilesIn(this.folder)) {
      signal?.throwIfAborted();
      if (name === LOCK_FILE || (same && name === MANIFEST_FILE)) continue;
      const kept = same ? await this.#prove(name, promised, signal) : undefined;
      if (kept && kept.page <= manifest.names.length) this.#kept.set(kept.page, kept);
      else await removeFile(join(this.folder, name));
    }
    if (!same) await writeFileAtomic(file, text);
  }

  get kept(): ReadonlyMap<number, KeptPage> {
    return this.#kept;
  }

  /** Where the archive grows until it gets its name. */
  get archiveFile(): string {
    return join(this.folder, ARCHIVE_FILE);
  }

  /** Where a page's bytes go while they arrive. */
  partFile(page: number): string {
    return join(this.folder, `${page}.part`);
  }

  /** Gives a page that has arrived and was proven its name; from now on a later run finds it. */
  async keep(
    page: number,
    image: {
      readonly digest: string;
      readonly extension: ImageExtension;
      readonly bytes: number;
    },
  ): Promise<void> {
    const { digest, extension, bytes } = image;
    const file = join(this.folder, `${page}.${digest}.${extension}`);
    await renameFile(this.partFile(page), file);
    this.#kept.set(page, { page, file, bytes, sha256: digest });
  }

  /** Removes what tankobon made, and the folder if nothing else is in it, and lets go of it. */
  async remove(): Promise<void> {
    const lockPath = join(this.folder, LOCK_FILE);
    let isLockLeft: boolean;
    try {
      for (const name of await ownFilesIn(this.folder)) {
        if (name !== LOCK_FILE) await removeFile(join(this.folder, name));
      }
      // The lock's file goes last, while the lock is held; whoever waited for it makes a new one.
      isLockLeft = await removeFile(lockPath).then(
        () => false,
        () => true,
      );
    } finally {
      this.lock.release();
    }
    // Where an open file cannot be removed, this fails too if another process has the lock's file open by now.
    if (isLockLeft) await removeFile(lockPath).catch(() => undefined);
    await this.#removeFolder();
  }

  /** It stays where another process uses it already, or where files of somebody else are in it. */
  async #removeFolder(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await rmdir(this.folder);
        return;
      } catch {
        const names = await readdir(this.folder).catch((): string[] => []);
        const isEmptySoon = names.every((name) => REMOVED_FILE.test(name));
        if (!isEmptySoon || tries === MAX_FOLDER_TRIES) return;
      }
      await this.clock.sleep(FOLDER_PAUSE_MS);
    }
  }

  /** Lets go of the folder and leaves it for the next run; an empty one is of no use to it. */
  async leave(): Promise<void> {
    const names = await readdir(this.folder).catch((): string[] => []);
    if (names.some((name) => PAGE_FILE.test(name))) this.lock.release();
    else await this.remove().catch(() => undefined);
  }

  async #prove(
    name: string,
    promised: (page: number) => string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<KeptPage | undefined> {
    const parts = PAGE_FILE.exec(name);
    if (!parts) return undefined;
    const [, number = '', digest = ''] = parts;
    const page = Number(number);
    const promisedHere = promised(page);
    if ((promisedHere ?? digest) !== digest) return undefined;
    signal?.throwIfAborted();
    const file = join(this.folder, name);
    const content = await readFileIfExists(file, { maxBytes: MAX_PAGE_BYTES }).catch(
      undefinedIfUnsafe,
    );
    if (!content || createHash('sha256').update(content).digest('hex') !== digest) return undefined;
    const extension = imageExtension(content);
    if (!extension) return undefined;
    // Without a promised digest the file's name proves nothing: anybody may have written it.
    if (promisedHere === undefined && !hasValidTrailer(extension, content)) return undefined;
    return { page, file, bytes: content.length, sha256: digest };
  }
}

/** The files, or links in their place, that have a name which tankobon gives. Only these are ever removed. */
async function ownFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.flatMap((entry) =>
    isOwnName(entry.name) && !entry.isDirectory() ? [entry.name] : [],
  );
}

function isOwnName(name: string): boolean {
  const isFixed = name === LOCK_FILE || name === MANIFEST_FILE || name === ARCHIVE_FILE;
  return isFixed || PAGE_FILE.test(name) || UNFINISHED_FILE.test(name);
}

/** A link, a pipe or another user's file is as good as no file: it is removed and made anew. */
function undefinedIfUnsafe(error: unknown): undefined {
  if (!hasCode(error, 'unsafe-path')) throw error;
}
