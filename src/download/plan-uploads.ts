/**
 * What becomes of releases of chapters that a file has in a release that the service deleted, or has in another language.
 * A new release replaces the file, or is skipped; a saved one that gets the number makes the file go.
 */
import type { ExistingArchive, LibraryIndex } from '../library/scan.js';
import type { Resolution } from '../selection/resolve-targets.js';
import type { DownloadSession } from './download-session.js';
import { decideUpload, readEarlierUploads } from './earlier-uploads.js';
import type { KnownTitles } from './known-title.js';
import { findSuperseded } from './find-superseded.js';
import type { ChosenChapter, SkippedChapter } from './plan-selection.js';

/** By the ids of the chapters that take their place. */
export type ReplacedArchives = ReadonlyMap<string, ExistingArchive>;

interface PlannedUploads {
  /** Without those that are skipped. */
  readonly missing: readonly ChosenChapter[];
  readonly skipped: readonly SkippedChapter[];
  /** One of a saved chapter in a book too, which gets a file of its own. */
  readonly replacements: ReplacedArchives;
  /** Archives of deleted chapters that make way for the archive of a saved one. */
  readonly superseded: ReplacedArchives;
}

/**
 * A chapter that is a target itself is downloaded in any case, and with `force` one that only the history has.
 * @param replaced what new chapters replace, if that is decided already
 */
export async function planUploads(
  missing: readonly ChosenChapter[],
  {
    series,
    chapters: targets = [],
  }: Pick<Resolution, 'series'> & Partial<Pick<Resolution, 'chapters'>>,
  known: KnownTitles,
  library: LibraryIndex,
  replaced: ReplacedArchives | undefined,
  session: DownloadSession,
): Promise<PlannedUploads> {
  const { request, history } = session;
  const { selection, update, force = false, filesToReplace } = request;
  const replacements = new Map(replaced);
  const superseded = new Map<string, ExistingArchive>();
  const skipped: SkippedChapter[] = [];
  const named = new Set(targets.map(({ id }) => id));
  const isNew = (chosen: ChosenChapter) =>
    !isSavedAlready(chosen) &&
    replaced === undefined &&
    !named.has(chosen.id) &&
    history?.has(chosen.id) !== true;
  const isChanged = (chosen: ChosenChapter) => isSavedAlready(chosen) && !filesToReplace;
  const concerned = new Map(
    missing.filter((chosen) => isNew(chosen) || isChanged(chosen)).map((each) => [each.id, each]),
  );
  for (const { titleId, chapters: listed } of series) {
    const title = known.get(titleId);
    const chosen = listed.flatMap(({ id }) => concerned.get(id) ?? []);
    if (!title || chosen.length === 0) continue;
    const added = chosen.flatMap(({ chapter }) => chapter ?? []);
    const uploads = await readEarlierUploads(added, title, selection, session);
    const replaces = update || force ? ('deleted' as const) : ('none' as const);
    const rules = { selection, replaces, keys: title.keys };
    for (const { id, chapter } of chosen.filter(isNew)) {
      const decision = chapter && decideUpload(chapter, uploads, rules);
      if (decision?.kind === 'skipped')
        skipped.push({ id, reason: decision.reason, file: decision.file });
      // A book gets the chapter in place of the old one when it is bound again.
      else if (decision && !decision.archive.isBound) replacements.set(id, decision.archive);
    }
    const taken = new Set([...replacements.values()].map(({ file }) => file));
    const free = uploads.filter(({ archive }) => !taken.has(archive.file));
    const changed = chosen.filter(isChanged).flatMap(({ chapter }) => chapter ?? []);
    for (const [saved, old] of await findSuperseded(changed, free, library, rules))
      (saved.isBound ? replacements : superseded).set(saved.chapterId, old);
  }
  const skippedIds = new Set(skipped.map(({ id }) => id));
  return {
    missing: missing.filter(({ id }) => !skippedIds.has(id)),
    skipped,
    replacements,
    superseded,
  };
}

function isSavedAlready({ replaces, compared }: ChosenChapter): boolean {
  return replaces !== undefined || compared !== undefined;
}
