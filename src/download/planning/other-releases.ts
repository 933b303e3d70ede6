/**
 * Chapters that are targets themselves, and of which a file has another release in the same language: their owner decides.
 * Which files are of the same chapter is known from the lists that earlier runs kept, and from the files; nothing
 * is sent.
 */
import { basename } from 'node:path';
import type { Chapter } from '../../service/chapters.js';
import { groupBy } from '../../core/group-by.js';
import { isSameUuid, UUID_PATTERN } from '../../core/uuid.js';
import type { FoundChapter } from '../../library/file.js';
import type { LibraryIndex } from '../../library/scan.js';
import { isOwnChapter, skip, type Decision, type Release } from '../../plan/change.js';
import { ListingCache } from '../../selection/listing-cache.js';
import { chapterKeys, mayReplace } from '../../selection/same-chapter.js';
import type { DownloadSession, OtherRelease } from '../download-session.js';
import { readRelease } from '../known-title.js';
import { titleIdOf } from './comic-metadata.js';

interface Found extends OtherRelease {
  readonly archive: FoundChapter;
}

/** The changes, as the owner chooses for chapters that a file has in another release. */
export async function askForOtherReleases<Changed extends Decision>(
  changes: readonly Changed[],
  named: readonly Release[],
  library: LibraryIndex,
  session: DownloadSession,
): Promise<readonly (Changed | Decision)[]> {
  const { onOtherReleases } = session.listeners;
  if (!onOtherReleases || session.request.repairs) return changes;
  const namedIds = new Set(named.map(({ id }) => id));
  const saves = changes.flatMap((change) =>
    change.kind === 'save' && namedIds.has(change.release.id) ? (change.release.chapter ?? []) : [],
  );
  const isNamed = ({ id }: Chapter) => named.some((release) => isSameUuid(release.id, id));
  const found = await findOtherReleases(saves, isNamed, library, session);
  if (found.length === 0) return changes;
  const choice = await onOtherReleases(found);
  if (choice === 'both') return changes;
  const taken = new Set<string>();
  return changes.map((change) => {
    if (change.kind !== 'save') return change;
    const other = found.find(({ chapter }) => chapter.id === change.release.id);
    if (!other) return change;
    const { chapter, archive, saved } = other;
    const { file, chapterId, version, quality } = archive;
    if (choice === 'nothing') return skip(chapter, 'other-release-saved', { file, instead: saved });
    if (!other.mayBeReplaced || taken.has(file)) return change;
    taken.add(file);
    const known = { file, chapterId, saved: { version, quality } };
    const { release } = change;
    return { kind: 'replace', release, file: known, why: 'better-release', removes: [] } as const;
  });
}

/** The first file of each chapter that has another release. Of two releases that are targets, both are wanted. */
async function findOtherReleases(
  chapters: readonly Chapter[],
  isNamed: (saved: Chapter) => boolean,
  library: LibraryIndex,
  session: DownloadSession,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const [titleId, ofTitle] of groupBy(chapters, (chapter) => titleIdOf(chapter) ?? '')) {
    const archives = titleId === '' ? [] : library.ofTitle(titleId);
    if (archives.length === 0) continue;
    const saved = await readReleases(titleId, archives, ofTitle, session);
    const { numbersRestart = false } = ofTitle[0]?.partialTitle ?? {};
    const nowMs = session.context.clock.wallMs();
    const all = [...ofTitle, ...saved.map(({ release }) => release)];
    const keys = chapterKeys(all, { numbersRestart, nowMs });
    for (const chapter of ofTitle) {
      const others = saved.filter(
        ({ release }) =>
          !isSameUuid(release.id, chapter.id) &&
          release.language === chapter.language &&
          keys.keyOf(release) === keys.keyOf(chapter),
      );
      const [other] = others;
      if (!other || others.some(({ release }) => isNamed(release))) continue;
      const { archive, release } = other;
      // Where there are several, a person chooses better in the folder.
      const mayBeReplaced =
        others.length === 1 && isOwnChapter(archive) && mayReplace(release, chapter, keys);
      found.push({ chapter, saved: release, file: archive.file, mayBeReplaced, archive });
    }
  }
  return found;
}

/** What the files of a title have. A file is opened only if no list has its chapter, and its name may have the number. */
async function readReleases(
  titleId: string,
  archives: readonly FoundChapter[],
  listed: readonly Chapter[],
  { context, signal }: DownloadSession,
): Promise<readonly { readonly archive: FoundChapter; readonly release: Chapter }[]> {
  const listing = new ListingCache(context.paths.state).read(titleId);
  const all = [...(listing?.earlier ?? []), ...(listing?.releases ?? [])];
  const known = new Map(all.map((release) => [release.id, release]));
  const read: { readonly archive: FoundChapter; readonly release: Chapter }[] = [];
  for (const archive of archives) {
    signal.throwIfAborted();
    const { chapterId, file } = archive;
    const inList = known.get(chapterId);
    const isRead = !inList && listed.some(({ number }) => mayHaveNumber(basename(file), number));
    const inFile = isRead ? await readRelease(archive, listed) : undefined;
    const release = inList ?? inFile?.release;
    if (release) read.push({ archive, release });
  }
  return read;
}

const UUID = new RegExp(UUID_PATTERN);

/** Opening the thousand files of a long title takes seconds. A name without numbers, or with an id, may be of any chapter. */
function mayHaveNumber(name: string, number: string | undefined): boolean {
  if (number === undefined || !/\d/.test(name) || UUID.test(name)) return true;
  const digits = number.replace(/[^\p{L}\p{N}]/gu, '\\$&');
  return new RegExp(`(?<!\\d)0*${digits}(?!\\d)`, 'u').test(name);
}
