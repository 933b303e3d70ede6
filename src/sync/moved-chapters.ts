/**
 * Chapters that the service moved to a title of another output folder. The history has them, but no file of that folder
 * does: they get files there, and the old ones stay.
 */
import type { LibraryIndex } from '../library/scan.js';
import { fetchTitleIfAvailable } from '../selection/title-loader.js';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { groupBy } from '../core/group-by.js';
import type { UnnamedWrite } from '../plan/change.js';
import { isMovedTo } from '../plan/chapter-changes.js';
import { formerIdsOf } from './history.js';
import { outputsOf } from './subscriptions.js';
import { historyFor } from './sync-save.js';
import type { DueTitle, SyncSession } from './sync-session.js';

interface MovedChapter {
  /** The file in the other output folder. */
  readonly file: string;
  readonly from: Title;
}

/** By the ids of the chapters. One request for each title that the old files name, if there are any. */
export async function findMovedHere(
  due: DueTitle,
  listed: readonly Chapter[],
  library: LibraryIndex,
  session: SyncSession,
): Promise<ReadonlyMap<string, MovedChapter>> {
  const { client, journal, userSignal } = session;
  const history = historyFor(due, session);
  const before = new Set(journal.state.titles[due.id]?.movedHere);
  const isWithoutFile = ({ id }: Chapter) =>
    history?.has(id) === true && !before.has(id) && !library.find(id) && !library.findDamaged(id);
  const withoutFile = listed.filter(isWithoutFile);
  const moved = new Map<string, MovedChapter>();
  if (withoutFile.length === 0) return moved;
  const ownIds = [due.id, ...formerIdsOf(due.id, journal.state)];
  const elsewhere = (await otherLibraries(due, session)).flatMap((other) =>
    withoutFile.flatMap(({ id }) => other.find(id) ?? []),
  );
  for (const [titleId = due.id, archives] of groupBy(elsewhere, (archive) => archive.titleId)) {
    if (ownIds.includes(titleId)) continue;
    const from = await fetchTitleIfAvailable(client, titleId, userSignal);
    if (from && isMovedTo(due.id, titleId, () => from.id))
      for (const { chapterId, file } of archives) moved.set(chapterId, { file, from });
  }
  return moved;
}

/** The scans of the other output folders of the subscriptions file, where they can be read. */
async function otherLibraries(
  { output }: DueTitle,
  { subscriptions, options: { file }, context, foldersAway, libraries, userSignal }: SyncSession,
): Promise<readonly LibraryIndex[]> {
  const found: LibraryIndex[] = [];
  for (const other of outputsOf(subscriptions, file, context.settings)) {
    if (other === output || foldersAway.has(other)) continue;
    const library = await libraries.open(other).catch((error: unknown) => {
      if (userSignal.aborted) throw error;
      return undefined;
    });
    if (library) found.push(library);
  }
  return found;
}

/** Says which of the chapters to save are in another output folder. Once they have files here, it is not said again. */
export function reportMovedHere(
  { label }: DueTitle,
  planned: readonly UnnamedWrite[],
  moved: ReadonlyMap<string, MovedChapter>,
  { warn }: SyncSession,
): void {
  for (const { release } of planned) {
    const old = moved.get(release.id);
    if (!old) continue;
    const { number, title } = release.chapter ?? {};
    const chapter = number === undefined ? (title ?? release.id) : `Ch. ${number}`;
    warn(
      `${chapter} was moved from ${old.from.name} to ${label} on MangaDex: it is saved for ${label} too, and this file stays: ${old.file}`,
    );
  }
}
