/**
 * The rules of the ledger, the same for every store. Pure.
 *
 * A request may go when each of its quotas has fewer uses than requests allowed. Its grant adds a use for each quota
 * until one window after the end of the request's life; when the headers of its response arrive, until one window after
 * that. So no window holds more arrivals than allowed, however late each of them is, and what a killed process held
 * expires by itself.
 */
import type { LedgerDocument, Use } from './ledger-document.js';
import type { Quota } from '../quotas.js';

/** The whole life of a request, counted from its grant. */
export const MAX_REQUEST_MS = 30_000;
/** The first byte of a request leaves within this time after its grant. */
export const MAX_SEND_DELAY_MS = 2_000;
/** A ticket that its process has not renewed for this long is gone. */
export const TICKET_LIFETIME_MS = 3_000;
/** Shortly before its turn a process looks often, since others may leave. */
export const SOON_POLL_MS = 200;
/** For timers that fire early, and for the service's clock running faster than ours. */
const MARGIN_MS = 5;
const MARGIN_OF_PERIOD = 0.000_5;

export interface LedgerRules {
  readonly quotaOf: (key: string) => Quota;
  readonly maxRequestMs: number;
}

/** How long a use counts after its request has arrived. */
export function windowMs({ periodMs }: Quota): number {
  return periodMs * (1 + MARGIN_OF_PERIOD) + MARGIN_MS;
}

/** Marks all use as unknown: requests of which the document does not know may still be on their way. */
export function markUnknown(document: LedgerDocument, nowMs: number, rules: LedgerRules): void {
  document.unknownMs = nowMs + rules.maxRequestMs;
}

/** Whether the request has not ended yet, as far as is known. */
export function isUnderWay(use: Use, nowMs: number, rules: LedgerRules): boolean {
  return use.untilMs > nowMs + windowMs(rules.quotaOf(use.key)) + 1;
}

/** Removes everything but the requests under way and the processes that wait. */
export function clearDocument(document: LedgerDocument, nowMs: number, rules: LedgerRules): void {
  document.uses = document.uses.filter((use) => isUnderWay(use, nowMs, rules));
  document.caps = [];
  delete document.unknownMs;
  delete document.pause;
  delete document.lastBan;
}

/** When a quota has its next request free for one with `ahead` others before it; now, or an expiry. */
export function nextFreeMs(
  document: LedgerDocument,
  quota: Quota,
  nowMs: number,
  ahead = 0,
): number {
  const lengthMs = windowMs(quota);
  // A request under way counts as settled now.
  const expiriesMs = document.uses
    .filter(({ key }) => key === quota.key)
    .map(({ untilMs }) => Math.min(untilMs, nowMs + lengthMs))
    .sort((a, b) => a - b);
  const index = expiriesMs.length - quota.requests + ahead;
  const freeMs = index < 0 ? nowMs : (expiriesMs[index] ?? nowMs + SOON_POLL_MS);
  return Math.max(freeMs, fullUntilMs(document, quota, 0));
}

/** Until when the quota counts as used up whatever its uses are: earlier use is unknown, or the service says so. */
export function fullUntilMs(
  { unknownMs = -Infinity, caps }: LedgerDocument,
  quota: Quota,
  held: number,
): number {
  const cap = caps.find(({ key }) => key === quota.key);
  const cappedMs = cap && cap.remaining <= held ? cap.untilMs : -Infinity;
  return Math.max(unknownMs + windowMs(quota), cappedMs);
}
