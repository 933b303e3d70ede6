/** Lets the next run download the chapters of titles again whose files are gone. */
import { currentTitleId, lockHistory, SyncJournal } from './history.js';
import type { EditContext } from './subscriptions.js';

/** Throws RunError `sync-running`. */
export async function forgetTitles(
  file: string,
  titleIds: readonly string[],
  context: EditContext,
  warn: (message: string) => void,
): Promise<void> {
  const { folder, release } = await lockHistory(file, context);
  try {
    const journal = await SyncJournal.open(folder, { warn });
    for (const titleId of titleIds) {
      const id = currentTitleId(titleId, journal.state);
      const known = journal.state.titles[id] ?? { rules: '', readAtMs: 0, waiting: [] };
      const unreported = { gone: undefined, isRemovalReported: undefined };
      const state = { ...known, ...unreported, isIncomplete: true, redownload: true };
      journal.add({ title: id, state });
    }
    await journal.close();
  } finally {
    release();
  }
}
