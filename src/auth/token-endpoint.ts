/**
 * The two grants of the token endpoint (spec 4.1) and its errors. An error is identified by its code (RFC 6749 5.2)
 * and, where one code has several causes, by its description. The description is never shown: it could contain what
 * was sent.
 */
import type { ServiceClient } from '../api/client.js';
import type { ApiResponse } from '../api/classify-response.js';
import { AuthError, ServiceError, type TankobonError } from '../core/errors.js';
import { isRecord } from '../core/json.js';
import {
  isValidToken,
  type ActiveLogin,
  type PersonalClient,
  type Tokens,
} from './login-record.js';
import { ACCESS_TOKEN_LIFETIME_MS } from './token-times.js';

export interface PasswordGrant extends PersonalClient {
  readonly username: string;
  readonly password: string;
}

export type TokenEndpoint = Pick<ServiceClient, 'postTokenForm'>;

/** Requests a first token pair. `atMs` is the time of the request by the wall clock. */
export async function grantByPassword(
  endpoint: TokenEndpoint,
  grant: PasswordGrant,
  atMs: number,
  signal?: AbortSignal,
): Promise<Tokens> {
  const { username, password, clientId, clientSecret } = grant;
  const form = new URLSearchParams({
    grant_type: 'password',
    username,
    password,
    client_id: clientId,
    client_secret: clientSecret,
  });
  const response = await endpoint.postTokenForm(form, { signal });
  if (response.status !== 200) throw tokenError(response, 'password');
  return parseTokens(response.body, atMs);
}

/**
 * Requests a new access token. The old refresh token is kept unless the response has a new one. `waitSignal` cancels
 * the request only before it is sent.
 */
export async function grantByRefresh(
  endpoint: TokenEndpoint,
  { clientId, clientSecret, tokens }: Pick<ActiveLogin, 'clientId' | 'clientSecret' | 'tokens'>,
  atMs: number,
  waitSignal?: AbortSignal,
): Promise<Tokens> {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: tokens.refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
  });
  const response = await endpoint.postTokenForm(form, { waitSignal });
  if (response.status !== 200) throw tokenError(response, 'refresh');
  return parseTokens(response.body, atMs, tokens);
}

/** The tokens of a successful response; implausible times are ignored. Throws `bad-answer`. */
export function parseTokens(body: unknown, atMs: number, before?: Tokens): Tokens {
  const fields = isRecord(body) ? body : {};
  const accessToken = fields['access_token'];
  const rotated = fields['refresh_token'];
  const refreshToken = rotated ?? before?.refreshToken;
  if (!isValidToken(accessToken) || !isValidToken(refreshToken)) {
    const missing = isValidToken(accessToken) ? 'refresh_token' : 'access_token';
    throw new ServiceError(
      'bad-answer',
      `Unexpected response from the authentication service: no valid ${missing}.`,
    );
  }
  const refreshLastsMs = secondsAsMs(fields['refresh_expires_in']);
  const renewed =
    typeof rotated === 'string' || before === undefined || refreshLastsMs !== undefined;
  const kept = renewed ? undefined : before;
  return {
    accessToken,
    refreshToken,
    obtainedAtMs: atMs,
    accessLastsMs: secondsAsMs(fields['expires_in']) ?? ACCESS_TOKEN_LIFETIME_MS,
    refreshObtainedAtMs: kept?.refreshObtainedAtMs ?? atMs,
    refreshLastsMs: kept?.refreshLastsMs ?? refreshLastsMs,
  };
}

const MAX_LIFETIME_S = 10 * 365 * 24 * 3600;

/** Undefined for implausible values, and for zero, which some services use for "does not expire". */
function secondsAsMs(seconds: unknown): number | undefined {
  if (typeof seconds !== 'number' || !(seconds > 0)) return undefined;
  return Math.round(Math.min(seconds, MAX_LIFETIME_S) * 1_000);
}

/** The error for a response other than 200. Only `session-ended` ends the session. */
export function tokenError(
  { status, body }: ApiResponse,
  grant: 'password' | 'refresh',
): TankobonError {
  const fields = isRecord(body) ? body : {};
  const error = typeof fields['error'] === 'string' ? fields['error'] : '';
  const details = `${error} ${textOf(fields['error_description'])}`.toLowerCase();
  if (status >= 500) {
    return new ServiceError(
      'service-failed',
      `The authentication service failed: status ${status}.`,
    );
  }
  if (
    (details.includes('realm') && error !== 'invalid_grant') ||
    (status === 404 && error !== '')
  ) {
    return new AuthError(
      'realm-disabled',
      'The authentication service has no such realm, or has disabled it.',
    );
  }
  if (isAboutClient(error, details)) {
    if (/another account|owner/.test(details)) {
      return new AuthError('wrong-client', 'The personal client belongs to another account.');
    }
    return isPending(details)
      ? new AuthError('client-pending', 'The personal client is not approved yet.')
      : new AuthError('wrong-client', 'The client id or the client secret is wrong.');
  }
  if (error === 'invalid_grant') {
    if (grant === 'refresh') {
      return new AuthError(
        'session-ended',
        'The session has ended: the service rejected the refresh token.',
      );
    }
    return /disabled|locked|not fully set up|temporarily/.test(details)
      ? new AuthError(
          'account-unusable',
          'The account cannot log in: it is disabled, or its setup is incomplete.',
        )
      : new AuthError('wrong-password', 'The username or the password is wrong.');
  }
  if (status >= 400) {
    const reason = KNOWN_ERRORS.has(error) ? `${status}, ${error}` : String(status);
    return new ServiceError(
      'request-refused',
      `The authentication service refused the request: ${reason}`,
    );
  }
  return new ServiceError(
    'bad-answer',
    `Unexpected response from the authentication service: status ${status}.`,
  );
}

/** The codes of RFC 6749 5.2, which are safe to show. */
const KNOWN_ERRORS: ReadonlySet<string> = new Set([
  'invalid_request',
  'unsupported_grant_type',
  'invalid_scope',
  'access_denied',
]);

function isAboutClient(error: string, details: string): boolean {
  if (error === 'invalid_client' || error === 'unauthorized_client') return true;
  return error !== 'invalid_grant' && details.includes('client') && isPending(details);
}

function isPending(details: string): boolean {
  return /pending|approv|disabled|not enabled|inactive|not active/.test(details);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 500) : '';
}
