/**
 * The file of the ledger, complete whenever a process is killed. It is not synced, which would take longer than the whole
 * grant: a power cut may damage it. Processes take turns by a lock of their own.
 */
import { closeSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { retryWhileBusy } from '../core/busy-retry.js';
import { createFileSync, isSystemError, readFileIfExistsSync } from '../core/files.js';
import {
  MAX_DOCUMENT_BYTES,
  parseDocument,
  serializeDocument,
  type LedgerDocument,
} from './ledger-document.js';
import type { FoundDocument } from './ledger-history.js';

const FILE_MODE = 0o600;

export class LedgerFile {
  readonly path: string;
  /** Holds the new text until it replaces the old one. */
  readonly #tmpFile: string;

  constructor(folder: string) {
    this.path = join(folder, 'ledger.json');
    this.#tmpFile = join(folder, 'ledger.json.tmp');
  }

  read(): FoundDocument {
    const options = { maxBytes: MAX_DOCUMENT_BYTES };
    // For a moment only the new file exists; it is complete once the old one is gone.
    const bytes =
      readFileIfExistsSync(this.path, options) ?? readFileIfExistsSync(this.#tmpFile, options);
    return bytes && parseDocument(bytes.toString('utf8'));
  }

  async write(document: LedgerDocument): Promise<void> {
    const descriptor = this.#createTmpFile();
    try {
      writeFileSync(descriptor, serializeDocument(document));
    } finally {
      closeSync(descriptor);
    }
    // Not renamed over the old file: some file systems (ext4) then flush it at once, which takes 20 times longer.
    await retryWhileBusy(() => {
      unlinkIfExists(this.path);
    });
    await retryWhileBusy(() => {
      renameSync(this.#tmpFile, this.path);
    });
  }

  #createTmpFile(): number {
    try {
      return createFileSync(this.#tmpFile, FILE_MODE);
    } catch (error) {
      // A killed process left it.
      if (!isSystemError(error, 'EEXIST')) throw error;
      unlinkSync(this.#tmpFile);
      return createFileSync(this.#tmpFile, FILE_MODE);
    }
  }
}

/** rmSync, which also handles folders and retries, takes ten times longer. */
function unlinkIfExists(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}
