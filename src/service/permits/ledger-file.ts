/**
 * The file of the ledger, complete whenever a process is killed. It is not synced, which would take longer than the whole
 * grant: a power cut may damage it. Processes take turns by a lock of their own.
 */
import { renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { retryWhileBusy } from '../../core/busy-retry.js';
import { isSystemError, readFileIfExistsSync } from '../../core/files.js';
import {
  MAX_DOCUMENT_BYTES,
  parseDocument,
  serializeDocument,
  type LedgerDocument,
} from './ledger-document.js';
import type { FoundDocument } from './ledger-history.js';

export function readLedgerFile(file: string): FoundDocument {
  const options = { maxBytes: MAX_DOCUMENT_BYTES };
  // For a moment only the new file exists; it is complete once the old one is gone.
  const bytes =
    readFileIfExistsSync(file, options) ?? readFileIfExistsSync(tmpFileOf(file), options);
  return bytes && parseDocument(bytes.toString('utf8'));
}

export async function writeLedgerFile(file: string, document: LedgerDocument): Promise<void> {
  const tmpFile = tmpFileOf(file);
  writeFileSync(tmpFile, serializeDocument(document), { mode: 0o600 });
  // Not renamed over the old file: some file systems (ext4) then flush it at once, which takes 20 times longer.
  await retryWhileBusy(() => {
    unlinkIfExists(file);
  });
  await retryWhileBusy(() => {
    renameSync(tmpFile, file);
  });
}

/** Holds the new text until it replaces the old one. A killed process may leave it. */
function tmpFileOf(file: string): string {
  return `${file}.tmp`;
}

/** rmSync, which also handles folders and retries, takes ten times longer. */
function unlinkIfExists(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}
