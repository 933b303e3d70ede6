/**
 * What a login is made of, as it is kept: the personal client (spec 2.1), the account it belongs to, and the
 * tokens (spec 2.2) with their times. Foreign text, such as a stored record, becomes one only through here.
 */
import { isRecord } from '../core/json.js';

export interface PersonalClient {
  /** Begins with `personal-client-`. */
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token was asked for, in wall-clock milliseconds; the wall clock may have been wrong. */
  readonly obtainedAtMs: number;
  readonly accessLastsMs: number;
  /** When the refresh token was, which a refresh need not replace. */
  readonly refreshObtainedAtMs: number;
  /** Absent where the service did not say. */
  readonly refreshLastsMs?: number;
}

export interface Login extends PersonalClient {
  readonly username: string;
  /** Origin of the API that the tokens may be sent to. Absent in logins stored by versions before this was kept. */
  readonly apiOrigin?: string;
  /** Absent after the service ended the session: the client stays for the next login. */
  readonly tokens?: Tokens;
}

/** A login whose session goes on. */
export type ActiveLogin = Login & { readonly tokens: Tokens };

export const CLIENT_ID_PREFIX = 'personal-client-';

/** A name, an id or a secret longer than this, in UTF-8 bytes, is none. */
export const MAX_FIELD_BYTES = 500;
/** A token longer than this, in UTF-8 bytes, is none that any header could carry. */
export const MAX_TOKEN_BYTES = 20_000;

/** Whether `text` can go into a header and a form: not empty, not endless, no control characters. */
export function isValidToken(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e]+$/.test(text) && text.length <= MAX_TOKEN_BYTES;
}

/** Whether `text` can be a name or a secret: not empty, not endless, no control characters. */
export function isValidField(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text !== '' &&
    !/\p{Cc}/u.test(text) &&
    Buffer.byteLength(text) <= MAX_FIELD_BYTES
  );
}

/** The login that a stored record holds; undefined where it is none. Never throws. */
export function parseLogin(value: unknown): Login | undefined {
  if (!isRecord(value)) return undefined;
  const { username, clientId, clientSecret, apiOrigin, tokens } = value;
  if (!isValidField(username) || !isValidField(clientId) || !isValidField(clientSecret))
    return undefined;
  if (apiOrigin !== undefined && !isValidField(apiOrigin)) return undefined;
  const owner = { username, clientId, clientSecret, ...(apiOrigin !== undefined && { apiOrigin }) };
  if (tokens === undefined) return owner;
  const read = readTokens(tokens);
  return read && { ...owner, tokens: read };
}

function readTokens(value: unknown): Tokens | undefined {
  if (!isRecord(value)) return undefined;
  const { accessToken, refreshToken, obtainedAtMs, accessLastsMs } = value;
  const { refreshObtainedAtMs, refreshLastsMs } = value;
  if (!isValidToken(accessToken) || !isValidToken(refreshToken)) return undefined;
  if (!isMs(obtainedAtMs) || !isMs(accessLastsMs) || !isMs(refreshObtainedAtMs)) return undefined;
  if (refreshLastsMs !== undefined && !isMs(refreshLastsMs)) return undefined;
  return {
    accessToken,
    refreshToken,
    obtainedAtMs,
    accessLastsMs,
    refreshObtainedAtMs,
    ...(refreshLastsMs !== undefined && { refreshLastsMs }),
  };
}

/** Two of these added up are still a moment that a date can show. */
const MOST_MS = 4e15;

function isMs(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MOST_MS;
}
