/** Why a load failed on the wire, told from what got and the platform throw, in one of our own reasons. */
import type { LOAD_CODES } from '../core/error-codes.js';
import { LoadError } from '../core/errors.js';

export type LoadReason = keyof typeof LOAD_CODES;

/** Which of got's phases ran out of time (its TimeoutError names the event). */
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

const CONNECT_FAILURES = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
];

/** Our own refusal to open a connection, which is not a load that failed. */
export function findLoadError(error: unknown): LoadError | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof LoadError) return at;
  }
  return undefined;
}

/** `bytes` is how much of the body had arrived by then. */
export function loadReasonOf(error: unknown, bytes: number): LoadReason {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('event' in at && typeof at.event === 'string')
      return TIMEOUT_REASONS[at.event] ?? 'page-timeout';
    const code = 'code' in at ? String(at.code) : '';
    if (code === 'ERR_UNEXPECTED_UPGRADE') return 'bad-status';
    if (CONNECT_FAILURES.includes(code)) return 'connect-failed';
    if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/.test(code))
      return 'bad-certificate';
  }
  return bytes > 0 ? 'bad-length' : 'connection-broken';
}

export function nodeMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
