/** What killed runs left in an output folder. */
import { basename, dirname, join } from 'node:path';
import type { Quality } from '../config/quality.js';
import { readFileChapters } from '../library/file.js';
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

interface SavedChapter {
  readonly chapterId: string;
  readonly quality: Quality;
}

/**
 * The temporary files, locks and folders of repairs, and the workspaces of the chapters that are saved: any other one may
 * have pages that are not saved yet.
 */
export function findLeftovers(
  { hiddenFolders, leftoverFiles }: Pick<LibraryIndex, 'hiddenFolders' | 'leftoverFiles'>,
  saved: readonly SavedChapter[] = [],
): readonly string[] {
  const names = new Set(saved.map(({ chapterId, quality }) => workspaceName(chapterId, quality)));
  const workspaces = hiddenFolders.filter((folder) => names.has(basename(folder)));
  const repairs = hiddenFolders.filter((folder) => RepairFolder.isNameOf(folder));
  return [...workspaces, ...repairs, ...leftoverFiles];
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

/** Removes the workspace of a chapter beside its file, if that has all its pages. Failures are ignored. */
export async function removeSavedWorkspace(
  file: string,
  { chapterId, quality }: SavedChapter,
  hiddenFolders: ReadonlySet<string>,
  clock: Clock,
): Promise<void> {
  const workspace = join(dirname(file), workspaceName(chapterId, quality));
  if (!hiddenFolders.has(workspace)) return;
  const [chapter] = await readFileChapters(file);
  const digests = new Set(chapter?.record?.pages);
  await Workspace.removeSaved(workspace, digests, clock).catch(() => undefined);
}
