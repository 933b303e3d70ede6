/**
 * Downloads one page: load, report, and after a failure a new base URL, up to five times (spec 4.3). The failed load
 * is reported before the metadata is requested again.
 */
import type { openHealthReports, Service } from '../../service/service.js';
import { raceWithSignal } from '../../core/abort.js';
import { RUN_AGAIN } from '../../core/error-codes.js';
import { LoadError } from '../../core/errors.js';
import { toStorageError, PRIVATE_FILE_MODE, removeFile } from '../../core/files.js';
import { formatDuration } from '../../core/human-format.js';
import { retryDelayMs } from '../../core/retry-delay.js';
import type { BaseUrl, BaseUrls, DeadBaseUrl } from '../../service/base-urls.js';
import {
  type CheckedImage,
  loadImage,
  type ImageLoaderDeps,
  type ImageOutcome,
} from '../../service/load-image.js';
import { pageUrl, digestInFileName } from '../../service/at-home.js';
import type { Observe } from '../../events/download-events.js';
import { evaluateLoad, invalidAddress, type LoadResult } from './load-result.js';
import type { PageSlot, PageQueue } from './page-queue.js';
import type { Workspace } from './workspace.js';

export interface PageDeps {
  readonly loader: ImageLoaderDeps;
  readonly queue: PageQueue;
  readonly observe: Observe;
  /** In [0, 1). */
  readonly random: () => number;
  /** Undefined if the user turned reports off. */
  readonly reports:
    Pick<Awaited<ReturnType<typeof openHealthReports>>, 'record' | 'recordAndSend'> | undefined;
  readonly isFirstParty: Service['isFirstParty'];
  /** Counts the outages of the service; absent if the run does not wait for their end. */
  readonly outages?: Pick<Service['outages'], 'count'>;
}

export interface PageJob extends Omit<Parameters<typeof pageUrl>[0], 'baseUrl'> {
  readonly chapter: string;
  /** Counted from 1. */
  readonly page: number;
  readonly baseUrls: BaseUrls;
  readonly workspace: Pick<Workspace, 'folder' | 'keep' | 'partFile'>;
  /** The page is loaded compressed in place of one that no node has as uploaded. */
  readonly isCompressed?: boolean;
  /** Called when the page is in the workspace, with its bytes if they are in memory until it resolves. */
  readonly onKept?: (content: Buffer | undefined) => Promise<void>;
  readonly signal: AbortSignal;
}

type Attempt = LoadResult & {
  readonly base: BaseUrl;
  /** The node's, with its port; empty if the base URL made no valid address. */
  readonly host: string;
  /** Settled when the report is stored and, for a failed load, its delivery was tried. */
  readonly reported: Promise<void>;
};

const MAX_ATTEMPTS = 5;
const RETRY_DELAYS = { firstMs: 250, maxMs: 5_000 };

/**
 * Stores the page in the workspace. Throws ChapterError('page-lost'), ServiceError('bad-response') if no base URL was
 * usable, or an error that concerns the whole chapter.
 */
export function loadPage(job: PageJob, deps: PageDeps, load = loadImage): Promise<void> {
  return new PageDownload(job, deps, load).run();
}

class PageDownload {
  readonly #mismatched = new Map<string, string>();

  constructor(
    private readonly job: PageJob,
    private readonly deps: PageDeps,
    private readonly load: typeof loadImage,
  ) {}

  async run(): Promise<void> {
    const { chapter, page, workspace, baseUrls } = this.job;
    const { observe } = this.deps;
    // The hint of the code names the compressed pages.
    const hint = this.job.quality === 'data' ? undefined : RUN_AGAIN;
    let outages = this.deps.outages?.count;
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#nextAttempt();
      if (result.image) return;
      await result.reported;
      const { reason, toError } = result.failure;
      await this.#inWorkspace(removeFile(workspace.partFile(page)));
      observe({ type: 'page-failed', chapter, page, reason, attempt });
      if (attempt === MAX_ATTEMPTS)
        throw toError(`Page ${page} of chapter ${chapter} failed ${attempt} times`, hint);
      await this.#pause(attempt);
      baseUrls.retire(result.base);
      await this.#waitUntilUsable();
      if (this.deps.outages?.count !== outages) {
        // The metadata request waited for the end of an outage, which may have caused the earlier failures.
        outages = this.deps.outages?.count;
        attempt = 0;
      }
    }
  }

  /** Loads the page once, as soon as a slot is free and a base URL is usable, and keeps it. */
  async #nextAttempt(): Promise<Attempt> {
    for (;;) {
      const attempt = await this.deps.queue.run((slot) => this.#loadAndKeep(slot));
      if (attempt) return attempt;
      // Other pages can use the slot meanwhile.
      await this.#waitUntilUsable();
    }
  }

  /** The buffer of the slot has the page until it is packed. */
  async #loadAndKeep(slot: PageSlot): Promise<Attempt | undefined> {
    const attempt = await this.#tryOnce(slot);
    if (!attempt?.image) return attempt;
    slot.release();
    // The report is stored before the page: after a kill in between, the page is loaded and reported again.
    await attempt.reported;
    await this.#keep(attempt);
    return attempt;
  }

  /** Other pages may go on waiting for the renewed base URL. */
  #waitUntilUsable(): Promise<void> {
    return raceWithSignal(this.job.baseUrls.waitUntilUsable(), this.job.signal);
  }

  /** Returns undefined if no base URL is usable now. */
  async #tryOnce(slot: PageSlot): Promise<Attempt | undefined> {
    const { baseUrls, signal } = this.job;
    signal.throwIfAborted();
    const base = baseUrls.take();
    if (!base) return undefined;
    let attempt: Attempt | undefined;
    try {
      attempt = await this.#loadFrom(base, slot);
      return attempt;
    } finally {
      baseUrls.settle(base, attempt && this.#deadBaseUrl(attempt));
    }
  }

  async #loadFrom(base: BaseUrl, slot: PageSlot): Promise<Attempt> {
    const { chapter, page, quality, hash, fileName, workspace, signal } = this.job;
    const request = {
      file: workspace.partFile(page),
      // The workspace is private.
      maxMode: PRIVATE_FILE_MODE,
      expectedDigest: digestInFileName(fileName),
      takeBuffer: slot.takeBuffer,
      onBytes: (bytes: number) => {
        this.deps.observe({ type: 'page-bytes', chapter, bytes });
      },
      onReceived: slot.release,
    };
    try {
      const url = pageUrl({ baseUrl: base.url, quality, hash, fileName });
      const outcome = await this.load(this.deps.loader, { ...request, url }, signal);
      const result = evaluateLoad(outcome, url.hostname, this.#mismatched);
      return { ...result, base, host: url.host, reported: this.#report(url, outcome) };
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      return { ...invalidAddress(error), base, host: '', reported: Promise.resolve() };
    }
  }

  /** Reports each load from a base URL outside the service's own domain, exactly once (spec 4.3). */
  async #report(url: URL, { ok, bytes, durationMs, cached }: ImageOutcome): Promise<void> {
    const { reports, isFirstParty } = this.deps;
    const { signal } = this.job;
    if (!reports || (await isFirstParty(url))) return;
    const report = { url: url.href, success: ok, bytes, duration: durationMs, cached };
    if (ok) return reports.record(report);
    // A user who stops the run does not wait for the report host; the report is stored for the next run.
    await raceWithSignal(reports.recordAndSend(report), signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  #deadBaseUrl({ failure, reported }: Attempt): DeadBaseUrl | undefined {
    if (!failure?.isBaseUrlDead) return undefined;
    return {
      toError: (count) =>
        failure.toError(`The last ${count} base URLs of chapter ${this.job.chapter} failed`),
      beforeRenewal: async (count) => {
        await reported;
        await this.#pause(count);
      },
    };
  }

  #pause(attempt: number): Promise<void> {
    const { chapter, page, signal } = this.job;
    const { loader, random, observe } = this.deps;
    const delayMs = retryDelayMs(RETRY_DELAYS, attempt, random());
    const message = `page ${page}: next attempt in ${formatDuration(delayMs)}`;
    observe({ type: 'detail', chapter, message });
    return loader.clock.sleep(delayMs, signal);
  }

  async #keep({ image, outcome, host }: Extract<Attempt, { image: CheckedImage }>): Promise<void> {
    const { chapter, page, workspace, isCompressed } = this.job;
    const { ok, bytes, durationMs: ms, cached } = outcome;
    await this.#inWorkspace(workspace.keep(page, { ...image, bytes }, { isCompressed }));
    const warning = ok ? {} : { warning: 'bad-digest' as const };
    this.deps.observe({ type: 'page-loaded', chapter, page, bytes, ms, host, cached, ...warning });
    await this.job.onKept?.(outcome.content);
  }

  async #inWorkspace<T>(operation: Promise<T>): Promise<T> {
    return operation.catch((error: unknown) => {
      throw toStorageError(error, this.job.workspace.folder);
    });
  }
}
