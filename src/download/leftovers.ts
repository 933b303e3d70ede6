/** What killed runs left in an output folder. */
import { basename } from 'node:path';
import { workspaceName } from '../library/names.js';
import type { LibraryIndex } from '../library/scan.js';
import type { Clock } from '../core/clock.js';
import { Workspace } from './workspace.js';

/** The temporary files, and the workspaces of these chapters, which are saved. */
export function findLeftovers(
  library: LibraryIndex,
  savedIds: readonly string[],
  quality: string,
): readonly string[] {
  const names = new Set(
    savedIds.map((id) => workspaceName(id, library.find(id)?.quality ?? quality)),
  );
  const workspaces = library.hiddenFolders.filter((folder) => names.has(basename(folder)));
  return [...workspaces, ...library.leftoverFiles];
}

/** Leaves what is in use. The rest costs only space: failures are ignored. */
export async function removeLeftovers(paths: readonly string[], clock: Clock): Promise<void> {
  for (const path of paths) await Workspace.removeLeftover(path, clock).catch(() => undefined);
}
