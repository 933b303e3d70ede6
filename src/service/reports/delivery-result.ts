/** Classifies a response of the report host, or the lack of one. */
import { CONNECT_ERROR_CODES } from '../requests/send-request.js';
import { hasCode } from '../../core/errors.js';
import { isSystemError } from '../../core/files.js';
import { printableLine } from '../../core/printable.js';

export type DeliveryResult =
  | { readonly kind: 'accepted' }
  /** The host will never accept this body. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** Try again soon. */
  | { readonly kind: 'retryable'; readonly reason: string }
  /** Send nothing more for a while. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Request Timeout and Too Early: not about the body. */
const RETRYABLE_4XX: readonly number[] = [408, 425];

export function classifyStatus(status: number): DeliveryResult {
  const reason = `status ${status}`;
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status === 429) return { kind: 'unavailable', reason };
  const isRejected = status >= 400 && status < 500 && !RETRYABLE_4XX.includes(status);
  return { kind: isRejected ? 'rejected' : 'retryable', reason };
}

/** No connection: the next attempt would fail the same way. */
const UNREACHABLE_CODES = [...CONNECT_ERROR_CODES, 'EHOSTDOWN', 'ENETDOWN'];

export function classifyError(error: unknown): DeliveryResult {
  const isBackoff = hasCode(error, 'banned', 'wait-too-long');
  // The cause of a failed connection is the system's error.
  const root = !isBackoff && hasCode(error) ? (error.cause ?? error) : error;
  const isUnavailable = isBackoff || isSystemError(root, ...UNREACHABLE_CODES);
  return { kind: isUnavailable ? 'unavailable' : 'retryable', reason: reasonOf(root) };
}

const MAX_REASON_LENGTH = 80;

/** The error's code if it has one, else its message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const text = code === undefined || code.startsWith('ERR_') ? error.message : code;
  return printableLine(text, MAX_REASON_LENGTH);
}
