/** Which chapters the account has read, for the key `keep-unread`: one request per hundred titles in each run. */
import { ServiceError } from '../core/errors.js';
import { sha256Of } from '../core/sha256.js';
import { effectiveOptions } from '../config/options.js';
import { fetchReadMarkers } from '../service/account.js';
import { requireLogin } from '../service/login.js';
import type { LibraryIndex } from '../library/scan.js';
import type { SubscribedTitle, SyncSession } from './sync-session.js';

export function keepsUnread({ options }: SubscribedTitle, { context }: SyncSession): boolean {
  return effectiveOptions(options, context.settings).keepUnread === true;
}

/** The ids of the chapters, in lower case. Throws AuthError without a login, and errors of the service. */
export async function readChapters(
  titleIds: readonly string[],
  { client, login, userSignal: signal }: SyncSession,
): Promise<ReadonlySet<string>> {
  await requireLogin(login, 'the key keep-unread of the subscriptions file', signal);
  const read = await fetchReadMarkers(client, titleIds, signal);
  if (read) return read;
  const message = 'MangaDex does not say which chapters are read.';
  throw new ServiceError('request-refused', message, {
    hint: 'Without the key keep-unread in the subscriptions file, all chapters are kept.',
  });
}

/** The read chapters of the title that have files, as text: a change of them makes the title due. */
export function readText(
  titleId: string,
  library: LibraryIndex,
  readIds: ReadonlySet<string>,
): string | undefined {
  const ids = library
    .ofTitle(titleId)
    .filter(({ chapterId, isBound }) => !isBound && readIds.has(chapterId.toLowerCase()))
    .map(({ chapterId }) => chapterId.toLowerCase());
  if (ids.length === 0) return undefined;
  const text = [...new Set(ids)].sort().join('\n');
  return sha256Of(text, 'base64url');
}
