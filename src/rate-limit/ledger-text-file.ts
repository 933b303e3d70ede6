/** The ledger's text on disk: read, replaced, and moved away if damaged, whatever another user planted at its path. */
import { randomBytes } from 'node:crypto';
import { closeSync, lstatSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { retryWhileBusy } from '../core/busy-retry.js';
import { hasCode } from '../core/errors.js';
import { createFileSync, isSystemError, readFileIfExistsSync } from '../core/files.js';
import { unlinkIfExists, type FileAccess } from './ledger-folder.js';
import { MAX_TEXT_BYTES } from './ledger-format.js';

/** Errors of renaming onto a folder, and of unlinking one. */
const NOT_A_FILE = ['EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'EPERM'];

/** All methods but `read` are called under the ledger's lock. */
export class LedgerTextFile {
  readonly path: string;
  readonly damagedPath: string;
  /** Holds the new text until it replaces the old one. */
  readonly #tmpPath: string;
  /** Holds the first text, and is never read: a process killed while it writes it leaves no damaged ledger. */
  readonly #firstPath: string;

  constructor(private readonly folder: string) {
    this.path = join(folder, 'ledger.json');
    this.#tmpPath = join(folder, 'ledger.json.tmp');
    this.#firstPath = join(folder, 'ledger.json.first');
    this.damagedPath = join(folder, 'ledger.damaged.json');
  }

  /** Undefined if there is none. Throws StorageError `unsafe-path`, and system errors. */
  read(access: FileAccess): string | undefined {
    const options = { ...access, maxBytes: MAX_TEXT_BYTES };
    // For a moment only the new file exists (see write); it is complete once the old one is gone.
    const bytes =
      readFileIfExistsSync(this.path, options) ?? readFileIfExistsSync(this.#tmpPath, options);
    return bytes?.toString('utf8');
  }

  /** The same; a file that cannot be read counts as damaged. */
  readOrDamaged(access: FileAccess): string | undefined {
    try {
      return this.read(access);
    } catch (error) {
      if (hasCode(error, 'unsafe-path') || isSystemError(error, 'EACCES', 'EPERM')) return '';
      throw error;
    }
  }

  async write(text: string, { mode }: FileAccess): Promise<void> {
    if (!exists(this.path) && exists(this.#tmpPath)) await this.#renameToPath(this.#tmpPath);
    const file = exists(this.path) ? this.#tmpPath : this.#firstPath;
    await this.#clear(file);
    const descriptor = createFileSync(file, mode);
    try {
      writeFileSync(descriptor, text);
    } finally {
      closeSync(descriptor);
    }
    // Not renamed over the old file: some file systems (ext4) then flush it at once, which takes 20 times longer.
    await this.#clear(this.path);
    await this.#renameToPath(file);
  }

  /** Possible whatever is at the path, since the folder is ours or our group's. */
  moveDamagedAway(): void {
    for (const file of [this.#tmpPath, this.path]) {
      if (exists(file)) this.#moveAway(file);
    }
  }

  #renameToPath(file: string): Promise<void> {
    return retryWhileBusy(() => {
      renameSync(file, this.path);
    });
  }

  #clear(file: string): Promise<void> {
    return retryWhileBusy(() => {
      try {
        unlinkIfExists(file);
      } catch (error) {
        if (!isSystemError(error, ...NOT_A_FILE)) throw error;
        this.#moveAway(file);
      }
    });
  }

  #moveAway(file: string): void {
    try {
      renameSync(file, this.damagedPath);
    } catch (error) {
      if (!isSystemError(error, ...NOT_A_FILE)) throw error;
      const unique = `ledger.damaged.${randomBytes(4).toString('hex')}.json`;
      renameSync(file, join(this.folder, unique));
    }
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
