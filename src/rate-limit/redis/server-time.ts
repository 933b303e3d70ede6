/**
 * The server's time between two replies, by the local monotonic clock, so that a grant takes one round trip. It is never
 * after the server's; by how much it may be before is added to each window. Pure.
 */
import type { Moment } from '../../core/clock.js';

/** What the last reply said. */
export interface TimeReply {
  readonly serverMs: number;
  /** By the local clocks. */
  readonly received: Moment;
  readonly roundTripMs: number;
}

/** Beyond these, the error would cost more of the limits than asking the server does. */
const MAX_AGE_MS = 5_000;
const MAX_ROUND_TRIP_MS = 20;
/** The most that time servers slew a clock by, on both machines. */
const MAX_DRIFT = 0.001;
/** If the local clocks differ by more, this machine has slept, or its wall clock was set. */
const MAX_CLOCK_DIFFERENCE_MS = 50;
/** Servers may read their clock once for several commands. */
const TOLERANCE_MS = 2;
/** If the server's time is later than estimated by more, its clock was changed, or this machine has slept. */
export const MAX_LATE_MS = 1_000;

/** Undefined: ask the server. */
export function estimateServerTime(
  { serverMs, received, roundTripMs }: TimeReply,
  local: Moment,
): { readonly nowMs: number; readonly errorMs: number } | undefined {
  const passedMs = local.nowMs - received.nowMs;
  const differenceMs = Math.abs(local.wallMs - received.wallMs - passedMs);
  const isUsable = passedMs <= MAX_AGE_MS && roundTripMs <= MAX_ROUND_TRIP_MS;
  if (!isUsable || differenceMs > MAX_CLOCK_DIFFERENCE_MS) return undefined;
  const driftMs = passedMs * MAX_DRIFT;
  return {
    nowMs: serverMs + passedMs - driftMs - TOLERANCE_MS,
    errorMs: roundTripMs + 2 * driftMs + TOLERANCE_MS,
  };
}
