/**
 * With `upgrade`, the files of titles follow what the service says of these, which each run receives with the last
 * uploads.
 */
import { createHash } from 'node:crypto';
import { thrownMessage } from '../core/errors.js';
import { emptyResult } from '../download/download-result.js';
import { followedText, followTitle } from './follow-title.js';
import { withScan } from './changed-files.js';
import { releaseRules, seriesRequest } from './sync-request.js';
import type { DueTitle, SyncSession } from './sync-session.js';

/** Titles that were not read in this run are compared only if their files are known to be as the service was before. */
export function hasOldDescription(
  { id, title, options }: Pick<DueTitle, 'id' | 'title' | 'options'>,
  isRead: boolean,
  { journal, context }: Pick<SyncSession, 'journal' | 'context'>,
): boolean {
  const { upgrade } = releaseRules(options, context.settings, undefined);
  const known = journal.state.described.get(id);
  return upgrade && (known === undefined ? isRead : known !== digestOf(title));
}

/** Without a failure, the next run has nothing to do. Rejects when the user stops the run. */
export async function describeTitle(due: DueTitle, session: SyncSession): Promise<void> {
  const { id, title, label, options, output } = due;
  const { libraries, journal, context, listeners, warn, userSignal: signal } = session;
  const { hasVolumeBooks } = seriesRequest(options, session.options, context.settings);
  const library = await libraries.open(output);
  const archives = library.ofTitle(id);
  const written = new Map<string, readonly string[]>();
  const failed: string[] = [];
  await withScan(due, session, async (onChanged) => {
    const onWritten = (file: string, changed: readonly string[]): void => {
      written.set(file, changed);
      onChanged(file);
    };
    const onFailed = (file: string, error: unknown): void => {
      failed.push(file);
      warn(`The metadata of the title stay as they are in ${file}: ${thrownMessage(error)}`);
    };
    await followTitle(archives, title, { hasVolumeBooks }, { onWritten, onFailed }, signal);
  }).finally(() => {
    const result = emptyResult();
    for (const { chapterId, file } of archives)
      if (written.has(file)) result.retaggedFiles.set(chapterId, file);
    libraries.update(output, id, result);
  });
  if (failed.length === 0) journal.add({ described: id, digest: digestOf(title) });
  const changed = [...new Set([...written.values()].flat())].sort();
  if (written.size > 0)
    listeners.observe({
      type: 'title-changed',
      title: id,
      name: label,
      changed,
      files: written.size,
    });
}

function digestOf(title: DueTitle['title']): string {
  return createHash('sha256').update(followedText(title)).digest('base64url').slice(0, 16);
}
