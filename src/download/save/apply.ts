/**
 * Carries changes out, in an order in which a run may be killed at any point: first what replaces a file, since that may
 * leave a name that a new one gets; then new files. Where the service has the pages of a file that was to be replaced, the
 * file gets new metadata and names, as with `retag`, and a chapter in a book a file of its own. What may be replaced is
 * asked right before (library/ownership.ts).
 */
import { resolve } from 'node:path';
import { ChapterError, type TankobonError } from '../../core/errors.js';
import { MAX_SEGMENT_BYTES } from '../../core/path-segment.js';
import { toStorageError } from '../../core/files.js';
import { toTankobonError } from '../../core/system-errors.js';
import { comparedFile, replacedFile, type Retag } from '../../plan/change.js';
import { fetchAtHomeMetadata } from '../../service/at-home.js';
import { saveChapters, type BatchDeps } from './batch.js';
import { hasSamePages, type ChapterDeps } from './chapter.js';
import type { DownloadRequest } from '../download-request.js';
import type { DownloadSession } from '../download-session.js';
import type { UpdateEvent } from '../../events/download-events.js';
import { planExtract, writeExtract, type ExtractedChapter } from './extract-chapter.js';
import type { Plan, PlannedChapter } from '../plan.js';
import { keptInUnchanged } from '../../plan/chapter-changes.js';
import { applyRetags, planRetag, retaggedEvent, type RetagOptions } from '../retag.js';

/** Events say what happened to each chapter. Resolves with the error that stopped the run, if one did. */
export async function applyChanges(
  chapters: readonly PlannedChapter[],
  deps: ChapterDeps & Pick<BatchDeps, 'onClaimedElsewhere'>,
  session: Pick<DownloadSession, 'request' | 'listeners' | 'userSignal'>,
): Promise<TankobonError | undefined> {
  const { userSignal } = session;
  const stop = new AbortController();
  const signal = AbortSignal.any([userSignal, stop.signal]);
  const samePageIds = new Set<string>();
  const onSamePages = (id: string) => {
    samePageIds.add(id);
  };
  let stoppedBy: TankobonError | undefined;
  for (const each of replacingFirst(chapters)) {
    const jobs = each.map(({ job }) => job);
    const batchError = await saveChapters(jobs, { ...deps, onSamePages }, signal);
    const same = each.filter(({ job }) => samePageIds.has(job.id));
    const updateError = same.length > 0 ? await updateUnchanged(same, session) : undefined;
    stoppedBy ??= batchError ?? updateError;
    // The other chapters are reported as not started.
    if (stoppedBy) stop.abort(stoppedBy);
  }
  return stoppedBy;
}

function replacingFirst(
  chapters: readonly PlannedChapter[],
): readonly (readonly PlannedChapter[])[] {
  const isReplacing = ({ job }: PlannedChapter) => replacedFile(job.change) !== undefined;
  const replacing = chapters.filter(isReplacing);
  const added = chapters.filter((planned) => !isReplacing(planned));
  return [replacing, added].filter(({ length }) => length > 0);
}

/** Resolves with the interruption that stopped it; what is not updated then counts as not started. */
async function updateUnchanged(
  chapters: readonly PlannedChapter[],
  { request, listeners, userSignal }: Pick<DownloadSession, 'request' | 'listeners' | 'userSignal'>,
): Promise<TankobonError | undefined> {
  const remaining = new Set(chapters.map(({ job }) => job.id));
  const observe = (event: UpdateEvent): void => {
    remaining.delete(event.chapter);
    listeners.observe(event);
  };
  try {
    await updateMetadata(chapters, request, observe, { dryRun: false, signal: userSignal });
    return undefined;
  } catch (error) {
    if (!userSignal.aborted) throw error;
    for (const chapter of remaining)
      listeners.observe({ type: 'chapter-skipped', chapter, reason: 'not-started' });
    return toTankobonError(error);
  }
}

/**
 * The plan for a dry run, and what a sync reports. Requests what the download would: chapters without metadata are dropped
 * if they are unavailable, and for those whose files have the pages of the service, what would become of the files is in
 * `updates`.
 */
export async function previewChanges(
  plan: Plan,
  request: DownloadRequest,
  { client }: Pick<DownloadSession, 'client'>,
  signal: AbortSignal,
): Promise<Plan> {
  const chapters: PlannedChapter[] = [];
  const samePages: PlannedChapter[] = [];
  const failed = [...plan.failed];
  for (const planned of plan.chapters) {
    const { job } = planned;
    try {
      const isCompared = comparedFile(job.change) !== undefined;
      const isRequested = !planned.chapter || isCompared;
      const metadata = isRequested && (await fetchAtHomeMetadata(client, job.id, signal));
      const isSame = metadata && (await hasSamePages(job, metadata));
      (isSame ? samePages : chapters).push(planned);
    } catch (error) {
      if (!(error instanceof ChapterError)) throw error;
      failed.push({ id: job.id, error });
    }
  }
  const updates: UpdateEvent[] = [];
  const observe = (event: UpdateEvent) => {
    updates.push(event);
  };
  await updateMetadata(samePages, request, observe, { dryRun: true, signal });
  return { ...plan, chapters, failed, updates };
}

/**
 * Reports each chapter as `chapter-retagged`, `chapter-skipped` or `chapter-failed`. Rejects with the signal's reason when
 * aborted; the remaining chapters are not reported then.
 */
async function updateMetadata(
  chapters: readonly PlannedChapter[],
  request: DownloadRequest,
  observe: (event: UpdateEvent) => void,
  run: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { dryRun, signal } = run;
  const { retags, extracts } = await planUpdates(chapters, request, observe, signal);
  const onWritten = (retag: Retag, name: string) => {
    observe(updatedEvent(retag, name));
  };
  const onFailed = ({ chapter, file }: Retag, thrown: unknown) => {
    observe(failedEvent(chapter.id, file, thrown));
  };
  await applyRetags(retags, { onWritten, onFailed }, run);
  for (const extract of extracts) {
    signal.throwIfAborted();
    const { job, source } = extract;
    try {
      observe(extractedEvent(extract, dryRun ? job.file : await writeExtract(extract, signal)));
    } catch (thrown) {
      signal.throwIfAborted();
      observe(failedEvent(job.id, source.file, thrown));
    }
  }
}

async function planUpdates(
  chapters: readonly PlannedChapter[],
  request: DownloadRequest,
  observe: (event: UpdateEvent) => void,
  signal: AbortSignal,
): Promise<{ readonly retags: readonly Retag[]; readonly extracts: readonly ExtractedChapter[] }> {
  const { volumeField, titleField, localizedSeries, metadata } = request;
  const [first] = chapters;
  const options: RetagOptions = {
    maxNameBytes: first?.job.maxNameBytes ?? MAX_SEGMENT_BYTES,
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
      else if (change.kind === 'extract') {
        const isKept = change.why === 'lost-pages' && change.removes.length === 0;
        if (isKept) observe(unchangedEvent(job.id, file));
        else extracts.push(await planExtract(job, file));
      } else if (change.kind === 'replace') {
        const removes = change.removes.map((old) => ({ ...old, keep: job.keep }));
        const { path, series: titleName } = change;
        const isMoved = change.why === 'moved';
        // The record of an older file has no name, and its place stays.
        const isNamed = isMoved || change.recorded.path !== undefined;
        const recorded = isNamed ? change.recorded : undefined;
        const pathOf = () => ({ to: resolve(path), root: resolve(request.output), recorded });
        const ofChange = { file, chapter, title, removes, titleName, isMoved, pathOf };
        const planned = await planRetag(ofChange, options);
        if (planned.kind === 'retag') retags.push(planned);
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
  return (
    retaggedEvent(retag, name) ?? unchangedEvent(retag.chapter.id, name, keptInUnchanged(retag))
  );
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
