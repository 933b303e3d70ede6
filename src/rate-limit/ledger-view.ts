/** The ledger as it is shown: how much of each quota is in use, who waits, and any halt. Pure. */
import { activeBan, isOnProbation, activeRateLimit, type Moment } from './backoff.js';
import { allowedRequests, freeAtMs, lapsesOf, type LedgerState } from './ledger-state.js';
import type { Quota } from './quotas.js';

export interface QuotaView {
  readonly host: string;
  /** The row of the endpoint table, such as `GET /at-home/server/{id}`; absent for the host's general limit. */
  readonly endpoint?: string;
  readonly used: number;
  /** Of these, uses by other programs on this address, as the service's answers let us conclude. */
  readonly foreign: number;
  readonly allowed: number;
  readonly periodMs: number;
  /** When the next request may go, by the wall clock; absent where it may go now. */
  readonly freeAtMs?: number;
}

export interface BackoffView {
  readonly why: 'rate-limited' | 'banned';
  /** By the wall clock. */
  readonly untilMs: number;
  /** How often it was met in a row. */
  readonly strikes: number;
}

export interface LedgerView {
  readonly quotas: readonly QuotaView[];
  /** Processes that wait for a place. */
  readonly waiting: number;
  /** Requests that are under way. */
  readonly underWay: number;
  readonly cooldown?: BackoffView;
  /** A halt is over by time, and the next request will show whether it is indeed. */
  readonly onProbation: boolean;
}

export function viewOf(state: LedgerState, { nowMs, wallMs }: Moment): LedgerView {
  const known = new Map<string, Quota>();
  for (const { quotas } of [...state.places, ...state.queue]) {
    for (const quota of quotas) known.set(quota.key, quota);
  }
  const ban = activeBan(state.cooldown, nowMs);
  const halt = ban ?? activeRateLimit(state.cooldown, nowMs);
  const atWall = (ms: number): number => wallMs + ms - nowMs;
  return {
    quotas: [...known.values()]
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map((quota) => quotaView(state, quota, nowMs, atWall))
      .filter(({ used }) => used > 0),
    waiting: new Set(state.queue.map(({ holder }) => holder)).size,
    underWay: state.places.filter(({ settledMs }) => settledMs === undefined).length,
    ...(halt && {
      cooldown: {
        why: halt === ban ? ('banned' as const) : ('rate-limited' as const),
        untilMs: atWall(halt.untilMs),
        strikes: halt.strikes,
      },
    }),
    onProbation: halt === undefined && isOnProbation(state.cooldown),
  };
}

function quotaView(
  state: LedgerState,
  quota: Quota,
  nowMs: number,
  atWall: (ms: number) => number,
): QuotaView {
  const [host = quota.key, ...endpoint] = quota.key.split(' ');
  const lapses = lapsesOf(state, quota, nowMs);
  const allowed = allowedRequests(state, quota);
  const freeMs = freeAtMs(lapses, allowed, nowMs);
  return {
    host,
    ...(endpoint.length > 0 && { endpoint: endpoint.join(' ') }),
    used: Math.min(lapses.length, allowed),
    foreign: state.foreign
      .filter(({ key, untilMs }) => key === quota.key && untilMs > nowMs)
      .reduce((sum, { count }) => sum + count, 0),
    allowed,
    periodMs: quota.periodMs,
    ...(freeMs > nowMs && { freeAtMs: atWall(freeMs) }),
  };
}
