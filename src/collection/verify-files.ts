/** Checks the archives and books in folders for damage, offline. Reads every file once, and changes nothing. */
import { stat } from 'node:fs/promises';
import { listArchives } from '../cbz/library-index.js';
import { UsageError } from '../core/errors.js';
import { isSystemError, lstatIfExists } from '../core/files.js';
import { findDamage, findFolderDamage, type DamageReason } from './damage.js';

export type VerifyEvent =
  | {
      readonly type: 'file-damaged';
      /** For a book in a folder, the folder. */
      readonly file: string;
      readonly reason: DamageReason;
      readonly message: string;
    }
  | {
      readonly type: 'verify-summary';
      readonly checked: number;
      readonly damaged: number;
      /** Symbolic links, which are not followed. */
      readonly links: number;
    };

export interface VerifyProgress {
  readonly checked: number;
  readonly total: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

interface VerifyDeps {
  readonly observe: (event: VerifyEvent) => void;
  readonly onProgress: (progress: VerifyProgress) => void;
  readonly signal: AbortSignal;
}

interface Listed {
  readonly file: string;
  /** The size of the file; 0 for a folder. */
  readonly bytes: number;
  readonly isFolder: boolean;
}

/** Resolves with how many are damaged. Throws UsageError `nothing-to-bind` for an input that is missing. */
export async function verifyFiles(inputs: readonly string[], deps: VerifyDeps): Promise<number> {
  const { observe, onProgress, signal } = deps;
  const { files, links } = await listInputs(inputs, signal);
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let [checked, damaged, readBytes] = [0, 0, 0];
  try {
    for (const { file, isFolder, bytes } of files) {
      onProgress({ checked, total: files.length, bytes: readBytes, totalBytes });
      const damage = await (isFolder ? findFolderDamage(file, signal) : findDamage(file, signal));
      checked += 1;
      readBytes += bytes;
      if (!damage) continue;
      damaged += 1;
      const { reason, detail: message } = damage;
      observe({ type: 'file-damaged', file, reason, message });
    }
  } finally {
    // Also after an interruption.
    observe({ type: 'verify-summary', checked, damaged, links });
  }
  return damaged;
}

async function listInputs(inputs: readonly string[], signal: AbortSignal) {
  const files = new Map<string, Listed>();
  let links = 0;
  for (const input of inputs) {
    if (!(await isFolder(input))) {
      files.set(input, await listed(input));
      continue;
    }
    const found = await listArchives(input, signal);
    links += found.skippedLinks;
    for (const file of [...found.files, ...found.pdfs])
      if (!files.has(file)) files.set(file, await listed(file));
    for (const folder of found.folderBooks)
      files.set(folder, { file: folder, bytes: 0, isFolder: true });
  }
  return { files: [...files.values()], links };
}

async function listed(file: string): Promise<Listed> {
  return { file, bytes: (await lstatIfExists(file))?.size ?? 0, isFolder: false };
}

async function isFolder(input: string): Promise<boolean> {
  try {
    return (await stat(input)).isDirectory();
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) throw error;
    const problem = error.code === 'EACCES' || error.code === 'EPERM' ? 'Cannot read' : 'Not found';
    const hint = 'Pass CBZ files or folders that contain them.';
    throw new UsageError('nothing-to-bind', `${problem}: ${input}`, { cause: error, hint });
  }
}
