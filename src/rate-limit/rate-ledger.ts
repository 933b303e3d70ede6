/**
 * The one record of what has been asked of the service, as the rest of the program sees it: a request reserves
 * its place, waits for it, is sent, and settles. What stands behind it is shared by all processes of the machine,
 * since the service counts by address and not by process (spec 8.2.2).
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '../core/error-codes.js';

/** A request that is about to be sent. */
export interface RequestInfo {
  readonly method: string;
  readonly url: URL;
}

/** Why a request is not sent yet, and until when: to be shown. For `lock`, the end is when the wait fails. */
export interface Wait {
  readonly for: 'rate' | 'quota' | 'cooldown' | 'outage' | 'lock';
  /** By the wall clock, in ms since the epoch. The wait itself does not depend on that clock. */
  readonly untilMs: number;
  /** A part of a sentence: "the service asked for a pause". */
  readonly why: string;
  /** With `outage`: the code of the failure that the service, or the way to it, last gave. */
  readonly reason?: ErrorCode;
  /** The process that holds the ledger's lock, such as `process 1234`. */
  readonly holder?: string;
}

/** What the service answered. */
export interface ObservedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** A 403 in which the service says nothing of its own: this address is banned (spec 7). */
  readonly generic?: boolean;
}

/** The right to send one request, once, now. */
export interface Permit {
  /**
   * Says that the request is over, as soon as its answer's headers are there. Without an answer: the connection
   * failed; `silence`: a time limit passed and nothing had come. Never rejects; the second time counts for nothing.
   */
  settle(answer?: ObservedResponse | 'silence'): Promise<void>;
}

export interface ReserveOptions {
  readonly signal?: AbortSignal;
  /** Called for waits of over two seconds, and again where their end or their reason changes. */
  readonly onWait?: (wait: Wait) => void;
}

export interface RateLedger {
  /**
   * Resolves when the request may be sent. Throws `banned` while a ban's cooldown is in force, `wait-too-long`
   * where the service names a wait of over 15 minutes, and the signal's reason.
   */
  reserve(line: RequestInfo, options?: ReserveOptions): Promise<Permit>;
  /** Writes down what is settled and leaves; places not yet settled count as just used. */
  close(): Promise<void>;
}
