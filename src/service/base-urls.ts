/**
 * The base URLs of one chapter over time. When a base URL turns out to be dead, all pages wait for the next one, and a
 * single load tries that before the others follow. However many pages fail at once, one metadata request serves all
 * of them. A base URL is renewed before its 15 minutes are over.
 */
import type { Clock } from '../core/clock.js';
import type { AtHomeMetadata } from './at-home.js';

export interface BaseUrl {
  readonly url: string;
  /** Counts a chapter's base URLs, from 1. */
  readonly generation: number;
}

/** A load that showed its base URL to be dead. */
export interface DeadBaseUrl {
  /** The chapter's error after this many dead base URLs in a row. */
  toError(count: number): Error;
  /** Must be settled before the metadata is requested again: the load's report (spec 4.3) and a pause. */
  beforeRenewal(count: number): Promise<void>;
}

/** A base URL is guaranteed for 15 minutes (spec 2.4, 8.5); it is renewed one minute earlier. */
const MAX_BASE_URL_AGE_MS = 14 * 60_000;
/** The chapter fails after this many dead base URLs in a row; a host with as many is not used again. */
const MAX_DEAD_BASE_URLS = 5;

export class BaseUrls {
  #current: BaseUrl;
  #requestedAtMs: number;
  #requestedAtWallMs: number;
  #renewal: Promise<void> | undefined;
  /** The current base URL is not used for further loads. */
  #isRetired = false;
  /** One load tries a base URL that may be dead, while the others wait. */
  #trial: { readonly ended: Promise<void>; readonly end: () => void } | undefined;
  #needsTrial = false;
  #deadInARow = 0;
  /** Dead base URLs by host, since that host last responded. */
  readonly #deadByHost = new Map<string, number>();
  #lastDead: DeadBaseUrl | undefined;
  #readyForRenewal = Promise.resolve();

  /**
   * @param first the first metadata, requested at `requestedAtMs` of the clock's monotonic time
   * @param fetchMetadata requests it again; must throw if the chapter has changed
   */
  constructor(
    first: AtHomeMetadata,
    requestedAtMs: number,
    private readonly fetchMetadata: () => Promise<AtHomeMetadata>,
    private readonly clock: Clock,
  ) {
    this.#current = { url: first.baseUrl, generation: 1 };
    this.#requestedAtMs = requestedAtMs;
    this.#requestedAtWallMs = clock.wallMs() - (clock.monotonicMs() - requestedAtMs);
  }

  /**
   * The base URL for a load, or undefined while pages have to wait (`waitUntilUsable`). `settle` must be called for each
   * base URL taken.
   */
  take(): BaseUrl | undefined {
    if (this.#trial || this.#needsRenewal()) return undefined;
    if (this.#needsTrial) this.#trial = startTrial();
    return this.#current;
  }

  /** Ends a load from `base`; `dead` if nothing responded or the base URL was refused. */
  settle(base: BaseUrl, dead?: DeadBaseUrl): void {
    if (base.generation !== this.#current.generation) return;
    if (dead) this.#recordDead(dead);
    else if (!this.#isRetired) this.#recordAlive();
    this.#trial?.end();
    this.#trial = undefined;
  }

  /** Requests new metadata before the next load, as a failed load demands (spec 4.3). */
  retire(base: BaseUrl): void {
    if (base.generation === this.#current.generation) this.#isRetired = true;
  }

  /**
   * Resolves when `take` is worth another call; renews the base URL if necessary. Rejects with the error of the
   * metadata request, or with `DeadBaseUrl.toError` after too many dead base URLs.
   */
  async waitUntilUsable(): Promise<void> {
    if (this.#trial) await this.#trial.ended;
    else if (this.#needsRenewal()) {
      this.#renewal ??= this.#renew().finally(() => {
        this.#renewal = undefined;
      });
      await this.#renewal;
    }
  }

  #needsRenewal(): boolean {
    return this.#isRetired || this.#ageMs() >= MAX_BASE_URL_AGE_MS;
  }

  /** On some systems only the wall clock continues while the machine is suspended. */
  #ageMs(): number {
    const { clock } = this;
    return Math.max(
      clock.monotonicMs() - this.#requestedAtMs,
      clock.wallMs() - this.#requestedAtWallMs,
    );
  }

  #recordAlive(): void {
    this.#needsTrial = false;
    this.#deadInARow = 0;
    this.#deadByHost.delete(hostOf(this.#current));
  }

  #recordDead(dead: DeadBaseUrl): void {
    // The first of several loads in flight decides.
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#deadInARow += 1;
    this.#deadByHost.set(hostOf(this.#current), this.#deadCount() + 1);
    this.#lastDead = dead;
    this.#readyForRenewal = dead.beforeRenewal(this.#deadInARow);
    // Handled by #renew.
    this.#readyForRenewal.catch(() => undefined);
  }

  /** How often the current host was dead. */
  #deadCount(): number {
    return this.#deadByHost.get(hostOf(this.#current)) ?? 0;
  }

  async #renew(): Promise<void> {
    await this.#readyForRenewal;
    for (;;) {
      if (this.#lastDead && this.#deadInARow >= MAX_DEAD_BASE_URLS)
        throw this.#lastDead.toError(this.#deadInARow);
      const requestedAtMs = this.clock.monotonicMs();
      const requestedAtWallMs = this.clock.wallMs();
      const { baseUrl } = await this.fetchMetadata();
      this.#requestedAtMs = requestedAtMs;
      this.#requestedAtWallMs = requestedAtWallMs;
      this.#current = { url: baseUrl, generation: this.#current.generation + 1 };
      if (this.#deadCount() < MAX_DEAD_BASE_URLS) break;
      this.#deadInARow += 1;
    }
    this.#isRetired = false;
    this.#needsTrial = this.#deadInARow > 0 || this.#deadCount() > 0;
  }
}

/** Includes the port: a node that is dead on one port may work on another. */
function hostOf({ url }: BaseUrl): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function startTrial() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}
