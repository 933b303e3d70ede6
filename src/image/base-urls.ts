/**
 * One chapter's base URLs over time. A base URL that turns out to be dead gets no further load: all pages wait for
 * the next one, and a single load tries that before the others follow. However many pages fail at once, one metadata
 * call serves them all; and a base URL that is near its 15 minutes is renewed before it is used.
 */
import type { Clock } from '../core/clock.js';
import type { AtHomeMetadata } from './at-home.js';

/** A base URL and which one it is: the first of a chapter is 1. */
export interface BaseUrl {
  readonly url: string;
  readonly generation: number;
}

/** A load that showed its base URL to be dead. */
export interface DeadBaseUrl {
  /** What a chapter fails with that is given up after so many dead base URLs in a row. */
  toError(deadInARow: number): Error;
  /** What must have happened before the metadata is asked for again, such as the load's report (spec 4.3). */
  beforeRenewal(deadInARow: number): Promise<void>;
}

/** A base URL is guaranteed for 15 minutes (spec 2.4, 8.5); it is renewed before the last of them begins. */
const BASE_URL_LIFETIME_MS = 15 * 60_000;
const RENEWED_EARLY_MS = 60_000;
/** After this many dead base URLs in a row the chapter fails, and a host that gave as many is not asked again. */
const MAX_DEAD_BASE_URLS = 5;

export class BaseUrls {
  #current: BaseUrl;
  #askedAtMs: number;
  #renewal: Promise<void> | undefined;
  /** No load begins from the current base URL any more. */
  #isRetired = false;
  /** While one load tries a base URL that may be dead, the others wait. */
  #trial: { readonly ended: Promise<void>; readonly end: () => void } | undefined;
  #isTried = true;
  #deadInARow = 0;
  /** Dead base URLs by host, since that host last responded. */
  readonly #deadByHost = new Map<string, number>();
  #lastDead: DeadBaseUrl | undefined;
  #readyForRenewal = Promise.resolve();

  /**
   * @param first what the first metadata call said, asked for at `askedAtMs` of the clock's monotonic time
   * @param ask asks again; must throw where the chapter is another one by now
   */
  constructor(
    first: AtHomeMetadata,
    askedAtMs: number,
    private readonly ask: () => Promise<AtHomeMetadata>,
    private readonly clock: Clock,
  ) {
    this.#current = { url: first.baseUrl, generation: 1 };
    this.#askedAtMs = askedAtMs;
  }

  /**
   * The base URL to load from now; undefined while pages have to wait (`untilUsable`). `settle` must be called for
   * each one taken.
   */
  take(): BaseUrl | undefined {
    if (this.#trial || this.#needsRenewal()) return undefined;
    if (!this.#isTried) this.#trial = newTrial();
    return this.#current;
  }

  /** Ends a load from `base`; `dead` where it got no response, or the base URL is refused. */
  settle(base: BaseUrl, dead?: DeadBaseUrl): void {
    if (base.generation !== this.#current.generation) return;
    if (dead) this.#bury(dead);
    else if (!this.#isRetired) this.#confirm();
    this.#trial?.end();
    this.#trial = undefined;
  }

  /** After a failed load the metadata is asked for again (spec 4.3): the next load has a newer base URL. */
  retire(base: BaseUrl): void {
    if (base.generation === this.#current.generation) this.#isRetired = true;
  }

  /**
   * Resolves when `take` is worth another call; asks for a newer base URL where one is needed. Rejects with what the
   * metadata call rejects with, and with `giveUp` after too many dead base URLs.
   */
  async untilUsable(): Promise<void> {
    if (this.#trial) await this.#trial.ended;
    else if (this.#needsRenewal()) {
      this.#renewal ??= this.#renew().finally(() => {
        this.#renewal = undefined;
      });
      await this.#renewal;
    }
  }

  #needsRenewal(): boolean {
    const ageMs = this.clock.monotonicMs() - this.#askedAtMs;
    return this.#isRetired || ageMs >= BASE_URL_LIFETIME_MS - RENEWED_EARLY_MS;
  }

  #confirm(): void {
    this.#isTried = true;
    this.#deadInARow = 0;
    this.#deadByHost.delete(hostOf(this.#current));
  }

  #bury(dead: DeadBaseUrl): void {
    // Of several loads that were in flight, the first one decides.
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#deadInARow += 1;
    this.#deadByHost.set(hostOf(this.#current), this.#deadOf(this.#current) + 1);
    this.#lastDead = dead;
    this.#readyForRenewal = dead.beforeRenewal(this.#deadInARow);
    // Whoever waits for the renewal gets the failure.
    this.#readyForRenewal.catch(() => undefined);
  }

  #deadOf(base: BaseUrl): number {
    return this.#deadByHost.get(hostOf(base)) ?? 0;
  }

  async #renew(): Promise<void> {
    await this.#readyForRenewal;
    let isUsedUp: boolean;
    do {
      if (this.#lastDead && this.#deadInARow >= MAX_DEAD_BASE_URLS)
        throw this.#lastDead.toError(this.#deadInARow);
      const askedAtMs = this.clock.monotonicMs();
      const { baseUrl } = await this.ask();
      this.#askedAtMs = askedAtMs;
      this.#current = { url: baseUrl, generation: this.#current.generation + 1 };
      isUsedUp = this.#deadOf(this.#current) >= MAX_DEAD_BASE_URLS;
      if (isUsedUp) this.#deadInARow += 1;
    } while (isUsedUp);
    this.#isRetired = false;
    this.#isTried = this.#deadInARow === 0 && this.#deadOf(this.#current) === 0;
  }
}

/** With its port: a node that is dead on one may be well on another. */
function hostOf({ url }: BaseUrl): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function newTrial() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}
