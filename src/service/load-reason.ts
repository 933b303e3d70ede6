/** Why a load failed: classifies our own errors and those of the platform. */
import { DeadlineError, type TimedPhase } from './requests/request-deadline.js';
import { CONNECT_ERROR_CODES } from './requests/send-request.js';
import { LoadError } from '../core/errors.js';
import type { LoadReason } from '../events/reasons.js';

const TIMEOUT_REASONS: Readonly<Record<TimedPhase, LoadReason>> = {
  connect: 'connect-timeout',
  secureConnect: 'tls-timeout',
  response: 'first-byte-timeout',
  socket: 'idle-timeout',
  request: 'page-timeout',
};

/** Our own refusal to connect to an address, which is not a failed load. */
export function findLoadError(error: unknown): LoadError | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof LoadError) return cause;
  }
  return undefined;
}

/** @param bytes the size of the body received before the error */
export function loadReasonOf(error: unknown, bytes: number): LoadReason {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DeadlineError) return TIMEOUT_REASONS[cause.event];
    const code = 'code' in cause ? String(cause.code) : '';
    if (code === 'ERR_UNEXPECTED_UPGRADE') return 'bad-status';
    if (CONNECT_ERROR_CODES.includes(code) || code === 'EADDRNOTAVAIL') return 'connect-failed';
    if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/.test(code))
      return 'bad-certificate';
  }
  return bytes > 0 ? 'bad-length' : 'connection-broken';
}
