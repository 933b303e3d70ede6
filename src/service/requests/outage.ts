/**
 * Outages of the service, or of the network. During an outage all requests to the API wait; one of them probes, with
 * increasing delays, until the service responds again or the outage exceeds its limit. There is one monitor per run. A
 * run without a successful request does not wait: it may be offline, or have a wrong address.
 */
import { formatDuration } from '../../core/human-format.js';
import type { Clock } from '../../core/clock.js';
import { raceWithSignal } from '../../core/abort.js';
import { ServiceError } from '../../core/errors.js';
import { retryDelayMs } from '../../core/retry-delay.js';
import type { Wait } from '../permits/rate-ledger.js';
import type { RetryableError } from './retry.js';

/** Repeats a request that succeeded before. Resolves with the temporary failure, if there is one. */
type Probe = (signal?: AbortSignal) => Promise<RetryableError | undefined>;

interface OutageOptions {
  /** How long to wait for the end of an outage; 0 to fail at once. */
  readonly maxOutageMs: number;
  readonly clock: Clock;
  readonly onWait?: (wait: Wait) => void;
  readonly random?: () => number;
}

/** Thrown to all waiting requests when an outage exceeds its limit, and to all later ones. */
export class OutageTooLong extends ServiceError {}

interface Outage {
  readonly startedMs: number;
  /** The endpoint whose request failed first. */
  readonly endpoint: string;
  failure: RetryableError;
  failedProbes: number;
  nextProbeMs: number;
  probing?: Promise<void> | undefined;
  tooLong?: OutageTooLong;
}

const PROBE_DELAYS = { firstMs: 500, maxMs: 30_000 };

export class OutageMonitor {
  /** Outages so far with at least one failed probe. */
  count = 0;
  #outage: Outage | undefined;
  #lastProbe: Probe | undefined;
  /** The endpoint that failed is probed if a request to it succeeded before: an outage may concern only that one. */
  readonly #probesByEndpoint = new Map<string, Probe>();

  constructor(private readonly options: OutageOptions) {}

  /** Whether a failed request may wait for the end of an outage. */
  get isReady(): boolean {
    return this.options.maxOutageMs > 0 && this.#lastProbe !== undefined;
  }

  get isActive(): boolean {
    return this.#outage !== undefined;
  }

  /** `probe` repeats the successful request. */
  recordSuccess(endpoint: string, probe: Probe): void {
    this.#lastProbe = probe;
    this.#probesByEndpoint.set(endpoint, probe);
  }

  /** Resolves when there is no outage. Throws OutageTooLong, or the signal's reason. */
  async waitWhileActive(signal?: AbortSignal): Promise<void> {
    while (this.#outage) await this.#wait(this.#outage, signal);
  }

  /**
   * Waits until the service responds, after a request to this endpoint failed. Resolves with whether there was an
   * outage: false if the first probe succeeded. Throws OutageTooLong, or the signal's reason.
   */
  async waitForEnd(
    endpoint: string,
    failure: RetryableError,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const outage = (this.#outage ??= this.#begin(endpoint, failure));
    while (this.#outage === outage) await this.#wait(outage, signal);
    return outage.failedProbes > 0;
  }

  #begin(endpoint: string, failure: RetryableError): Outage {
    const startedMs = this.options.clock.monotonicMs();
    const outage = { startedMs, endpoint, failure, failedProbes: 0, nextProbeMs: startedMs };
    this.#scheduleProbe(outage);
    return outage;
  }

  /** Waits for the end of one probe, which this request sends itself if no other one does. */
  async #wait(outage: Outage, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (outage.tooLong) throw outage.tooLong;
    if (outage.probing) {
      // If the request that probes is aborted, another one takes over.
      await raceWithSignal(
        outage.probing.catch(() => undefined),
        signal,
      );
      return;
    }
    outage.probing = this.#probe(outage, signal).finally(() => {
      outage.probing = undefined;
    });
    await outage.probing;
  }

  async #probe(outage: Outage, signal?: AbortSignal): Promise<void> {
    const { clock, onWait } = this.options;
    const ms = Math.max(0, outage.nextProbeMs - clock.monotonicMs());
    const { message, code } = outage.failure.failure;
    onWait?.({ for: 'outage', untilMs: clock.wallMs() + ms, why: message, reason: code });
    await clock.sleep(ms, signal);
    const probe = this.#probesByEndpoint.get(outage.endpoint) ?? this.#lastProbe;
    const failure = await probe?.(signal);
    if (failure) {
      outage.failure = failure;
      outage.failedProbes += 1;
      if (outage.failedProbes === 1) this.count += 1;
      this.#scheduleProbe(outage);
    } else {
      this.#outage = undefined;
    }
  }

  /** The next probe is sent after an increasing delay, not before the service requests, and not after the limit. */
  #scheduleProbe(outage: Outage): void {
    const { clock, maxOutageMs, random = Math.random } = this.options;
    const { startedMs, failedProbes, failure } = outage;
    const nowMs = clock.monotonicMs();
    const endMs = startedMs + maxOutageMs;
    const retryAfterMs = nowMs + (failure.retryAfterMs ?? 0);
    if (nowMs >= endMs || retryAfterMs > endMs) outage.tooLong = tooLong(outage, maxOutageMs);
    const delayedMs = nowMs + retryDelayMs(PROBE_DELAYS, failedProbes + 1, random());
    outage.nextProbeMs = Math.min(endMs, Math.max(delayedMs, retryAfterMs));
  }
}

function tooLong({ failure: { failure } }: Outage, maxOutageMs: number): OutageTooLong {
  return new OutageTooLong(
    failure.code,
    `${failure.message} The outage lasts longer than ${formatDuration(maxOutageMs)}.`,
    {
      cause: failure,
      hint: 'Run the same command again later: downloaded pages are kept. To wait longer: --max-outage 1h where the command has it, or tankobon config set maxOutage 1h',
    },
  );
}
