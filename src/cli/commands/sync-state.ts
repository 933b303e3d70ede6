/** What the last runs recorded of a subscriptions file, for the commands that read it. */
import { checkStateFolder } from '../../config/state-folder.js';
import { readSyncState, syncFolder, type SyncState } from '../../sync/sync-journal.js';
import type { BareCommandContext } from '../command-context.js';

/** Throws UsageError `bad-setting` if other users can write to the state folder. */
export async function checkedSyncFolder(
  file: string,
  context: Pick<BareCommandContext, 'paths' | 'env'>,
): Promise<string> {
  checkStateFolder(context);
  return syncFolder(context.paths.state, file);
}

/** Reads the state of a subscriptions file. Throws as checkedSyncFolder does. */
export async function readStateOf(
  file: string,
  context: Pick<BareCommandContext, 'paths' | 'env'>,
): Promise<SyncState> {
  return readSyncState(await checkedSyncFolder(file, context));
}
