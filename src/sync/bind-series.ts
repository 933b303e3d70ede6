/** Binds the chapters of a title after a sync saved some of them, or where an earlier run did not finish it. */
import type { Chapter } from '../service/chapters.js';
import { effectiveOptions } from '../config/options.js';
import { thrownMessage, type TankobonError } from '../core/errors.js';
import { toTankobonError } from '../core/system-errors.js';
import type { ObserveBind } from '../events/bind-events.js';
import type { DueTitle, SyncSession } from './sync-session.js';

/**
 * Binds all existing chapters of the series. A book that fails is a warning, and the next run tries it again. Resolves
 * with the errors.
 */
export async function bindSeries(
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
  const titles = [{ ...title, chapters: releases }];
  const library = await libraries.open(output);
  const nowMs = context.clock.wallMs();
  try {
    return await bindTitles(
      {
        titles,
        library,
        options,
        nowMs,
        completeOnly: false,
        removeChapters: false,
        stateFolder: context.paths.state,
      },
      observe,
      userSignal,
    );
  } catch (error) {
    userSignal.throwIfAborted();
    warn(`${label} was not bound: ${thrownMessage(error)}`);
    return [toTankobonError(error)];
  }
}
