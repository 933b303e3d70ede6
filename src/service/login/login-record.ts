/** A stored login, the times of its tokens, and the interface of the places that store it. */

import type { PersonalClient } from '../../config/login-fields.js';

/** Spec 2.2. Times are by the wall clock, which may have been wrong. */
export interface Tokens {
  /** Empty, and expired, after a process was killed before it could store it. */
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token was requested. */
  readonly obtainedAtMs: number;
  readonly accessLastsMs: number;
  /** When the refresh token was requested; a refresh does not always replace it. */
  readonly refreshObtainedAtMs: number;
  /** Absent where the service did not say. */
  readonly refreshLastsMs?: number;
}

export interface Login extends PersonalClient {
  readonly username: string;
  /** Origin of the API that the tokens may be sent to. Absent in logins stored by older versions. */
  readonly apiOrigin?: string;
  /** Absent after the service ended the session: the client is kept for the next login. */
  readonly tokens?: Tokens;
}

export type StorageKind = 'keychain' | 'file';

/**
 * Where a login is stored. Besides storage errors, the methods throw AuthError: `credentials-damaged`,
 * `keychain-locked` or `no-keychain`.
 */
export interface CredentialStore {
  readonly kind: StorageKind;
  /** The location, as shown to the user. */
  readonly description: string;
  /** Throws unless a login can be stored now: called before a password is sent. */
  checkWritable(): Promise<void>;
  /** Undefined where no login is stored. */
  read(): Promise<Login | undefined>;
  /** Stores the login atomically. One writer at a time, any number of readers. */
  write(login: Login): Promise<void>;
  /** Removes the login, and what is left of incomplete ones. Resolves with whether there was anything. */
  clear(): Promise<boolean>;
}

/** The version of the stored formats, in files and in the keychain. */
export const LOGIN_FORMAT = 1;
/** Longer tokens do not fit into a header. */
export const MAX_TOKEN_BYTES = 20_000;
/** Spec 8.5; used where the service does not say otherwise. */
export const ACCESS_TOKEN_LIFETIME_MS = 15 * 60_000;
const REFRESH_MARGIN_MS = 60_000;

/** Whether `text` can be sent in a header and in a form. */
export function isValidToken(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e]+$/.test(text) && text.length <= MAX_TOKEN_BYTES;
}

/** When the tokens expire, by the wall clock; `refreshMs` is undefined where the service did not say. */
export function tokenExpiry({
  obtainedAtMs,
  accessLastsMs,
  refreshObtainedAtMs,
  refreshLastsMs,
}: Tokens): { readonly accessMs: number; readonly refreshMs: number | undefined } {
  return {
    accessMs: obtainedAtMs + accessLastsMs,
    refreshMs: refreshLastsMs === undefined ? undefined : refreshObtainedAtMs + refreshLastsMs,
  };
}

/** Undefined where the token is from the future, so that the clock must be wrong. */
export function accessAgeMs(tokens: Tokens, wallMs: number): number | undefined {
  const ageMs = wallMs - tokens.obtainedAtMs;
  return ageMs < 0 ? undefined : ageMs;
}

/** Whether the access token is to be renewed before its next use: a minute, or half of a short lifetime, before its end. */
export function isRefreshDue({ accessLastsMs }: Tokens, ageMs: number | undefined): boolean {
  return (
    ageMs === undefined || ageMs >= accessLastsMs - Math.min(REFRESH_MARGIN_MS, accessLastsMs / 2)
  );
}
