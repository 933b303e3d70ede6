/**
 * One page until it is there: load, report, and after a failure a fresh base URL, at most five times
 * (spec 4.3). The order is the network's: the failed load is reported before the metadata is asked for again.
 */
import type { BaseUrl, BaseUrls, DeadBaseUrl } from '../image/base-urls.js';
import { loadImage, type ImageLoaderDeps, type ImageOutcome } from '../image/load-image.js';
import type { LoadReason } from '../image/load-reason.js';
import { pageUrl, digestInFileName, type Quality } from '../image/page-url.js';
import { ChapterError, LoadError, ServiceError, type TankobonError } from '../core/errors.js';
import { toStorageError, removeFile } from '../core/files.js';
import type { OutageMonitor } from '../api/outage.js';
import type { Observe } from './events.js';
import { reportLoad, type ReportDeps } from './page-report.js';
import type { PageSlot, PageQueue } from './page-queue.js';
import { MAX_ATTEMPTS, retryPauseMs } from './page-retry.js';
import type { Workspace } from './workspace.js';

export interface PageDeps extends ReportDeps {
  readonly loader: ImageLoaderDeps;
  readonly queue: PageQueue;
  readonly observe: Observe;
  readonly random: () => number;
  /** Outages of the service so far; absent where the run waits for none. */
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
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

/** One attempt: the base URL it used, and how it went; no address, no load. */
type Attempt =
  | {
      readonly base: BaseUrl;
      readonly url: URL;
      readonly outcome: ImageOutcome;
      readonly verdict: Verdict;
      /** Settled when the load's report was stored, or for a failed load tried. */
      readonly reported: Promise<void>;
    }
  | { readonly base: BaseUrl; readonly url: undefined; readonly outcome: LoadError };

type Verdict = 'proven' | 'doubtful' | 'failed';

/**
 * Leaves the page in the workspace. Throws ChapterError('page-lost'), ServiceError('bad-answer') where the service
 * names no usable base URL, or what stops the whole chapter.
 */
export async function loadPage(job: PageJob, parts: PageDeps): Promise<void> {
  const witnesses: Witnesses = new Map();
  let outages = parts.outages?.count;
  for (let attempt = 1; ; attempt += 1) {
    const done = await nextAttempt(job, parts, witnesses);
    if (done.url) {
      // Stored before the page is kept: a kill in between costs a load, which is reported again, and no report.
      await done.reported;
      if (done.verdict !== 'failed') {
        await keep(job, done.outcome);
        tellLoaded(job, parts, done.url, done.outcome, done.verdict);
        return;
      }
      await discard(job);
    }
    const { reason, message } = failureOf(done.outcome);
    parts.observe({ type: 'page-failed', chapter: job.chapter, page: job.page, reason, attempt });
    if (attempt === MAX_ATTEMPTS)
      throw givenUp(
        done,
        `Page ${job.page} of chapter ${job.chapter} could not be loaded in ${attempt} attempts; the last: ${message}`,
      );
    await pause(attempt, job, parts);
    job.baseUrls.retire(done.base);
    await job.baseUrls.untilUsable();
    if (parts.outages?.count !== outages) {
      // The metadata had to wait for the end of an outage, which may have failed the loads before it.
      outages = parts.outages?.count;
      attempt = 0;
    }
  }
}

/** Loads the page once, as soon as there is a slot and a base URL that is not known to be dead. */
async function nextAttempt(job: PageJob, parts: PageDeps, witnesses: Witnesses): Promise<Attempt> {
  for (;;) {
    const done = await parts.queue.run((slot) => attemptOnce(job, parts, slot, witnesses));
    if (done) return done;
    // Without a slot meanwhile: others can use it.
    await job.baseUrls.untilUsable();
  }
}

/** Undefined where no base URL is usable now. */
async function attemptOnce(
  job: PageJob,
  parts: PageDeps,
  slot: PageSlot,
  witnesses: Witnesses,
): Promise<Attempt | undefined> {
  job.signal.throwIfAborted();
  const base = job.baseUrls.take();
  if (!base) return undefined;
  let attempt: Attempt | undefined;
  try {
    attempt = await loadFrom(base, job, parts, slot, witnesses);
    return attempt;
  } finally {
    job.baseUrls.settle(base, attempt && deadBaseUrl(attempt, job, parts));
  }
}

async function loadFrom(
  base: BaseUrl,
  job: PageJob,
  parts: PageDeps,
  slot: PageSlot,
  witnesses: Witnesses,
): Promise<Attempt> {
  const file = job.workspace.partFile(job.page);
  const onBytes = (bytes: number) => {
    parts.observe({ type: 'page-bytes', chapter: job.chapter, bytes });
  };
  const request = {
    file,
    expectedDigest: digestInFileName(job.fileName),
    buffer: slot.buffer,
    onBytes,
    onReceived: slot.release,
  };
  try {
    const url = pageUrl({
      baseUrl: base.url,
      quality: job.quality,
      hash: job.hash,
      fileName: job.fileName,
    });
    const outcome = await loadImage(parts.loader, { ...request, url }, job.signal);
    const verdict = judge(url, outcome, witnesses);
    const reported = reportLoad(url, outcome, verdict === 'proven', parts, job.signal);
    return { base, url, outcome, verdict, reported };
  } catch (error) {
    if (error instanceof LoadError) return { base, url: undefined, outcome: error };
    throw error;
  }
}

/** Where the attempt shows that no page will come from its base URL: nothing responded, or it has expired. */
function deadBaseUrl(attempt: Attempt, job: PageJob, parts: PageDeps): DeadBaseUrl | undefined {
  const { reason, message } = failureOf(attempt.outcome);
  if (attempt.url) {
    const { ok, responded } = attempt.outcome;
    if (ok || (responded && reason !== 'base-url-expired')) return undefined;
  }
  return {
    toError: (deadInARow) =>
      givenUp(
        attempt,
        `The last ${deadInARow} base URLs of chapter ${job.chapter} gave no page; the last: ${message}`,
      ),
    async beforeRenewal(deadInARow) {
      if (attempt.url) await attempt.reported;
      await pause(deadInARow, job, parts);
    },
  };
}

function pause(attempt: number, { signal }: PageJob, { loader, random }: PageDeps): Promise<void> {
  return loader.clock.sleep(retryPauseMs(attempt, random()), signal);
}

/** The complete images that came under a name that promises another digest, with the host name that gave each. */
type Witnesses = Map<string, string>;

/**
 * An image that fails its digest is `doubtful`, and kept with a warning, once two hosts have given the very same
 * bytes: then it is the name that is wrong. Two base URLs of one host are not enough: it gives the same file again.
 */
function judge({ hostname }: URL, outcome: ImageOutcome, witnesses: Witnesses): Verdict {
  if (outcome.ok) return 'proven';
  if (!outcome.image) return 'failed';
  const { digest } = outcome.image;
  const earlier = witnesses.get(digest);
  if (earlier === undefined) witnesses.set(digest, hostname);
  return earlier === undefined || earlier === hostname ? 'failed' : 'doubtful';
}

async function keep(job: PageJob, outcome: ImageOutcome): Promise<void> {
  const picture = outcome.ok ? outcome : outcome.image;
  if (!picture) return;
  try {
    await job.workspace.keep(job.page, { ...picture, bytes: outcome.bytes });
  } catch (error) {
    throw toStorageError(error, job.workspace.folder);
  }
}

async function discard({ page, workspace }: PageJob): Promise<void> {
  try {
    await removeFile(workspace.partFile(page));
  } catch (error) {
    throw toStorageError(error, workspace.folder);
  }
}

function tellLoaded(
  job: PageJob,
  parts: PageDeps,
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

function failureOf(outcome: ImageOutcome | LoadError): { reason: LoadReason; message: string } {
  if (outcome instanceof LoadError) return { reason: outcome.code, message: outcome.message };
  return outcome.ok ? { reason: 'bad-digest', message: '' } : outcome;
}

/** Without an address to load from, it is the service's answer that is of no use. */
function givenUp({ url }: Attempt, message: string): TankobonError {
  return url ? new ChapterError('page-lost', message) : new ServiceError('bad-answer', message);
}
