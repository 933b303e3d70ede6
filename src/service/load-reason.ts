/** Why a load failed: classifies the errors of got and the platform. */
import { CONNECT_ERROR_CODES } from './requests/send-request.js';
import { LoadError } from '../core/errors.js';

/** The reasons of a failed load. It is reported, and the page is loaded again from a new base URL. */
export const LOAD_REASONS = {
  'connect-failed': 'The connection to the image host failed.',
  'bad-certificate': 'The certificate of the image host is invalid.',
  'connection-broken': 'The image host closed the connection.',
  'connect-timeout': 'The connection took longer than the setting connectTimeoutMs.',
  'tls-timeout': 'The TLS handshake took longer than the setting tlsTimeoutMs.',
  'first-byte-timeout': 'The response took longer than the setting firstByteTimeoutMs.',
  'idle-timeout': 'The transfer stalled for longer than the setting idleTimeoutMs.',
  'page-timeout': 'The page took longer in total than the setting pageTimeoutMs.',
  'base-url-expired': 'The image host responded with 403 or 410: the base URL has expired.',
  'bad-status': 'The image host responded with another status than 200.',
  redirected: 'The image host redirected; pages are loaded from their base URL only.',
  'bad-length': 'The image is empty, incomplete, or not as long as announced.',
  'too-large': 'The page is larger than the setting maxPageBytes.',
  'not-an-image': 'The response is not a JPEG, PNG, GIF, WebP or AVIF image.',
  'bad-digest': 'The image does not match the SHA-256 in its name.',
  'bad-page-url': 'The base URL is invalid, or its host is not allowed.',
} as const;

export type LoadReason = keyof typeof LOAD_REASONS;

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
