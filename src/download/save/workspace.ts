/**
 * The hidden folder beside the target that holds the pages of an unfinished chapter. A page has its digest in its
 * file name, so that a later run can verify what an interrupted one left.
 */
import { readdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { CbzPage } from '../../library/cbz-writer.js';
import type { ImageDimensions } from '../../core/image-dimensions.js';
import { imageExtension, MAX_IMAGE_BYTES } from '../../core/image-format.js';
import type { CheckedImage } from '../../service/load-image.js';
import { hasValidTrailer } from '../../core/image-trailer.js';
import type { Clock } from '../../core/clock.js';
import { hasCode, StorageError } from '../../core/errors.js';
import {
  createFile,
  toStorageError,
  isSystemError,
  makeSyncedFolders,
  makePrivateFolder,
  PRIVATE_FILE_MODE,
  readRegularFileIfExists,
  removeFile,
  renameFile,
  writeBuffers,
} from '../../core/files.js';
import { lockFile, tryLockFile, type HeldLock } from '../../core/lock.js';
import { sha256Of } from '../../core/sha256.js';

/** Identifies the pages: those of an earlier run are used only if its manifest is the same. */
export interface ChapterManifest {
  readonly hash: string;
  readonly quality: string;
  readonly names: readonly string[];
}

export interface KeptPage extends Required<CbzPage> {
  /** Counted from 1. */
  readonly page: number;
}

/** A page with its dimensions, if they are known. `isCompressed`: in place of one that no node has as uploaded. */
export type PackedPage = KeptPage & Partial<ImageDimensions> & { readonly isCompressed?: boolean };

const MANIFEST_FILE = 'chapter.json';
const LOCK_FILE = 'lock';
const ARCHIVE_FILE = 'archive.part';
const PAGE_FILE = /^(\d+)\.([0-9a-f]{64})\.([a-z]+)$/;
/** A compressed page in place of a lost one is not kept for the next run, which tries that again. */
const UNFINISHED_FILE =
  /^(\d+\.part|\d+\.[0-9a-f]{64}\.compressed\.[a-z]+|\.(chapter\.json|lock)\.[0-9a-f]{8}-\d+-[0-9a-f]{12}\.tmp)$/;

/** FUSE, NFS and SMB keep a removed file under such a name until its last handle is closed. */
const REMOVED_FILE = /^\.(fuse_hidden|nfs|smb)[0-9a-f]+$/i;
const MAX_RMDIR_ATTEMPTS = 20;
const RMDIR_PAUSE_MS = 50;

export interface WorkspaceOptions {
  readonly chapterId: string;
  /** The CBZ's final path; the workspace is created beside it. */
  readonly target: string;
  /** The user's output folder. Symbolic links to folders below it are refused. */
  readonly output: string;
  readonly quality: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Called once when another process uses the workspace, with that process, such as `process 1234`. */
  readonly onBusy?: (holder: string) => void;
}

/** The hidden folder beside a chapter's CBZ for the pages of an unfinished download. */
export function workspaceName(chapterId: string, quality: string): string {
  return `.${chapterId}.${quality}.tankobon`;
}

export class Workspace {
  readonly #kept = new Map<number, KeptPage>();

  private constructor(
    readonly folder: string,
    private readonly lock: HeldLock,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the folder with mode 0700 and locks it, waiting while another process uses it. Call `resume` before its
   * content is used. Throws StorageError: `unsafe-path` for a link or another user's folder in its place.
   */
  static async open(options: WorkspaceOptions): Promise<Workspace> {
    const { chapterId, target, output, quality, clock, signal, onBusy } = options;
    const folder = join(dirname(target), workspaceName(chapterId, quality));
    try {
      await makeSyncedFolders(output, dirname(target));
      makePrivateFolder(folder);
      const lockOptions = { clock, pollMs: 200, signal, onWait: onBusy };
      return new Workspace(folder, await lockFile(join(folder, LOCK_FILE), lockOptions), clock);
    } catch (error) {
      // Node's code for a folder that cannot be created on a read-only file system.
      if (!isSystemError(error, 'ENOENT')) throw toStorageError(error, folder);
      throw new StorageError('not-writable', `Cannot create the folder: ${folder}`, {
        cause: error,
      });
    }
  }

  /** Removes the workspace of a chapter that is saved, unless it is in use. Throws StorageError and system errors. */
  static async removeLeftover(folder: string, clock: Clock): Promise<void> {
    const lock = await tryLockFile(join(folder, LOCK_FILE));
    if (lock) await new Workspace(folder, lock, clock).remove();
  }

  /** Removes, as removeLeftover does, the workspace of a chapter whose file has all the pages that it has. */
  static async removeSaved(
    folder: string,
    digests: ReadonlySet<string>,
    clock: Clock,
  ): Promise<void> {
    const pages = (await readdir(folder)).flatMap((name) => PAGE_FILE.exec(name)?.[2] ?? []);
    if (pages.every((digest) => digests.has(digest))) await Workspace.removeLeftover(folder, clock);
  }

  /**
   * Verifies the pages that an earlier run left of this chapter and removes everything else that tankobon wrote; other
   * files are left alone. `expectedDigest` returns the digest in a page's file name. Rejects with the signal's reason
   * when aborted, and with StorageError.
   */
  async resume(
    manifest: ChapterManifest,
    expectedDigest: (page: number) => string | undefined,
    signal?: AbortSignal,
  ): Promise<void> {
    try {
      const file = join(this.folder, MANIFEST_FILE);
      const text = JSON.stringify(manifest);
      const names = await ownFilesIn(this.folder);
      const existing = names.includes(MANIFEST_FILE)
        ? await readRegularFileIfExists(file).catch(undefinedIfUnsafe)
        : undefined;
      const isSame = existing?.toString('utf8') === text;
      for (const name of names) {
        signal?.throwIfAborted();
        if (name === LOCK_FILE || (isSame && name === MANIFEST_FILE)) continue;
        const page = isSame ? await this.#verify(name, expectedDigest) : undefined;
        if (page && page.page >= 1 && page.page <= manifest.names.length)
          this.#kept.set(page.page, page);
        else await removeFile(join(this.folder, name));
      }
      // Not synced, and incomplete after a kill: then no page is kept, as after a change of the chapter.
      if (!isSame) await writeManifest(file, text);
    } catch (error) {
      signal?.throwIfAborted();
      throw toStorageError(error, this.folder);
    }
  }

  get kept(): ReadonlyMap<number, KeptPage> {
    return this.#kept;
  }

  /** The temporary file for the archive. */
  get archiveFile(): string {
    return join(this.folder, ARCHIVE_FILE);
  }

  /** The temporary file for a page that is loading. */
  partFile(page: number): string {
    return join(this.folder, `${page}.part`);
  }

  /** Gives a verified page its final name, under which a later run finds it, unless it is compressed for a lost one. */
  async keep(
    page: number,
    { digest, crc32, extension, bytes }: CheckedImage & { readonly bytes: number },
    { isCompressed = false }: { readonly isCompressed?: boolean } = {},
  ): Promise<void> {
    const ending = isCompressed ? `compressed.${extension}` : extension;
    const file = join(this.folder, `${page}.${digest}.${ending}`);
    await renameFile(this.partFile(page), file);
    this.#kept.set(page, { page, file, bytes, sha256: digest, crc32 });
  }

  /** Removes what tankobon wrote, unlocks the folder, and removes it if nothing else is in it. */
  async remove(): Promise<void> {
    const lockPath = join(this.folder, LOCK_FILE);
    let isLockRemoved: boolean;
    try {
      for (const name of await ownFilesIn(this.folder)) {
        if (name !== LOCK_FILE) await removeFile(join(this.folder, name));
      }
      // Removed last and while it is held: a process that waits for it creates a new one.
      isLockRemoved = await removeFile(lockPath).then(
        () => true,
        () => false,
      );
    } finally {
      this.lock.release();
    }
    // Windows cannot remove an open file; this fails too if another process has opened it meanwhile.
    if (!isLockRemoved) await removeFile(lockPath).catch(() => undefined);
    await this.#removeFolder();
  }

  /** Unlocks the folder and keeps its pages for the next run; without pages, removes it. */
  async close(): Promise<void> {
    const names = await readdir(this.folder).catch((): string[] => []);
    if (names.some((name) => PAGE_FILE.test(name))) this.lock.release();
    else await this.remove().catch(() => undefined);
  }

  /** Leaves the folder if another process already uses it or if it contains other files. */
  async #removeFolder(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await rmdir(this.folder);
        return;
      } catch {
        const names = await readdir(this.folder).catch((): string[] => []);
        const isEmptySoon = names.every((name) => REMOVED_FILE.test(name));
        if (!isEmptySoon || attempt === MAX_RMDIR_ATTEMPTS) return;
      }
      await this.clock.sleep(RMDIR_PAUSE_MS);
    }
  }

  async #verify(
    name: string,
    expectedDigest: (page: number) => string | undefined,
  ): Promise<KeptPage | undefined> {
    const [, number, digest = ''] = PAGE_FILE.exec(name) ?? [];
    if (number === undefined) return undefined;
    const page = Number(number);
    const expected = expectedDigest(page);
    if ((expected ?? digest) !== digest) return undefined;
    const file = join(this.folder, name);
    const content = await readRegularFileIfExists(file, { maxBytes: MAX_IMAGE_BYTES }).catch(
      undefinedIfUnsafe,
    );
    if (!content || sha256Of(content) !== digest) return undefined;
    const extension = imageExtension(content);
    if (!extension) return undefined;
    // The digest in our own file name proves nothing: another program may have written the file.
    if (expected === undefined && !hasValidTrailer(extension, content)) return undefined;
    return { page, file, bytes: content.length, sha256: digest, crc32: crc32(content) };
  }
}

/** Throws EEXIST if anything exists there. */
async function writeManifest(file: string, text: string): Promise<void> {
  const handle = await createFile(file, { maxMode: PRIVATE_FILE_MODE });
  try {
    await writeBuffers(handle, [Buffer.from(text)]);
  } finally {
    await handle.close();
  }
}

/** The files, or links in their place, whose names tankobon gives. Only these are ever removed. */
async function ownFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map(({ name }) => name).filter(isOwnName);
}

function isOwnName(name: string): boolean {
  const isFixed = name === LOCK_FILE || name === MANIFEST_FILE || name === ARCHIVE_FILE;
  return isFixed || PAGE_FILE.test(name) || UNFINISHED_FILE.test(name);
}

/** A link, a pipe or another user's file is treated as missing: it is removed and written anew. */
function undefinedIfUnsafe(error: unknown): undefined {
  if (!hasCode(error, 'unsafe-path')) throw error;
}
