/**
 * When a token is renewed. The wall clock may be wrong, or may have been changed since the token was obtained: a token
 * from the future is renewed at once, and the API may reject a token at any time.
 */
import type { Tokens } from './login-record.js';

/** Spec 8.5; used where the service does not say otherwise. */
export const ACCESS_TOKEN_LIFETIME_MS = 15 * 60_000;
const REFRESH_MARGIN_MS = 60_000;

/** How long before it expires a token is renewed: a minute, or half of a short lifetime. */
export function refreshMarginMs(lifetimeMs: number): number {
  return Math.min(REFRESH_MARGIN_MS, lifetimeMs / 2);
}

/** By the wall clock. */
export function accessExpiresAtMs(tokens: Tokens): number {
  return tokens.obtainedAtMs + tokens.accessLastsMs;
}

/** By the wall clock; undefined where the service did not say. */
export function refreshExpiresAtMs(tokens: Tokens): number | undefined {
  if (tokens.refreshLastsMs === undefined) return undefined;
  return tokens.refreshObtainedAtMs + tokens.refreshLastsMs;
}

/** Undefined where the token is from the future, so that the clock must be wrong. */
export function accessAgeMs(tokens: Tokens, wallMs: number): number | undefined {
  const ageMs = wallMs - tokens.obtainedAtMs;
  return ageMs < 0 ? undefined : ageMs;
}

/** Whether the access token is to be renewed before its next use. */
export function isRefreshDue(tokens: Tokens, ageMs: number | undefined): boolean {
  if (ageMs === undefined) return true;
  return ageMs >= tokens.accessLastsMs - refreshMarginMs(tokens.accessLastsMs);
}
