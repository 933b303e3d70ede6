/**
 * One page until it is there: load, report, and after a failure a fresh base URL, at most five times
 * (spec 4.3). The order is the network's: the failed load is reported before the metadata is asked for again.
 */
import type { BaseUrl, BaseUrls } from '../delivery/at-home.js';
import { loadImage, type ImageLoader, type ImageOutcome } from '../delivery/image-load.js';
import type { LoadReason } from '../delivery/load-reason.js';
import { pageUrl, promisedDigest, type Quality } from '../delivery/page-url.js';
import { ChapterError, LoadError, ServiceError } from '../kernel/errors.js';
import { asStorageError } from '../kernel/files.js';
import type { Reports } from '../reports/outbox.js';
import type { IsOwn } from '../service/own-domain.js';
import type { Observe } from './events.js';
import type { PageSlot, PageSlots } from './page-slots.js';
import { MOST_ATTEMPTS, retryPauseMs } from './retry-pause.js';
import type { Workspace } from './workspace.js';

export interface PageParts {
  readonly loader: ImageLoader;
  readonly slots: PageSlots;
  /** Absent where the user wants no reports. */
  readonly reports: Reports | undefined;
  readonly isOwn: IsOwn;
  readonly observe: Observe;
  readonly random: () => number;
}

export interface PageJob {
  readonly chapter: string;
  /** Counted from 1. */
  readonly page: number;
  readonly fileName: string;
  readonly hash: string;
  readonly quality: Quality;
  readonly baseUrls: BaseUrls;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

/** One attempt: the base URL it used, and how it went; no address, no load. */
type Attempt =
  | { readonly base: BaseUrl; readonly url: URL; readonly outcome: ImageOutcome }
  | { readonly base: BaseUrl; readonly url: undefined; readonly outcome: LoadError };

/**
 * Leaves the page in the workspace. Throws ChapterError('page-lost'), ServiceError('bad-answer') where the service
 * names no usable base URL, or what stops the whole chapter.
 */
export async function loadPage(job: PageJob, parts: PageParts): Promise<void> {
  const wrongPictures: WrongPictures = new Map();
  for (let attempt = 1; ; attempt += 1) {
    const done = await parts.slots.use((slot) => attemptOnce(job, parts, slot));
    if (done.url) {
      const verdict = judge(done.base, done.outcome, wrongPictures);
      // Journalled before the page is kept: a kill in between costs a load, which is reported again, and no report.
      await report(done.url, done.outcome, verdict !== 'failed', parts, job.signal);
      if (verdict !== 'failed') {
        await keep(job, done.outcome);
        tellLoaded(job, parts, done.url, done.outcome, verdict);
        return;
      }
    }
    const { reason, message } = failureOf(done.outcome);
    parts.observe({ type: 'page-failed', chapter: job.chapter, page: job.page, reason, attempt });
    if (attempt === MOST_ATTEMPTS) {
      throw done.url ? lost(job, message) : new ServiceError('bad-answer', message);
    }
    await parts.loader.clock.sleep(retryPauseMs(attempt, parts.random()), job.signal);
    await job.baseUrls.after(done.base);
  }
}

async function attemptOnce(job: PageJob, parts: PageParts, slot: PageSlot): Promise<Attempt> {
  job.signal.throwIfAborted();
  const base = await job.baseUrls.current();
  const file = job.workspace.partFile(job.page);
  const onBytes = (bytes: number) => {
    parts.observe({ type: 'page-bytes', chapter: job.chapter, bytes });
  };
  const request = {
    file,
    promisedDigest: promisedDigest(job.fileName),
    room: slot.room,
    onBytes,
    onLineFree: slot.free,
  };
  try {
    const url = pageUrl({
      baseUrl: base.url,
      quality: job.quality,
      hash: job.hash,
      fileName: job.fileName,
    });
    return { base, url, outcome: await loadImage(parts.loader, { ...request, url }, job.signal) };
  } catch (error) {
    if (error instanceof LoadError) return { base, url: undefined, outcome: error };
    throw error;
  }
}

/** Pictures that came under a name that promises another digest, with the base URL that gave each. */
type WrongPictures = Map<string, string>;

/**
 * A page whose bytes fail their digest is `doubtful`, and kept with a warning, once two base URLs have given the
 * very same bytes: then it is the name that is wrong.
 */
function judge(
  base: BaseUrl,
  outcome: ImageOutcome,
  wrong: WrongPictures,
): 'proven' | 'doubtful' | 'failed' {
  if (outcome.ok) return 'proven';
  if (!outcome.picture) return 'failed';
  const earlier = wrong.get(outcome.picture.digest);
  wrong.set(outcome.picture.digest, base.url);
  return earlier === undefined || earlier === base.url ? 'failed' : 'doubtful';
}

async function keep(job: PageJob, outcome: ImageOutcome): Promise<void> {
  const picture = outcome.ok ? outcome : outcome.picture;
  if (!picture) return;
  try {
    await job.workspace.keep(job.page, { ...picture, bytes: outcome.bytes });
  } catch (error) {
    throw asStorageError(error, job.workspace.folder);
  }
}

function tellLoaded(
  job: PageJob,
  parts: PageParts,
  url: URL,
  outcome: ImageOutcome,
  verdict: 'proven' | 'doubtful',
): void {
  parts.observe({
    type: 'page-loaded',
    chapter: job.chapter,
    page: job.page,
    bytes: outcome.bytes,
    ms: outcome.durationMs,
    host: url.host,
    cached: outcome.cached,
    ...(verdict === 'doubtful' ? { warning: 'bad-digest' as const } : {}),
  });
}

/** One report for every load from a base URL outside the service's own domain, and none for any other (spec 4.3). */
async function report(
  url: URL,
  outcome: ImageOutcome,
  success: boolean,
  { reports, isOwn }: PageParts,
  signal: AbortSignal,
): Promise<void> {
  if (!reports || (await isOwn(url))) return;
  const { bytes, durationMs, cached } = outcome;
  const body = { url: url.href, success, bytes, duration: durationMs, cached };
  if (success) await reports.record(body);
  else await unlessAborted(reports.attempt(body), signal);
}

/** Whoever wants to stop does not wait for a report host; the report is in the journal by then, or lost with its load. */
async function unlessAborted(act: Promise<void>, signal: AbortSignal): Promise<void> {
  const leave = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true, signal: leave.signal },
    );
  });
  try {
    await Promise.race([act, aborted]);
  } finally {
    leave.abort();
  }
}

function failureOf(outcome: ImageOutcome | LoadError): { reason: LoadReason; message: string } {
  if (outcome instanceof LoadError) return { reason: outcome.code, message: outcome.message };
  return outcome.ok ? { reason: 'bad-digest', message: '' } : outcome;
}

function lost(job: PageJob, why: string): ChapterError {
  return new ChapterError(
    'page-lost',
    `Page ${job.page} of chapter ${job.chapter} could not be loaded in ${MOST_ATTEMPTS} attempts; the last: ${why}`,
  );
}
