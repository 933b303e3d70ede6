/** What a response of the report host, or the lack of one, means for the report and for the host. Pure. */
import { hasCode } from '../core/errors.js';
import { printableLine } from '../core/printable.js';
import { isSystemError } from '../core/files.js';

export type DeliveryResult =
  | { readonly kind: 'accepted' }
  /** The host will never accept this body. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** A temporary failure: try again soon. */
  | { readonly kind: 'retryable'; readonly reason: string }
  /** Send nothing more for a while. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** 4xx statuses that are about the moment and not about the body: Request Timeout, Too Early. */
const RETRYABLE_4XX: readonly number[] = [408, 425];

export function classifyStatus(status: number): DeliveryResult {
  const reason = `status ${status}`;
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status === 429) return { kind: 'unavailable', reason };
  const isRejected = status >= 400 && status < 500 && !RETRYABLE_4XX.includes(status);
  return { kind: isRejected ? 'rejected' : 'retryable', reason };
}

/** No connection was established: the next attempt would fail the same way. */
const UNREACHABLE_CODES = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
] as const;

export function classifyError(error: unknown): DeliveryResult {
  const isBackoff = hasCode(error, 'banned', 'wait-too-long');
  // Our own error for a failed connection says little; its cause is what the system reported.
  const root = !isBackoff && hasCode(error) ? (error.cause ?? error) : error;
  const isUnavailable = isBackoff || isSystemError(root, ...UNREACHABLE_CODES);
  return { kind: isUnavailable ? 'unavailable' : 'retryable', reason: loadReasonOf(root) };
}

const MAX_REASON_LENGTH = 80;

/** The error's code where it has one, else its message, on one line. */
function loadReasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const text = code === undefined || code.startsWith('ERR_') ? error.message : code;
  return printableLine(text, MAX_REASON_LENGTH);
}
