/** The ledger for display: the use of each quota, waiting processes and any backoff. Pure. */
import type { Moment } from '../core/clock.js';
import { activeBan, activeRateLimit, isOnProbation } from './backoff.js';
import { allowedRequests, expiriesOf, nextFreeMs, type LedgerState } from './ledger-state.js';
import type { Quota } from './quotas.js';

/** The members are those of `tankobon limits --json`. */
export interface QuotaView {
  readonly host: string;
  /** The row of the endpoint table, such as `GET /at-home/server/{id}`; absent for the host's general limit. */
  readonly endpoint?: string;
  readonly used: number;
  /** Of `used`, the requests of other programs on this address, as inferred from response headers. */
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
  /** How many times it occurred in a row. */
  readonly strikes: number;
}

/** One of several machines that share a ledger. */
export interface MachineView {
  readonly host: string;
  readonly processes: number;
  /** Of these, those that wait for a permit. */
  readonly waiting: number;
}

export interface LedgerView {
  readonly quotas: readonly QuotaView[];
  /** Processes that wait for a permit. */
  readonly waiting: number;
  /** Earlier use is unknown: each limit counts as used up until one period after this time, by the wall clock. */
  readonly unknownUseUntilMs?: number;
  /** Requests that are under way. */
  readonly underWay: number;
  readonly cooldown?: BackoffView;
  /** Only of a ledger that several machines can share. */
  readonly machines?: readonly MachineView[];
  /** A backoff has expired, and the next request tests whether it has ended. */
  readonly onProbation: boolean;
}

/** The longest period of the quotas that downloads draw on. */
const MAX_SHOWN_PERIOD_MS = 60_000;

/** @param hosts of the processes, by their ids; absent where all are on this machine */
export function viewOf(
  state: LedgerState,
  moment: Moment,
  hosts?: ReadonlyMap<string, string>,
): LedgerView {
  const { nowMs, wallMs } = moment;
  const known = new Map<string, Quota>();
  for (const { quotas } of [...state.permits, ...state.queue]) {
    for (const quota of quotas) known.set(quota.key, quota);
  }
  const ban = activeBan(state.backoff, nowMs);
  const active = ban ?? activeRateLimit(state.backoff, nowMs);
  const ids = state.queue.map(({ processId }) => processId);
  const waiting = new Set(ids.filter((id) => hosts?.has(id) ?? true));
  const { unknownUse } = state;
  return {
    quotas: [...known.values()]
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map((quota) => quotaView(state, quota, moment))
      .filter(({ used }) => used > 0),
    waiting: waiting.size,
    unknownUseUntilMs:
      unknownUse && unknownUse.atMs + MAX_SHOWN_PERIOD_MS > nowMs
        ? wallMs + unknownUse.atMs - nowMs
        : undefined,
    underWay: state.permits.filter(({ settledMs }) => settledMs === undefined).length,
    cooldown: active && {
      why: active === ban ? 'banned' : 'rate-limited',
      untilMs: wallMs + active.untilMs - nowMs,
      strikes: active.strikes,
    },
    machines: hosts && machineViews(hosts, waiting),
    onProbation: !active && isOnProbation(state.backoff),
  };
}

function machineViews(
  hosts: ReadonlyMap<string, string>,
  waiting: ReadonlySet<string>,
): readonly MachineView[] {
  const names = [...new Set(hosts.values())].sort();
  return names.map((host) => {
    const ids = [...hosts].filter(([, processHost]) => processHost === host).map(([id]) => id);
    return { host, processes: ids.length, waiting: ids.filter((id) => waiting.has(id)).length };
  });
}

function quotaView(state: LedgerState, quota: Quota, { nowMs, wallMs }: Moment): QuotaView {
  const [host = quota.key, ...endpoint] = quota.key.split(' ');
  const expiries = expiriesOf(state, quota, nowMs);
  const allowed = allowedRequests(state, quota);
  const freeMs = nextFreeMs(expiries, allowed, nowMs);
  return {
    host,
    endpoint: endpoint.join(' ') || undefined,
    used: Math.min(expiries.length, allowed),
    foreign: state.externalUses
      .filter(({ key, untilMs }) => key === quota.key && untilMs > nowMs)
      .reduce((sum, { count }) => sum + count, 0),
    allowed,
    periodMs: quota.periodMs,
    freeAtMs: freeMs > nowMs ? wallMs + freeMs - nowMs : undefined,
  };
}
