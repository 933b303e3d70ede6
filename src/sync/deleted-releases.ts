/** Releases of followed titles that the service deleted: their common feed has only what became readable. */
import { fetchChapters, type Chapter } from '../api/chapters.js';
import { groupBy } from '../core/group-by.js';
import { releaseKey } from '../selection/select-chapters.js';
import { isTolerable } from '../selection/title-loader.js';
import { writeKnownReleases } from './known-releases.js';
import { languagesOf } from './sync-request.js';
import type { SyncSession } from './sync-session.js';
import type { DueTitle } from './sync-titles.js';

/**
 * The remembered releases without those that the service deleted, which are forgotten: a title's own feed lacks them. Only downloaded ones
 * whose number a later upload has are asked about, in one request.
 */
export async function withoutDeleted(
  { id: titleId, title, options, follow }: DueTitle,
  releases: readonly Chapter[],
  isDownloaded: (chapterId: string) => boolean,
  { client, userSignal: signal, context, options: { dryRun, folder } }: SyncSession,
): Promise<readonly Chapter[]> {
  if (!follow?.releases) return releases;
  const languages = languagesOf(options, context.settings);
  const keyOf = (chapter: Chapter) => releaseKey(chapter, { languages }, title.numbersRestart);
  const ids = new Set(uploadedAgain(groupBy(releases, keyOf).values(), isDownloaded));
  if (ids.size === 0) return releases;
  const existing = await fetchChapters(client, [...ids], { signal }).catch((error: unknown) => {
    if (!isTolerable(error)) throw error;
    return undefined;
  });
  if (!existing) return releases;
  const left = releases.filter(({ id }) => !ids.has(id) || existing.has(id));
  if (left.length < releases.length && !dryRun) await writeKnownReleases(folder, titleId, left);
  return left;
}

/** The ids of downloaded releases that are older than another one in their group. */
function uploadedAgain(
  groups: Iterable<readonly Chapter[]>,
  isDownloaded: (chapterId: string) => boolean,
): readonly string[] {
  return [...groups].flatMap((group) => {
    const others = group.filter(({ id }) => !isDownloaded(id));
    const latestMs = Math.max(...others.map(uploadedMs));
    return group.flatMap((chapter) =>
      isDownloaded(chapter.id) && uploadedMs(chapter) < latestMs ? [chapter.id] : [],
    );
  });
}

function uploadedMs({ createdAt, readableAt, publishAt }: Chapter): number {
  return (createdAt ?? readableAt ?? publishAt)?.getTime() ?? 0;
}
