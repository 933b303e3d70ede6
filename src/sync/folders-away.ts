/** Output folders whose disk may not be mounted: nothing is written to them, and titles with other folders go on. */
import { hasCode, type TankobonError } from '../core/errors.js';
import { checkUsedFolder } from '../download/download-archive.js';
import { NO_ID } from './hooks/hook-payloads.js';
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

function addFolderFailure(
  folder: string,
  error: TankobonError,
  { report, listeners }: SyncSession,
): void {
  const { code: reason, message } = error;
  const series = { id: NO_ID, name: 'tankobon sync', folder };
  const update = { event: 'failed' as const, series, chapters: [], reason, message };
  report.errors.push(error);
  report.totals.failed += 1;
  report.failures.push({ target: folder, message });
  report.notices.push({ target: folder, update });
  listeners.observe({ type: 'target-failed', target: folder, reason, message, error });
}
