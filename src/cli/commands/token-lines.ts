/** The tokens' times in words, for the commands that show them. Of the tokens themselves nothing is shown. */
import type { Tokens } from '../../auth/login-record.js';
import { accessExpiresAtMs, refreshExpiresAtMs } from '../../auth/token-times.js';
import { formatTime } from '../output/sizes.js';

export function accessTokenLine(tokens: Tokens, nowMs: number): string {
  return `The access token ${inWords(accessExpiresAtMs(tokens), nowMs)}; it is renewed when needed.`;
}

export function refreshTokenLine(tokens: Tokens, nowMs: number): string {
  const endsAtMs = refreshExpiresAtMs(tokens);
  if (endsAtMs === undefined) return 'The service did not say how long the refresh token holds.';
  return `The refresh token ${inWords(endsAtMs, nowMs)}.`;
}

function inWords(endsAtMs: number, nowMs: number): string {
  const at = new Date(endsAtMs).toISOString();
  const leftMs = endsAtMs - nowMs;
  return leftMs > 0 ? `holds until ${at} (for ${formatTime(leftMs / 1_000)})` : `held until ${at}`;
}
