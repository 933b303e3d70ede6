/**
 * Outages of the service, or of the network on the way to it. During an outage all requests to the API wait; one of
 * them probes, after pauses that grow, until the service answers again or the outage has lasted too long. One monitor
 * belongs to one run. A run that has had no answer yet never waits: it may be offline, or have a wrong address.
 */
import type { Clock } from '../core/clock.js';
import { ServiceError } from '../core/errors.js';
import { raceWithSignal } from '../core/abort.js';
import type { Wait } from '../rate-limit/rate-ledger.js';
import { pauseMs, type RetryableError } from './retry.js';

/** Sends a request that was answered before once more. Resolves with the failure where it meets one that passes. */
export type Probe = (signal?: AbortSignal) => Promise<RetryableError | undefined>;

export interface OutageOptions {
  /** How long one outage may last; 0: no request waits for its end. */
  readonly maxOutageMs: number;
  readonly clock: Clock;
  readonly onWait?: (wait: Wait) => void;
  readonly random?: () => number;
}

/** Thrown to all that wait when an outage has lasted too long, and to all requests after that. */
export class OutageTooLong extends ServiceError {}

interface Outage {
  readonly startedMs: number;
  /** What kind of request failed first. */
  readonly kind: string;
  failure: RetryableError;
  failedProbes: number;
  nextProbeMs: number;
  probing?: Promise<void> | undefined;
  tooLong?: OutageTooLong;
}

const MAX_PAUSE_MS = 30_000;

export class OutageMonitor {
  /** Outages so far in which at least one probe failed. */
  count = 0;
  #outage: Outage | undefined;
  #lastProbe: Probe | undefined;
  /** A service may fail for one kind of request alone, so that kind is probed where it was answered before. */
  readonly #probesByKind = new Map<string, Probe>();

  constructor(private readonly options: OutageOptions) {}

  /** Whether a request that fails may wait for the end of an outage. */
  get isReady(): boolean {
    return this.options.maxOutageMs > 0 && this.#lastProbe !== undefined;
  }

  get isActive(): boolean {
    return this.#outage !== undefined;
  }

  /** To be called when a request was answered; `probe` sends it again. */
  recordSuccess(kind: string, probe: Probe): void {
    this.#lastProbe = probe;
    this.#probesByKind.set(kind, probe);
  }

  /** Resolves when there is no outage. Throws OutageTooLong, or the signal's reason. */
  async whenOver(signal?: AbortSignal): Promise<void> {
    while (this.#outage) await this.#wait(this.#outage, signal);
  }

  /**
   * Waits until the service answers after a request of this kind failed. Resolves with whether it was an outage:
   * false where the very first probe was answered. Throws OutageTooLong, or the signal's reason.
   */
  async waitForEnd(kind: string, failure: RetryableError, signal?: AbortSignal): Promise<boolean> {
    const outage = (this.#outage ??= this.#begin(kind, failure));
    while (this.#outage === outage) await this.#wait(outage, signal);
    return outage.failedProbes > 0;
  }

  #begin(kind: string, failure: RetryableError): Outage {
    const startedMs = this.options.clock.monotonicMs();
    const outage = { startedMs, kind, failure, failedProbes: 0, nextProbeMs: startedMs };
    this.#plan(outage);
    return outage;
  }

  /** Waits for the end of one probe, which this request sends itself where no other is about to. */
  async #wait(outage: Outage, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (outage.tooLong) throw outage.tooLong;
    if (outage.probing) {
      // A prober that is interrupted leaves its turn to another.
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
    const probe = this.#probesByKind.get(outage.kind) ?? this.#lastProbe;
    const failure = await probe?.(signal);
    if (failure) {
      outage.failure = failure;
      outage.failedProbes += 1;
      if (outage.failedProbes === 1) this.count += 1;
      this.#plan(outage);
    } else this.#outage = undefined;
  }

  /** When to probe next: after a pause that grows, not before the service asks for it, and not beyond the limit. */
  #plan(outage: Outage): void {
    const { clock, maxOutageMs, random = Math.random } = this.options;
    const { startedMs, failedProbes, failure } = outage;
    const nowMs = clock.monotonicMs();
    const endMs = startedMs + maxOutageMs;
    const askedMs = nowMs + (failure.retryAfterMs ?? 0);
    if (nowMs >= endMs || askedMs > endMs) outage.tooLong = tooLong(outage, maxOutageMs);
    const pausedMs = nowMs + pauseMs(failedProbes + 1, random, MAX_PAUSE_MS);
    outage.nextProbeMs = Math.min(endMs, Math.max(pausedMs, askedMs));
  }
}

function tooLong({ failure: { failure } }: Outage, maxOutageMs: number): OutageTooLong {
  const seconds = Math.round(maxOutageMs / 1_000);
  return new OutageTooLong(
    failure.code,
    `${failure.message} The outage lasts longer than the limit of ${seconds} s.`,
    {
      cause: failure,
      hint: 'Run the same command again later: what is loaded is kept. To wait longer, add: --max-outage 1h',
    },
  );
}
