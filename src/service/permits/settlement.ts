/** What the end of a request changes in the ledger. Pure. */
import type { LedgerDocument } from './ledger-document.js';
import { windowMs, type LedgerRules } from './ledger-rules.js';
import { recordRefusal, recordUnansweredProbe } from './pause.js';
import { isGeneralKey, type Quota } from '../quotas.js';
import { readRateHeaders, requestedWaitMs } from './rate-headers.js';
import type { ObservedResponse } from './rate-ledger.js';

/** Two responses name the same period if its ends differ by less; `Date` has whole seconds. */
const SAME_PERIOD_MS = 1_500;

/** The end of a request, as the ledger needs it. */
export interface Outcome {
  /** `unclear`: a response that shows nothing about pauses. `unsent`: no byte of the request was written. */
  readonly kind: 'ok' | 'rate-limited' | 'banned' | 'unclear' | 'no-response' | 'unsent';
  /** The wait that a 429 names. */
  readonly namedMs?: number | undefined;
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly endsInMs?: number | undefined;
}

export interface Settlement {
  readonly id: string;
  readonly grantedMs: number;
  readonly outcome: Outcome;
}

export function outcomeOf(
  response: ObservedResponse | 'unsent' | undefined,
  wallMs: number,
): Outcome {
  if (response === undefined) return { kind: 'no-response' };
  if (response === 'unsent') return { kind: 'unsent' };
  const { status, headers, generic } = response;
  const limits = readRateHeaders(headers, wallMs);
  if (status === 429) {
    return { kind: 'rate-limited', namedMs: requestedWaitMs(headers, wallMs), ...limits };
  }
  if (generic === true) return { kind: 'banned', ...limits };
  // From an image host a 403 means that a base URL has expired; it says nothing about bans.
  return { kind: status === 403 && generic === undefined ? 'unclear' : 'ok', ...limits };
}

export function settle(
  document: LedgerDocument,
  { id, grantedMs, outcome }: Settlement,
  nowMs: number,
  rules: LedgerRules,
): void {
  const { kind, namedMs } = outcome;
  const isProbe = document.pause?.probe?.id === id;
  if (kind === 'unsent') document.uses = document.uses.filter((use) => use.id !== id);
  else if (kind !== 'no-response') {
    for (const use of document.uses.filter((one) => one.id === id)) {
      const quota = rules.quotaOf(use.key);
      use.untilMs = Math.min(use.untilMs, nowMs + windowMs(quota));
      recordRemaining(document, quota, outcome, nowMs);
    }
  }
  if (kind === 'rate-limited' || kind === 'banned') {
    recordRefusal(document, { kind, grantedMs, namedMs }, nowMs);
  } else if (isProbe && kind === 'ok') delete document.pause;
  else if (isProbe && kind === 'no-response') {
    recordUnansweredProbe(document, nowMs, rules.maxRequestMs);
  }
  if (document.pause?.probe?.id === id) delete document.pause.probe;
}

/** The service's count of an endpoint includes requests of other programs on the same address (spec 8.2.2, 8.3). */
function recordRemaining(
  { caps }: LedgerDocument,
  { key, periodMs }: Quota,
  { limit, remaining, endsInMs = Infinity }: Outcome,
  nowMs: number,
): void {
  if (remaining === undefined || isGeneralKey(key)) return;
  const untilMs = nowMs + Math.min(endsInMs, periodMs);
  const index = caps.findIndex((cap) => cap.key === key);
  const known = caps[index];
  const isSamePeriod =
    known && known.untilMs > nowMs && Math.abs(known.untilMs - untilMs) < SAME_PERIOD_MS;
  // Responses may arrive in another order than they were counted in.
  const least = isSamePeriod ? Math.min(known.remaining, remaining) : remaining;
  caps.splice(index < 0 ? caps.length : index, 1, { key, remaining: least, untilMs, limit });
}
