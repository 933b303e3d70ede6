/**
 * Records the end of a request: settles its permit, updates the backoff, and compares the quota of its endpoint with the
 * response headers, since other programs on the same address may draw on it too (spec 8.2.2, 8.3).
 */
import type { Moment } from '../core/clock.js';
import { nextBackoff } from './backoff.js';
import type { ExternalUse, LedgerState, PermitRecord } from './ledger-state.js';
import { readRateHeaders, type RateHeaders } from './rate-headers.js';
import type { ObservedResponse } from './rate-ledger.js';
import type { Quota } from './quotas.js';

export interface Settlement {
  readonly permit: PermitRecord;
  readonly response: ObservedResponse | 'timeout' | undefined;
  readonly moment: Moment;
}

export function applyResponse(state: LedgerState, settlement: Settlement): void {
  const { permit, response, moment } = settlement;
  const recorded = state.permits.find(({ id }) => id === permit.id);
  if (recorded) recorded.settledMs = moment.nowMs;
  state.backoff = nextBackoff(state.backoff, permit, response, moment);
  const endpoint = permit.quotas[1];
  if (endpoint && typeof response === 'object') {
    const headers = readRateHeaders(response.headers, moment.wallMs);
    applyRateHeaders(state, permit, endpoint, headers, moment.nowMs);
  }
}

function applyRateHeaders(
  state: LedgerState,
  permit: PermitRecord,
  quota: Quota,
  { limit = quota.requests, remaining, endsInMs }: RateHeaders,
  nowMs: number,
): void {
  const { key } = quota;
  state.limits = state.limits.filter((announced) => announced.key !== key);
  if (limit < quota.requests) state.limits.push({ key, requests: limit, observedMs: nowMs });
  if (remaining === undefined || remaining > limit) return;
  // Our own requests that the service can have counted: those in use at the grant, and those granted since.
  const index = state.permits.findIndex(({ id }) => id === permit.id);
  const grantedSince = state.permits
    .slice(index + 1)
    .filter(({ quotas }) => quotas.some((other) => other.key === key));
  const known = state.externalUses.filter((use) => use.key === key);
  const observedSince = sum(known.filter(({ observedMs }) => observedMs >= permit.grantedMs));
  const own = (permit.usedAtGrant ?? 1) + grantedSince.length;
  const count = Math.min(limit - remaining - own - observedSince, quota.requests - sum(known));
  if (count <= 0) return;
  const untilMs = nowMs + Math.min(endsInMs ?? quota.periodMs, quota.periodMs);
  state.externalUses.push({ key, count, observedMs: nowMs, untilMs });
}

function sum(uses: readonly ExternalUse[]): number {
  return uses.reduce((total, { count }) => total + count, 0);
}
