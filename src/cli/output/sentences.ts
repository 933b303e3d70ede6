/** Events as sentences: what a log shows, and what a terminal keeps above its bars. */
import {
  SKIP_REASONS,
  type DownloadEvent,
  type SkipReason,
  type WaitingEvent,
  type Warning,
} from '../../download/events.js';
import type { ErrorCode } from '../../core/error-codes.js';
import { pluralize, formatBytes } from './sizes.js';

type Told = DownloadEvent | Warning;

/** A wait shorter than this is not worth a line. */
const MIN_SHOWN_WAIT_MS = 2_000;

const WAIT_NAMES = {
  rate: 'the service’s general rate limit',
  quota: 'the quota of this kind of request',
  cooldown: 'a cooldown that the service asked for',
  lock: 'the lock of the rate ledger',
} as const;

const OUTAGE_NAMES: Partial<Record<ErrorCode, string>> = {
  unreachable: 'the service cannot be reached',
  'service-failed': 'the service answers with errors',
};

export function describeWait({ for: what, until, reason, holder }: WaitingEvent): string {
  const time = new Date(until).toLocaleTimeString(undefined, { hour12: false });
  const held = holder === undefined ? '' : `, which ${holder} holds,`;
  if (what !== 'outage') return `waiting for ${WAIT_NAMES[what]}${held} until ${time}`;
  const why = OUTAGE_NAMES[reason ?? 'unreachable'] ?? 'the service does not answer as it should';
  return `waiting: ${why} (outage); next try at ${time}`;
}

/** Whether a person needs to know of the wait: a short one only where something is wrong. */
export function isShownWait(event: WaitingEvent, nowMs: number): boolean {
  return event.for === 'outage' || Date.parse(event.until) - nowMs > MIN_SHOWN_WAIT_MS;
}

/** One sentence for the event, or `undefined` where a person needs none. */
export function sentence(
  event: Told,
  label: (chapter: string) => string,
  nowMs: number,
): string | undefined {
  switch (event.type) {
    case 'chapter-started':
      return `${label(event.chapter)}: ${pluralize(event.pages, 'page')}${event.kept > 0 ? `, ${event.kept} of them here already` : ''}`;
    case 'page-loaded':
      return event.warning
        ? `${label(event.chapter)}: page ${event.page} is kept, though its bytes are not those that its name promises: two hosts gave the same image`
        : undefined;
    case 'page-failed':
      return `${label(event.chapter)}: page ${event.page}, attempt ${event.attempt}: ${event.reason}`;
    case 'chapter-saved':
      return `${label(event.chapter)}: saved, ${pluralize(event.pages, 'page')}, ${formatBytes(event.bytes)}`;
    case 'chapter-skipped':
      // Told together, see skippedInWords.
      return undefined;
    case 'chapter-failed':
      return `${label(event.chapter)}: failed. ${event.message}`;
    case 'waiting':
      return isShownWait(event, nowMs) ? describeWait(event) : undefined;
    case 'warning':
      return event.message;
    case 'summary':
      return summaryInWords(event);
  }
}

function summaryInWords({
  saved,
  skipped,
  failed,
  notStarted,
  reports,
}: Extract<Told, { type: 'summary' }>): string {
  const chapters = [
    `${saved} saved`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(notStarted > 0 ? [`${notStarted.toLocaleString('en')} not started`] : []),
  ].join(', ');
  const waiting = reports.waiting > 0 ? `, ${reports.waiting} waiting for the next run` : '';
  return `${chapters}; health reports: ${reports.sent} sent${waiting}`;
}

/** A line for each reason, with how many chapters it concerns and, for one alone, which. */
export function describeSkipped(
  skipped: readonly { readonly id: string; readonly reason: SkipReason; readonly file?: string }[],
): string[] {
  const byReason = new Map<SkipReason, typeof skipped>();
  for (const one of skipped) byReason.set(one.reason, [...(byReason.get(one.reason) ?? []), one]);
  return [...byReason].map(([reason, chapters]) => {
    const [only] = chapters;
    const which = chapters.length === 1 && only ? ` (${only.file ?? only.id})` : '';
    return `${pluralize(chapters.length, 'chapter')} skipped${which}: ${SKIP_REASONS[reason]}`;
  });
}
