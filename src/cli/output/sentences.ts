/** Waits and skipped chapters as sentences for people. */
import type { ErrorCode } from '../../core/error-codes.js';
import { groupBy } from '../../core/group-by.js';
import { formatLocalTime, pluralize } from '../../core/human-format.js';
import { SKIP_REASONS, type WaitingEvent } from '../../download/events.js';
import type { SkippedChapter } from '../../download/plan-selection.js';

/** Shorter waits are not shown. */
const MIN_SHOWN_WAIT_MS = 2_000;

const WAIT_REASONS = {
  rate: 'general rate limit',
  quota: 'rate limit of this kind of request',
  cooldown: 'cooldown requested by the service',
  lock: 'lock of the rate ledger',
} as const;

const OUTAGE_REASONS: Partial<Record<ErrorCode, string>> = {
  unreachable: 'the service cannot be reached',
  'service-failed': 'the service answers with errors',
  'ledger-unreachable': 'the server of the shared ledger cannot be used',
};

/** Requests that wait for the same reason until the same time share one line. */
export class WaitLines {
  #last: string | undefined;

  linesFor(event: WaitingEvent, nowMs: number): readonly string[] {
    const line = describeWait(event, nowMs);
    if (line === this.#last) return [];
    this.#last = line;
    return [line];
  }
}

function describeWait({ for: what, until, reason, holder }: WaitingEvent, nowMs: number): string {
  const waiting = `waiting until ${formatLocalTime(Date.parse(until), nowMs)}`;
  if (what !== 'outage')
    return `${waiting}: ${WAIT_REASONS[what]}${holder === undefined ? '' : `, held by ${holder}`}`;
  const cause = OUTAGE_REASONS[reason ?? 'unreachable'] ?? 'unexpected responses from the service';
  return `${waiting}: ${cause} (outage)`;
}

/** A short wait is shown only during an outage. */
export function isShownWait(event: WaitingEvent, nowMs: number): boolean {
  return event.for === 'outage' || Date.parse(event.until) - nowMs > MIN_SHOWN_WAIT_MS;
}

/** One line for each reason: how many chapters, and which one if it is only one. */
export function describeSkipped(skipped: readonly SkippedChapter[]): string[] {
  return [...groupBy(skipped, ({ reason }) => reason)].map(([reason, chapters]) => {
    const [only] = chapters;
    const name = chapters.length === 1 && only ? ` (${only.file ?? only.id})` : '';
    return `${pluralize(chapters.length, 'chapter')} skipped${name}: ${SKIP_REASONS[reason]}`;
  });
}
