/**
 * What is tried again, and when: failures that pass by themselves, few times, with growing and uneven pauses.
 * Each try goes through the ledger like any other request; these pauses come on top.
 */
import type { Clock } from '../core/clock.js';
import { ServiceError, hasCode } from '../core/errors.js';

/** One request and two repeats of it. */
export const MAX_TRIES = 3;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
const LONGEST_WAIT_MS = 15 * 60_000;

/** The pause before the try that follows the `failed`th, drawn between half of it and the whole. */
export function pauseMs(failed: number, random: () => number, maxMs = LONGEST_PAUSE_MS): number {
  const fullMs = Math.min(maxMs, FIRST_PAUSE_MS * 2 ** (failed - 1));
  return fullMs * (0.5 + random() / 2);
}

/** Throws where the service asks for a longer pause than a run waits for. */
export function checkWait(
  ms: number,
  { failure }: RetryableError,
  clock: Pick<Clock, 'wallMs'>,
): void {
  if (ms <= LONGEST_WAIT_MS) return;
  const until = new Date(clock.wallMs() + ms).toISOString();
  throw new ServiceError('wait-too-long', `The service asks for a pause until ${until}.`, {
    cause: failure,
  });
}

/** A failure that may be gone the next time; an answer of the wrong shape or size will not be. */
export class RetryableError extends Error {
  /**
   * @param failure what to throw where it has not passed
   * @param retryAfterMs how long the service asks to wait, where it does
   */
  constructor(
    readonly failure: ServiceError,
    readonly retryAfterMs?: number,
  ) {
    super(failure.message, { cause: failure });
  }
}

/** The same error, marked as passing where it is one: no connection, or a broken one. */
export function markRetryable(error: unknown): unknown {
  const isPassing = error instanceof ServiceError && hasCode(error, 'unreachable');
  return isPassing ? new RetryableError(error) : error;
}
