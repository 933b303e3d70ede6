/**
 * The two grants of the token endpoint (spec 4.1) and its errors. An error is identified by its code (RFC 6749 5.2)
 * and, where one code has several causes, by its description. The description is never shown: it could contain what
 * was sent.
 */
import type { PasswordGrant, PersonalClient } from '../../config/login-fields.js';
import type { ServiceClient } from '../client.js';
import type { ApiResponse } from '../requests/classify-response.js';
import { AuthError, ServiceError, type TankobonError } from '../../core/errors.js';
import { isRecord } from '../../core/json.js';
import { ACCESS_TOKEN_LIFETIME_MS, isValidToken, type Tokens } from './login-record.js';

export type TokenEndpoint = Pick<ServiceClient, 'postTokenForm'>;

/** Requests a first token pair. `atMs` is the time of the request by the wall clock. */
export async function grantByPassword(
  endpoint: TokenEndpoint,
  { username, password, ...client }: PasswordGrant,
  atMs: number,
  signal?: AbortSignal,
): Promise<Tokens> {
  const form = formFor('password', client, { username, password });
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
  client: PersonalClient,
  tokens: Tokens,
  atMs: number,
  waitSignal?: AbortSignal,
): Promise<Tokens> {
  const form = formFor('refresh_token', client, { refresh_token: tokens.refreshToken });
  const response = await endpoint.postTokenForm(form, { waitSignal });
  if (response.status !== 200) throw tokenError(response, 'refresh');
  return parseTokens(response.body, atMs, tokens);
}

function formFor(
  grantType: string,
  { clientId, clientSecret }: PersonalClient,
  fields: Record<string, string>,
): URLSearchParams {
  const client = { client_id: clientId, client_secret: clientSecret };
  return new URLSearchParams({ grant_type: grantType, ...fields, ...client });
}

/** The tokens of a successful response; implausible times are ignored. Throws `bad-response`. */
export function parseTokens(body: unknown, atMs: number, before?: Tokens): Tokens {
  const fields = isRecord(body) ? body : {};
  const accessToken = fields['access_token'];
  const rotated = fields['refresh_token'];
  const refreshToken = rotated ?? before?.refreshToken;
  if (!isValidToken(accessToken)) throw invalid('access_token');
  if (!isValidToken(refreshToken)) throw invalid('refresh_token');
  const refreshLastsMs = secondsAsMs(fields['refresh_expires_in']);
  const kept = typeof rotated === 'string' || refreshLastsMs !== undefined ? undefined : before;
  return {
    accessToken,
    refreshToken,
    obtainedAtMs: atMs,
    accessLastsMs: secondsAsMs(fields['expires_in']) ?? ACCESS_TOKEN_LIFETIME_MS,
    refreshObtainedAtMs: kept?.refreshObtainedAtMs ?? atMs,
    refreshLastsMs: kept?.refreshLastsMs ?? refreshLastsMs,
  };
}

function invalid(field: string): ServiceError {
  return new ServiceError('bad-response', `Unexpected authentication response: no valid ${field}.`);
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
  if (status >= 500) {
    return new ServiceError('service-failed', `The authentication service failed: ${status}`);
  }
  const fields = isRecord(body) ? body : {};
  const error = typeof fields['error'] === 'string' ? fields['error'] : '';
  const description = fields['error_description'];
  const details = `${error} ${typeof description === 'string' ? description : ''}`.toLowerCase();
  const code = authCode(status, error, details, grant);
  if (code === 'wrong-client' && OTHER_ACCOUNT.test(details))
    return new AuthError(code, 'The personal client belongs to another account.');
  if (code) return new AuthError(code, AUTH_MESSAGES[code]);
  if (status >= 400) {
    const reason = KNOWN_ERRORS.has(error) ? `${status}, ${error}` : String(status);
    return new ServiceError('request-refused', `Refused by the authentication service: ${reason}`);
  }
  return new ServiceError('bad-response', `Unexpected authentication response: status ${status}`);
}

/** What is wrong with a login, by the code of the error. */
const AUTH_MESSAGES = {
  'realm-disabled': 'The authentication service has no such realm, or has disabled it.',
  'client-pending': 'The personal client is not approved yet.',
  'wrong-client': 'The client id or the client secret is wrong.',
  'session-ended': 'The session has ended: the service rejected the refresh token.',
  'account-unusable': 'The account cannot log in: it is disabled, or its setup is incomplete.',
  'wrong-password': 'The username or the password is wrong.',
} as const;

/** The codes of RFC 6749 5.2, which are safe to show. */
const KNOWN_ERRORS: ReadonlySet<string> = new Set([
  'invalid_request',
  'unsupported_grant_type',
  'invalid_scope',
  'access_denied',
]);
const PENDING = /pending|approv|disabled|not enabled|inactive|not active/;
const OTHER_ACCOUNT = /another account|owner/;

function authCode(
  status: number,
  error: string,
  details: string,
  grant: 'password' | 'refresh',
): keyof typeof AUTH_MESSAGES | undefined {
  const isGrantError = error === 'invalid_grant';
  if ((status === 404 && error !== '') || (details.includes('realm') && !isGrantError))
    return 'realm-disabled';
  const isClientError =
    ['invalid_client', 'unauthorized_client'].includes(error) ||
    (!isGrantError && details.includes('client') && PENDING.test(details));
  if (isClientError) {
    const isPending = PENDING.test(details) && !OTHER_ACCOUNT.test(details);
    return isPending ? 'client-pending' : 'wrong-client';
  }
  if (!isGrantError) return undefined;
  if (grant === 'refresh') return 'session-ended';
  const isUnusable = /disabled|locked|not fully set up|temporarily/.test(details);
  return isUnusable ? 'account-unusable' : 'wrong-password';
}
