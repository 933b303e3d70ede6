/** How long the end of a run waits for health reports. Pure; all times are of the monotonic clock. */

/** From the first request on, while the host has not responded to any. */
const MAX_FIRST_RESPONSE_MS = 1_000;
/** For the probe of a host that is down, and for aborted requests to end. */
export const MAX_PROBE_WAIT_MS = 300;

export interface ExitWait {
  readonly nowMs: number;
  /** When the wait started. */
  readonly startedMs: number;
  readonly maxWaitMs: number;
  /** Undefined if no report was sent yet. */
  readonly firstRequestMs?: number;
  readonly hasResponded: boolean;
  readonly isHostDown: boolean;
}

/** How much longer a response is worth waiting for; not positive: no longer. */
export function remainingWaitMs(wait: ExitWait): number {
  const { nowMs, startedMs, maxWaitMs, firstRequestMs = nowMs, isHostDown } = wait;
  const isSilent = !wait.hasResponded && nowMs - firstRequestMs >= MAX_FIRST_RESPONSE_MS;
  if (isSilent && !isHostDown) return 0;
  const limitMs = isHostDown ? Math.min(MAX_PROBE_WAIT_MS, maxWaitMs) : maxWaitMs;
  return limitMs - (nowMs - startedMs);
}
