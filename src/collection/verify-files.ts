/** Checks the archives and books in folders for damage, offline, and on demand has the damaged chapters loaded again. */
import { stat } from 'node:fs/promises';
import { listArchives } from '../cbz/scan-library.js';
import { UsageError } from '../core/errors.js';
import { isSystemError, lstatIfExists } from '../core/files.js';
import type { RepairedFile } from './repair.js';
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
      readonly type: 'file-repaired';
      readonly file: string;
      /** Where the damaged file is kept. */
      readonly kept: string;
    }
  | {
      readonly type: 'verify-summary';
      readonly checked: number;
      readonly damaged: number;
      /** Damaged ones that were loaded again. */
      readonly repaired: number;
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
  /** Replaces some of the damaged files; undefined: they stay as they are. */
  readonly repair?: (damaged: readonly string[]) => Promise<readonly RepairedFile[]>;
  readonly signal: AbortSignal;
}

interface Listed {
  readonly file: string;
  /** The size of the file; 0 for a folder. */
  readonly bytes: number;
  readonly isFolder: boolean;
}

/** Resolves with how many stay damaged. Throws UsageError `nothing-to-bind` for an input that is missing. */
export async function verifyFiles(inputs: readonly string[], deps: VerifyDeps): Promise<number> {
  const { observe, onProgress, repair, signal } = deps;
  const { files, links } = await listInputs(inputs, signal);
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const damaged: string[] = [];
  let [checked, readBytes, repaired] = [0, 0, 0];
  try {
    for (const { file, isFolder, bytes } of files) {
      onProgress({ checked, total: files.length, bytes: readBytes, totalBytes });
      const damage = await (isFolder ? findFolderDamage(file, signal) : findDamage(file, signal));
      checked += 1;
      readBytes += bytes;
      if (!damage) continue;
      damaged.push(file);
      const { reason, detail: message } = damage;
      observe({ type: 'file-damaged', file, reason, message });
    }
    const replaced = damaged.length > 0 ? await repair?.(damaged) : undefined;
    for (const file of replaced ?? []) {
      repaired += 1;
      observe({ type: 'file-repaired', ...file });
    }
  } finally {
    // Also after an interruption.
    const counts = { checked, damaged: damaged.length, repaired, links };
    observe({ type: 'verify-summary', ...counts });
  }
  return damaged.length - repaired;
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
