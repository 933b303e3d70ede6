/** Waits and skipped chapters as sentences for people. */
import type { ErrorCode } from '../../core/error-codes.js';
import { groupBy } from '../../core/group-by.js';
import {
  formatCountdown,
  formatDuration,
  formatLocalTime,
  pluralize,
} from '../../core/human-format.js';
import { type SkippedEvent, type WaitingEvent } from '../../download/events.js';
import { isNamedSkip, SKIP_REASONS } from '../../plan/skip-reasons.js';
import {
  chapterName,
  describeExternal,
  type ChapterFields,
} from '../../selection/chapter-fields.js';

/** Shorter waits are not shown. */
const MIN_SHOWN_WAIT_MS = 2_000;

/** Periods that have a word of their own. */
const PERIODS: Readonly<Record<number, string>> = {
  1_000: 'a second',
  60_000: 'a minute',
  3_600_000: 'an hour',
};

/** Such as `40 chapters a minute`: a chapter takes one request of its own. */
function describeLimit({ limit }: Pick<WaitingEvent, 'limit'>): string {
  if (!limit) return 'rate limit';
  const { endpoint = '', requests, periodMs } = limit;
  const what = endpoint.includes('/at-home/') ? 'chapters' : 'requests';
  return `${requests} ${what} ${PERIODS[periodMs] ?? `in ${formatDuration(periodMs)}`}`;
}

/** What a run waits for now. */
export interface CurrentWait extends Pick<WaitingEvent, 'for' | 'limit'> {
  readonly leftMs: number;
}

const WAIT_NAMES: Partial<Record<WaitingEvent['for'], string>> = {
  cooldown: 'cooldown',
  outage: 'outage',
  lock: 'ledger locked',
};

/** Such as `waiting 47 s: 40 chapters a minute`. */
export function describeCurrentWait(wait: CurrentWait): string {
  return `waiting ${formatCountdown(wait.leftMs)}: ${WAIT_NAMES[wait.for] ?? describeLimit(wait)}`;
}

const WAIT_REASONS = {
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

function describeWait(event: WaitingEvent, nowMs: number): string {
  const { for: what, until, reason, holder } = event;
  const waiting = `waiting until ${formatLocalTime(Date.parse(until), nowMs)}`;
  if (what === 'rate' || what === 'quota')
    return `${waiting}: ${event.limit ? `rate limit: ${describeLimit(event)}` : 'rate limit'}`;
  if (what !== 'outage')
    return `${waiting}: ${WAIT_REASONS[what]}${holder === undefined ? '' : `, held by ${holder}`}`;
  const cause = OUTAGE_REASONS[reason ?? 'unreachable'] ?? 'unexpected responses from the service';
  return `${waiting}: ${cause} (outage)`;
}

/** A short wait is shown only during an outage. */
export function isShownWait(event: WaitingEvent, nowMs: number): boolean {
  return event.for === 'outage' || Date.parse(event.until) - nowMs > MIN_SHOWN_WAIT_MS;
}

/** Further ones that are named one by one are only counted. */
const MAX_NAMED = 20;

/** One line for each chapter that a user may miss, and one for each other reason. */
export function describeSkipped(skipped: readonly SkippedEvent[]): string[] {
  return [...groupBy(skipped, ({ reason }) => reason)].flatMap(([reason, chapters]) => {
    const isNamed = isNamedSkip(reason) || chapters.length === 1;
    const named = isNamed ? chapters.slice(0, MAX_NAMED) : [];
    const rest = chapters.length - named.length;
    const more = named.length === 0 ? '' : 'more ';
    const count = `${more}${pluralize(rest, 'chapter')}`;
    return [
      ...named.map(skippedLine),
      ...(rest === 0 ? [] : [`skipped: ${count}: ${SKIP_REASONS[reason]}`]),
    ];
  });
}

/** Such as `failed: The Lighthouse Ch. 7 (en): Chapter not found.` */
export function failedLine(
  event: ChapterFields & {
    readonly chapter: string;
    readonly reason: ErrorCode;
    readonly message: string;
  },
): string {
  if (event.reason === 'chapter-external') return `failed: ${describeExternal(event)}`;
  const { chapter, message } = event;
  const name = chapterName(event) ?? chapter;
  return message.includes(name) ? `failed: ${message}` : `failed: ${name}: ${message}`;
}

/** Such as `skipped: Ch. 5 is only on the publisher's site: https://publisher.example/5`. */
export function skippedLine(event: SkippedEvent): string {
  const { chapter, reason, file } = event;
  if (reason === 'chapter-external') return `skipped: ${describeExternal(event)}`;
  const name = chapterName(event) ?? chapter;
  const what = isNamedSkip(reason) ? name : (file ?? name);
  return `skipped: ${what}: ${SKIP_REASONS[reason]}`;
}
