/** Output folders whose disk may not be mounted: nothing is written to them, and titles with other folders go on. */
import { hasCode } from '../core/errors.js';
import { checkUsedFolder } from '../download/download-archive.js';
import { addFolderFailure } from './run-report.js';
import { syncCommandLine } from './subscriptions.js';
import type { SyncSession } from './sync-session.js';

/** Reports the folder once in a run. */
export async function isFolderAway(output: string, session: SyncSession): Promise<boolean> {
  const { foldersAway, history, options, context } = session;
  if (foldersAway.has(output)) return true;
  try {
    await checkUsedFolder(output, history, (words) =>
      syncCommandLine(words, options.file, context),
    );
    return false;
  } catch (error) {
    if (!hasCode(error)) throw error;
    foldersAway.add(output);
    addFolderFailure(output, error, session);
    return true;
  }
}
