/**
 * When a token is due. The wall clock may be wrong, or may have been set since the token came: a token from the
 * future is due at once, and whatever the clock says, the API's rejection has the last word.
 */
import type { Tokens } from './login-record.js';

/** Spec 8.5: 15 minutes, where the service does not say otherwise. */
export const ACCESS_TOKEN_LIFETIME_MS = 15 * 60_000;
const RENEWED_BEFORE_MS = 60_000;

/** How long before its end a token is renewed: a minute, or half of a life that is short itself. */
export function refreshMarginMs(lastsMs: number): number {
  return lastsMs > 2 * RENEWED_BEFORE_MS ? RENEWED_BEFORE_MS : lastsMs / 2;
}

/** Until when the access token holds, in wall-clock milliseconds. */
export function accessExpiresAtMs(tokens: Tokens): number {
  return tokens.obtainedAtMs + tokens.accessLastsMs;
}

/** Until when the refresh token holds, in wall-clock milliseconds; undefined where the service did not say. */
export function refreshExpiresAtMs(tokens: Tokens): number | undefined {
  if (tokens.refreshLastsMs === undefined) return undefined;
  return tokens.refreshObtainedAtMs + tokens.refreshLastsMs;
}

/** How old the access token is; undefined where the clock must be wrong, since it would be from the future. */
export function accessAgeMs(tokens: Tokens, wallMs: number): number | undefined {
  const ageMs = wallMs - tokens.obtainedAtMs;
  return ageMs < 0 ? undefined : ageMs;
}

/** Whether the access token is to be renewed before its next use. */
export function isRefreshDue(tokens: Tokens, ageMs: number | undefined): boolean {
  if (ageMs === undefined) return true;
  return ageMs >= tokens.accessLastsMs - refreshMarginMs(tokens.accessLastsMs);
}
