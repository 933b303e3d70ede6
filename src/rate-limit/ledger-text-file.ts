/** The ledger's text on disk: read, replaced, and set aside, whatever somebody else has put in its place. */
import { randomBytes } from 'node:crypto';
import { closeSync, lstatSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { retryWhileBusy } from '../core/busy-retry.js';
import { StorageError } from '../core/errors.js';
import { createFileSync, isSystemError, readIfThereSync } from '../core/files.js';
import { unlinkIfExists, type FileAccess } from './ledger-folder.js';

/** What a rename answers where the new name is a folder's, and what removing a folder as a file answers. */
const NOT_A_FILE = ['EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'EPERM'];

/** All calls but `read` are made under the ledger's lock. */
export class LedgerTextFile {
  readonly path: string;
  /** The new text until it replaces the old one. */
  readonly #next: string;
  /** Where a text goes that cannot be used. */
  readonly damagedPath: string;

  constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
  ) {
    this.path = join(folder, 'ledger.json');
    this.#next = join(folder, 'ledger.json.aside');
    this.damagedPath = join(folder, 'ledger.damaged.json');
  }

  /** Undefined where there is none. Throws StorageError `unsafe-path`, and the system's own errors. */
  read(access: FileAccess): string | undefined {
    const options = { ...access, maxBytes: this.maxBytes };
    // The new file stands alone for a moment (see write); it is complete whenever the old one is gone.
    const bytes = readIfThereSync(this.path, options) ?? readIfThereSync(this.#next, options);
    return bytes?.toString('utf8');
  }

  /** The same; what exists and cannot be read is as good as damaged. */
  readOrDamaged(access: FileAccess): string | undefined {
    try {
      return this.read(access);
    } catch (error) {
      const isUnsafe = error instanceof StorageError && error.code === 'unsafe-path';
      if (isUnsafe || isSystemError(error, 'EACCES', 'EPERM')) return '';
      throw error;
    }
  }

  async write(text: string, { mode }: FileAccess): Promise<void> {
    if (exists(this.path))
      await whenFree(() => {
        this.#clear(this.#next);
      });
    else if (exists(this.#next))
      await whenFree(() => {
        renameSync(this.#next, this.path);
      });
    const descriptor = createFileSync(this.#next, { mode });
    try {
      writeFileSync(descriptor, text);
    } finally {
      closeSync(descriptor);
    }
    // Not renamed over the old one: some file systems (ext4) then write it out at once, which takes 20 times longer.
    await whenFree(() => {
      this.#clear(this.path);
    });
    await whenFree(() => {
      renameSync(this.#next, this.path);
    });
  }

  /** The folder is ours, or our group's, so that anything in it can be renamed. */
  setAside(): void {
    for (const file of [this.#next, this.path]) {
      if (exists(file)) this.#rename(file);
    }
  }

  #clear(file: string): void {
    try {
      unlinkIfExists(file);
    } catch (error) {
      if (!isSystemError(error, ...NOT_A_FILE)) throw error;
      this.#rename(file);
    }
  }

  #rename(file: string): void {
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

/** At once, unless another program has the file open, as on Windows. */
function whenFree(act: () => void): Promise<void> {
  return retryWhileBusy(() => {
    act();
    return Promise.resolve();
  });
}
