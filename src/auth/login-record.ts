/** A login as it is stored: the account, its personal client (spec 2.1), and the tokens (spec 2.2) with their times. */

export interface PersonalClient {
  /** Begins with `personal-client-`. */
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token was requested, by the wall clock, which may have been wrong. */
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

/** A login whose session has not ended. */
export type ActiveLogin = Login & { readonly tokens: Tokens };

/** The version of the stored formats, in files and in the keychain. */
export const FORMAT = 1;

export const CLIENT_ID_PREFIX = 'personal-client-';

/** Of a name, an id or a secret, in UTF-8. */
export const MAX_FIELD_BYTES = 500;
/** Longer tokens do not fit into a header. */
export const MAX_TOKEN_BYTES = 20_000;

/** Whether `text` can be sent in a header and in a form. */
export function isValidToken(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e]+$/.test(text) && text.length <= MAX_TOKEN_BYTES;
}

/** Whether `text` can be a name or a secret: not empty, not too long, without control characters. */
export function isValidField(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text !== '' &&
    !/\p{Cc}/u.test(text) &&
    Buffer.byteLength(text) <= MAX_FIELD_BYTES
  );
}
