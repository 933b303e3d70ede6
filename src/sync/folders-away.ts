/** Output folders whose disk may not be mounted, or is full: nothing is written to them, and titles with other folders go on. */
import { isInFolder } from '../config/own-folders.js';
import { hasCode, StorageError, type TankobonError } from '../core/errors.js';
import { deviceOf } from '../core/file-system.js';
import { checkUsedFolder } from '../download/download-archive.js';
import { addFolderFailure } from './run-report.js';
import { syncCommandLine } from './subscriptions.js';
import type { SyncSession } from './sync-session.js';

/** Reports the folder once in a run. */
export async function isFolderAway(output: string, session: SyncSession): Promise<boolean> {
  if (session.foldersAway.has(output)) return true;
  try {
    await checkOutput(output, session);
    const full = session.fullDevices.get(session.devices.get(output));
    if (full) throw full;
    return false;
  } catch (error) {
    if (!hasCode(error)) throw error;
    giveUp(output, error, session);
    return true;
  }
}

/**
 * Throws StorageError `output-away` if the disk of the folder may not be mounted: a folder that is made in its place would
 * be on another disk, and would look used to later runs.
 */
export async function checkOutput(output: string, session: SyncSession): Promise<void> {
  const { history, options, context, devices } = session;
  await checkUsedFolder(output, history, (words) => syncCommandLine(words, options.file, context));
  const device = await deviceOf(output);
  const before = devices.get(output) ?? device;
  devices.set(output, before);
  if (before === device) return;
  throw new StorageError(
    'output-away',
    `The output folder is not on the disk any more on which it was when the run began: ${output}`,
  );
}

/** Whether the error concerns the disk of the folder alone: then titles with other folders go on. */
export function isFolderError(error: TankobonError, output: string, session: SyncSession): boolean {
  const isFull =
    hasCode(error, 'disk-full') && error.path !== undefined && isInFolder(error.path, output);
  if (!isFull && !hasCode(error, 'output-away')) return false;
  const device = session.devices.get(output);
  if (isFull && device !== undefined) session.fullDevices.set(device, error);
  giveUp(output, error, session);
  return true;
}

function giveUp(output: string, error: TankobonError, session: SyncSession): void {
  session.foldersAway.add(output);
  addFolderFailure(output, error, session);
}
