/**
 * The two grants of the token endpoint (spec 4.1) and what its answers mean. A refusal names itself by the codes
 * of RFC 6749 5.2 and, where one code stands for many things, by a sentence in English. That sentence is read,
 * never shown: it comes from outside, and could hold what was sent.
 */
import { AuthError, ServiceError, type TankobonError } from '../core/errors.js';
import type { Answer, ServiceClient } from '../api/client.js';
import { isRecord } from '../core/json.js';
import { isValidToken, type Login, type PersonalClient, type Tokens } from './login-record.js';
import { ACCESS_TOKEN_LIFETIME_MS } from './token-times.js';

export interface PasswordGrant extends PersonalClient {
  readonly username: string;
  readonly password: string;
}

export type TokenEndpoint = Pick<ServiceClient, 'postTokenForm'>;

/** Asks for a first token pair. `atMs` is the wall clock's time of asking. */
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
  const answer = await endpoint.postTokenForm(form, { signal });
  if (answer.status !== 200) throw tokenError(answer, 'password');
  return parseTokens(answer.body, atMs);
}

/**
 * Asks for a new access token. Where no new refresh token comes along, the old one goes on. `waitSignal` stops it only
 * until the request is sent.
 */
export async function grantByRefresh(
  endpoint: TokenEndpoint,
  { clientId, clientSecret, tokens }: Pick<Required<Login>, 'clientId' | 'clientSecret' | 'tokens'>,
  atMs: number,
  waitSignal?: AbortSignal,
): Promise<Tokens> {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: tokens.refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
  });
  const answer = await endpoint.postTokenForm(form, { waitSignal });
  if (answer.status !== 200) throw tokenError(answer, 'refresh');
  return parseTokens(answer.body, atMs, tokens);
}

/** The tokens of a good answer. Times that make no sense count as not given. Throws `bad-answer`. */
export function parseTokens(body: unknown, atMs: number, before?: Tokens): Tokens {
  const fields = isRecord(body) ? body : {};
  const accessToken = fields['access_token'];
  const rotated = fields['refresh_token'];
  const refreshToken = rotated ?? before?.refreshToken;
  if (!isValidToken(accessToken) || !isValidToken(refreshToken)) {
    const missing = isValidToken(accessToken) ? 'refresh_token' : 'access_token';
    throw new ServiceError(
      'bad-answer',
      `The authentication service answered without a usable ${missing}.`,
    );
  }
  const refreshLastsMs = secondsAsMs(fields['refresh_expires_in']);
  const renewed =
    typeof rotated === 'string' || before === undefined || refreshLastsMs !== undefined;
  const kept = renewed ? undefined : before;
  const lastsMs = kept?.refreshLastsMs ?? refreshLastsMs;
  return {
    accessToken,
    refreshToken,
    obtainedAtMs: atMs,
    accessLastsMs: secondsAsMs(fields['expires_in']) ?? ACCESS_TOKEN_LIFETIME_MS,
    refreshObtainedAtMs: kept?.refreshObtainedAtMs ?? atMs,
    ...(lastsMs !== undefined && { refreshLastsMs: lastsMs }),
  };
}

const LONGEST_LIFE_S = 10 * 365 * 24 * 3600;

/** Zero is how some services say "without end"; like any other strange value it tells us nothing. */
function secondsAsMs(seconds: unknown): number | undefined {
  if (typeof seconds !== 'number' || !(seconds > 0)) return undefined;
  return Math.round(Math.min(seconds, LONGEST_LIFE_S) * 1_000);
}

/** What a refusal means. Only `session-ended` ends a session; all else leaves the stored login as it is. */
export function tokenError({ status, body }: Answer, grant: 'password' | 'refresh'): TankobonError {
  const fields = isRecord(body) ? body : {};
  const error = typeof fields['error'] === 'string' ? fields['error'] : '';
  const says = `${error} ${textOf(fields['error_description'])}`.toLowerCase();
  if (status >= 500) {
    return new ServiceError(
      'service-failed',
      `The authentication service answered with ${status}.`,
    );
  }
  if ((says.includes('realm') && error !== 'invalid_grant') || (status === 404 && error !== '')) {
    return new AuthError(
      'realm-disabled',
      'The authentication service knows no such realm, or has disabled it.',
    );
  }
  if (isAboutClient(error, says)) {
    if (/another account|owner/.test(says)) {
      return new AuthError('wrong-client', 'The personal client belongs to another account.');
    }
    return isPending(says)
      ? new AuthError('client-pending', 'The personal client is not approved yet.')
      : new AuthError(
          'wrong-client',
          'The service does not accept the client id with this client secret.',
        );
  }
  if (error === 'invalid_grant') {
    if (grant === 'refresh') {
      return new AuthError(
        'session-ended',
        'The service has ended the session: it no longer takes the refresh token.',
      );
    }
    return /disabled|locked|not fully set up|temporarily/.test(says)
      ? new AuthError(
          'account-unusable',
          'The account cannot log in now: it is disabled, or not set up to the end.',
        )
      : new AuthError('wrong-password', 'The username and the password do not belong together.');
  }
  if (status >= 400) {
    const why = KNOWN_ERRORS.has(error) ? `${status}, ${error}` : String(status);
    return new ServiceError(
      'request-refused',
      `The authentication service refused the request (${why}).`,
    );
  }
  return new ServiceError('bad-answer', `The authentication service answered with ${status}.`);
}

/** RFC 6749 5.2; shown as they are, since they can hold nothing of what was sent. */
const KNOWN_ERRORS: ReadonlySet<string> = new Set([
  'invalid_request',
  'unsupported_grant_type',
  'invalid_scope',
  'access_denied',
]);

function isAboutClient(error: string, says: string): boolean {
  if (error === 'invalid_client' || error === 'unauthorized_client') return true;
  return error !== 'invalid_grant' && says.includes('client') && isPending(says);
}

function isPending(says: string): boolean {
  return /pending|approv|disabled|not enabled|inactive|not active/.test(says);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 500) : '';
}
