/**
 * What an answer teaches the ledger: that the request is over, and what the service's own headers say of the
 * endpoint's quota where other programs on the same address have drawn on it too (spec 8.2.2, 8.3). Pure.
 */
import { backoffAfter, type Moment } from './backoff.js';
import type { ExternalUse, LedgerState, PermitRecord } from './ledger-state.js';
import { readRateHeaders, type RateHeaders } from './rate-headers.js';
import type { ObservedResponse } from './rate-ledger.js';
import type { Quota } from './quotas.js';

/** A request that is over. */
export interface Settlement {
  readonly place: PermitRecord;
  readonly answer: ObservedResponse | 'silence' | undefined;
  readonly moment: Moment;
}

export function applyResponse(state: LedgerState, { place, answer, moment }: Settlement): void {
  const recorded = state.places.find(({ id }) => id === place.id);
  if (recorded) recorded.settledMs = moment.nowMs;
  state.cooldown = backoffAfter(state.cooldown, place, answer, moment);
  const endpoint = place.quotas[1];
  if (endpoint && answer !== undefined && answer !== 'silence') {
    hearQuota(state, place, endpoint, readRateHeaders(answer.headers, moment.wallMs), moment.nowMs);
  }
}

function hearQuota(
  state: LedgerState,
  place: PermitRecord,
  quota: Quota,
  { limit = quota.requests, remaining, endsInMs }: RateHeaders,
  nowMs: number,
): void {
  state.limits = state.limits.filter(({ key }) => key !== quota.key);
  if (limit < quota.requests) {
    state.limits.push({ key: quota.key, requests: limit, heardMs: nowMs });
  }
  if (remaining === undefined || remaining > limit) return;
  // Ours that the service can have counted by then: those in use at the grant, and those granted since.
  const at = state.places.findIndex(({ id }) => id === place.id);
  const since = state.places
    .slice(at + 1)
    .filter(({ quotas }) => quotas.some(({ key }) => key === quota.key));
  const known = state.foreign.filter(({ key }) => key === quota.key);
  const heardSince = sum(known.filter(({ heardMs }) => heardMs >= place.grantedMs));
  const foreign = limit - remaining - ((place.usedThen ?? 1) + since.length + heardSince);
  const count = Math.min(foreign, quota.requests - sum(known));
  if (count <= 0) return;
  state.foreign.push({
    key: quota.key,
    count,
    heardMs: nowMs,
    untilMs: nowMs + Math.min(endsInMs ?? quota.periodMs, quota.periodMs),
  });
}

function sum(uses: readonly ExternalUse[]): number {
  return uses.reduce((total, { count }) => total + count, 0);
}
