/** What a download does with chapters whose number a file has, of a chapter that the service deleted or renumbered. */
import type { ExistingArchive, LibraryIndex } from '../cbz/library-index.js';
import type { Resolution } from '../selection/resolve-targets.js';
import type { DownloadSession } from './download-session.js';
import { decideUpload, readEarlierUploads } from './earlier-uploads.js';
import type { ChosenChapter, SkippedChapter } from './plan-selection.js';
import { savedState } from './saved-state.js';

export interface PlannedUploads {
  readonly selected: readonly ChosenChapter[];
  readonly skipped: readonly SkippedChapter[];
  /** The archives that chapters replace, by the ids of these. */
  readonly replacements: ReadonlyMap<string, ExistingArchive>;
}

/** A chapter that is a target itself is downloaded in any case. */
export async function planUploads(
  selected: readonly ChosenChapter[],
  { chapters: targets, series, titles }: Resolution,
  library: LibraryIndex,
  session: DownloadSession,
): Promise<PlannedUploads> {
  const { selection, update, force = false } = session.request;
  const { history } = session;
  const isReplacing = update || force;
  const replacements = new Map<string, ExistingArchive>();
  const skipped: SkippedChapter[] = [];
  const named = new Set(targets.map(({ id }) => id));
  const missing = new Map(
    selected.flatMap(({ id, chapter }) =>
      chapter && !named.has(id) && savedState({ id }, { library, history }).state === 'missing'
        ? [[id, chapter] as const]
        : [],
    ),
  );
  for (const { titleId, chapters: listed } of series) {
    const title = titles.get(titleId);
    const added = listed.flatMap(({ id }) => missing.get(id) ?? []);
    if (!title || added.length === 0) continue;
    const uploads = await readEarlierUploads({ title, added, listed, library }, session);
    const rules = { selection, isReplacing, numbersRestart: title.numbersRestart };
    for (const chapter of added) {
      const { id } = chapter;
      const decision = decideUpload(chapter, uploads, rules);
      if (decision?.kind === 'skipped')
        skipped.push({ id, reason: decision.reason, file: decision.file });
      // A book gets the chapter in place of the old one when it is bound again.
      else if (decision && !decision.archive.isBound) replacements.set(id, decision.archive);
    }
  }
  const skippedIds = new Set(skipped.map(({ id }) => id));
  return {
    selected: selected.filter(({ id }) => !skippedIds.has(id)),
    skipped,
    replacements,
  };
}
