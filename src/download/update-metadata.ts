/**
 * The chapters of an update whose pages did not change: their metadata and names are updated, as `retag` does it. One in
 * a book gets a file of its own, which the next binding puts into the book.
 */
import { toStorageError } from '../core/files.js';
import { comparedFile, replacedFile } from '../plan/change.js';
import { toTankobonError } from '../core/system-errors.js';
import type { DownloadRequest } from './download-request.js';
import type { UpdateEvent } from './events.js';
import type { PlannedChapter } from './plan-jobs.js';
import { planExtract, writeExtract, type ExtractedChapter } from './extract-chapter.js';
import {
  isRetag,
  keptInUnchanged,
  planRetag,
  type Retag,
  type RetagOptions,
} from './retag-chapter.js';
import { isVisible, previewRetags, retaggedChapter, writeRetags } from './write-retags.js';

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
  const { retags, extracts } = await planUpdates(chapters, request, observe, signal);
  const onWritten = (retag: Retag, name: string) => {
    observe(updatedEvent(retag, name));
  };
  const onFailed = ({ chapter, file }: Retag, thrown: unknown) => {
    observe(failedEvent(chapter.id, file, thrown));
  };
  await writeRetags(retags, { onWritten, onFailed }, signal);
  for (const extract of extracts) {
    signal.throwIfAborted();
    const { job, source } = extract;
    try {
      observe(extractedEvent(extract, await writeExtract(extract, signal)));
    } catch (thrown) {
      signal.throwIfAborted();
      observe(failedEvent(job.id, source.file, thrown));
    }
  }
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
  const { retags, extracts } = await planUpdates(chapters, request, observe, signal);
  for (const [retag, name] of await previewRetags(retags)) events.push(updatedEvent(retag, name));
  for (const extract of extracts) events.push(extractedEvent(extract, extract.job.file));
  return events;
}

async function planUpdates(
  chapters: readonly PlannedChapter[],
  request: DownloadRequest,
  observe: (event: UpdateEvent) => void,
  signal: AbortSignal,
): Promise<{ readonly retags: readonly Retag[]; readonly extracts: readonly ExtractedChapter[] }> {
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
  const extracts: ExtractedChapter[] = [];
  for (const { job, chapter, title: loadingTitle } of chapters) {
    const { change } = job;
    const file = comparedFile(change)?.file ?? change.path;
    const title = await loadingTitle;
    signal.throwIfAborted();
    try {
      // Without its title, a chapter would lose the series.
      if (!metadata || !chapter || !title) observe(unchangedEvent(job.id, file));
      else if (change.kind === 'extract') extracts.push(await planExtract(job, file));
      else {
        const [old] = change.kind === 'replace' ? change.removes : [];
        const supersedes = old && { ...old, keep: job.keep };
        const planned = await planRetag({ file, chapter, title, supersedes }, options);
        if (isRetag(planned)) retags.push(planned);
        else observe(unchangedEvent(job.id, file, keptInUnchanged(planned)));
      }
    } catch (thrown) {
      observe(failedEvent(job.id, file, thrown));
    }
  }
  return { retags, extracts };
}

/** A file that got nothing but the version counts as unchanged. */
function updatedEvent(retag: Retag, name: string): UpdateEvent {
  return isVisible(retag, name)
    ? retaggedChapter(retag, name)
    : unchangedEvent(retag.chapter.id, name, keptInUnchanged(retag));
}

/** A chapter that got nothing but the version counts as unchanged. */
function extractedEvent(
  { job, source, changed, kept }: ExtractedChapter,
  newFile: string,
): UpdateEvent {
  const { file } = source;
  const { file: replaces = newFile } = replacedFile(job.change) ?? {};
  if (changed.length === 0 && replaces === newFile) return unchangedEvent(job.id, newFile);
  return {
    type: 'chapter-retagged',
    chapter: job.id,
    file,
    book: file,
    newFile,
    ...(replaces !== newFile && { removedFile: replaces }),
    changed,
    kept,
  };
}

function unchangedEvent(chapter: string, file: string, kept: readonly string[] = []): UpdateEvent {
  const skipped = { type: 'chapter-skipped', chapter, reason: 'already-there', file } as const;
  return { ...skipped, ...(kept.length > 0 && { kept }) };
}

function failedEvent(chapter: string, file: string, thrown: unknown): UpdateEvent {
  const error = toTankobonError(toStorageError(thrown, file));
  const { code: reason, message } = error;
  return { type: 'chapter-failed', chapter, reason, message, error };
}
