/**
 * The two ways in which the service says stop (spec 7), as pure decisions: 429, which is waited for, and the ban
 * of a generic 403, which ends everything until its cooldown is over. After either has ended, requests go one at a
 * time until one is answered well, so that a stop that goes on is met by one request and not by many.
 */
import { namedWaitMs } from './rate-headers.js';
import type { ObservedResponse } from './rate-ledger.js';

/** All times are monotonic milliseconds of this boot. */
export interface Backoff {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** How often it was met in a row. */
  readonly strikes: number;
}

export interface BackoffState {
  /** A 429 is being waited for, or the wait is over and no good answer has come yet. */
  readonly stop?: Backoff;
  /** A ban; kept for a day after its end, so that the next one is known to be the second. */
  readonly ban?: Backoff & { readonly over?: true };
  /** The place of the one request that tries whether a halt has ended. */
  readonly probe?: string;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Where the service names no time: 5 s, 10 s, 20 s …, a quarter of an hour at most. */
const FIRST_PAUSE_MS = 5 * SECOND_MS;
const LONGEST_PAUSE_MS = 15 * MINUTE_MS;
const SHORTEST_PAUSE_MS = SECOND_MS;
/** The ban's duration is undisclosed (spec 7): 10 minutes, doubled each time it is met again, a day at most. */
const FIRST_BAN_MS = 10 * MINUTE_MS;
export const LONGEST_HALT_MS = DAY_MS;

export interface Moment {
  readonly nowMs: number;
  readonly wallMs: number;
}

/** How long a 429 stops everything: as long as it says; longer than that where it says so in vain, or nothing. */
function stopLengthMs(namedMs: number | undefined, strikes: number): number {
  const growingMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (strikes - 1));
  if (namedMs === undefined) return growingMs;
  const leastMs = strikes === 1 ? SHORTEST_PAUSE_MS : growingMs;
  return Math.min(LONGEST_HALT_MS, Math.max(namedMs, leastMs));
}

function banLengthMs(strikes: number): number {
  return Math.min(LONGEST_HALT_MS, FIRST_BAN_MS * 2 ** (strikes - 1));
}

/** What the answer to a request makes of the cooldown; `silence`: nothing came within the time limits. */
export function backoffAfter(
  cooldown: BackoffState,
  place: { readonly id: string; readonly grantedMs: number },
  answer: ObservedResponse | 'silence' | undefined,
  moment: Moment,
): BackoffState {
  const { probe, ...halts } = cooldown;
  const rest: BackoffState = probe === undefined || probe === place.id ? halts : cooldown;
  if (answer === undefined) return rest;
  if (answer === 'silence') return afterSilence(rest, moment);
  if (answer.status === 429) return after429(rest, place.grantedMs, answer, moment);
  if (answer.generic === true) return afterBan(rest, place.grantedMs, moment);
  // From a host of pictures a 403 says that a base URL has expired, and nothing of bans.
  if (answer.status === 403 && answer.generic === undefined) return rest;
  return afterGoodAnswer(rest, place.grantedMs);
}

function after429(
  cooldown: BackoffState,
  grantedMs: number,
  { headers }: ObservedResponse,
  { nowMs, wallMs }: Moment,
): BackoffState {
  const { stop } = cooldown;
  // Requests that were under way when the first 429 came are answered alike; that is one stop, not several.
  const sameStop = stop !== undefined && grantedMs <= stop.sinceMs;
  const strikes = sameStop ? stop.strikes : Math.min(30, (stop?.strikes ?? 0) + 1);
  const untilMs = nowMs + stopLengthMs(namedWaitMs(headers, wallMs), strikes);
  const halt = { sinceMs: nowMs, untilMs, strikes };
  return {
    ...cooldown,
    stop: sameStop ? { ...stop, untilMs: Math.max(stop.untilMs, untilMs) } : halt,
  };
}

function afterBan(cooldown: BackoffState, grantedMs: number, { nowMs }: Moment): BackoffState {
  const known = currentBan(cooldown, nowMs);
  const sameBan = known !== undefined && grantedMs <= known.sinceMs;
  const strikes = sameBan ? known.strikes : Math.min(30, (known?.strikes ?? 0) + 1);
  const untilMs = nowMs + banLengthMs(strikes);
  const sinceMs = sameBan ? known.sinceMs : nowMs;
  return { ...cooldown, ban: { sinceMs, untilMs, strikes } };
}

/** Right after a ban the service may not answer at all (spec 7); each request renews its cooldown. */
function afterSilence(cooldown: BackoffState, { nowMs }: Moment): BackoffState {
  const ban = currentBan(cooldown, nowMs);
  if (ban === undefined || ban.over === true) return cooldown;
  const lengthMs = banLengthMs(ban.strikes);
  // Long after, it is more likely that the network is down.
  if (nowMs - ban.untilMs > lengthMs) return cooldown;
  return {
    ...cooldown,
    ban: {
      sinceMs: nowMs,
      untilMs: nowMs + lengthMs,
      strikes: ban.strikes,
    },
  };
}

function afterGoodAnswer(cooldown: BackoffState, grantedMs: number): BackoffState {
  const { stop, ban, ...rest } = cooldown;
  return {
    ...rest,
    // What was sent before the halt says nothing about whether it has ended.
    ...(stop && grantedMs < stop.untilMs && { stop }),
    ...(ban && { ban: grantedMs < ban.untilMs ? ban : { ...ban, over: true as const } }),
  };
}

function currentBan({ ban }: BackoffState, nowMs: number): BackoffState['ban'] {
  return ban !== undefined && nowMs - ban.untilMs > DAY_MS ? undefined : ban;
}

/** The ban in force. */
export function activeBan({ ban }: BackoffState, nowMs: number): Backoff | undefined {
  return ban !== undefined && ban.untilMs > nowMs ? ban : undefined;
}

/** The 429 that is being waited for. */
export function activeRateLimit({ stop }: BackoffState, nowMs: number): Backoff | undefined {
  return stop !== undefined && stop.untilMs > nowMs ? stop : undefined;
}

/** Whether a halt is over as far as time goes, but no good answer has shown it yet. */
export function isOnProbation({ stop, ban }: BackoffState): boolean {
  return stop !== undefined || (ban !== undefined && ban.over !== true);
}

/** Without what no longer matters: a ban of which a day has passed. */
export function pruneBackoff(cooldown: BackoffState, nowMs: number): BackoffState {
  const { ban, ...rest } = cooldown;
  return ban === undefined || currentBan(cooldown, nowMs) ? cooldown : rest;
}
