/**
 * The backoffs of spec 7: a 429, which every request waits out, and the ban of a generic 403, which fails every request
 * until its cooldown is over. After either has expired, requests are sent one at a time until one succeeds. Pure.
 */
import type { Moment } from '../core/clock.js';
import { requestedWaitMs } from './rate-headers.js';
import type { ObservedResponse } from './rate-ledger.js';

/** Times are monotonic milliseconds of this boot. */
export interface Backoff {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** How many times it occurred in a row. */
  readonly strikes: number;
}

export interface Ban extends Backoff {
  readonly over?: true;
}

export interface BackoffState {
  /** A 429 whose wait is not over, or after which no request has succeeded yet. */
  readonly rateLimit?: Backoff;
  /** Kept for a day after its end, so that the next ban counts as a repeated one. */
  readonly ban?: Ban;
  /** The permit of the one request that tests whether a backoff has ended. */
  readonly probeId?: string;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** If a 429 names no time: 5 s, 10 s, 20 s …, at most 15 minutes. */
const FIRST_PAUSE_MS = 5 * SECOND_MS;
const MAX_PAUSE_MS = 15 * MINUTE_MS;
const MIN_PAUSE_MS = SECOND_MS;
/** The duration of a ban is undisclosed (spec 7): 10 minutes, doubled for each repetition, at most a day. */
const FIRST_BAN_MS = 10 * MINUTE_MS;
export const MAX_BACKOFF_MS = DAY_MS;
export const MAX_STRIKES = 30;

/** The time that a 429 names; longer if an earlier one was not enough, or if none is named. */
function pauseMs(namedMs: number | undefined, strikes: number): number {
  const growingMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (strikes - 1));
  if (namedMs === undefined) return growingMs;
  return Math.min(MAX_BACKOFF_MS, Math.max(namedMs, strikes === 1 ? MIN_PAUSE_MS : growingMs));
}

function banMs(strikes: number): number {
  return Math.min(MAX_BACKOFF_MS, FIRST_BAN_MS * 2 ** (strikes - 1));
}

/** The backoff after a request has ended; without a response the connection failed. */
export function nextBackoff(
  backoff: BackoffState,
  permit: { readonly id: string; readonly grantedMs: number },
  response: ObservedResponse | 'timeout' | undefined,
  moment: Moment,
): BackoffState {
  const current = backoff.probeId === permit.id ? { ...backoff, probeId: undefined } : backoff;
  if (response === undefined) return current;
  if (response === 'timeout') return afterTimeout(current, moment);
  const { grantedMs } = permit;
  const { nowMs, wallMs } = moment;
  if (response.status === 429) {
    const lengthMs = (strikes: number) =>
      pauseMs(requestedWaitMs(response.headers, wallMs), strikes);
    return { ...current, rateLimit: backoffAfter(current.rateLimit, grantedMs, nowMs, lengthMs) };
  }
  if (response.generic === true)
    return { ...current, ban: backoffAfter(recentBan(current, nowMs), grantedMs, nowMs, banMs) };
  // From an image host a 403 means that a base URL has expired; it says nothing about bans.
  if (response.status === 403 && response.generic === undefined) return current;
  return afterSuccess(current, grantedMs);
}

/** A request that was sent before the backoff began meets the same one, not another. */
function backoffAfter(
  known: Backoff | undefined,
  grantedMs: number,
  nowMs: number,
  lengthMs: (strikes: number) => number,
): Backoff {
  const same = known !== undefined && grantedMs <= known.sinceMs ? known : undefined;
  const strikes = same?.strikes ?? Math.min(MAX_STRIKES, (known?.strikes ?? 0) + 1);
  const untilMs = Math.max(same?.untilMs ?? 0, nowMs + lengthMs(strikes));
  return { sinceMs: same?.sinceMs ?? nowMs, untilMs, strikes };
}

/** Right after a ban the service may not respond at all (spec 7); each request renews the cooldown. */
function afterTimeout(backoff: BackoffState, { nowMs }: Moment): BackoffState {
  const ban = recentBan(backoff, nowMs);
  if (ban === undefined || ban.over === true) return backoff;
  const lengthMs = banMs(ban.strikes);
  // Long after the ban, the network is more likely to be down.
  if (nowMs - ban.untilMs > lengthMs) return backoff;
  return { ...backoff, ban: { ...ban, sinceMs: nowMs, untilMs: nowMs + lengthMs } };
}

/** A request sent before the end of a backoff does not show that it has ended. */
function afterSuccess(backoff: BackoffState, grantedMs: number): BackoffState {
  const { rateLimit, ban } = backoff;
  return {
    ...backoff,
    rateLimit: rateLimit && grantedMs < rateLimit.untilMs ? rateLimit : undefined,
    ban: ban && grantedMs >= ban.untilMs ? { ...ban, over: true } : ban,
  };
}

function recentBan({ ban }: BackoffState, nowMs: number): Ban | undefined {
  return ban !== undefined && nowMs - ban.untilMs > DAY_MS ? undefined : ban;
}

/** The ban in force. */
export function activeBan({ ban }: BackoffState, nowMs: number): Ban | undefined {
  return ban !== undefined && ban.untilMs > nowMs ? ban : undefined;
}

/** The 429 in force. */
export function activeRateLimit({ rateLimit }: BackoffState, nowMs: number): Backoff | undefined {
  return rateLimit !== undefined && rateLimit.untilMs > nowMs ? rateLimit : undefined;
}

/** Whether requests go one at a time: a backoff has expired, but no request has succeeded since. */
export function isOnProbation({ rateLimit, ban }: BackoffState): boolean {
  return rateLimit !== undefined || (ban !== undefined && ban.over !== true);
}

/** Drops a ban that ended over a day ago. */
export function pruneBackoff(backoff: BackoffState, nowMs: number): BackoffState {
  return { ...backoff, ban: recentBan(backoff, nowMs) };
}
