/** Binds the chapters of a title after a sync saved some of them, or where an earlier run did not finish it. */
import type { Chapter } from '../service/chapters.js';
import { effectiveOptions } from '../config/options.js';
import { thrownMessage, type TankobonError } from '../core/errors.js';
import { toTankobonError } from '../core/system-errors.js';
import type { ObserveBind } from '../events/bind-events.js';
import { withScan } from './changed-files.js';
import type { DueTitle, SyncSession } from './sync-session.js';

/**
 * Binds all existing chapters of the series if some are not bound yet. A book that fails is a warning, and the title stays
 * unbound for the next run. Resolves with the errors.
 */
export async function bindSeries(
  due: DueTitle,
  releases: readonly Chapter[],
  isNeeded: boolean,
  session: SyncSession,
): Promise<readonly TankobonError[]> {
  const { journal, userSignal } = session;
  if (userSignal.aborted) return [];
  const errors = isNeeded
    ? await withScan(due, session, (onChanged) => bind(due, releases, session, onChanged))
    : [];
  if (errors.length === 0 && journal.state.unbound.has(due.id)) journal.add({ bound: due.id });
  return errors;
}

async function bind(
  { options: series, title, label, output }: DueTitle,
  releases: readonly Chapter[],
  { libraries, context, options: syncOptions, warn, userSignal }: SyncSession,
  onChanged: (path: string) => void,
): Promise<readonly TankobonError[]> {
  const { settings } = context;
  const { cover = settings.cover, coverName = settings.coverName } = syncOptions;
  const options = { ...effectiveOptions(series, settings), output, cover, coverName };
  if (options.bind === false) return [];
  const { bindTitles } = await import('../download/bind-titles.js');
  const observe: ObserveBind = (event) => {
    if (event.type === 'book-saved' || event.type === 'chapter-removed') onChanged(event.file);
    else if (event.type === 'book-failed') warn(`Not bound: ${event.message}`);
    else if (event.type === 'chapter-left-out' && event.reason === 'archive-damaged')
      warn(`Bound without a chapter: ${event.message ?? event.file}`);
    else if (event.type === 'warning') warn(event.message, event.hint);
  };
  const toBind = {
    titles: [{ ...title, chapters: releases }],
    library: await libraries.open(output),
    options,
    nowMs: context.clock.wallMs(),
    completeOnly: false,
    removeChapters: false,
    stateFolder: context.paths.state,
  };
  try {
    return await bindTitles(toBind, observe, userSignal);
  } catch (error) {
    userSignal.throwIfAborted();
    warn(`${label} was not bound: ${thrownMessage(error)}`);
    return [toTankobonError(error)];
  }
}
