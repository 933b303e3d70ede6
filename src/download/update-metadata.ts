/** The chapters of an update whose pages did not change: their metadata and names are updated, as `retag` does it. */
import { toStorageError } from '../core/files.js';
import { toTankobonError } from '../core/system-errors.js';
import type { DownloadRequest } from './download-request.js';
import type { UpdateEvent } from './events.js';
import type { PlannedChapter } from './plan-jobs.js';
import { isRetag, planRetag, type Retag, type RetagOptions } from './retag-chapter.js';
import { previewRetags, retaggedChapter, writeRetags } from './write-retags.js';

/**
 * Reports each chapter as `chapter-retagged`, `chapter-skipped` or `chapter-failed`. Rejects with the signal's reason when
 * aborted; the remaining chapters are not reported then.
 */
export async function updateMetadata(
  chapters: readonly PlannedChapter[],
  request: DownloadRequest,
  observe: (event: UpdateEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const retags = await planUpdates(chapters, request, observe, signal);
  const onWritten = (retag: Retag, name: string) => {
    observe(updatedEvent(retag, name));
  };
  const onFailed = ({ chapter, file }: Retag, thrown: unknown) => {
    observe(failedEvent(chapter.id, file, thrown));
  };
  await writeRetags(retags, { onWritten, onFailed }, signal);
}

/** Returns the events that updateMetadata would report, for a dry run. */
export async function previewUpdates(
  chapters: readonly PlannedChapter[],
  request: DownloadRequest,
  signal: AbortSignal,
): Promise<readonly UpdateEvent[]> {
  const events: UpdateEvent[] = [];
  const observe = (event: UpdateEvent) => {
    events.push(event);
  };
  const retags = await planUpdates(chapters, request, observe, signal);
  for (const [retag, name] of await previewRetags(retags)) events.push(updatedEvent(retag, name));
  return events;
}

async function planUpdates(
  chapters: readonly PlannedChapter[],
  request: DownloadRequest,
  observe: (event: UpdateEvent) => void,
  signal: AbortSignal,
): Promise<readonly Retag[]> {
  const { nameChapter, volumeField, titleField, localizedSeries, metadata } = request;
  const options: RetagOptions = {
    nameTemplates: [nameChapter(false), nameChapter(true)],
    volumeField,
    titleField,
    localizedSeries,
    force: false,
    hasComparedPages: true,
  };
  const retags: Retag[] = [];
  for (const { job, chapter, title: loadingTitle, compared } of chapters) {
    const file = job.replaces ?? compared?.file ?? job.file;
    const title = await loadingTitle;
    signal.throwIfAborted();
    try {
      // A book keeps the metadata of its chapters. Without its title, a chapter would lose the series.
      const isChanged = compared?.isBound !== true && metadata && chapter && title;
      const planned = isChanged && (await planRetag({ file, chapter, title }, options));
      if (planned && isRetag(planned)) retags.push(planned);
      else observe(unchangedEvent(job.id, file));
    } catch (thrown) {
      observe(failedEvent(job.id, file, thrown));
    }
  }
  return retags;
}

/** A file that got nothing but the version counts as unchanged. */
function updatedEvent(retag: Retag, name: string): UpdateEvent {
  const { chapter, from, changed } = retag;
  const isVisible = changed.length > 0 || name !== from;
  return isVisible ? retaggedChapter(retag, name) : unchangedEvent(chapter.id, name);
}

function unchangedEvent(chapter: string, file: string): UpdateEvent {
  return { type: 'chapter-skipped', chapter, reason: 'already-there', file };
}

function failedEvent(chapter: string, file: string, thrown: unknown): UpdateEvent {
  const error = toTankobonError(toStorageError(thrown, file));
  const { code: reason, message } = error;
  return { type: 'chapter-failed', chapter, reason, message, error };
}
