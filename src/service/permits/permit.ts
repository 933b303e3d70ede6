/** The right to send one request, which lasts for as long as the ledger counts the request as under way. */
import type { Clock, Moment } from '../../core/clock.js';
import { MAX_SEND_DELAY_MS } from './ledger-rules.js';
import type { Permit } from './rate-ledger.js';

export interface GrantedRequest {
  readonly id: string;
  /** By the local clocks. */
  readonly granted: Moment;
  /** By the clock of the document; absent for a request that was not granted by a transaction. */
  readonly grantedMs?: number;
}

interface PermitOptions {
  readonly clock: Clock;
  readonly maxRequestMs: number;
  /** Whether the age counts by the wall clock too: other machines go on while this one sleeps. */
  readonly isOnServer: boolean;
}

/** The client must have ended a request this long before its uses expire. */
const END_MARGIN_MS = 1_000;

/** @param settle called once */
export function permitFor(
  { granted, grantedMs }: GrantedRequest,
  { clock, maxRequestMs, isOnServer }: PermitOptions,
  settle: Permit['settle'],
): Permit {
  const ageMs = (): number => {
    if (grantedMs === undefined) return 0;
    const wallMs = isOnServer ? clock.wallMs() - granted.wallMs : 0;
    return Math.max(clock.monotonicMs() - granted.nowMs, wallMs);
  };
  const maxDelayMs = Math.min(MAX_SEND_DELAY_MS, maxRequestMs / 2);
  const endMs = maxRequestMs - Math.min(END_MARGIN_MS, maxRequestMs / 2);
  let settled: Promise<void> | undefined;
  return {
    isValid: () => settled === undefined && ageMs() <= maxDelayMs,
    remainingMs: () =>
      grantedMs === undefined ? Infinity : Math.max(0, Math.floor(endMs - ageMs())),
    settle: (response) => (settled ??= settle(response)),
  };
}
