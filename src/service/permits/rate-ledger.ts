/**
 * The rate ledger as the rest of the program sees it: a request reserves a permit, waits for it, is sent, and settles
 * the permit. All processes of the machine share one ledger, since the service counts by address (spec 8.2.2).
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '../../core/error-codes.js';

/** A request or a run that would wait for longer fails. */
export const MAX_WAIT_MS = 15 * 60_000;
/** Shorter waits are not reported by default. */
export const MIN_REPORTED_WAIT_MS = 2_000;

/** A request that is about to be sent. */
export interface RequestInfo {
  readonly method: string;
  readonly url: URL;
}

/** A rate limit, for messages. */
export interface WaitLimit {
  /** Such as `GET /at-home/server/{id}`; absent for the general limit of a host. */
  readonly endpoint?: string;
  readonly requests: number;
  readonly periodMs: number;
}

/** Why a request is not sent yet, and until when. For `lock`, the end is when the wait fails. */
export interface Wait {
  readonly for: 'rate' | 'quota' | 'cooldown' | 'outage' | 'lock';
  /** By the wall clock, in ms since the epoch. The wait itself does not depend on that clock. */
  readonly untilMs: number;
  /** Part of a sentence, such as "the service asked for a pause". */
  readonly why: string;
  /** With `rate` and `quota`: the limit that is used up. */
  readonly limit?: WaitLimit;
  /** With `outage`: the code of the last failure. */
  readonly reason?: ErrorCode;
  /** With `lock`: the process that holds the ledger's lock, such as `process 1234`. */
  readonly holder?: string;
}

export interface ObservedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Whether a 403 carries no error of the service's own, which means a ban (spec 7). Absent: not known. */
  readonly generic?: boolean;
}

/** The right to send one request now. */
export interface Permit {
  /**
   * Whether the request may still be sent; ask right before its first byte is written. After two seconds it may not:
   * settle the permit with `unsent`, and reserve another.
   */
  isValid(): boolean;
  /** How long the request may take from now on: it must have ended half a minute after the grant. */
  remainingMs(): number;
  /**
   * Reports the end of the request, as soon as the headers of its response have arrived. Without a response the
   * connection failed, or a time limit passed; `unsent`: no byte was written. Never rejects. Later calls have no effect.
   */
  settle(response?: ObservedResponse | 'unsent'): Promise<void>;
}

export interface ReserveOptions {
  readonly signal?: AbortSignal;
  /** Called for waits of over `minReportedWaitMs`, and again when the end or the reason changes. */
  readonly onWait?: (wait: Wait) => void;
  /** By default MIN_REPORTED_WAIT_MS. */
  readonly minReportedWaitMs?: number;
}

export interface RateLedger {
  /**
   * Resolves when the request may be sent. Throws `banned` during the cooldown of a ban, `wait-too-long` where the
   * wait would exceed 15 minutes, and the signal's reason.
   */
  reserve(request: RequestInfo, options?: ReserveOptions): Promise<Permit>;
  /** Records settled permits. Unsettled ones count until their requests must have ended. */
  close(): Promise<void>;
}
