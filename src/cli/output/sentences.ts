/** Events as sentences for people: in a log, and above the progress bars. */
import {
  SKIP_REASONS,
  type Detail,
  type DownloadMessage,
  type SkipReason,
  type WaitingEvent,
} from '../../download/events.js';
import type { ErrorCode } from '../../core/error-codes.js';
import { formatBytes, formatLocalTime, pluralize } from './sizes.js';

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

export function describeWait(
  { for: what, until, reason, holder }: WaitingEvent,
  nowMs: number,
): string {
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

/** One sentence; `undefined` for events that have none of their own. */
export function describeEvent(
  event: DownloadMessage,
  name: (chapter: string) => string,
  nowMs: number,
): string | undefined {
  switch (event.type) {
    case 'chapter-started':
      return `${name(event.chapter)}: ${pluralize(event.pages, 'page')}${event.kept > 0 ? `, ${event.kept} already downloaded` : ''}`;
    case 'page-loaded':
      return event.warning
        ? `warning: ${name(event.chapter)}: page ${event.page} does not match the digest in its name; kept, because two hosts sent the same image`
        : undefined;
    case 'page-failed':
      return `${name(event.chapter)}: page ${event.page}, attempt ${event.attempt}: ${event.reason}`;
    case 'chapter-saved':
      return `saved: ${name(event.chapter)}, ${pluralize(event.pages, 'page')}, ${formatBytes(event.bytes)}`;
    case 'chapter-failed':
      return `failed: ${name(event.chapter)}: ${event.message}`;
    case 'target-failed':
      return `error: ${event.message}`;
    case 'waiting':
      return describeWait(event, nowMs);
    case 'warning':
      return `warning: ${event.message}${event.hint === undefined ? '' : `\nhint: ${event.hint}`}`;
    // Skipped chapters are summarized by describeSkipped.
    case 'chapter-skipped':
    case 'detail':
    case 'page-bytes':
    case 'summary':
      return undefined;
  }
}

export function describeDetail(
  { chapter, message }: Detail,
  name: (chapter: string) => string,
): string {
  return chapter === undefined ? message : `${name(chapter)}: ${message}`;
}

/** One line for each reason: how many chapters, and which one if it is only one. */
export function describeSkipped(
  skipped: readonly { readonly id: string; readonly reason: SkipReason; readonly file?: string }[],
): string[] {
  const byReason = new Map<SkipReason, typeof skipped>();
  for (const one of skipped) byReason.set(one.reason, [...(byReason.get(one.reason) ?? []), one]);
  return [...byReason].map(([reason, chapters]) => {
    const [only] = chapters;
    const name = chapters.length === 1 && only ? ` (${only.file ?? only.id})` : '';
    return `${pluralize(chapters.length, 'chapter')} skipped${name}: ${SKIP_REASONS[reason]}`;
  });
}
