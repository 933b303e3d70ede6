/**
 * The pauses of spec 7: a 429, which every request waits out, and the ban of a generic 403, which fails every request
 * until its cooldown is over. After either, a single request probes whether it has ended. Pure.
 */

export interface Pause {
  readonly kind: 'rate-limited' | 'banned';
  sinceMs: number;
  untilMs: number;
  /** How many times it occurred in a row. */
  readonly strikes: number;
  /** The one request that tests whether the pause has ended, and the end of its life. */
  probe?: { readonly id: string; readonly untilMs: number } | undefined;
}

export interface PauseState {
  pause?: Pause | undefined;
  /** Kept for a day after its end, so that the next ban counts as a repeated one. */
  lastBan?: { readonly untilMs: number; readonly strikes: number } | undefined;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** If a 429 names no time: 5 s, 10 s, 20 s …, at most 15 minutes. */
const FIRST_PAUSE_MS = 5 * SECOND_MS;
const MAX_PAUSE_MS = 15 * MINUTE_MS;
const MIN_PAUSE_MS = SECOND_MS;
/** The duration of a ban is undisclosed (spec 7): 10 minutes, doubled for each repetition, at most a day. */
const FIRST_BAN_MS = 10 * MINUTE_MS;
const MAX_STRIKES = 30;

function lengthOf(kind: Pause['kind'], strikes: number, namedMs?: number): number {
  if (kind === 'banned') return Math.min(DAY_MS, FIRST_BAN_MS * 2 ** (strikes - 1));
  const growingMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (strikes - 1));
  if (namedMs === undefined) return growingMs;
  return Math.min(DAY_MS, Math.max(namedMs, strikes === 1 ? MIN_PAUSE_MS : growingMs));
}

export interface Refusal {
  readonly kind: Pause['kind'];
  readonly grantedMs: number;
  /** The wait that the service names. */
  readonly namedMs?: number | undefined;
}

/** A 429 or a ban. A request that was granted before the pause began extends it and does not count as a new strike. */
export function recordRefusal(state: PauseState, refusal: Refusal, nowMs: number): void {
  const { kind, grantedMs, namedMs } = refusal;
  const { pause } = state;
  if (pause?.kind === 'banned' && kind === 'rate-limited' && nowMs < pause.untilMs) return;
  if (pause?.kind === kind && grantedMs <= pause.sinceMs) {
    pause.untilMs = Math.max(pause.untilMs, nowMs + lengthOf(kind, pause.strikes, namedMs));
  } else {
    const earlier = kind === 'banned' ? state.lastBan : pause?.kind === kind ? pause : undefined;
    const strikes = Math.min(MAX_STRIKES, (earlier?.strikes ?? 0) + 1);
    const untilMs = Math.max(pause?.untilMs ?? 0, nowMs + lengthOf(kind, strikes, namedMs));
    state.pause = { kind, strikes, sinceMs: nowMs, untilMs };
  }
  rememberBan(state);
}

/** A probe that never answers counts as refused again, unless it was sent long after the pause. */
export function recordUnansweredProbe(
  state: PauseState,
  nowMs: number,
  maxRequestMs: number,
): void {
  const { pause } = state;
  if (!pause?.probe) return;
  const { untilMs } = pause.probe;
  delete pause.probe;
  const lengthMs = lengthOf(pause.kind, pause.strikes);
  // Long after the pause, the network is more likely to be down.
  if (untilMs - maxRequestMs - pause.untilMs > lengthMs) return;
  const endedMs = Math.min(nowMs, untilMs);
  pause.sinceMs = endedMs;
  pause.untilMs = Math.max(pause.untilMs, endedMs + lengthMs);
  rememberBan(state);
}

/** The pause in force; after its end a probe decides. */
export function activePause({ pause }: PauseState, nowMs: number): Pause | undefined {
  return pause && nowMs < pause.untilMs ? pause : undefined;
}

export function forgetOldBan(state: PauseState, nowMs: number): void {
  if (state.lastBan && nowMs - state.lastBan.untilMs > DAY_MS) delete state.lastBan;
}

/** The pause of another clock: `passedMs` of it have passed since `writtenMs`, and now it is `nowMs`. */
export function movePause(
  { pause, lastBan }: PauseState,
  { writtenMs, passedMs, nowMs }: Record<'writtenMs' | 'passedMs' | 'nowMs', number>,
): PauseState {
  const moved = (ms: number): number => nowMs + Math.max(0, ms - writtenMs - passedMs);
  return {
    pause: pause && { ...pause, sinceMs: nowMs, untilMs: moved(pause.untilMs), probe: undefined },
    lastBan: lastBan && { ...lastBan, untilMs: moved(lastBan.untilMs) },
  };
}

function rememberBan(state: PauseState): void {
  const { pause } = state;
  if (pause?.kind === 'banned') {
    state.lastBan = { untilMs: pause.untilMs, strikes: pause.strikes };
  }
}
