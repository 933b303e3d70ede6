/** Retries of temporary failures. Each attempt also waits for the rate limits like any other request. */
import { formatLocalTime } from '../../core/human-format.js';
import type { Clock } from '../../core/clock.js';
import { hasCode, ServiceError } from '../../core/errors.js';
import { MAX_WAIT_MS } from '../permits/rate-ledger.js';

export const MAX_ATTEMPTS = 3;
/** Before the attempts after the first. */
export const RETRY_DELAYS = { firstMs: 500, maxMs: 8_000 };

/** A failure that may be temporary, unlike a response of the wrong form or size. */
export class RetryableError extends Error {
  /**
   * @param failure thrown after the last attempt
   * @param retryAfterMs the wait that the service requests
   */
  constructor(
    readonly failure: ServiceError,
    readonly retryAfterMs?: number,
  ) {
    super(failure.message, { cause: failure });
  }
}

/** A failed or broken connection as a RetryableError; any other error as it is. */
export function markRetryable(error: unknown): unknown {
  const isTemporary = error instanceof ServiceError && hasCode(error, 'unreachable');
  return isTemporary ? new RetryableError(error) : error;
}

/** Throws `wait-too-long` if `ms` is longer than a run waits. */
export function checkWait(
  ms: number,
  { failure }: RetryableError,
  clock: Pick<Clock, 'wallMs'>,
): void {
  if (ms <= MAX_WAIT_MS) return;
  const nowMs = clock.wallMs();
  const until = formatLocalTime(nowMs + ms, nowMs);
  throw new ServiceError('wait-too-long', `The service requests a pause until ${until}.`, {
    cause: failure,
  });
}

/** A request that failed temporarily and is repeated. */
export interface Retry {
  /** Such as `GET /manga/{id}`. */
  readonly request: string;
  /** A sentence. */
  readonly reason: string;
  readonly delayMs: number;
}
