/** What a run waits for. */
import type { ErrorCode } from '../core/error-codes.js';
import { formatDuration, formatLocalTime } from '../core/human-format.js';
import {
  count,
  errorCode,
  milliseconds,
  object,
  optional,
  text,
  time,
  word,
  type ValuesOf,
} from './fields.js';
import { WAIT_REASONS } from './reasons.js';

/** The fields of `waiting`. */
export const WAIT = {
  for: word(WAIT_REASONS, 'What the run waits for.'),
  until: time('When the wait ends.'),
  limit: optional(
    object(
      {
        endpoint: optional(text('The endpoint; missing for the general limit of a host.')),
        requests: count('How many requests are allowed.'),
        periodMs: milliseconds('The period in which they are allowed.'),
      },
      'With `rate` and `quota`: the limit that is used up.',
    ),
  ),
  reason: optional(
    errorCode(
      'With `outage`: the code of the last failure: `unreachable`, `service-failed` or `bad-response`; with `ledger-unreachable` the server of the rate ledger cannot be used, and the run ends at that time.',
    ),
  ),
  holder: optional(text('With `lock`: the process that holds it, such as `process 1234`.')),
};
type Wait = ValuesOf<typeof WAIT>;

const CAUSES = {
  cooldown: 'cooldown requested by the service',
  lock: 'lock of the rate ledger',
} as const;

const OUTAGE_CAUSES: Partial<Record<ErrorCode, string>> = {
  unreachable: 'the service cannot be reached',
  'service-failed': 'the service answers with errors',
  'ledger-unreachable': 'the server of the shared ledger cannot be used',
};

export function waitSentence(event: Wait, nowMs: number): string {
  const { for: what, until, reason, holder } = event;
  const waiting = `waiting until ${formatLocalTime(Date.parse(until), nowMs)}`;
  if (what === 'rate' || what === 'quota')
    return `${waiting}: ${event.limit ? `rate limit: ${describeLimit(event)}` : 'rate limit'}`;
  if (what !== 'outage')
    return `${waiting}: ${CAUSES[what]}${holder === undefined ? '' : `, held by ${holder}`}`;
  const cause = OUTAGE_CAUSES[reason ?? 'unreachable'] ?? 'unexpected responses from the service';
  return `${waiting}: ${cause} (outage)`;
}

/** Periods that have a word of their own. */
const PERIODS: Readonly<Record<number, string>> = {
  1_000: 'a second',
  60_000: 'a minute',
  3_600_000: 'an hour',
};

/** Such as `40 chapters a minute`: a chapter takes one request of its own. */
export function describeLimit({ limit }: Pick<Wait, 'limit'>): string {
  if (!limit) return 'rate limit';
  const { endpoint = '', requests, periodMs } = limit;
  const what = endpoint.includes('/at-home/') ? 'chapters' : 'requests';
  return `${requests} ${what} ${PERIODS[periodMs] ?? `in ${formatDuration(periodMs)}`}`;
}
