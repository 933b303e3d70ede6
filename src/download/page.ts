/**
 * Downloads one page: load, report, and after a failure a new base URL, up to five times (spec 4.3). The failed load
 * is reported before the metadata is requested again.
 */
import type { IsFirstParty } from '../api/first-party-domain.js';
import type { OutageMonitor } from '../api/outage.js';
import { ChapterError, LoadError, ServiceError, type TankobonError } from '../core/errors.js';
import { formatDuration } from '../core/human-format.js';
import { retryDelayMs } from '../core/retry-delay.js';
import { toStorageError, removeFile } from '../core/files.js';
import { raceWithSignal } from '../core/abort.js';
import type { Reports } from '../health-reports/health-report.js';
import type { BaseUrl, BaseUrls, DeadBaseUrl } from '../image/base-urls.js';
import type { CheckedImage } from '../image/image-check.js';
import { loadImage, type ImageLoaderDeps, type ImageOutcome } from '../image/load-image.js';
import type { LoadReason } from '../image/load-reason.js';
import { pageUrl, digestInFileName, type Quality } from '../image/page-url.js';
import type { Observe } from './events.js';
import type { PageSlot, PageQueue } from './page-queue.js';
import type { Workspace } from './workspace.js';

export interface PageDeps {
  readonly loader: ImageLoaderDeps;
  readonly queue: PageQueue;
  readonly observe: Observe;
  /** In [0, 1). */
  readonly random: () => number;
  /** Undefined if the user turned reports off. */
  readonly reports: Pick<Reports, 'record' | 'recordAndSend'> | undefined;
  readonly isFirstParty: IsFirstParty;
  /** Counts the outages of the service; absent if the run does not wait for their end. */
  readonly outages?: Pick<OutageMonitor, 'count'>;
}

export interface PageJob {
  readonly chapter: string;
  /** Counted from 1. */
  readonly page: number;
  readonly fileName: string;
  readonly hash: string;
  readonly quality: Quality;
  readonly baseUrls: BaseUrls;
  readonly workspace: Pick<Workspace, 'folder' | 'kept' | 'keep' | 'partFile'>;
  readonly signal: AbortSignal;
}

/** The result of one attempt; without `url`, the base URL made no valid address. */
type Attempt =
  | {
      readonly base: BaseUrl;
      readonly url: URL;
      readonly outcome: ImageOutcome;
      /** The image to keep, if the attempt succeeded. */
      readonly image: CheckedImage | undefined;
      /** Settled when the report is stored and, for a failed load, its delivery was tried. */
      readonly reported: Promise<void>;
    }
  | { readonly base: BaseUrl; readonly url: undefined; readonly outcome: LoadError };

/** Complete images whose digest is not the one in the file name: digest to the name of the host that served it. */
type MismatchedImages = Map<string, string>;

const MAX_ATTEMPTS = 5;
const RETRY_DELAYS = { firstMs: 250, maxMs: 5_000 };

/**
 * Stores the page in the workspace. Throws ChapterError('page-lost'), ServiceError('bad-answer') if no base URL was
 * usable, or an error that concerns the whole chapter.
 */
export async function loadPage(job: PageJob, deps: PageDeps): Promise<void> {
  const { chapter, page } = job;
  const mismatched: MismatchedImages = new Map();
  let outages = deps.outages?.count;
  for (let attempt = 1; ; attempt += 1) {
    const result = await nextAttempt(job, deps, mismatched);
    if (result.url) {
      // The report is stored before the page: after a kill in between, the page is loaded and reported again.
      await result.reported;
      if (result.image) {
        await keep(job, result.image, result.outcome.bytes);
        observeLoaded(job, deps, result.url, result.outcome);
        return;
      }
      await discard(job);
    }
    const { reason, message } = failureOf(result.outcome);
    deps.observe({ type: 'page-failed', chapter, page, reason, attempt });
    if (attempt === MAX_ATTEMPTS)
      throw finalError(
        result,
        `Page ${page} of chapter ${chapter} failed ${attempt} times; last error: ${message}`,
      );
    await pause(attempt, job, deps);
    job.baseUrls.retire(result.base);
    await job.baseUrls.untilUsable();
    if (deps.outages?.count !== outages) {
      // The metadata request waited for the end of an outage, which may have caused the earlier failures.
      outages = deps.outages?.count;
      attempt = 0;
    }
  }
}

/** Loads the page once, as soon as a slot is free and a base URL is usable. */
async function nextAttempt(
  job: PageJob,
  deps: PageDeps,
  mismatched: MismatchedImages,
): Promise<Attempt> {
  for (;;) {
    const attempt = await deps.queue.run((slot) => tryOnce(job, deps, slot, mismatched));
    if (attempt) return attempt;
    // Other pages can use the slot meanwhile.
    await job.baseUrls.untilUsable();
  }
}

/** Returns undefined if no base URL is usable now. */
async function tryOnce(
  job: PageJob,
  deps: PageDeps,
  slot: PageSlot,
  mismatched: MismatchedImages,
): Promise<Attempt | undefined> {
  job.signal.throwIfAborted();
  const base = job.baseUrls.take();
  if (!base) return undefined;
  let attempt: Attempt | undefined;
  try {
    attempt = await loadFrom(base, job, deps, slot, mismatched);
    return attempt;
  } finally {
    job.baseUrls.settle(base, attempt && deadBaseUrl(attempt, job, deps));
  }
}

async function loadFrom(
  base: BaseUrl,
  job: PageJob,
  deps: PageDeps,
  slot: PageSlot,
  mismatched: MismatchedImages,
): Promise<Attempt> {
  const { chapter, quality, hash, fileName, signal } = job;
  const request = {
    file: job.workspace.partFile(job.page),
    expectedDigest: digestInFileName(fileName),
    buffer: slot.buffer,
    onBytes: (bytes: number) => {
      deps.observe({ type: 'page-bytes', chapter, bytes });
    },
    onReceived: slot.release,
  };
  try {
    const url = pageUrl({ baseUrl: base.url, quality, hash, fileName });
    const outcome = await loadImage(deps.loader, { ...request, url }, signal);
    const image = outcome.ok ? outcome : confirmedMismatch(url, outcome.image, mismatched);
    const reported = reportLoad(url, outcome, deps, signal);
    return { base, url, outcome, image, reported };
  } catch (error) {
    if (error instanceof LoadError) return { base, url: undefined, outcome: error };
    throw error;
  }
}

/**
 * Returns the image once two hosts have served the same bytes: then the digest in the file name is wrong. Two base
 * URLs of one host are not enough, since it serves the same file again.
 */
function confirmedMismatch(
  { hostname }: URL,
  image: CheckedImage | undefined,
  mismatched: MismatchedImages,
): CheckedImage | undefined {
  if (!image) return undefined;
  const firstHost = mismatched.get(image.digest);
  if (firstHost === undefined) mismatched.set(image.digest, hostname);
  return firstHost === undefined || firstHost === hostname ? undefined : image;
}

/** Reports each load from a base URL outside the service's own domain, exactly once (spec 4.3). */
async function reportLoad(
  url: URL,
  { ok, bytes, durationMs, cached }: ImageOutcome,
  { reports, isFirstParty }: PageDeps,
  signal: AbortSignal,
): Promise<void> {
  if (!reports || (await isFirstParty(url))) return;
  const report = { url: url.href, success: ok, bytes, duration: durationMs, cached };
  if (ok) {
    await reports.record(report);
    return;
  }
  // A user who stops the run does not wait for the report host; the report is stored for the next run.
  await raceWithSignal(reports.recordAndSend(report), signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Whether the attempt shows that its base URL is of no use: nothing responded, or it has expired. */
function deadBaseUrl(attempt: Attempt, job: PageJob, deps: PageDeps): DeadBaseUrl | undefined {
  const { reason, message } = failureOf(attempt.outcome);
  if (attempt.url) {
    const { ok, responded } = attempt.outcome;
    if (ok || (responded && reason !== 'base-url-expired')) return undefined;
  }
  return {
    toError: (count) =>
      finalError(
        attempt,
        `The last ${count} base URLs of chapter ${job.chapter} failed; last error: ${message}`,
      ),
    async beforeRenewal(count) {
      if (attempt.url) await attempt.reported;
      await pause(count, job, deps);
    },
  };
}

function pause(
  attempt: number,
  { chapter, page, signal }: PageJob,
  { loader, random, observe }: PageDeps,
): Promise<void> {
  const delayMs = retryDelayMs(RETRY_DELAYS, attempt, random());
  const message = `page ${page}: next attempt in ${formatDuration(delayMs)}`;
  observe({ type: 'detail', chapter, message });
  return loader.clock.sleep(delayMs, signal);
}

async function keep(
  { page, workspace }: PageJob,
  { digest, extension }: CheckedImage,
  bytes: number,
): Promise<void> {
  try {
    await workspace.keep(page, { digest, extension, bytes });
  } catch (error) {
    throw toStorageError(error, workspace.folder);
  }
}

async function discard({ page, workspace }: PageJob): Promise<void> {
  try {
    await removeFile(workspace.partFile(page));
  } catch (error) {
    throw toStorageError(error, workspace.folder);
  }
}

function observeLoaded(
  { chapter, page }: PageJob,
  { observe }: PageDeps,
  { host }: URL,
  { ok, bytes, durationMs, cached }: ImageOutcome,
): void {
  observe({
    type: 'page-loaded',
    chapter,
    page,
    bytes,
    ms: durationMs,
    host,
    cached,
    ...(!ok && { warning: 'bad-digest' }),
  });
}

function failureOf(outcome: ImageOutcome | LoadError): { reason: LoadReason; message: string } {
  if (outcome instanceof LoadError) return { reason: outcome.code, message: outcome.message };
  return outcome.ok ? { reason: 'bad-digest', message: '' } : outcome;
}

/** If no address was valid, the service's response is at fault. */
function finalError({ url }: Attempt, message: string): TankobonError {
  return url ? new ChapterError('page-lost', message) : new ServiceError('bad-answer', message);
}
