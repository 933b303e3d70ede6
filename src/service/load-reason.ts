/** Why a load failed: classifies the errors of got and the platform. */
import { CONNECT_ERROR_CODES } from './requests/send-request.js';
import { LoadError } from '../core/errors.js';
import type { LoadReason } from '../events/reasons.js';

/** By the `event` of got's TimeoutError. */
const TIMEOUT_REASONS: Readonly<Record<string, LoadReason>> = {
  lookup: 'connect-timeout',
  connect: 'connect-timeout',
  secureConnect: 'tls-timeout',
  send: 'first-byte-timeout',
  response: 'first-byte-timeout',
  socket: 'idle-timeout',
  read: 'idle-timeout',
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
    if ('event' in cause && typeof cause.event === 'string')
      return TIMEOUT_REASONS[cause.event] ?? 'page-timeout';
    const code = 'code' in cause ? String(cause.code) : '';
    if (code === 'ERR_UNEXPECTED_UPGRADE') return 'bad-status';
    if (CONNECT_ERROR_CODES.includes(code) || code === 'EADDRNOTAVAIL') return 'connect-failed';
    if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/.test(code))
      return 'bad-certificate';
  }
  return bytes > 0 ? 'bad-length' : 'connection-broken';
}
