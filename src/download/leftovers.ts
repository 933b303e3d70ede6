/** What killed runs left in an output folder. */
import { basename } from 'node:path';
import { workspaceName } from '../library/names.js';
import type { LibraryIndex } from '../library/scan.js';
import type { Clock } from '../core/clock.js';
import {
  isLeftoverTemporary,
  isTemporary,
  isTemporaryLock,
  removeLeftoverFile,
} from '../core/files.js';
import { removeLeftoverLock } from '../core/lock.js';
import { RepairFolder } from './repair-folder.js';
import { Workspace } from './save/workspace.js';

/** The temporary files, locks and folders of repairs, and the workspaces of these chapters, which are saved. */
export function findLeftovers(
  library: LibraryIndex,
  savedIds: readonly string[],
  quality: string,
): readonly string[] {
  const names = new Set(
    savedIds.map((id) => workspaceName(id, library.find(id)?.quality ?? quality)),
  );
  const workspaces = library.hiddenFolders.filter((folder) => names.has(basename(folder)));
  return [...workspaces, ...leftoversAmong(library)];
}

/** The leftovers that are known by their names. A workspace is not among them: it may have pages that are not saved yet. */
export function leftoversAmong({
  hiddenFolders,
  leftoverFiles,
}: Pick<LibraryIndex, 'hiddenFolders' | 'leftoverFiles'>): readonly string[] {
  return [...hiddenFolders.filter((folder) => RepairFolder.isNameOf(folder)), ...leftoverFiles];
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
