/** What an answer of the report host, or the lack of one, means for the report and for the host. Pure. */
import { isSystemError } from '../kernel/files.js';
import { hasCode } from '../kernel/errors.js';
import { printableLine } from '../kernel/printable.js';

export type Verdict =
  /** Taken: done with. */
  | { readonly kind: 'taken' }
  /** The host will never take this body: given up. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Something that passes: tried again soon. */
  | { readonly kind: 'passing'; readonly reason: string }
  /** Nothing more is to be sent for a while. */
  | { readonly kind: 'down'; readonly reason: string };

/** 4xx that speak of the moment and not of the body. */
const PASSING_REFUSALS: readonly number[] = [408, 425];

export function verdictOnStatus(status: number): Verdict {
  const reason = `status ${status}`;
  if (status >= 200 && status < 300) return { kind: 'taken' };
  if (status === 429) return { kind: 'down', reason };
  if (status >= 400 && status < 500 && !PASSING_REFUSALS.includes(status)) {
    return { kind: 'refused', reason };
  }
  return { kind: 'passing', reason };
}

/** No connection came about: where one try fails so, the next will. */
const NO_WAY_THERE = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
] as const;

export function verdictOnFailure(error: unknown): Verdict {
  const held = hasCode(error, 'banned', 'wait-too-long');
  // Of a failed connection our own error says little; what the system said is its cause.
  const root = !held && hasCode(error) ? (error.cause ?? error) : error;
  const kind = held || isSystemError(root, ...NO_WAY_THERE) ? 'down' : 'passing';
  return { kind, reason: reasonOf(root) };
}

const LONGEST_REASON = 80;

/** A few words: the error's code where it has one, else its message, on one line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const text = code === undefined || code.startsWith('ERR_') ? error.message : code;
  return printableLine(text, LONGEST_REASON);
}
