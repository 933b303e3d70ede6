/**
 * Which requests carry the access token (spec 5). The service caches its responses to anonymous requests, so that the
 * catalogue is read without a token, until the service refuses that.
 */
import { UUID_PATTERN } from '../../core/uuid.js';
import { findCaptchaChallenge, isApiError } from './api-errors.js';
import type { ApiResponse } from './classify-response.js';

/** Whether the service answers a request without a token too, or only an account. */
export type TokenUse = 'optional' | 'required';

/** Provides the access token of a login. */
export interface TokenProvider {
  /** A valid token; undefined if not logged in. */
  getToken(signal?: AbortSignal, use?: TokenUse): Promise<string | undefined>;
  /** Another token, after the API rejected this one. */
  renew(rejectedToken: string, signal?: AbortSignal, use?: TokenUse): Promise<string | undefined>;
  isExpired(token: string): boolean;
}

interface Target {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: URLSearchParams;
}

const OF_ACCOUNT = /^\/user\/|^\/manga\/(?:status|read)$/;

export function tokenUseOf({ method, path }: Target): TokenUse {
  return method === 'POST' || OF_ACCOUNT.test(path) ? 'required' : 'optional';
}

/** Page delivery has a daily limit for anonymous requests. */
export function needsToken(request: Target): boolean {
  return tokenUseOf(request) === 'required' || request.path.startsWith('/at-home/');
}

/** A refusal that a login may change: neither a captcha nor a ban. */
export function refusesAnonymous({ status, headers, body }: ApiResponse): boolean {
  if (status === 401 || status === 404) return true;
  return status === 403 && !findCaptchaChallenge(headers, body) && isApiError(body);
}

const ENTITY = new RegExp(`^/(?:manga|list)/${UUID_PATTERN}`, 'i');

/** The title or the list of a request, all of whose requests have the same answer to that; otherwise the request itself. */
export function tokenScope({ path, query }: Target): string {
  return ENTITY.exec(path)?.[0].toLowerCase() ?? `${path}?${query?.toString() ?? ''}`;
}
