/** The ledger for display: the use of each quota, waiting processes and any pause. Pure. */
import { isUnderWay, nextFreeMs, type LedgerRules } from './ledger-rules.js';
import type { Transaction } from './ledger-store.js';
import { activePause } from './pause.js';
import type { Quota } from '../quotas.js';

/** The members are those of `tankobon limits --json`. */
export interface QuotaView {
  readonly host: string;
  /** The row of the endpoint table, such as `GET /at-home/server/{id}`; absent for the host's general limit. */
  readonly endpoint?: string;
  readonly used: number;
  readonly allowed: number;
  readonly periodMs: number;
  /** What the service said that remains of the quota, less what was sent since. */
  readonly remaining?: number;
  /** When the next request may go, by the wall clock; absent where it may go now. */
  readonly freeAtMs?: number;
}

interface PauseView {
  readonly why: 'rate-limited' | 'banned';
  /** By the wall clock. */
  readonly untilMs: number;
  /** How many times it occurred in a row. */
  readonly strikes: number;
}

/** One of several machines that share a ledger, with processes that wait. */
interface MachineView {
  readonly host: string;
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
  readonly cooldown?: PauseView;
  /** Only of a ledger that several machines can share. */
  readonly machines?: readonly MachineView[];
  /** A pause has expired, and the next request tests whether it has ended. */
  readonly onProbation: boolean;
}

/** The longest period of the quotas that downloads draw on. */
const MAX_SHOWN_PERIOD_MS = 60_000;

export function viewOf(reading: Transaction, rules: LedgerRules, isOnServer: boolean): LedgerView {
  const { document, nowMs, wallMs, seenMs } = reading;
  const uses = document.uses.filter(({ untilMs }) => untilMs > nowMs);
  const keys = new Set([...uses, ...document.caps].map(({ key }) => key));
  const pause = activePause(document, nowMs);
  const { unknownMs = -Infinity } = document;
  const isAlive = ({ processId }: { readonly processId: string }): boolean =>
    seenMs?.has(processId) ?? true;
  const waiting = [...new Set(document.tickets.filter(isAlive).map(({ processId }) => processId))];
  return {
    quotas: [...keys]
      .sort()
      .map((key) => quotaView({ ...reading, document: { ...document, uses } }, rules.quotaOf(key)))
      .filter(({ used, remaining }) => used > 0 || remaining !== undefined),
    waiting: waiting.length,
    unknownUseUntilMs:
      unknownMs + MAX_SHOWN_PERIOD_MS > nowMs ? wallMs + unknownMs - nowMs : undefined,
    underWay: new Set(uses.filter((use) => isUnderWay(use, nowMs, rules)).map(({ id }) => id)).size,
    cooldown: pause && {
      why: pause.kind,
      untilMs: wallMs + pause.untilMs - nowMs,
      strikes: pause.strikes,
    },
    machines: isOnServer ? machineViews(waiting) : undefined,
    onProbation: document.pause !== undefined && !pause,
  };
}

/** The id of a process on a server begins with its host. */
function machineViews(processIds: readonly string[]): readonly MachineView[] {
  const hosts = processIds.map((id) => id.split('-').slice(0, -2).join('-'));
  return [...new Set(hosts)]
    .sort()
    .map((host) => ({ host, waiting: hosts.filter((other) => other === host).length }));
}

function quotaView({ document, nowMs, wallMs }: Transaction, quota: Quota): QuotaView {
  const [host = quota.key, ...endpoint] = quota.key.split(' ');
  const cap = document.caps.find(({ key, untilMs }) => key === quota.key && untilMs > nowMs);
  const freeMs = nextFreeMs(document, quota, nowMs);
  return {
    host,
    endpoint: endpoint.join(' ') || undefined,
    used: document.uses.filter(({ key }) => key === quota.key).length,
    allowed: quota.requests,
    periodMs: quota.periodMs,
    remaining: cap?.remaining,
    freeAtMs: freeMs > nowMs ? wallMs + freeMs - nowMs : undefined,
  };
}
