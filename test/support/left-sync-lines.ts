/** Lines in the journal of a sync, as a killed run leaves them. */
import { SyncJournal } from '../../src/sync/history.js';
import type { SyncLine } from '../../src/sync/history/sync-lines.js';

export async function leaveLines(folder: string, ...lines: readonly SyncLine[]): Promise<void> {
  const journal = await SyncJournal.open(folder, {
    warn: (message) => {
      throw new Error(message);
    },
  });
  journal.addAll(lines);
  await journal.close();
}
